"""The main window: frame, pages, commands. On a change of language or theme its contents are built anew."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.errors import FlopwiseError
from engine.plan import PlanErrors
from engine.storage import is_plan_file
from gui.i18n import LANGUAGES, language, render, set_language, tr
from gui.shell import headlines, theme
from gui.shell.actions import fill_menu, make_actions
from gui.shell.headline_strip import HeadlineStrip
from gui.shell.library import FIRST_PLAN, Library
from gui.shell.navigation import Navigation
from gui.shell.page_table import PAGES, warm_up
from gui.shell.session import Session
from gui.shell.settings import Settings
from gui.shell.states import Notice
from gui.shell.status_line import ProgressLine, StatusLine
from gui.shell.trace_popup import TracePopup

MINIMUM, DRAWN = QSize(1100, 720), QSize(1440, 900)
NARROW_BELOW = 1200


class MainWindow(QMainWindow):
    """Frame round the pages. The session is given; pages are made when they are first shown."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.session = session
        self.settings = settings
        self.library = Library(session, self)
        self.pages: dict[str, QWidget] = {}
        self.commands: dict[str, QAction] = {}
        self.setMinimumSize(MINIMUM)
        self.setAcceptDrops(True)
        self.resize(DRAWN)
        if not settings.geometry.isEmpty():
            self.restoreGeometry(settings.geometry)
        session.plan_changed.connect(self._show_title)
        session.undo_stack.indexChanged.connect(self._show_undo)
        session.opened.connect(self._opened)
        self._build()
        # Once, when the first figures stand: nothing waits for it then.
        session.review_changed.connect(self._warm_up, Qt.ConnectionType.SingleShotConnection)

    # Building.

    def _warm_up(self, _review: object) -> None:
        self.session.runner.submit("warm-up", lambda job: warm_up(), self._warmed)

    def _warmed(self, _outcome: object) -> None:
        """Nothing to show: the modules are there."""

    def _build(self) -> None:
        for action in self.commands.values():
            self.removeAction(action)
            action.deleteLater()
        self.commands = make_actions(self)
        menu = QMenu(self)
        fill_menu(menu, self.commands)
        self.pages = {}
        frame = QWidget()
        row = QHBoxLayout(frame)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        titles = [(page.key, tr(page.title)) for page in PAGES]
        self.navigation = Navigation(self.session, self.library, titles, menu)
        self.navigation.page_asked.connect(self.show_page)
        row.addWidget(self.navigation)
        column = QVBoxLayout()
        column.setSpacing(0)
        self.strip = HeadlineStrip(self.session)
        self.strip.trace_asked.connect(self.show_trace)
        self.progress = ProgressLine(self.session)
        self.stack = QStackedWidget()
        for part in (self.strip, self.progress):
            column.addWidget(part)
        column.addWidget(self.stack, 1)
        row.addLayout(column, 1)
        outer = QWidget()
        whole = QVBoxLayout(outer)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(frame, 1)
        self.status = StatusLine(self.session)
        whole.addWidget(self.status)
        self.setCentralWidget(outer)
        self._fit()
        self._show_title()
        self._show_undo()
        self.show_page(self.settings.page)

    def _rebuild(self) -> None:
        """Build everything anew in the current language and theme; the page shown stays the same."""
        self._commit_entries()
        notice = tr("Language: {name}").format(name=LANGUAGES[language()])
        self._build()
        self.session.noticed.emit(Notice(notice))

    def _commit_entries(self) -> None:
        commit = getattr(getattr(self.pages.get("setup"), "form", None), "commit", None)
        if commit is not None:
            commit()

    def _opened(self, _plan: object) -> None:
        if self.session.plan_id is not None:
            self.settings.plan_id = self.session.plan_id

    def _show_title(self, _plan: object = None) -> None:
        name = self.session.plan.meta.name or tr("Unnamed plan")
        self.setWindowTitle(f"{name} – Flopwise")

    def _show_undo(self, _index: int = 0) -> None:
        stack = self.session.undo_stack
        self.commands["undo"].setEnabled(stack.canUndo())
        self.commands["redo"].setEnabled(stack.canRedo())

    def _fit(self) -> None:
        narrow = self.width() < NARROW_BELOW
        self.navigation.set_narrow(narrow)
        self.strip.set_narrow(narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = Path(event.mimeData().urls()[0].toLocalFile())
        event.acceptProposedAction()
        if is_plan_file(path):
            self._telling(lambda: self.library.open_file(path))
        else:
            self.import_model(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._commit_entries()
        self.settings.geometry = self.saveGeometry()
        self.settings.sync()
        self.session.close()
        super().closeEvent(event)

    # Pages.

    def page(self, key: str) -> QWidget:
        """The page with this key, made when it is first asked for."""
        if key not in self.pages:
            spec = next(page for page in PAGES if page.key == key)
            self.pages[key] = spec.make(self.session)
            asked = getattr(self.pages[key], "import_asked", None)
            if asked is not None:
                asked.connect(self.import_model)
            traffic = getattr(self.pages[key], "traffic_asked", None)
            if traffic is not None:
                traffic.connect(self.import_traffic)
            self.stack.addWidget(self.pages[key])
        return self.pages[key]

    def show_page(self, key: str) -> None:
        """Go to a page."""
        known = [page.key for page in PAGES]
        key = key if key in known else known[0]
        self.stack.setCurrentWidget(self.page(key))
        self.navigation.pages.set_current(key)
        if self.focusWidget() is None:
            self.page(key).setFocus()
        self.settings.page = key

    def show_trace(self, key: str) -> None:
        """Show how a headline figure came about: its formula, or the page that itemises it."""
        estimate = self.session.estimate
        found = headlines.trace_of(estimate, key) if estimate is not None else None
        if key == "plan":
            self.show_page("setup")
        elif key == "saving":
            self.show_page("recommendations")
        elif estimate is not None and found is not None:
            TracePopup(*found, estimate.currency, self).show()
        else:
            self.show_page("cost")

    # Commands (named in actions.py).

    def undo(self) -> None:
        """Take back the last edit."""
        self.session.undo_stack.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        self.session.undo_stack.redo()

    def new_plan(self) -> None:
        """Add a plan made from the example."""
        self.library.new_from(FIRST_PLAN)

    def duplicate_plan(self) -> None:
        """Add a copy of the open plan and open it."""
        if self.session.plan_id is not None:
            self.library.duplicate(self.session.plan_id)

    def rename_plan(self) -> None:
        """Ask for another name of the open plan."""
        name, good = QInputDialog.getText(
            self, tr("Rename the plan"), tr("Name"), text=self.session.plan.meta.name
        )
        if good and self.session.plan_id is not None:
            self.library.rename(self.session.plan_id, name)

    def delete_plan(self) -> None:
        """Take the open plan out of the library; the status bar offers to undo it."""
        if self.session.plan_id is not None:
            self.library.delete(self.session.plan_id)

    def open_file(self) -> None:
        """Ask for a plan file and add it to the library."""
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Open a plan file"), "", tr("Plan files (*.json)"))
        if chosen:
            self._telling(lambda: self.library.open_file(Path(chosen)))

    def import_model(self, path: Path | None = None) -> None:
        """Show a model's configuration before the plan takes it; without a path the dialog asks for one."""
        from gui.pages.model_import import ModelImportDialog

        dialog = ModelImportDialog(self.session, self)
        dialog.taken.connect(lambda: self.show_page("setup"))
        dialog.show()
        if path is not None:
            dialog.read_file(path)

    def import_traffic(self, path: Path | None = None) -> None:
        """Show the traffic of a CSV file before the plan takes it; without a path the dialog asks for one."""
        from gui.pages.traffic_import import TrafficImportDialog

        dialog = TrafficImportDialog(self.session, self)
        dialog.show()
        if path is not None:
            dialog.read_file(path)

    def save_copy(self) -> None:
        """Ask where to and write the open plan as a file."""
        name = f"{self.session.plan.meta.name or 'plan'}.json".replace("/", "-")
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save a copy"), name, tr("Plan files (*.json)"))
        if chosen:
            self._telling(lambda: self.library.save_copy(Path(chosen)))

    def export_pdf(self) -> None:
        """Go to the proposal and ask where to write it."""
        self.show_page("proposal")
        export = getattr(self.page("proposal"), "ask_export", None)
        if export is not None:
            QTimer.singleShot(0, export)

    def find_field(self) -> None:
        """Put the keyboard into the field search."""
        self.show_page("setup")
        self.page("setup").focus_find()  # type: ignore[attr-defined]

    def next_error(self) -> None:
        """Go to the next field that needs attention."""
        self.show_page("setup")
        self.page("setup").go_to_error()  # type: ignore[attr-defined]

    def field_help(self) -> None:
        """Explain the field that has the keyboard."""
        widget: QWidget | None = QApplication.focusWidget()
        while widget is not None and not hasattr(widget, "show_help"):
            widget = widget.parentWidget()
        if widget is not None:
            widget.show_help()

    def recompute(self) -> None:
        """Compute everything again."""
        self.session.recompute()

    def cancel_search(self) -> None:
        """Stop a running search."""
        self.session.cancel()

    def switch_plan(self) -> None:
        """Open the list of plans."""
        self.navigation.switcher.showMenu()

    def switch_language(self) -> None:
        """Go to the next language."""
        codes = list(LANGUAGES)
        self._commit_entries()
        set_language(codes[(codes.index(language()) + 1) % len(codes)])
        self.settings.language = language()
        self._rebuild()

    def switch_theme(self) -> None:
        """Go from light to dark or back."""
        self._commit_entries()
        name = "light" if theme.current().name == "dark" else "dark"
        # The old pages need no new palette.
        self.setCentralWidget(QWidget())
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, name)
        self.settings.theme = name
        self._build()

    def _telling(self, action: object) -> None:
        """Do something with a file; what goes wrong is said in the status bar."""
        try:
            action()  # type: ignore[operator]
        except FlopwiseError as error:
            found = error.errors if isinstance(error, PlanErrors) else (error,)
            self.session.noticed.emit(
                Notice("; ".join(render(item.message) for item in found[:3]), tone="danger")
            )

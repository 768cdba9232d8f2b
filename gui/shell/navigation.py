"""The left edge: which plan, which page, and what undo would take back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gui.i18n import tr
from gui.services.templates import templates
from gui.shell import theme
from gui.shell.icons import icon
from gui.shell.library import Library
from gui.shell.session import Session
from gui.widgets.buttons import IconButton, LinkButton
from gui.widgets.labels import Label
from gui.widgets.nav_list import NavList, NavState

WIDE, NARROW = 200, 52
_STALE_AFTER_MS = 600


class PlanSwitcher(QToolButton):
    """The open plan's name; its menu lists the library."""

    def __init__(self, session: Session, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._library = library
        self._narrow = False
        self.setAccessibleName(tr("Plans"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(36)
        self.setFont(theme.font())
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        session.plan_changed.connect(self.refresh)
        self.refresh()

    def set_narrow(self, narrow: bool) -> None:
        """Show an icon only."""
        self._narrow = narrow
        self.refresh()

    def refresh(self, _plan: object = None) -> None:
        """Show the open plan's name."""
        name = self._session.plan.meta.name or tr("Unnamed plan")
        self.setAccessibleName(tr("Plan: {name}").format(name=name))
        self.setToolTip(name)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(36 if self._narrow else 160, 36)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("accent" if self.hasFocus() else "edge"))
        painter.setBrush(theme.color("surface"))
        box = self.rect().adjusted(0, 0, -1, -1)
        painter.drawRoundedRect(box, 4, 4)
        if self._narrow:
            icon("plan").paint(painter, self.rect().adjusted(10, 10, -10, -10))
            return
        painter.setPen(theme.color("text"))
        text_box = box.adjusted(10, 0, -26, 0)
        name = painter.fontMetrics().elidedText(self.toolTip(), Qt.TextElideMode.ElideRight, text_box.width())
        painter.drawText(text_box, Qt.AlignmentFlag.AlignVCenter, name)
        icon("down", "muted").paint(painter, box.right() - 22, box.center().y() - 5, 12, 12)

    def _fill(self) -> None:
        self._menu.clear()
        for summary in self._library.plans():
            action = self._menu.addAction(summary.name or tr("Unnamed plan"))
            action.setCheckable(True)
            action.setChecked(summary.id == self._session.plan_id)
            action.triggered.connect(lambda _=False, plan_id=summary.id: self._library.open(plan_id))
        self._menu.addSeparator()
        new = self._menu.addMenu(tr("New from a template"))
        for template in templates():
            action = new.addAction(tr(template.sentence))
            action.triggered.connect(lambda _=False, name=template.name: self._library.new_from(name))
        window = self.window()
        for key in ("duplicate", "rename", "delete"):
            found = getattr(window, "commands", {}).get(key)
            if found is not None:
                self._menu.addAction(found)


class Navigation(QWidget):
    """Plan switcher on top, pages with a small state each, undo at the foot."""

    page_asked = Signal(object)

    def __init__(
        self, session: Session, library: Library, pages: Sequence[tuple[str, str]], menu: QMenu,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session = session
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 1, 8)
        column.setSpacing(8)
        self._top = top = QHBoxLayout()
        top.setContentsMargins(8, 0, 7, 0)
        top.setSpacing(4)
        self.switcher = PlanSwitcher(session, library)
        self.more = IconButton("menu", tr("Menu"), role="text")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(menu)
        top.addWidget(self.switcher, 1)
        top.addWidget(self.more)
        column.addLayout(top)
        self.pages = NavList(tr("Pages"))
        for key, text in pages:
            self.pages.add(key, text, key)
        self.pages.chosen.connect(self.page_asked)
        column.addWidget(self.pages, 1)
        self.undo = LinkButton(role="muted")
        self.undo.clicked.connect(session.undo_stack.undo)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 0, 8, 0)
        foot.addWidget(self.undo)
        foot.addStretch(1)
        self._undo_keys = Label("Ctrl+Z", size="hint", role="muted")
        foot.addWidget(self._undo_keys)
        column.addLayout(foot)
        self._late = QTimer(self, singleShot=True, interval=_STALE_AFTER_MS)
        self._late.timeout.connect(self.refresh)
        session.undo_stack.indexChanged.connect(self._show_undo)
        session.errors_changed.connect(self.refresh)
        session.review_changed.connect(self.refresh)
        session.plan_changed.connect(self._show_pages)
        session.stale_changed.connect(self._wait_for_stale)
        self.set_narrow(False)
        self._show_undo()
        self._show_pages()
        self.refresh()

    def set_narrow(self, narrow: bool) -> None:
        """Icons only, or icons with names."""
        self.setFixedWidth(NARROW if narrow else WIDE)
        self.switcher.set_narrow(narrow)
        self.more.setVisible(True)
        self.pages.set_icons_only(narrow)
        self._top.setDirection(
            QHBoxLayout.Direction.TopToBottom if narrow else QHBoxLayout.Direction.LeftToRight
        )
        self._narrow = narrow
        self._show_undo()

    def refresh(self, _changed: object = None) -> None:
        """Show each page's state."""
        session = self._session
        errors = len(session.errors)
        self.pages.set_state("setup", NavState(str(errors), "danger", "square") if errors else None)
        review = session.review
        late = session.stale and not self._late.isActive()
        stale = NavState("", "muted", "ring") if late else None
        for key in ("cost", "optimise", "proposal", "service"):
            self.pages.set_state(key, stale)
        if review is not None:
            items = review.recommendations.recommendations
            text = f"{sum(item.chosen for item in items)}/{len(items)}"
            self.pages.set_state("recommendations", stale or NavState(text))
        if session.estimate is not None and not session.estimate.complete:
            self.pages.set_state("cost", NavState(str(len(session.estimate.unknown)), "warn", "triangle"))

    def _show_pages(self, _plan: object = None) -> None:
        """List the pages that the plan's workload has; leave one that it has not."""
        serves = self._session.has_plan and self._session.plan.workload.kind == "online_inference"
        self.pages.set_shown("service", serves)
        if not serves and self.pages.current_key() == "service":
            self.page_asked.emit("setup")

    def _wait_for_stale(self, stale: bool) -> None:
        if stale:
            self._late.start()
        else:
            self._late.stop()
            self.refresh()

    def _show_undo(self, _index: int = 0) -> None:
        stack = self._session.undo_stack
        text = tr("Undo: {step}").format(
            step=stack.undoText().lower() if stack.undoText().isascii() else stack.undoText()
        )
        shown = stack.canUndo() and not self._narrow
        self.undo.setVisible(shown)
        self._undo_keys.setVisible(shown)
        self.undo.setText(self.undo.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, WIDE - 76))
        self.undo.setToolTip(f"{text} (Ctrl+Z)")
        self.undo.setAccessibleName(text)
        self.undo.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("window"))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), theme.color("line"))

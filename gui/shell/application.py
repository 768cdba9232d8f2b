"""Start and end of the program: application, database, session, window."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from engine.storage import StorageError
from gui.i18n import render, set_language, tr
from gui.services.project import Project
from gui.shell import theme
from gui.shell.composer import Composer, EngineCalls
from gui.shell.icons import ICON_FOLDER
from gui.shell.main_window import MainWindow
from gui.shell.recovery import CrashHook, recover, start_logging
from gui.shell.session import Session
from gui.shell.settings import Settings
from gui.shell.states import Notice

SWITCH_INTERVAL_S = 0.0005


@dataclass
class Program:
    """What keeps the window alive."""

    app: QApplication
    project: Project
    session: Session
    window: MainWindow
    closed: bool = False

    def close(self) -> None:
        """Close the window, wait for the engine, close the database. Safe to call twice."""
        if self.closed:
            return
        self.closed = True
        self.window.close()
        self.session.close()
        self.project.close()
        self.window.deleteLater()
        self.session.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def build(argv: Sequence[str], composer: Composer | None = None) -> Program:
    """Make everything and show the window. Errors: StorageError when the plans cannot be opened."""
    # Every Qt call into Python waits for the engine thread's turn to end; painting a page is dozens of calls.
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(list(argv))
    app.setApplicationName("Flopwise")
    app.setDesktopFileName("flopwise")
    settings = Settings()
    set_language(settings.language)
    theme.install(app, settings.theme)
    app.setWindowIcon(QIcon(str(ICON_FOLDER / "flopwise.svg")))
    project = Project.open()
    recovered = recover(project)
    session = Session(project, composer or EngineCalls().composer())
    _open_something(session, settings)
    window = MainWindow(session, settings)
    window.show()
    if recovered:
        session.noticed.emit(Notice(recovered))
    return Program(app, project, session, window)


def run(argv: Sequence[str]) -> int:
    """Open the window and stay until it is closed. Returns the exit code."""
    file = start_logging()
    CrashHook(_show_crash, file).install()
    try:
        program = build(argv)
    except StorageError as error:
        _show_crash(tr("Your plans cannot be opened: {reason}").format(reason=render(error.message)), "")
        return 1
    try:
        return program.app.exec()
    finally:
        program.close()


def _open_something(session: Session, settings: Settings) -> None:
    from gui.shell.library import Library

    Library(session, session).open_first(settings.plan_id)
    if session.plan_id is not None:
        settings.plan_id = session.plan_id


def _show_crash(text: str, details: str) -> None:
    if QApplication.instance() is None:
        QApplication(sys.argv[:1])
    box = QMessageBox(QMessageBox.Icon.Critical, "Flopwise", text)
    box.setDetailedText(details)
    box.addButton(QMessageBox.StandardButton.Close)
    copy = box.addButton(tr("Copy details"), QMessageBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: QApplication.clipboard().setText(f"{text}\n{details}"))
    box.exec()

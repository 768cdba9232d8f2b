"""Drives the real program by keys and buttons; prints one JSON line of what it saw. For test_whole_road."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gui.shell.application import Program, build

PATIENCE_S = 40
# Notes of an X server without window manager or accessibility bus.
HARMLESS = (
    "propagateSizeHints",
    "accessibility bus",
    "screen resources",
    "raise",
    "XDG_RUNTIME_DIR",
    "grabbing the",
)
complaints: list[str] = []


def listen(kind: QtMsgType, _context: Any, text: str) -> None:
    if kind != QtMsgType.QtDebugMsg and not any(note in text for note in HARMLESS):
        complaints.append(text)


def wait(until: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not until():
        if time.monotonic() > end:
            raise TimeoutError(what)
        # QTest.qWait keeps the interpreter lock, which would starve the engine's thread.
        loop = QEventLoop()
        QTimer.singleShot(20, loop.quit)
        loop.exec()


def drive(program: Program, folder: Path) -> dict[str, Any]:
    window, session = program.window, program.session
    wait(lambda: window.windowHandle().isExposed(), "window")
    window.activateWindow()
    wait(lambda: session.review is not None and not session.stale, "first review")
    seen: dict[str, Any] = {
        "platform": QGuiApplication.platformName(),
        "first_total": window.strip.cell("total").headline().value,
        "total_before": session.review.estimate.total,
    }
    edit_by_keys(program, seen)
    tick(program, seen)
    seen["pages"] = {lang: export(program, folder, lang) for lang in ("en", "zh_CN")}
    return seen


def edit_by_keys(program: Program, seen: dict[str, Any]) -> None:
    window, session = program.window, program.session
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    line = window.page("setup").form.row("training.tokens").editor.line
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    wait(line.hasFocus, "focus in the field")
    QTest.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(line, "3T tokens")
    QTest.keyClick(line, Qt.Key.Key_Tab)
    wait(lambda: not session.stale, "review after the edit")
    seen["tokens"] = session.plan.training.tokens
    seen["total_after"] = session.review.estimate.total


def tick(program: Program, seen: dict[str, Any]) -> None:
    window, session = program.window, program.session
    QTest.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: window.navigation.pages.current_key() == "recommendations", "recommendations page")
    found = session.review.recommendations
    seen["fired"] = len(found.recommendations)
    seen["chosen_before"] = sorted(found.joint_saving.ids)
    seen["joint_before"] = found.joint_saving.gross
    from PySide6.QtWidgets import QAbstractItemView

    views = window.page("recommendations").findChildren(QAbstractItemView)
    table = next(view for view in views if view.isVisible() and view.model().rowCount() == seen["fired"])
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    QTest.keyClick(table, Qt.Key.Key_Space)
    wait(lambda: sorted(session.review.recommendations.joint_saving.ids) != seen["chosen_before"], "the tick")
    wait(lambda: not session.stale, "review after the tick")
    seen["chosen_after"] = sorted(session.review.recommendations.joint_saving.ids)
    seen["joint_after"] = session.review.recommendations.joint_saving.gross


def export(program: Program, folder: Path, lang: str) -> int:
    """Switch the window to `lang` by its shortcut, and export; the file dialog is the desktop's own."""
    from gui.i18n import language

    window, session = program.window, program.session
    if language() != lang:
        QTest.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
        wait(lambda: language() == lang, "language")
    QTest.keyClick(window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    page = window.page("proposal")
    wait(lambda: bool(page._pages), "preview")
    file = folder / f"proposal-{lang}.pdf"
    page.export_to(file)
    wait(lambda: file.exists() and not session.runner.is_busy("export"), "export")
    window.grab().save(str(folder / f"proposal-{lang}.png"))
    return len(page._pages)


def main() -> int:
    qInstallMessageHandler(listen)
    program = build(["flopwise"])
    seen = drive(program, Path(sys.argv[1]))
    program.close()
    qInstallMessageHandler(None)
    print(json.dumps({**seen, "complaints": complaints}), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

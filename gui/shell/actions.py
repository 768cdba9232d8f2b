"""The window's commands as data: text, shortcut, icon, and the method of the window that does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from engine.text import N_
from gui.i18n import tr
from gui.shell.icons import icon


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One command; `handler` names a method of the window, called with `argument` when there is one."""

    key: str
    text: str
    shortcut: str
    handler: str
    icon: str = ""
    argument: str = ""
    group: str = "file"


ACTIONS = (
    ActionSpec("new", N_("New plan from the example"), "Ctrl+N", "new_plan", "add"),
    ActionSpec("open", N_("Open a plan file"), "Ctrl+O", "open_file", "open"),
    ActionSpec("import_model", N_("Import a model (config.json)"), "Ctrl+I", "import_model", "open"),
    ActionSpec("save", N_("Save a copy"), "Ctrl+S", "save_copy", "save"),
    ActionSpec("duplicate", N_("Duplicate the plan"), "Ctrl+D", "duplicate_plan", "copy"),
    ActionSpec("rename", N_("Rename the plan"), "", "rename_plan"),
    ActionSpec("delete", N_("Delete the plan"), "", "delete_plan", "remove"),
    ActionSpec("export", N_("Export the proposal as PDF"), "Ctrl+E", "export_pdf", "export"),
    ActionSpec("undo", N_("Undo"), "Ctrl+Z", "undo", "undo", group="edit"),
    ActionSpec("redo", N_("Redo"), "Ctrl+Shift+Z", "redo", "redo", group="edit"),
    ActionSpec("find", N_("Find a field"), "Ctrl+K", "find_field", "search", group="edit"),
    ActionSpec("next_error", N_("Go to the next error"), "F8", "next_error", group="edit"),
    ActionSpec("help", N_("Help on the field"), "F1", "field_help", "info", group="edit"),
    ActionSpec("recompute", N_("Compute again"), "F5", "recompute", group="edit"),
    ActionSpec("cancel", N_("Stop the search"), "Esc", "cancel_search", group="edit"),
    ActionSpec("switch", N_("Switch to another plan"), "Ctrl+P", "switch_plan", group="view"),
    ActionSpec(
        "language", N_("Language: English or 简体中文"), "Ctrl+L", "switch_language", "language", group="view"
    ),
    ActionSpec("theme", N_("Light or dark"), "Ctrl+Shift+L", "switch_theme", "theme", group="view"),
    ActionSpec("page_setup", N_("Setup"), "Ctrl+1", "show_page", "setup", "setup", "pages"),
    ActionSpec("page_cost", N_("Cost"), "Ctrl+2", "show_page", "cost", "cost", "pages"),
    ActionSpec("page_optimise", N_("Optimise"), "Ctrl+3", "show_page", "optimise", "optimise", "pages"),
    ActionSpec(
        "page_recommendations",
        N_("Recommendations"),
        "Ctrl+4",
        "show_page",
        "recommendations",
        "recommendations",
        "pages",
    ),
    ActionSpec("page_proposal", N_("Proposal"), "Ctrl+5", "show_page", "proposal", "proposal", "pages"),
    ActionSpec(
        "page_validation", N_("Validation"), "Ctrl+6", "show_page", "validation", "validation", "pages"
    ),
    ActionSpec("page_service", N_("Service"), "Ctrl+7", "show_page", "service", "service", "pages"),
    ActionSpec("quit", N_("Quit"), "Ctrl+Q", "close", group="quit"),
)
GROUPS = ("file", "edit", "view", "pages", "quit")


def make_actions(window: QWidget) -> dict[str, QAction]:
    """One QAction a command, connected to the window's methods."""
    made = {}
    for spec in ACTIONS:
        action = QAction(tr(spec.text), window)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.setShortcut(QKeySequence(spec.shortcut))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        handler = getattr(window, spec.handler)
        arguments = (spec.argument,) if spec.argument else ()
        action.triggered.connect(lambda _=False, call=handler, given=arguments: call(*given))
        window.addAction(action)
        made[spec.key] = action
    return made


def fill_menu(menu: QMenu, actions: dict[str, QAction]) -> None:
    """Put every command into `menu`, grouped."""
    for group in GROUPS:
        for spec in _of(group):
            menu.addAction(actions[spec.key])
        menu.addSeparator()


def _of(group: str) -> Iterator[ActionSpec]:
    return (spec for spec in ACTIONS if spec.group == group)

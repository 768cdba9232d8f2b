"""One row of a form: label, field, unit, provenance, help, and what is wrong right under the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QMenu, QSizePolicy, QWhatsThis, QWidget

from engine.plan import Plan
from engine.text import N_, Message
from gui.formatting import date_short
from gui.forms.editors import Editor
from gui.forms.field_spec import FormField, provenance_of, value_at
from gui.forms.make_editor import make_editor
from gui.forms.range_field import RangeField
from gui.forms.tables import EMPTY_WORDS
from gui.i18n import language, render, tr
from gui.shell.states import Rejected
from gui.widgets.buttons import HelpButton, LinkButton
from gui.widgets.labels import Label
from gui.widgets.marks import PROVENANCE, Mark

FIELD_WIDTH, UNIT_WIDTH, MARK_WIDTH = 188, 100, 92
MESSAGE_WIDTH = 340
WIDE = ("rows", "checks")
NOT_KNOWN = N_("not known")


class FormRow(QWidget):
    """Shows one field of the plan and reports what the user wants of it."""

    edited = Signal(object, object)
    range_edited = Signal(object)
    unreadable = Signal(object, object)
    cleared = Signal()
    reset_asked = Signal()
    range_asked = Signal(object)

    def __init__(self, field: FormField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.title = tr(field.spec.title)
        self._plan: Plan | None = None
        self._used: tuple[Any, str] | None = None
        self._repair_value: Any = None
        self._hint: tuple[str, str, Any] | None = None
        self._error = False
        self.editor: Editor = make_editor(field, self.title)
        self.range_editor: RangeField | None = None
        self._build()
        self._connect(self.editor)

    def _build(self) -> None:
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)  # labels and messages wrap
        self.setSizePolicy(policy)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        self.label = Label(self.title, wrap=True)
        parts = self.editor.parts()
        if parts:
            self.label.setBuddy(parts[0])
        self._holder = QHBoxLayout()
        self._holder.addWidget(self.editor)
        self.unit = Label(size="hint", role="muted", wrap=True)
        self.mark = Mark("hollow_square", "muted")
        self.help = HelpButton(tr("Help on {field}").format(field=self.title))
        self.help.clicked.connect(self.show_help)
        grid.addWidget(self.label, 0, 0)
        grid.addWidget(self.unit, 0, 2)
        grid.addWidget(self.mark, 0, 3)
        grid.addWidget(self.help, 0, 4)
        wide = self.field.editor in WIDE
        grid.addLayout(self._holder, 1 if wide else 0, 0 if wide else 1, 1, 5 if wide else 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnMinimumWidth(0, 120)
        if not wide:
            self.editor.setFixedWidth(FIELD_WIDTH)
        self.unit.setFixedWidth(UNIT_WIDTH)
        self.mark.setFixedWidth(MARK_WIDTH)
        self._below = QWidget()
        below = QHBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(6)
        self._message = Label(size="hint", wrap=True)
        self._link = LinkButton()
        below.addWidget(self._message)
        below.addWidget(self._link, 0, Qt.AlignmentFlag.AlignTop)
        below.addStretch(1)
        self._below_row = below
        self._link.clicked.connect(self._repair)
        grid.addWidget(self._below, 2, 0 if wide else 1, 1, 5 if wide else 4)
        self._below.hide()

    def _connect(self, editor: Editor) -> None:
        editor.committed.connect(self.edited if editor is self.editor else self._range_committed)
        editor.unreadable.connect(self.unreadable)
        editor.cleared.connect(self.cleared)

    def _range_committed(self, values: Any, _text: Any) -> None:
        self.range_edited.emit(values)

    def set_compact(self) -> None:
        """Label and field only: for a narrow card whose fields stand in full on the setup page."""
        for part in (self.unit, self.mark, self.help):
            part.hide()
        grid = self.layout()
        assert isinstance(grid, QGridLayout)
        grid.setHorizontalSpacing(2)

    # Showing.

    def refresh(self, plan: Plan, rejected: Rejected | None, used: tuple[Any, str] | None) -> None:
        """Show the plan's value; `used` is what the engine took for an empty or "auto" one, and why."""
        self._plan, self._used = plan, used
        value = value_at(plan, self.field.path)
        currency = plan.meta.currency
        bounds = plan.ranges.get(self.field.path)
        self._show_range(bounds is not None)
        if bounds is not None and self.range_editor is not None:
            self.range_editor.show_range(bounds.low, value, bounds.high, currency)
        else:
            self.editor.set_empty_word(self._empty_word())
            self.editor.show_value(value, currency)
            if rejected is not None:
                shown = (
                    rejected.text
                    if rejected.text is not None
                    else self.field.text_of(rejected.value, language())
                )
                self.editor.show_text(shown)
        self.unit.setText(self._unit_text(value, currency))
        self._show_mark(plan)

    def show_error(self, message: Message | None, rejected: Rejected | None) -> None:
        """Show what is wrong and what is accepted, with a link that repairs it where there is one."""
        self._error = message is not None
        if message is None:
            self._show_hint()
            return
        text = render(message, self._plan.meta.currency if self._plan else "")
        head = (
            tr("Not accepted. Accepted: {accepted}").format(accepted=text)
            if not text.endswith((".", "。"))
            else text
        )
        value = self.field.repair(rejected.value) if rejected is not None else None
        link = (
            tr("Use {value}").format(value=self.field.text_of(value, language())) if value is not None else ""
        )
        self._say("danger", f"■ {head}", link, value)

    def set_hint(self, text: str, link: str = "", value: Any = None) -> None:
        """Show advice under the field, unless an error stands there; empty text removes it."""
        self._hint = (text, link, value) if text else None
        if not self._error:
            self._show_hint()

    def hint_text(self) -> str:
        """What stands under the field, empty when nothing does."""
        return self._message.text() if not self._below.isHidden() else ""

    def _show_hint(self) -> None:
        if self._hint is None:
            self._below.hide()
            self._active().set_problem(None)
        else:
            text, link, value = self._hint
            self._say("warn", f"▲ {text}", link, value)
            self._active().set_problem(None)

    def _say(self, role: str, text: str, link: str, value: Any) -> None:
        self._message.set_role(role)
        self._message.setText(text)
        self._repair_value = value
        self._link.setText(link)
        self._link.setVisible(bool(link))
        self._link.setAccessibleName(f"{self.title}: {link}")
        self._link.updateGeometry()
        # A short message keeps its link beside it; a long one wraps over the whole width.
        room = self.width() - self._message.x() - self._link.sizeHint().width() - 40
        long = self._message.fontMetrics().horizontalAdvance(text) > max(260, min(room, MESSAGE_WIDTH))
        self._message.setWordWrap(long)
        self._below_row.setStretch(0, 1 if long else 0)
        self._below_row.setStretch(2, 0 if long else 1)
        self._active().set_problem(role)
        self._below.show()

    def show_help(self) -> None:
        """Say what the field means, what it accepts and where its value comes from."""
        QWhatsThis.showText(self.help.mapToGlobal(QPoint(0, 24)), self.help_text(), self)

    def help_text(self) -> str:
        """Title, meaning, what is accepted, provenance."""
        lines = [self.title, tr(self.field.spec.help)]
        accepted = render(self.field.spec.accepted(), self._plan.meta.currency if self._plan else "")
        lines.append(tr("Accepted: {accepted}").format(accepted=accepted))
        lines.append(self.mark.toolTip())
        return "\n".join(line for line in lines if line)

    def take_focus(self) -> None:
        """Put the keyboard into the field."""
        self._active().take_focus()

    def commit(self) -> None:
        """Report an entry under way, as if the field had been left."""
        for part in self._active().parts():
            if isinstance(part, QLineEdit) and part.isModified():
                part.clearFocus()

    def _active(self) -> Editor:
        shown = self.range_editor
        return shown if shown is not None and not shown.isHidden() else self.editor

    def _show_range(self, on: bool) -> None:
        if on and self.range_editor is None:
            self.range_editor = RangeField(self.field, self.title)
            self.range_editor.setFixedWidth(FIELD_WIDTH)
            self._connect(self.range_editor)
            self._holder.addWidget(self.range_editor)
        if self.range_editor is not None:
            self.range_editor.setVisible(on)
            self.editor.setVisible(not on)

    def _empty_word(self) -> str:
        if self._used is not None and self._used[0] is not None:
            return self.field.text_of(self._used[0], language())
        return tr(EMPTY_WORDS.get(self.field.path, NOT_KNOWN if self.field.spec.nullable else ""))

    def _unit_text(self, value: Any, currency: str) -> str:
        unit = self.field.unit_text(currency, language())
        if value == "auto" and self._used is not None and self._used[0] is not None:
            return f"→ {self.field.text_of(self._used[0], language())} {unit}".strip()
        return unit

    def _show_mark(self, plan: Plan) -> None:
        kind, source, day = provenance_of(plan, self.field.path)
        shape, role, word = PROVENANCE[kind]
        self.mark.set_mark(shape, role, tr(word))
        detail = self._used[1] if kind == "default" and self._used is not None else source
        about = [tr(word), detail, date_short(day, language()) if day else ""]
        self.mark.setToolTip(", ".join(part for part in about if part))

    # Acting.

    def _repair(self) -> None:
        if self._repair_value is not None:
            self.edited.emit(self._repair_value, None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.make_menu()
        menu.exec(event.globalPos())
        menu.deleteLater()

    def make_menu(self) -> QMenu:
        """The menu of a right click: the line's own entries, then the field's."""
        line = next((p for p in self._active().parts() if isinstance(p, QLineEdit) and p.hasFocus()), None)
        menu = line.createStandardContextMenu() if line is not None else QMenu(self)
        if line is not None:
            menu.addSeparator()
        has_range = self._plan is not None and self.field.path in self._plan.ranges
        self._add(menu, tr("Reset to default"), self.reset_asked.emit, enabled=not self.field.spec.required)
        if self.field.takes_range:
            text = tr("Make one value") if has_range else tr("Make range")
            self._add(menu, text, lambda: self.range_asked.emit(not has_range))
        self._add(menu, tr("Help on this field"), self.show_help)
        return menu

    def _add(self, menu: QMenu, text: str, act: Callable[[], object], enabled: bool = True) -> None:
        action = menu.addAction(text)
        action.setEnabled(enabled)
        action.triggered.connect(lambda _=False: act())

"""Low, central and high of an uncertain quantity in one row."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from engine.text import N_, Message
from gui.formatting import QuantityError
from gui.forms.editors import Editor, EntryLine
from gui.forms.field_spec import EntryError, FormField
from gui.i18n import language, tr
from gui.shell import theme

PARTS = (N_("low"), N_("central"), N_("high"))
ORDER = Message(N_("Low must not exceed central, and central must not exceed high."))


class RangeField(Editor):
    """Three quantities. `committed` carries (low, central, high) once all can be read and are in order."""

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(field, name, parent)
        self._currency = ""
        self._values: tuple[Any, Any, Any] | None = None
        self.lines: list[EntryLine] = []
        for part in PARTS:
            line = EntryLine()
            line.setAccessibleName(f"{name}, {tr(part)}")
            line.setToolTip(tr(part))
            line.setFont(theme.font(bold=part == "central"))
            line.setAlignment(Qt.AlignmentFlag.AlignRight)
            line.setMinimumHeight(28)
            line.setMinimumWidth(40)
            line.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            line.returnPressed.connect(self._leave)
            line.left.connect(self._leave)
            self._row.addWidget(line)
            self.lines.append(line)

    def parts(self) -> list[QWidget]:
        return list(self.lines)

    def is_edited(self) -> bool:
        return any(line.hasFocus() and line.isModified() for line in self.lines)

    def show_range(self, low: Any, central: Any, high: Any, currency: str) -> None:
        """Show the plan's value and its range."""
        self._currency = currency
        self._values = (low, central, high)
        if self.is_edited():
            return
        for line, value in zip(self.lines, self._values, strict=True):
            line.setText(self.field.text_of(value, language()))
            line.setModified(False)
            line.setCursorPosition(0)

    def _leave(self) -> None:
        if not any(line.isModified() for line in self.lines):
            return
        found = []
        for line in self.lines:
            try:
                found.append(self.field.value_of(line.text(), self._currency, language()))
            except (QuantityError, EntryError) as error:
                self.unreadable.emit(None, error.message)
                return
        if any(not isinstance(value, int | float) for value in found):
            self.unreadable.emit(None, self.field.spec.accepted())
            return
        if not found[0] <= found[1] <= found[2]:
            self.unreadable.emit(None, ORDER)
            return
        for line in self.lines:
            line.setModified(False)
        if tuple(found) == self._values:
            self.cleared.emit()
        else:
            self.committed.emit(tuple(found), None)

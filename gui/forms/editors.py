"""Editors of single values: each shows a plan value, keeps what was typed, and reports what was meant."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from gui.formatting import QuantityError
from gui.forms.field_spec import EntryError, FormField
from gui.i18n import language, tr
from gui.shell import theme

_TYPING_MS = 250


class Editor(QWidget):
    """Base. `committed(value, text)` = a value was entered; `unreadable(text, message)` = text that is none;
    `cleared()` = the entry is what the plan already holds."""

    committed = Signal(object, object)
    unreadable = Signal(object, object)
    cleared = Signal()
    left = Signal()

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.name = name
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_value(self, value: Any, currency: str) -> None:
        """Show the plan's value; each kind of editor has its own way."""

    def show_text(self, text: str) -> None:
        """Show an entry the plan did not take."""

    def set_empty_word(self, text: str) -> None:
        """What stands in an empty field."""

    def set_problem(self, kind: str | None) -> None:
        """Draw the edge as "danger" or "warn", or as usual."""
        for part in self.parts():
            part.setProperty("problem", kind)
            part.update()

    def parts(self) -> list[QWidget]:
        """The focusable widgets of this editor, in Tab order."""
        return []

    def is_edited(self) -> bool:
        """Whether the user is in the middle of an entry."""
        return False

    def take_focus(self) -> None:
        """Put the keyboard here."""
        if self.parts():
            self.parts()[0].setFocus(Qt.FocusReason.OtherFocusReason)


class EntryLine(QLineEdit):
    """A line edit that leaves undo to the window and tells when it was really left."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            for kind in (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo):
                if event.matches(kind):
                    # The plan's history undoes the field too; the line's own one would fight it.
                    event.ignore()
                    return False
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


class LineEditor(Editor):
    """A value typed as text: quantities with units, names, dates."""

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(field, name, parent)
        self.line = EntryLine()
        self.line.setAccessibleName(name)
        # The row shows one menu with the line's own entries and the field's.
        self.line.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.line.setFont(theme.font())
        self.line.setMinimumHeight(28)
        self.line.setTextMargins(4, 0, 4, 0)
        if field.editor == "quantity":
            self.line.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._row.addWidget(self.line)
        self._currency = ""
        self._value: Any = None
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self._try_typed)
        self.line.textEdited.connect(self._typing.start)
        self.line.returnPressed.connect(self._leave)
        self.line.left.connect(self._leave)

    def parts(self) -> list[QWidget]:
        return [self.line]

    def value(self) -> Any:
        """The value shown last by the plan."""
        return self._value

    def is_edited(self) -> bool:
        return self.line.hasFocus() and self.line.isModified()

    def show_value(self, value: Any, currency: str) -> None:
        self._currency = currency
        same = value == self._value and type(value) is type(self._value)
        self._value = value
        if self.is_edited() and (same or self._means(value)):
            return
        self._write(self.field.text_of(value, language()))

    def show_text(self, text: str) -> None:
        if not self.is_edited():
            self._write(text)

    def set_empty_word(self, text: str) -> None:
        self.line.setPlaceholderText(text)

    def commit(self) -> None:
        """Report the entry now, as if the field had been left."""
        self._leave()

    def _means(self, value: Any) -> bool:
        try:
            return self.field.value_of(self.line.text(), self._currency, language()) == value
        except (QuantityError, EntryError):
            return False

    def _write(self, text: str) -> None:
        if self.line.text() != text:
            self.line.setText(text)
        self.line.setModified(False)
        self.line.setCursorPosition(0)
        self.line.setToolTip(
            text if self.line.fontMetrics().horizontalAdvance(text) > self.line.width() - 16 else ""
        )

    def _try_typed(self) -> None:
        """While typing only entries that are certainly good count: half a number is no error."""
        try:
            value = self.field.value_of(self.line.text(), self._currency, language())
        except (QuantityError, EntryError):
            return
        if value != self._value and value is not None and self.field.accepts(value):
            self.committed.emit(value, self.line.text())

    def _leave(self) -> None:
        self._typing.stop()
        if not self.line.isModified():
            return
        text = self.line.text()
        self.line.setModified(False)
        try:
            value = self.field.value_of(text, self._currency, language())
        except (QuantityError, EntryError) as error:
            self.unreadable.emit(text, error.message)
            return
        if value == self._value and type(value) is type(self._value):
            self._write(self.field.text_of(value, language()))
            self.cleared.emit()
        else:
            self.committed.emit(value, text)


class PatientCombo(QComboBox):
    """A combo box the wheel changes only when it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(28)
        self.setFont(theme.font())
        self.setMinimumContentsLength(6)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceEditor(Editor):
    """One of a few values; `options` are (value, words)."""

    def __init__(
        self, field: FormField, name: str, options: list[tuple[Any, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(field, name, parent)
        self.combo = PatientCombo()
        self.combo.setAccessibleName(name)
        self._row.addWidget(self.combo)
        self.set_options(options)
        self.combo.activated.connect(self._picked)

    def set_options(self, options: list[tuple[Any, str]]) -> None:
        """Offer other values."""
        self.combo.clear()
        self._values = [value for value, _ in options]
        self.combo.addItems([words for _, words in options])

    def parts(self) -> list[QWidget]:
        return [self.combo]

    def show_value(self, value: Any, currency: str) -> None:
        if value not in self._values:
            # A value from a file that the list lacks, such as 168 hourly factors, must stay visible.
            self._values.append(value)
            many = isinstance(value, tuple | list)
            self.combo.addItem(tr("{count} hourly factors").format(count=len(value)) if many else str(value))
        self.combo.setCurrentIndex(self._values.index(value))

    def current(self) -> Any:
        """The value that is shown."""
        index = self.combo.currentIndex()
        return self._values[index] if 0 <= index < len(self._values) else None

    def _picked(self, index: int) -> None:
        self.committed.emit(self._values[index], self.combo.currentText())


class FlagEditor(Editor):
    """Yes or no."""

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(field, name, parent)
        self.box = QCheckBox()
        self.box.setAccessibleName(name)
        self.box.setFont(theme.font())
        self.box.setMinimumHeight(28)
        self._row.addWidget(self.box)
        self._row.addStretch(1)
        self.box.clicked.connect(lambda on: self.committed.emit(bool(on), ""))
        self.box.toggled.connect(self._say)
        self._say(False)

    def parts(self) -> list[QWidget]:
        return [self.box]

    def show_value(self, value: Any, currency: str) -> None:
        self.box.setChecked(bool(value))

    def _say(self, on: bool) -> None:
        self.box.setText(tr("yes") if on else tr("no"))


class ChecksEditor(Editor):
    """Any of several values, all visible, in their own order."""

    def __init__(
        self, field: FormField, name: str, options: list[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(field, name, parent)
        grid = QGridLayout()
        grid.setSpacing(6)
        self._row.addLayout(grid)
        self._boxes: dict[str, QCheckBox] = {}
        for position, (value, words) in enumerate(options):
            box = QCheckBox(words)
            box.setFont(theme.font())
            box.setAccessibleName(f"{name}: {words}")
            box.clicked.connect(self._changed)
            grid.addWidget(box, position // 4, position % 4)
            self._boxes[value] = box

    def parts(self) -> list[QWidget]:
        return list(self._boxes.values())

    def show_value(self, value: Any, currency: str) -> None:
        for key, box in self._boxes.items():
            box.setChecked(key in value)

    def _changed(self) -> None:
        self.committed.emit([key for key, box in self._boxes.items() if box.isChecked()], "")

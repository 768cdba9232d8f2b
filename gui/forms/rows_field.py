"""A small editable table: one row an entry, typed cells, add and remove."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gui.formatting import unit_label
from gui.forms.editors import ChoiceEditor, Editor, LineEditor
from gui.forms.field_spec import FormField
from gui.forms.structures import ROWS, ColumnSpec, Row
from gui.i18n import language, tr
from gui.widgets.buttons import IconButton, LinkButton
from gui.widgets.labels import Label


class RowsField(Editor):
    """Rows of a structure field. Every complete edit of a cell commits the whole structure."""

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(field, name, parent)
        self._spec = ROWS[field.path]
        self._rows: list[Row] = []
        self._currency = ""
        self._grid_widget: QWidget | None = None
        column = QVBoxLayout()
        column.setSpacing(4)
        self._row.addLayout(column, 1)
        self._holder = QVBoxLayout()
        column.addLayout(self._holder)
        self.add = LinkButton(tr(self._spec.add_text))
        self.add.setAccessibleName(f"{name}: {tr(self._spec.add_text)}")
        self.add.clicked.connect(self._add)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._cells: list[list[Editor]] = []

    def parts(self) -> list[QWidget]:
        return [*(part for row in self._cells for cell in row for part in cell.parts()), self.add]

    def is_edited(self) -> bool:
        return any(cell.is_edited() for row in self._cells for cell in row)

    def show_value(self, value: Any, currency: str) -> None:
        rows = self._spec.to_rows(value)
        same_shape = (
            len(rows) == len(self._cells) and currency == self._currency and self._grid_widget is not None
        )
        self._rows, self._currency = rows, currency
        if not same_shape:
            self._build()
        for row, cells in zip(rows, self._cells, strict=True):
            for column, cell in zip(self._spec.columns, cells, strict=True):
                cell.show_value(row[column.key], currency)

    def _build(self) -> None:
        if self._grid_widget is not None:
            self._holder.removeWidget(self._grid_widget)
            self._grid_widget.hide()
            self._grid_widget.deleteLater()
        self._grid_widget = QWidget()
        grid = QGridLayout(self._grid_widget)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        self._cells = []
        if self._rows:
            for position, column in enumerate(self._spec.columns):
                unit = unit_label(column.unit, self._currency, language()) if column.unit else ""
                title = tr(column.title)
                named = unit and unit.casefold() not in title.casefold()
                head = Label(f"{title}, {unit}" if named else title,
                             size="hint", role="muted")  # fmt: skip
                grid.addWidget(head, 0, position)
        for index in range(len(self._rows)):
            self._cells.append([self._cell(grid, index, p, c) for p, c in enumerate(self._spec.columns)])
            remove = IconButton("close", tr("Remove row {number}").format(number=index + 1))
            remove.clicked.connect(lambda _=False, at=index: self._remove(at))
            grid.addWidget(remove, index + 1, len(self._spec.columns))
        grid.setColumnStretch(len(self._spec.columns) + 1, 1)
        self._holder.addWidget(self._grid_widget)

    def _cell(self, grid: QGridLayout, row: int, position: int, column: ColumnSpec) -> Editor:
        name = f"{self.name} {row + 1}: {tr(column.title)}"
        field = column.field()
        cell: Editor
        if field.editor == "choice":
            cell = ChoiceEditor(field, name, list(field.choices(language())))
        else:
            cell = LineEditor(field, name)
            cell.set_empty_word(tr(self._spec.empty_word) if column.nullable else "")
        cell.setFixedWidth(column.width)
        cell.committed.connect(lambda value, _text, at=row, key=column.key: self._set(at, key, value))
        cell.unreadable.connect(lambda text, message: self.unreadable.emit(text, message))
        cell.cleared.connect(self.cleared)
        grid.addWidget(cell, row + 1, position)
        return cell

    def _set(self, at: int, key: str, value: Any) -> None:
        rows = [dict(row) for row in self._rows]
        rows[at][key] = value
        self._commit(rows)

    def _add(self) -> None:
        self._commit([*self._rows, self._spec.new_row()])

    def _remove(self, at: int) -> None:
        self._commit([row for index, row in enumerate(self._rows) if index != at])

    def _commit(self, rows: list[Row]) -> None:
        self.committed.emit(self._spec.from_rows(rows), None)

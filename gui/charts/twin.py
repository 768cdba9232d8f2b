"""The table twin of a chart as an item model."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.charts.table import ChartTable
from gui.models.indices import ROOT, Index
from gui.shell import theme


class TwinModel(QAbstractTableModel):
    """Read-only rows of a ChartTable."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: ChartTable | None = None
        self._lang = "en"

    def set_table(self, table: ChartTable, lang: str) -> None:
        """Show another table."""
        self.beginResetModel()
        self._table, self._lang = table, lang
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() or self._table is None else len(self._table.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() or self._table is None else len(self._table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._table is None:
            return None
        cell = self._table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._table.shown(index.row(), index.column(), self._lang)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if isinstance(cell, str) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if (
            self._table is None
            or role != Qt.ItemDataRole.DisplayRole
            or orientation == Qt.Orientation.Vertical
        ):
            return None
        return self._table.heads(self._lang)[section]


def make_twin_view(model: TwinModel, name: str) -> QTableView:
    """A plain table of the twin's rows."""
    view = QTableView()
    view.setModel(model)
    view.setAccessibleName(name)
    view.setFont(theme.font("hint"))
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(24)
    view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    view.horizontalHeader().setHighlightSections(False)
    return view

"""The ledger as a tree: category, then item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from engine.results import CostLine, Estimate
from gui.formatting import NBSP, amount_full, currency_word, decimals, number, unit_label
from gui.i18n import language, tr
from gui.models.indices import ROOT, Index
from gui.models.words import BEHAVIOUR_WORDS, CATEGORY_WORDS, COMMITMENT_WORDS, category_order, word

ITEM, QUANTITY, UNIT, PRICE, AMOUNT, SHARE, KIND, COMMITMENT = range(8)
COLUMNS = 8
LINE_ROLE = Qt.ItemDataRole.UserRole
CATEGORY_ROLE = Qt.ItemDataRole.UserRole + 1
SORT_ROLE = Qt.ItemDataRole.UserRole + 2
OUT_OF_SCOPE = "out_of_scope"
_NUMERIC = (QUANTITY, PRICE, AMOUNT, SHARE)


@dataclass(frozen=True, slots=True)
class LedgerGroup:
    """A category with its lines; lines out of scope stand in a group of their own."""

    key: str
    lines: tuple[CostLine, ...]
    amount: float | None
    share: float | None

    @property
    def in_scope(self) -> bool:
        """Whether the total counts this group."""
        return self.key != OUT_OF_SCOPE


def ledger_groups(estimate: Estimate) -> tuple[LedgerGroup, ...]:
    """Groups in the fixed order of categories, lines in the order of the ledger."""
    inside: dict[str, list[CostLine]] = {}
    outside = [line for line in estimate.lines if not line.in_scope]
    for line in estimate.lines:
        if line.in_scope:
            inside.setdefault(line.category, []).append(line)
    groups = [_group(key, inside[key], estimate.total) for key in sorted(inside, key=category_order)]
    return tuple([*groups, _group(OUT_OF_SCOPE, outside, 0.0)] if outside else groups)


def _group(key: str, lines: list[CostLine], total: float) -> LedgerGroup:
    known = [line.amount for line in lines if line.amount is not None]
    amount = sum(known) if known else None
    return LedgerGroup(key, tuple(lines), amount, amount / total if amount is not None and total else None)


class LedgerModel(QAbstractItemModel):
    """Two levels: groups, and lines under them. An item's internal id is its group's row plus one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[LedgerGroup, ...] = ()
        self._estimate: Estimate | None = None

    def set_estimate(self, estimate: Estimate) -> None:
        """Show another estimate."""
        self.beginResetModel()
        self._estimate, self._groups = estimate, ledger_groups(estimate)
        self.endResetModel()

    def line(self, index: Index) -> CostLine | None:
        """The ledger line at an index; None for a group."""
        if not index.isValid() or index.internalId() == 0:
            return None
        return self._groups[index.internalId() - 1].lines[index.row()]

    def group(self, index: Index) -> LedgerGroup | None:
        """The group at an index; None for a line."""
        return self._groups[index.row()] if index.isValid() and index.internalId() == 0 else None

    def find(self, category: str, item: str) -> QModelIndex:
        """Index of a line by category and item; invalid when it is gone."""
        for row, group in enumerate(self._groups):
            for below, line in enumerate(group.lines):
                if (line.category, line.item) == (category, item):
                    return self.createIndex(below, 0, row + 1)
        return QModelIndex()

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        if not index.isValid() or index.internalId() == 0:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, 0)

    def rowCount(self, parent: Index = ROOT) -> int:
        if not parent.isValid():
            return len(self._groups)
        if parent.internalId() != 0 or parent.column() != 0:
            return 0
        return len(self._groups[parent.row()].lines)

    def columnCount(self, parent: Index = ROOT) -> int:
        return COLUMNS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        currency = currency_word(self._estimate.currency, language()) if self._estimate is not None else ""
        return (
            tr("Category, item"),
            tr("Quantity"),
            tr("Unit"),
            tr("Price"),
            tr("Amount, {currency}").format(currency=currency),
            tr("Share"),
            tr("Kind"),
            tr("Bound"),
        )[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, group = self.line(index), self.group(index)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == LINE_ROLE:
            return line
        if role == CATEGORY_ROLE:
            return group.key if group is not None else None
        if role == SORT_ROLE:
            return self._number(line, group, index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = (
                self._line_text(line, index.column())
                if line is not None
                else self._group_text(group, index.column())
            )
            return text if role == Qt.ItemDataRole.DisplayRole or index.column() == ITEM else None
        return None

    def _number(self, line: CostLine | None, group: LedgerGroup | None, column: int) -> float | None:
        if group is not None:
            return {AMOUNT: group.amount, SHARE: group.share}.get(column)
        assert line is not None
        share = self._share(line)
        return {QUANTITY: line.quantity, PRICE: line.unit_price, AMOUNT: line.amount, SHARE: share}.get(
            column
        )

    def _share(self, line: CostLine) -> float | None:
        total = self._estimate.total if self._estimate is not None else 0.0
        return line.amount / total if line.amount is not None and line.in_scope and total else None

    def _line_text(self, line: CostLine, column: int) -> str:
        lang = language()
        if column == ITEM:
            return tr(line.item)
        if column == QUANTITY:
            return quantity_text(line.quantity, lang)
        if column == UNIT:
            return unit_label(line.unit, self._estimate.currency if self._estimate else "", lang)
        if column == PRICE:
            return amount_full(line.unit_price, lang)
        if column == AMOUNT:
            return amount_full(line.amount, lang)
        if column == SHARE:
            share = self._share(line)
            return "" if share is None else percent_text(share, lang)
        table, key = (
            (BEHAVIOUR_WORDS, line.behaviour) if column == KIND else (COMMITMENT_WORDS, line.commitment)
        )
        return word(table, key, lang)

    def _group_text(self, group: LedgerGroup | None, column: int) -> str:
        assert group is not None
        if column == ITEM:
            return word(CATEGORY_WORDS, group.key, language()) if group.in_scope else tr("Not in scope")
        if column == AMOUNT:
            return amount_full(group.amount, language())
        if column == SHARE and group.share is not None:
            return percent_text(group.share, language())
        return ""


def quantity_text(value: float | None, lang: str) -> str:
    """A quantity of the ledger: whole from a thousand up, else three digits."""
    if value is None:
        return tr("unknown")
    return number(round(value), lang) if abs(value) >= 1000 else number(value, lang, 3)


def percent_text(share: float, lang: str) -> str:
    """A share with one decimal, so that a column of them lines up."""
    shown = "<0.1" if share and abs(share) < 0.0005 else decimals(share * 100.0, 1, lang)
    return f"{shown}%" if lang == "zh_CN" else f"{shown}{NBSP}%"


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMERIC else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter

"""Candidates of a search as a table: the plan as it stands first, then the best, then by cost."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from engine.optimize.search import OTHER
from engine.results import Candidate, Optimisation
from gui.formatting import currency_word, duration_hours, money_full, money_short, number, percent
from gui.i18n import language, tr
from gui.models.indices import ROOT, Index
from gui.models.words import changes_text

MARK, NAME, GPUS, TOTAL, SAVES, TIME, MFU, GOODPUT, CHANGES, USE = range(10)
COLUMNS = 10
CANDIDATE_ROLE = Qt.ItemDataRole.UserRole
SORT_ROLE = Qt.ItemDataRole.UserRole + 1
_NUMERIC = (GPUS, TOTAL, SAVES, TIME, MFU, GOODPUT)


class CandidatesModel(QAbstractTableModel):
    """Read-only rows of one search."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: Optimisation | None = None
        self._rows: tuple[Candidate, ...] = ()
        self._currency = "USD"

    def set_optimisation(self, found: Optimisation | None, currency: str) -> None:
        """Show another search, None for none."""
        self.beginResetModel()
        self._found, self._currency = found, currency
        self._rows = _ordered(found) if found is not None else ()
        self.endResetModel()

    def candidate(self, row: int) -> Candidate:
        """The candidate of a row."""
        return self._rows[row]

    def is_best(self, row: int) -> bool:
        """Whether the search calls this one best."""
        return self._found is not None and self._rows[row].changes == self._found.best.changes

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else COLUMNS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        total = tr("Total, {currency}").format(currency=currency_word(self._currency, language()))
        return (
            "",
            tr("Candidate"),
            tr("GPUs"),
            total,
            tr("Saves"),
            tr("Run time"),
            tr("MFU"),
            tr("Goodput"),
            tr("What changes from the plan"),
            "",
        )[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(item, column)
        if role == CANDIDATE_ROLE:
            return item
        if role == SORT_ROLE:
            return self._number(item, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            full = self._number(item, column) if column in (TOTAL, SAVES) else None
            return (
                money_full(full, self._currency, language()) if full is not None else self._text(item, column)
            )
        return None

    def _saves(self, item: Candidate) -> float | None:
        return None if self._found is None or not item.changes else self._found.baseline_total - item.total

    def _number(self, item: Candidate, column: int) -> float | None:
        return {
            GPUS: item.accelerators,
            TOTAL: item.total,
            SAVES: self._saves(item),
            TIME: item.duration_h,
            MFU: item.mfu,
            GOODPUT: item.goodput,
        }.get(column)

    def _text(self, item: Candidate, column: int) -> str:
        value, lang = self._number(item, column), language()
        if column in (TOTAL, SAVES):
            return "–" if value is None else money_short(value, self._currency, lang)
        if column in (MFU, GOODPUT):
            return "–" if value is None else percent(value, lang)
        if column == CHANGES:
            return changes_text(item.changes, self._currency, lang) or tr("nothing")
        return {
            NAME: candidate_name(item, lang),
            GPUS: _gpus(item, lang),
            TIME: duration_hours(item.duration_h, lang),
        }.get(column, "")


def candidate_name(item: Candidate, lang: str) -> str:
    """The search's word for a candidate; a nameless one is told by its size."""
    if item.label != OTHER:
        return tr(item.label)
    return tr("On {count} GPUs").format(count=_gpus(item, lang))


def _gpus(item: Candidate, lang: str) -> str:
    return number(None if item.accelerators is None else round(item.accelerators), lang)


def _ordered(found: Optimisation) -> tuple[Candidate, ...]:
    best = found.best.changes
    # Two ways of searching may end at the same setting; it is one candidate.
    distinct: list[Candidate] = []
    for item in found.candidates:
        if all(item.changes != other.changes for other in distinct):
            distinct.append(item)
    return tuple(sorted(distinct, key=lambda item: (bool(item.changes), item.changes != best, item.total)))


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMERIC else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter

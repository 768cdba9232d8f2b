"""The ranked actions as a table that can be ticked and sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal

from engine.results import Recommendation, RecommendationSet
from gui.formatting import money_full, money_short
from gui.i18n import language, render, tr
from gui.models.indices import ROOT, Index
from gui.models.words import STATE_WORDS, changes_text, word
from gui.widgets.marks import risk_word, ruling_dimension

TICK, RANK, ACTION, ADJUSTED, ALONE, IN_PLAN, BAND, RISK, EFFORT, STATE = range(10)
COLUMNS = 10
MONEY_COLUMNS = (ADJUSTED, ALONE, IN_PLAN)
ITEM_ROLE = Qt.ItemDataRole.UserRole
SORT_ROLE = Qt.ItemDataRole.UserRole + 1
PREVIOUS_ROLE = Qt.ItemDataRole.UserRole + 2
CHIPS_ROLE = Qt.ItemDataRole.UserRole + 3
NOTE_ROLE = Qt.ItemDataRole.UserRole + 4
_EFFORTS = {"S": 0, "M": 1, "L": 2}


class RecommendationsModel(QAbstractTableModel):
    """Rows by rank unless sorted. A tick asks by `tick_requested(id, on)`; the next set confirms it."""

    tick_requested = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[Recommendation] = []
        self._currency = "USD"
        self._asked: dict[str, bool] = {}
        self.refused: tuple[Recommendation, ...] = ()
        self._before: dict[str, Recommendation] = {}
        self._sorting = (RANK, Qt.SortOrder.AscendingOrder)

    def set_recommendations(self, found: RecommendationSet, currency: str) -> None:
        """Show another set. With the same actions only the figures change, and the old ones stay readable."""
        old = {item.id: item for item in self._items}
        fresh = {item.id: item for item in found.recommendations}
        # The engine leaves out what is not possible together with the other ticks.
        wanted = [name for name, on in self._asked.items() if on]
        self.refused = tuple(fresh[name] for name in wanted if name in fresh and not fresh[name].chosen)
        self._asked.clear()
        if set(old) == set(fresh) and currency == self._currency:
            self._before = {name: item for name, item in old.items() if item.saving != fresh[name].saving}
            self._items = [fresh[item.id] for item in self._items]
            self._put_in_order()
            self._announce()
            return
        self.beginResetModel()
        self._currency, self._before = currency, {}
        self._items = self._ordered(found.recommendations)
        self.endResetModel()

    def forget_previous(self) -> None:
        """Stop showing the figures from before the last change."""
        if self._before:
            self._before = {}
            self._announce()

    def item(self, row: int) -> Recommendation:
        """The recommendation of a row."""
        return self._items[row]

    def items(self) -> tuple[Recommendation, ...]:
        """All recommendations in the order shown."""
        return tuple(self._items)

    def row_of(self, name: str) -> int:
        """Row of an id, -1 when it is not there."""
        return next((row for row, item in enumerate(self._items) if item.id == name), -1)

    def is_ticked(self, item: Recommendation) -> bool:
        """Whether a row shows a tick: what was asked last, else what the set says."""
        return self._asked.get(item.id, item.chosen)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._items)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else COLUMNS

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        ticks = index.isValid() and index.column() == TICK and self._items[index.row()].state != "dismissed"
        return flags | Qt.ItemFlag.ItemIsUserCheckable if ticks else flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return _heads()[section]
        return _head_hints()[section] if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item, column = self._items[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(item, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == TICK:
            return Qt.CheckState.Checked if self.is_ticked(item) else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._hint(item, column)
        roles = {ITEM_ROLE: lambda: item, SORT_ROLE: lambda: _sort_value(item, column, self.is_ticked(item))}
        roles |= {
            PREVIOUS_ROLE: lambda: self._previous(item, column),
            CHIPS_ROLE: lambda: self._chips(item),
            NOTE_ROLE: lambda: self._note(item),
        }
        return roles[role]() if role in roles else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != TICK:
            return False
        if not self.flags(index) & Qt.ItemFlag.ItemIsUserCheckable:
            return False
        item, on = self._items[index.row()], Qt.CheckState(value) == Qt.CheckState.Checked
        self._asked[item.id] = on
        if on:
            # Ticking one of two that exclude each other swaps them.
            self._asked |= dict.fromkeys(item.excludes, False)
        self.dataChanged.emit(self.index(0, TICK), self.index(len(self._items) - 1, TICK))
        self.tick_requested.emit(item.id, on)
        return True

    def ticked(self) -> frozenset[str]:
        """Ids of all ticked rows."""
        return frozenset(item.id for item in self._items if self.is_ticked(item))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorting = (column, order) if 0 <= column < COLUMNS else (RANK, Qt.SortOrder.AscendingOrder)
        self._put_in_order()

    def _put_in_order(self) -> None:
        """Sort the rows, keeping what views hold on to."""
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        names = [self._items[index.row()].id for index in held]
        self._items = self._ordered(self._items)
        rows = {item.id: row for row, item in enumerate(self._items)}
        moved = [self.index(rows[name], index.column()) for name, index in zip(names, held, strict=True)]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def _ordered(self, items: Sequence[Recommendation]) -> list[Recommendation]:
        column, order = self._sorting
        by_rank = sorted(items, key=lambda item: item.rank)
        return sorted(
            by_rank,
            key=lambda item: _sort_value(item, column, self.is_ticked(item)),
            reverse=order == Qt.SortOrder.DescendingOrder,
        )

    def _announce(self) -> None:
        if self._items:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._items) - 1, COLUMNS - 1))

    def _text(self, item: Recommendation, column: int) -> str | None:
        if column in MONEY_COLUMNS:
            return self._money(_amount(item, column))
        if column == RISK:
            return risk_word(item.risk.worst, _letter(item))
        if column == BAND:
            return f"{self._money(item.saving.p10)} – {self._money(item.saving.p90)}"
        return {
            RANK: str(item.rank),
            ACTION: tr(item.title),
            EFFORT: item.effort,
            STATE: word(STATE_WORDS, item.state, language()),
        }.get(column)

    def _money(self, amount: float | None) -> str:
        return "–" if amount is None else money_short(amount, self._currency, language())

    def _previous(self, item: Recommendation, column: int) -> str | None:
        """The struck-out old figure of a changed cell."""
        before = self._before.get(item.id)
        if before is None or column not in MONEY_COLUMNS:
            return None
        old = self._money(_amount(before, column))
        return old if old != self._money(_amount(item, column)) else None

    def _hint(self, item: Recommendation, column: int) -> str:
        if column in MONEY_COLUMNS:
            amount = _amount(item, column)
            none = tr("cannot be counted together with the chosen actions")
            return none if amount is None else money_full(amount, self._currency, language())
        if column == BAND:
            ends = (item.saving.p10, item.saving.p50, item.saving.p90)
            low, middle, high = (money_full(end, self._currency, language()) for end in ends)
            return tr("alone: P10 {low}, P50 {middle}, P90 {high}").format(low=low, middle=middle, high=high)
        if column == RISK:
            return "\n".join(risk_lines(item))
        if column == TICK:
            return tr("chosen") if self.is_ticked(item) else tr("not chosen")
        return f"{tr(item.title)}\n{self._note(item)}" if column == ACTION else self._text(item, column) or ""

    def _note(self, item: Recommendation) -> str:
        """The muted line: finding, then what changes."""
        finding = render(item.finding, self._currency).rstrip(".。")
        return f"{finding}; {changes_text(item.changes, self._currency, language())}"

    def _chips(self, item: Recommendation) -> list[tuple[str, str]]:
        """Words beside the title: what it replaces or needs, conditions, dismissal; each with its role."""
        ranks = {other.id: other.rank for other in self._items}
        chips = []
        if item.state not in ("new", "accepted"):
            chips.append((word(STATE_WORDS, item.state, language()), "muted"))
        if item.replaced_by in ranks and not self.is_ticked(item):
            chips.append((tr("replaces #{rank}").format(rank=ranks[item.replaced_by]), "muted"))
        needed = [str(ranks[name]) for name in item.needs if name in ranks]
        if needed:
            chips.append((tr("needs {ranks}").format(ranks=tr(", ").join(needed)), "text"))
        if item.conditional:
            chips.append((tr("conditions"), "warn"))
        return chips


def risk_lines(item: Recommendation) -> list[str]:
    """The three risks with their reasons, one line each."""
    risk = item.risk
    parts = (
        (tr("Effect"), risk.effect, risk.effect_reason),
        (tr("Stability"), risk.stability, risk.stability_reason),
        (tr("Governance"), risk.governance, risk.governance_reason),
    )
    return [
        f"{name} {risk_word(level)}" + (f": {tr(reason)}" if reason else "") for name, level, reason in parts
    ]


def _letter(item: Recommendation) -> str:
    return ruling_dimension(item.risk.effect, item.risk.stability, item.risk.governance)


def _amount(item: Recommendation, column: int) -> float | None:
    return {ADJUSTED: item.risk_adjusted, ALONE: item.saving.gross, IN_PLAN: item.saving.in_plan}[column]


def _sort_value(item: Recommendation, column: int, ticked: bool) -> float:
    """A number to sort a column by; unknown amounts come lowest."""
    if column in MONEY_COLUMNS:
        amount = _amount(item, column)
        return float("-inf") if amount is None else amount
    return {
        TICK: float(not ticked),
        BAND: item.saving.p50,
        RISK: float(item.risk.worst),
        EFFORT: float(_EFFORTS[item.effort]),
        STATE: float(list(STATE_WORDS).index(item.state)),
    }.get(column, float(item.rank))


def _heads() -> tuple[str, ...]:
    return (
        "",
        "#",
        tr("Action"),
        tr("Risk-adjusted"),
        tr("Alone"),
        tr("In the plan"),
        tr("P10–P90"),
        tr("Worst risk"),
        tr("Effort"),
        tr("State"),
    )


def _head_hints() -> tuple[str, ...]:
    return (
        tr("Space ticks; ticked actions are priced together"),
        tr("rank by risk-adjusted saving"),
        tr("what to do, and what was found"),
        tr("chance of success x P50, less expected loss and one-off cost"),
        tr("saving when only this action is taken"),
        tr("its share of the chosen set, or what it would add to it"),
        tr("saving alone in 8 of 10 cases"),
        tr("the worst of effect (E), stability (S) and governance (G)"),
        tr("S small, M medium, L large"),
        tr("what has been decided"),
    )


def _alignment(column: int) -> Qt.AlignmentFlag:
    if column in (*MONEY_COLUMNS, RANK):
        return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

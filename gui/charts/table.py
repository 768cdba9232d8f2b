"""The data-table twin every chart returns. Qt-free."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from gui.formatting import decimals, money_full, number, quantity, unit_label

Cell = float | str | None
_SELF_EVIDENT = ("s", "share")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, and the unit its numbers are counted in."""

    title: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the chart the arrow keys step to: data coordinates in one of its axes, and what it says."""

    x: float
    y: float
    text: str
    key: str = ""
    axes: int = 0


@dataclass(frozen=True, slots=True)
class ChartTable:
    """What a chart says and shows: the finding as title, a note under it, its numbers and its points."""

    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    marks: tuple[Mark, ...] = ()
    currency: str = ""

    def heads(self, lang: str, *, plain: bool = False) -> list[str]:
        """Column heads with their unit in brackets, left out where the cells name it unless `plain`."""
        return [
            column.title if column.unit in _SELF_EVIDENT and not plain else _head(column, self.currency, lang)
            for column in self.columns
        ]

    def shown(self, row: int, column: int, lang: str) -> str:
        """One cell as people read it; the unit stands in the head."""
        value, unit = self.rows[row][column], self.columns[column].unit
        if value is None:
            return "–"
        if isinstance(value, str):
            return value
        if unit == "currency":
            return money_full(value, self.currency, lang)
        if unit in _SELF_EVIDENT:
            return quantity(value, unit, lang, self.currency)
        return decimals(value, 1, lang) if unit in ("d", "h") else number(value, lang, 4)

    def to_csv(self, lang: str) -> str:
        """The numbers in full, with a point as decimal mark, one row a line."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.heads(lang, plain=True))
        writer.writerows([["" if cell is None else _safe(cell) for cell in row] for row in self.rows])
        return out.getvalue()


def _head(column: Column, currency: str, lang: str) -> str:
    if not column.unit:
        return column.title
    return f"{column.title} ({unit_label(column.unit, currency, lang)})"


def _safe(cell: float | str) -> float | str:
    # A text that begins like a formula would be run by a spreadsheet.
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell

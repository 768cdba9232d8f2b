"""Reading and checking one row: numbers, ranges, units, dates, marks and sources."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from datetime import date

from engine.catalog.facts import MARKS, Fact, Source
from engine.catalog.units import is_currency, is_unit
from engine.errors import InputError
from engine.text import N_, Message

EDITION = "2026-12-02"
"""Day the shipped tables were compiled; no shipped row may be younger."""

Row = Mapping[str, str]


class RowReader:
    """The cells of one row, each read with a check; errors name file, row and column."""

    __slots__ = ("place", "row")

    def __init__(self, row: Row, place: str) -> None:
        self.row = row
        self.place = place

    def fail(self, column: str, accepted: Message | str) -> InputError:
        """The error for a cell of this row."""
        return InputError(f"{self.place}, {column}", self.row.get(column), accepted)

    def text(self, column: str) -> str:
        """A cell that must not be empty."""
        cell = (self.row.get(column) or "").strip()
        if not cell:
            raise self.fail(column, N_("a text"))
        return cell

    def optional(self, column: str) -> str:
        """A cell that may be empty."""
        return (self.row.get(column) or "").strip()

    def number(self, column: str) -> float | None:
        """A finite number, or None for an empty cell: unknown is never 0."""
        cell = (self.row.get(column) or "").strip()
        if not cell:
            return None
        try:
            value = float(cell)
        except ValueError:
            raise self.fail(column, N_("a number, or empty for unknown")) from None
        if not math.isfinite(value):
            raise self.fail(column, N_("a finite number, or empty for unknown"))
        return value

    def positive(self, column: str) -> float | None:
        """A number above zero, or None for an empty cell."""
        value = self.number(column)
        if value is not None and value <= 0:
            raise self.fail(column, N_("a number above 0, or empty for unknown"))
        return value

    def date(self, latest: str | None = EDITION) -> str:
        """An ISO date, no later than the tables' own edition unless `latest` is None."""
        cell = self.text("date")
        try:
            found = date.fromisoformat(cell).isoformat()
        except ValueError:
            found = ""
        if found != cell or (latest is not None and cell > latest):
            raise self.fail("date", _accepted_date(latest))
        return cell

    def mark(self) -> str:
        """One of the marks."""
        cell = self.text("mark")
        if cell not in MARKS:
            raise self.fail("mark", ", ".join(sorted(MARKS)))
        return cell

    def unit(self) -> str:
        """A known unit."""
        cell = self.text("unit")
        if not is_unit(cell):
            raise self.fail("unit", N_("a unit of the catalogue, such as USD/GPU-hour, share, s"))
        return cell

    def currency(self) -> str | None:
        """An ISO 4217 code, or None for an empty cell."""
        cell = self.optional("currency")
        if cell and not is_currency(cell):
            raise self.fail("currency", N_("an ISO 4217 code such as USD, or empty"))
        return cell or None

    def span(self, value: float | None) -> tuple[float | None, float | None]:
        """The low and high of a row, which must enclose its value."""
        low, high = self.number("low"), self.number("high")
        if not is_ordered(low, value, high):
            raise self.fail("low", N_("low <= value <= high"))
        return low, high


def _accepted_date(latest: str | None) -> Message:
    if latest is None:
        return Message(N_("a date as YYYY-MM-DD"))
    return Message(N_("a date as YYYY-MM-DD, not after {latest}"), {"latest": latest})


def is_ordered(low: float | None, value: float | None, high: float | None) -> bool:
    """Whether the known ones of low, value and high are in order; a range without a value is not."""
    if value is None:
        return low is None and high is None
    return (low is None or low <= value) and (high is None or value <= high)


def iterate(text: str, name: str) -> Iterator[RowReader]:
    """The rows of a CSV text, each with its place (file and line, the header being line 1)."""
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), start=2):
        yield RowReader(row, f"{name} row {number}")


def resolve_source(cell: str, sources: Mapping[str, Source]) -> str:
    """Readable source of a cell `[KEY] detail`; a text without a key stays as it is.

    Raises KeyError for a key the source table lacks.
    """
    if not cell.startswith("["):
        return cell
    key, _, detail = cell[1:].partition("]")
    source = sources[key]
    detail = detail.strip()
    return f"{source.title}: {detail} [{key}]" if detail else f"{source.title} [{key}]"


def read_source(reader: RowReader, sources: Mapping[str, Source]) -> str:
    """The source of a row, which must be there and, when it names a key, resolve."""
    cell = reader.text("source")
    try:
        return resolve_source(cell, sources)
    except KeyError:
        raise reader.fail("source", N_("a key of sources.csv in brackets, then the detail")) from None


def read_fact(reader: RowReader, key: str, sources: Mapping[str, Source]) -> Fact:
    """The fact of a row with the common columns; `key` is group.key."""
    value = reader.number("value")
    low, high = reader.span(value)
    return Fact(
        value=value,
        low=low,
        high=high,
        unit=reader.unit(),
        source=read_source(reader, sources),
        date=reader.date(),
        mark=reader.mark(),
        conditions=reader.optional("conditions"),
        key=key,
        currency=reader.currency(),
    )

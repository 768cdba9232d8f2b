"""Rows of a measurement file: cells read with a check, a row that cannot be used says why."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

from engine.errors import InputError
from engine.text import N_, Message

Case = TypeVar("Case")
MAX_ROWS = 1_000_000
SMALLEST, LARGEST = 1e-30, 1e30


def is_sensible(value: float) -> bool:
    """Whether a figure can be one of the world's: errors of the others would overflow."""
    return SMALLEST < value < LARGEST


class RowProblem(Exception):
    """Why one row is left out; carries a translatable message."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.render())
        self.message = message


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that was left out, and why."""

    id: str
    reason: Message


@dataclass(frozen=True, slots=True)
class DataRow:
    """One row of a file; `id` is its own or its position."""

    id: str
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """A cell without surrounding blanks; empty when the column or the cell is."""
        return self.cells.get(column, "").strip()

    def number(self, column: str) -> float | None:
        """A finite number, None for an empty cell. Raises RowProblem for anything else."""
        cell = self.text(column)
        if not cell or cell == "-":
            return None
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise RowProblem(
                Message(N_("{column}: {value} is not a number"), {"column": column, "value": cell[:40]})
            )
        return value

    def positive(self, column: str) -> float | None:
        """A number above 0, None for an empty cell. Raises RowProblem for anything else."""
        value = self.number(column)
        if value is not None and value <= 0:
            raise RowProblem(
                Message(N_("{column}: {value} is not above 0"), {"column": column, "value": value})
            )
        return value

    def amount(self, column: str) -> float:
        """A number from 0, 0 for an empty cell. Raises RowProblem for anything else."""
        value = self.number(column) or 0.0
        if value < 0:
            raise RowProblem(Message(N_("{column}: {value} is below 0"), {"column": column, "value": value}))
        return value

    def count(self, column: str, default: float) -> float:
        """A whole number from 1, `default` for an empty cell or 0."""
        value = self.number(column) or default
        if value < 1 or value != math.floor(value):
            raise RowProblem(
                Message(
                    N_("{column}: {value} is not a whole number from 1"), {"column": column, "value": value}
                )
            )
        return value

    def measured(self, column: str) -> float | None:
        """A published figure: None when it is empty or no sensible one, which is no fault of the inputs."""
        try:
            value = self.positive(column)
        except RowProblem:
            return None
        return value if value is not None and is_sensible(value) else None


def read_rows(text: str, needed: Iterable[str]) -> list[DataRow]:
    """The rows of a CSV text with a header.

    Raises InputError naming the first needed column that the header lacks, or when it is no CSV at all.
    """
    try:
        reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=False)
        header = [name.strip() for name in next(reader, [])]
        _check_header(header, needed)
        lines = [line for line in reader if any(cell.strip() for cell in line)]
    except csv.Error as error:
        raise InputError("FILE", str(error), Message(N_("a CSV file with a header"))) from error
    if len(lines) > MAX_ROWS:
        raise InputError("FILE", len(lines), Message(N_("at most {rows} rows"), {"rows": MAX_ROWS}))
    return [_row(header, line, number) for number, line in enumerate(lines, 1)]


def read_cases(rows: Iterable[DataRow], read: Callable[[DataRow], Case]) -> tuple[list[Case], list[Skipped]]:
    """What `read` makes of every row that can be expressed, and the others with the reason."""
    cases: list[Case] = []
    skipped: list[Skipped] = []
    for row in rows:
        try:
            cases.append(read(row))
        except RowProblem as problem:
            skipped.append(Skipped(row.id, problem.message))
    return cases, skipped


def shipped_text(name: str) -> str:
    """The text of a table that the package ships."""
    return (files("engine.validation") / "data" / name).read_text(encoding="utf-8")


def _check_header(header: list[str], needed: Iterable[str]) -> None:
    for column in needed:
        if column not in header:
            raise InputError(column, None, Message(N_("a CSV file with this column in its header")))


def _row(header: list[str], line: list[str], number: int) -> DataRow:
    cells = dict(zip(header, line, strict=False))
    return DataRow(cells.get("id", "").strip() or f"#{number}", cells)

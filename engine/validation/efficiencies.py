"""Rows of efficiencies.csv as the scripts that fit its constants rewrite them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

Rows = list[list[str]]
KEY, VALUE, LOW, HIGH, UNIT, SOURCE, DATE, BASIS, NOTE = range(9)


def read_table(text: str) -> Rows:
    """The cells of a table, its header first."""
    return list(csv.reader(io.StringIO(text)))


def write_table(rows: Iterable[Sequence[str]]) -> str:
    """The text of a table."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def newest_date(rows: Rows) -> str:
    """The latest date of a table: what a refit of the same data is dated."""
    return max(row[DATE] for row in rows[1:])


def set_fitted(rows: Rows, prefix: str, values: Mapping[str, float], digits: int, script: str) -> None:
    """Put fitted values into the rows that are there, and say in their source which script did it."""
    for row in rows:
        name = row[KEY].removeprefix(prefix)
        if row[KEY].startswith(prefix) and name in values:
            row[VALUE] = f"{values[name]:.{digits}g}"
            if "calibration" not in row[SOURCE]:
                row[SOURCE] = f"{row[SOURCE]}, refitted by {script}"


def insert_last(rows: Rows, prefix: str, new: Iterable[list[str]]) -> None:
    """Put rows behind the last one whose key begins with `prefix`."""
    place = max(index for index, row in enumerate(rows) if row[KEY].startswith(prefix)) + 1
    rows[place:place] = new


def band_row(key: str, width: float, *, source: str, date: str, note: str) -> list[str]:
    """A band round 1 from its half-width in the logarithm."""
    low, high = (f"{np.exp(sign * width):.3f}" for sign in (-1.0, 1.0))
    return [key, "1", low, high, "ratio", source, date, "derived", note]

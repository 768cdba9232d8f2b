"""Own traffic from a CSV file: one row a request, or counts of requests by hour.

Rows are read as a stream into compact columns; bad rows are left out and named by line. The result is a
week's profile, the mean rate, the variability of arrivals and the lengths, as fields of the plan.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from engine.arrays import FloatArray
from engine.errors import InputError
from engine.importers.traffic_columns import ACCEPTED, Columns, find_columns
from engine.importers.traffic_records import RowProblem, TrafficImport
from engine.importers.traffic_times import MONDAY_US, Clock
from engine.importers.traffic_week import Rows, summarise
from engine.text import N_, Message

MAX_BYTES = 256 * 2**20
MAX_PROBLEMS = 100
"""Problems kept by line; all are counted."""
_MAX_TOKENS, _MAX_COUNT = 1e8, 1e12
_HOURS = 168
_TOO_LARGE = Message(N_("a CSV file of at most 256 MiB"))
_NOT_TEXT = Message(N_("a CSV file as text in UTF-8"))


class _Reader(Protocol):
    """What csv.reader gives."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]:
        """The rows."""


@dataclass
class Reading:
    """What the rows of a file have given so far."""

    columns: Columns
    clock: Clock = field(default_factory=Clock)
    times: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    first: array[float] = field(default_factory=lambda: array("d"))
    second: array[float] = field(default_factory=lambda: array("d"))
    problems: list[RowProblem] = field(default_factory=list)
    problem_count: int = 0
    rows: int = 0

    def complain(self, line: int, problem: Message) -> None:
        """Note a row with a problem."""
        self.problem_count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(RowProblem(line, problem))


def read_traffic(source: Path | str) -> TrafficImport:
    """Read own traffic from a file (a Path) or from the text of one (a str).

    Columns as in the Azure LLM inference trace (TIMESTAMP, ContextTokens, GeneratedTokens) with common
    synonyms, or hour (0..167 from Monday 00:00 UTC) or timestamp with requests. Returns figures, assumptions
    and row problems. Errors: InputError for a file that is empty, too large, no text, without the columns,
    or covers less than a day.
    """
    if isinstance(source, str):
        return _read(io.BytesIO(source.encode("utf-8", "surrogatepass")))
    try:
        if source.stat().st_size > MAX_BYTES:
            raise InputError("FILE", source.name, _TOO_LARGE)
        with source.open("rb") as file:
            return _read(file)
    except OSError as error:
        raise InputError("FILE", source.name, Message(N_("a readable CSV file"))) from error


def read_stream(stream: BinaryIO) -> TrafficImport:
    """Read own traffic from an open binary stream. Errors as `read_traffic`."""
    return _read(stream)


def _read(stream: BinaryIO) -> TrafficImport:
    try:
        reading = _rows(_text_lines(stream))
    except UnicodeDecodeError as error:
        raise InputError("FILE", "bytes", _NOT_TEXT) from error
    except csv.Error as error:
        raise InputError("FILE", str(error), _NOT_TEXT) from error
    if not reading.times:
        raise _nothing(reading)
    if reading.problem_count > reading.rows / 2:
        first = reading.problems[0]
        accepted = Message(
            N_("a file most of whose rows can be read; line {line}: {problem}"),
            {"line": first.line, "problem": first.problem},
        )
        raise InputError("FILE", f"{reading.problem_count} / {reading.rows}", accepted)
    return summarise(
        Rows(
            columns=reading.columns,
            clock=reading.clock,
            times=np.frombuffer(reading.times, dtype=np.int64),
            lines=np.frombuffer(reading.lines, dtype=np.int64),
            first=_floats(reading.first),
            second=_floats(reading.second),
            rows=reading.rows,
        ),
        reading.complain,
        lambda: (tuple(reading.problems), reading.problem_count),
    )


def _floats(column: array[float]) -> FloatArray:
    return np.frombuffer(column, dtype=np.float64)


def _nothing(reading: Reading) -> InputError:
    if not reading.problems:
        return InputError("FILE", "0 rows", Message(N_("a file with at least one row under its header")))
    first = reading.problems[0]
    accepted = Message(
        N_("rows that can be read; line {line}: {problem}"), {"line": first.line, "problem": first.problem}
    )
    return InputError("FILE", f"{reading.rows} rows", accepted)


def _text_lines(stream: BinaryIO) -> Iterator[str]:
    """Lines as text, counted against the size limit."""
    size = 0
    for number, line in enumerate(_byte_lines(stream)):
        size += len(line)
        if size > MAX_BYTES:
            raise InputError("FILE", f"{size} bytes", _TOO_LARGE)
        if b"\0" in line:
            raise InputError("FILE", f"line {number + 1}", _NOT_TEXT)
        start = line.removeprefix(codecs.BOM_UTF8) if number == 0 else line
        yield start.decode("utf-8")


def _byte_lines(stream: BinaryIO) -> Iterator[bytes]:
    # A binary file may have no line end at all.
    while line := stream.readline(MAX_BYTES + 1):
        yield line


def _rows(lines: Iterator[str]) -> Reading:
    above, header_line = next(((n, line) for n, line in enumerate(lines, start=1) if line.strip()), (0, ""))
    if not header_line:
        raise InputError(
            "FILE", "", Message(N_("a file that is not empty: {columns}"), {"columns": ACCEPTED})
        )
    mark = max(",;\t|", key=header_line.count)
    header = next(csv.reader([header_line], delimiter=mark))
    reading = Reading(find_columns(header))
    reader = csv.reader(lines, delimiter=mark)
    (_read_counts if reading.columns.hourly else _read_requests)(reading, _numbered(reader, reading, above))
    return reading


def _numbered(reader: _Reader, reading: Reading, above: int) -> Iterator[tuple[int, list[str]]]:
    """Rows with their line; empty lines are skipped, rows of another width complained about."""
    width = reading.columns.width
    for row in reader:
        line = above + reader.line_num
        if not row or (len(row) == 1 and not row[0].strip()):
            continue
        reading.rows += 1
        if len(row) != width:
            found = {"found": len(row), "expected": width}
            reading.complain(line, Message(N_("{found} cells where the header has {expected}"), found))
            continue
        yield line, row


def _read_requests(reading: Reading, rows: Iterator[tuple[int, list[str]]]) -> None:
    at = reading.columns.at
    when, into, out = at["timestamp"], at.get("input_tokens"), at.get("output_tokens")
    for line, row in rows:
        time = reading.clock.read(row[when], line)
        if time is None:
            reading.complain(line, _no_time(row[when]))
            continue
        first = 0.0 if into is None else _amount(row[into], _MAX_TOKENS)
        second = 0.0 if out is None else _amount(row[out], _MAX_TOKENS)
        if first is None or second is None:
            bad = row[into] if first is None and into is not None else row[out or 0]
            reading.complain(line, _no_number(bad))
            continue
        _keep(reading, line, time, first, second)


def _read_counts(reading: Reading, rows: Iterator[tuple[int, list[str]]]) -> None:
    at = reading.columns.at
    when, count_at = at.get("timestamp", at.get("hour", 0)), at["requests"]
    by_hour = "hour" in at
    for line, row in rows:
        time = _hour_time(row[when]) if by_hour else reading.clock.read(row[when], line)
        if time is None:
            reading.complain(line, _no_hour(row[when]) if by_hour else _no_time(row[when]))
            continue
        count = _amount(row[count_at], _MAX_COUNT)
        if count is None:
            reading.complain(line, _no_number(row[count_at]))
            continue
        _keep(reading, line, time, count, 0.0)


def _keep(reading: Reading, line: int, time: int, first: float, second: float) -> None:
    reading.times.append(time)
    reading.lines.append(line)
    reading.first.append(first)
    reading.second.append(second)


def _hour_time(cell: str) -> int | None:
    try:
        hour = float(cell)
    except ValueError:
        return None
    if not (0 <= hour < _HOURS and hour == int(hour)):
        return None
    return MONDAY_US + int(hour) * 3_600_000_000


def _amount(cell: str, most: float) -> float | None:
    """A number from 0 to `most`; None for anything else, NaN included."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if 0.0 <= value <= most and math.isfinite(value) else None


def _no_time(cell: str) -> Message:
    return Message(N_("{value} is no time"), {"value": cell.strip()[:40] or "–"})


def _no_hour(cell: str) -> Message:
    return Message(N_("{value} is no hour of the week from 0 to 167"), {"value": cell.strip()[:40] or "–"})


def _no_number(cell: str) -> Message:
    return Message(N_("{value} is no number from 0"), {"value": cell.strip()[:40] or "–"})

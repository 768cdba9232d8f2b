"""Timestamps of a traffic file as microseconds since 1970-01-01 00:00 UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

from engine.errors import InputError
from engine.text import N_, Message

MICRO = 1_000_000
MONDAY_US = 345_600 * MICRO
"""Monday 1970-01-05 00:00 UTC."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEP = timedelta(microseconds=1)
_LATEST_US = 4_102_444_800 * MICRO
"""The year 2100."""
_SCALES = {"relative": 1e6, "s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}

Form = Literal["", "naive", "zoned", "relative", "s", "ms", "us", "ns"]
_UNITS: tuple[tuple[float, Form], ...] = (
    (1e8, "relative"),
    (1e11, "s"),
    (1e14, "ms"),
    (1e17, "us"),
    (1e20, "ns"),
)
"""Numbers below each limit: a small count is not a time of the year 1970."""


class Clock:
    """Reads the times of one file, which must all have one form; remembers which."""

    def __init__(self) -> None:
        self.form: Form = ""
        self.fractional = False
        self._zones: set[timedelta] = set()

    @property
    def zones(self) -> int:
        """How many different offsets from UTC were read."""
        return len(self._zones)

    def read(self, cell: str, line: int) -> int | None:
        """Microseconds of a time; None for what is no time. Errors: InputError for a change of form."""
        text = cell.strip()
        number = _number(text)
        return self._iso(text, line) if number is None else self._numeric(number, text)

    def _numeric(self, value: float, text: str) -> int | None:
        if not 0.0 <= value < 1e20 or value != value:
            return None
        if not self.form:
            self.form = next(name for limit, name in _UNITS if value < limit)
        if self.form not in _SCALES:
            return None
        # Whole counts keep their digits: a float has 16.
        whole = {"us": 1, "ns": 1000}.get(self.form) if text.isdecimal() else None
        micros = int(text) // whole if whole else round(value * _SCALES[self.form])
        if micros % MICRO:
            self.fractional = True
        shifted = micros + MONDAY_US if self.form == "relative" else micros
        return shifted if shifted < _LATEST_US else None

    def _iso(self, text: str, line: int) -> int | None:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            return None
        offset = found.utcoffset()
        form: Form = "naive" if offset is None else "zoned"
        if self.form in ("naive", "zoned") and self.form != form:
            accepted = Message(
                N_("times that all name their zone, or none of them; line {line} changes that"),
                {"line": line},
            )
            raise InputError("FILE", text, accepted)
        if not self.form:
            self.form = form
        if self.form != form:
            return None
        if offset is not None and len(self._zones) < 100:
            self._zones.add(offset)
        moment = found.replace(tzinfo=UTC) if offset is None else found
        micros = (moment - _EPOCH) // _STEP
        if micros % MICRO:
            self.fractional = True
        return micros if 0 <= micros < _LATEST_US else None

    def assumptions(self) -> list[Message]:
        """What was taken for granted about the times."""
        notes = {
            "naive": Message(N_("Times without a zone are read as UTC.")),
            "zoned": Message(N_("Times of different zones are counted in UTC.")) if self.zones > 1 else None,
            "relative": Message(N_("Times count seconds from a start that is taken as Monday 00:00 UTC.")),
            "ms": Message(N_("Times are read as milliseconds since 1970.")),
            "us": Message(N_("Times are read as microseconds since 1970.")),
            "ns": Message(N_("Times are read as nanoseconds since 1970.")),
        }
        note = notes.get(self.form)
        return [] if note is None else [note]


def _number(text: str) -> float | None:
    # What begins like a date is none; this saves the exception on a million rows.
    if len(text) > 8 and text[4] == "-":
        return None
    try:
        return float(text)
    except ValueError:
        return None

"""The one way times are written to the database: UTC, ISO 8601, milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime


def now_text() -> str:
    """The present as text that sorts by time."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def read_time(text: str) -> datetime:
    """The aware time behind a text of `now_text`."""
    return datetime.fromisoformat(text)

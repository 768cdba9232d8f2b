"""What an import of own traffic found: the figures, what was assumed, and rows with a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.text import Message


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that was left out or looks wrong, by its line in the file (the header being line 1)."""

    line: int
    problem: Message


@dataclass(frozen=True, slots=True)
class TrafficImport:
    """Own traffic as fields of the plan, with what it rests on.

    `hourly_factors` are 168 ratios of mean 1 from Monday 00:00 UTC; `requests_per_second` is the mean of
    the week, `peak_to_mean` its busiest hour; `arrival_cv` the coefficient of variation of the time between
    requests within hours; tokens are means a request and `*_log_sd` the standard deviation of their
    logarithm. None = the file does not say. `read` maps what was read to the file's own column names;
    `first` and `last` are times in UTC, empty where the file has no dates; `filled` are hours of the week
    (0..167) without data, taken from the same hour of other days.
    """

    kind: str
    rows: int
    used: int
    first: str
    last: str
    requests_per_second: float
    hourly_factors: tuple[float, ...]
    peak_to_mean: float
    arrival_cv: float | None
    input_tokens: float | None
    output_tokens: float | None
    input_log_sd: float | None
    output_log_sd: float | None
    filled: tuple[int, ...]
    read: Mapping[str, str]
    assumed: tuple[Message, ...]
    problems: tuple[RowProblem, ...]
    problem_count: int

    def patch(self) -> dict[str, Any]:
        """The figures as plan fields. The busiest hour stays the profile's own, hence `peak_to_mean` None."""
        found: dict[str, Any] = {
            "serving.requests_per_second": self.requests_per_second,
            "serving.profile": list(self.hourly_factors),
            "serving.peak_to_mean": None,
            "serving.arrival_cv": self.arrival_cv,
            "serving.input_tokens": self.input_tokens,
            "serving.output_tokens": self.output_tokens,
        }
        return {
            path: value
            for path, value in found.items()
            if value is not None or path == "serving.peak_to_mean"
        }

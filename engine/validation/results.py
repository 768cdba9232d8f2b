"""What a validation finds: errors of all rows and of groups, and every row with its band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.text import N_, Message
from engine.validation.tables import Skipped, is_sensible


@dataclass(frozen=True, slots=True)
class RowResult:
    """One predicted row in the unit of its metric; `measured` None where the file gives no figure.

    `scored` is False for rows that the file itself marks as repeated or doubtful: they are predicted and
    shown, and stay out of the headline figures.
    """

    id: str
    metric: str
    measured: float | None
    predicted: float
    low: float
    high: float
    scored: bool
    groups: tuple[str, ...]

    @property
    def error(self) -> float | None:
        """predicted / measured - 1, None without a measurement."""
        return None if self.measured is None else self.predicted / self.measured - 1.0


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """Absolute errors of `n` rows (fractions), and the share of measurements inside the 10-90 % band."""

    n: int
    median_abs_error: float | None
    p90_abs_error: float | None
    in_band: float | None


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """A file held against the model. `overall` and `groups` are of the scored rows with a measurement.

    `calibrated` holds further figures of the same rows under a stated correction or another method.
    """

    rows: int
    predicted: int
    skipped: tuple[Skipped, ...]
    overall: ErrorSummary
    groups: Mapping[str, ErrorSummary]
    per_row: tuple[RowResult, ...]
    calibrated: Mapping[str, ErrorSummary] = field(default_factory=dict)


def summarise(rows: Sequence[RowResult]) -> ErrorSummary:
    """Median and 90th percentile of the absolute errors of rows that have a measurement."""
    known = [(row, row.measured) for row in rows if row.measured is not None]
    if not known:
        return ErrorSummary(0, None, None, None)
    errors = np.abs([row.predicted / measured - 1.0 for row, measured in known])
    inside = [row.low <= measured <= row.high for row, measured in known]
    return ErrorSummary(
        len(known), float(np.median(errors)), float(np.quantile(errors, 0.9)), float(np.mean(inside))
    )


def finite_rows(found: Sequence[RowResult]) -> tuple[list[RowResult], list[Skipped]]:
    """The rows with a usable prediction, and the others as left out: inputs beyond all sense overflow."""
    kept = [row for row in found if all(map(is_sensible, (row.predicted, row.low, row.high)))]
    names = {id(row) for row in kept}
    reason = Message(N_("the model gives no finite figure for these inputs"))
    return kept, [Skipped(row.id, reason) for row in found if id(row) not in names]


def gather(
    total: int,
    skipped: Sequence[Skipped],
    rows: Sequence[RowResult],
    calibrated: Mapping[str, ErrorSummary] | None = None,
) -> ValidationResult:
    """Put rows together with the figures of all of them and of every group, in order of name."""
    rows, overflown = finite_rows(rows)
    skipped = [*skipped, *overflown]
    scored = [row for row in rows if row.scored]
    names = sorted({name for row in scored for name in row.groups})
    groups = {name: summarise([row for row in scored if name in row.groups]) for name in names}
    if len(scored) != len(rows):
        groups["all rows"] = summarise(rows)
    return ValidationResult(
        total, len(rows), tuple(skipped), summarise(scored), groups, tuple(rows), calibrated or {}
    )

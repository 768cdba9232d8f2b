"""Checkpoint figures of one job for the command line, with its inputs checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.errors import InputError
from engine.reliability import checkpointing
from engine.text import N_, Message

# Larger than any time that means something, and small enough that no sum or mean of two overflows.
LARGEST_S = 1e300


@dataclass(frozen=True, slots=True)
class CheckpointSummary:
    """Intervals [s], goodput [share] and mean segment [s] of one job with blocking checkpoints.

    `expected_segment_s` is None when the mean exceeds the largest float (about 1.8e308 s): JSON has no
    infinity, and the goodput is then 0.
    """

    optimal_interval_s: float
    goodput: float
    expected_segment_s: float | None
    young_s: float
    daly_s: float


def checkpoint_summary(
    *,
    mttf_s: float,
    write_s: float,
    restart_s: float,
    downtime_s: float = 0.0,
    interval_s: float | None = None,
) -> CheckpointSummary:
    """Best checkpoint interval of a job, its goodput, and the textbook intervals beside it.

    Valid for exponential failures and blocking writes. `mttf_s` (> 0), `write_s`, `restart_s`,
    `downtime_s` (>= 0) [s]; goodput and segment are at `interval_s` (> 0) [s] when given, else at the
    optimum. A free write has an optimum of 0, whose goodput is the limit. Returns `CheckpointSummary`.
    Raises InputError naming the option for a number that is not finite, out of range or above 1e300.
    """
    mean = _checked("--mttf-s", mttf_s, is_zero_accepted=False)
    write = _checked("--write-s", write_s, is_zero_accepted=True)
    restart = _checked("--restart-s", restart_s, is_zero_accepted=True)
    downtime = _checked("--downtime-s", downtime_s, is_zero_accepted=True)
    optimum = float(checkpointing.optimal_interval_s(write_s=write, mttf_s=mean))
    used = optimum if interval_s is None else _checked("--interval-s", interval_s, is_zero_accepted=False)
    segment = float(
        checkpointing.expected_segment_s(
            interval_s=used, write_s=write, mttf_s=mean, restart_s=restart, downtime_s=downtime
        )
    )
    share = checkpointing.goodput(
        interval_s=used, write_s=write, mttf_s=mean, restart_s=restart, downtime_s=downtime
    )
    return CheckpointSummary(
        optimal_interval_s=optimum,
        goodput=float(share) if math.isfinite(segment) else 0.0,
        expected_segment_s=segment if math.isfinite(segment) else None,
        young_s=float(checkpointing.young_interval_s(write_s=write, mttf_s=mean)),
        daly_s=float(checkpointing.daly_interval_s(write_s=write, mttf_s=mean)),
    )


def _checked(field: str, value: float, *, is_zero_accepted: bool) -> float:
    if 0.0 < value <= LARGEST_S or (is_zero_accepted and value == 0.0):
        return float(value)
    accepted = (
        N_("a number of seconds from 0 to 1e300")
        if is_zero_accepted
        else N_("a number of seconds above 0, at most 1e300")
    )
    raise InputError(field, value, Message(accepted))

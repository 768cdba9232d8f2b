"""Jobs of known length: spread of their wall time, equal segments, and short runs with background writes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, FloatArray
from engine.reliability.checkpointing import expected_segment_s, optimal_interval_s
from engine.reliability.failures import exposure

# Under this exposure the variance is a difference of nearly equal numbers; its series is exact to 4e-15.
SERIES_BELOW = 0.02


@dataclass(frozen=True, slots=True)
class SegmentMoments:
    """Mean [s] and variance [s2] of the wall time of one segment; sums of segments are close to normal."""

    mean_s: Array
    variance_s2: Array


def compute_segment_moments(
    *, interval_s: Array, write_s: Array, mttf_s: Array, restart_s: Array, downtime_s: Array = 0.0
) -> SegmentMoments:
    """Mean and variance of the wall time of one segment with blocking writes.

    Valid for exponential failures; N segments have N times both. All parameters [s], as in
    `expected_segment_s`. Returns mean [s] and variance [s2]:
    E F (Var X + Var Y) + Var F (E X + E Y)^2, F failures a segment, X time lost, Y downtime, each exact;
    0 variance without failures, inf on overflow.
    """
    span = np.asarray(interval_s, dtype=np.float64) + np.asarray(write_s, dtype=np.float64)
    mean = expected_segment_s(
        interval_s=interval_s, write_s=write_s, mttf_s=mttf_s, restart_s=restart_s, downtime_s=downtime_s
    )
    down = _retry_variance(restart_s, downtime_s, np.zeros(()), mttf_s)
    down_mean = np.asarray(downtime_s) + _retry_mean(restart_s, downtime_s, mttf_s)
    return SegmentMoments(mean, _retry_variance(span, down_mean, down, mttf_s))


def _retry_mean(span_s: Array, pause_s: Array, mttf_s: Array) -> FloatArray:
    """Mean time to get through `span_s` when each failure starts it again after `pause_s`."""
    return np.asarray(
        expected_segment_s(interval_s=span_s, write_s=0.0, mttf_s=mttf_s, restart_s=0.0, downtime_s=pause_s)
    )


def _retry_variance(
    span_s: Array, pause_s: Array, pause_variance_s2: FloatArray, mttf_s: Array
) -> FloatArray:
    """Variance of that time: a geometric number of truncated exponential losses, each with its pause."""
    load = exposure(time_s=span_s, mttf_s=mttf_s)
    mean = np.asarray(mttf_s, dtype=np.float64)
    with np.errstate(all="ignore"):
        failures = np.expm1(load)
        loss = mean * _truncated_mean(load) + pause_s
        loss_variance = mean * mean * _truncated_variance(load) + pause_variance_s2
        variance = failures * loss_variance + failures * (1.0 + failures) * loss * loss
    return np.where(load == 0.0, 0.0, variance)


def _truncated_mean(load: FloatArray) -> FloatArray:
    """Mean of an exponential of mean 1 given that it is under `load`: 1 - x/(exp(x) - 1)."""
    series = load * (0.5 - load * (1.0 / 12.0 - load * load / 720.0))
    return np.where(load < SERIES_BELOW, series, 1.0 - load / np.expm1(load))


def _truncated_variance(load: FloatArray) -> FloatArray:
    """Variance of the same: 1 - (u / sinh u)^2 with u = load/2."""
    half = load / 2.0
    square = half * half
    series = square * (1.0 / 3.0 - square * (1.0 / 15.0 - square * 2.0 / 189.0))
    return np.where(load < SERIES_BELOW, series, 1.0 - np.square(half / np.sinh(half)))


def find_segment_count(*, work_s: Array, write_s: Array, mttf_s: Array) -> Array:
    """Number of equal segments that finishes a job of known length soonest.

    Valid for exponential failures and blocking writes, each segment written. `work_s`, `write_s`, `mttf_s`
    [s]. Returns [count, at least 1]: the better of floor and ceil of T/tau*, since the time is convex in
    the count; inf when a write is free and failures happen.
    """
    work = np.asarray(work_s, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ideal = work / optimal_interval_s(write_s=write_s, mttf_s=mttf_s)
        fewer = np.maximum(np.floor(ideal), 1.0)
        more = np.maximum(np.ceil(ideal), 1.0)
        better = _log_wall(more, work, write_s, mttf_s) < _log_wall(fewer, work, write_s, mttf_s)
    return np.where(better, more, fewer)


def _log_wall(count: FloatArray, work: FloatArray, write_s: Array, mttf_s: Array) -> FloatArray:
    """Logarithm of the wall time of `count` equal segments, up to a term that does not depend on it.

    A logarithm, so that jobs whose time overflows are still compared.
    """
    load = exposure(time_s=work / count + np.asarray(write_s), mttf_s=mttf_s)
    return np.asarray(np.log(count) + load + np.log(-np.expm1(-load)))


def expected_async_wall_s(
    *,
    segment_count: int,
    interval_s: float,
    stall_s: float,
    background_s: float,
    mttf_s: float,
    restart_s: float,
    downtime_s: float = 0.0,
) -> float:
    """Mean wall time of a short job with background checkpoints whose last snapshot must become durable.

    Valid for exponential failures, no slow-down while writing and one write in flight; exact where the
    long-run goodput is not (under about 100 segments). `segment_count` [count], times [s]. Returns [s], inf
    on overflow. Recursion over the segments left m, with L_m = m (tau + s) + w and p_k the chance of a
    failure with k snapshots durable:
    A_m = (E min(X, L_m) + p_0 E Y + sum_k p_k (E Y + A_(m-k))) / (1 - p_0).
    """
    period_load = float(exposure(time_s=interval_s + stall_s, mttf_s=mttf_s))
    lag_load = float(exposure(time_s=background_s, mttf_s=mttf_s))
    if period_load == 0.0:
        return segment_count * (interval_s + stall_s) + background_s
    down = downtime_s + float(_retry_mean(restart_s, downtime_s, mttf_s))
    # survival[m]: no failure before the m-th snapshot is durable.
    survival = np.exp(-(np.arange(segment_count + 1) * period_load + lag_load))
    durable = survival[1:-1] * -np.expm1(-period_load)
    wall = np.zeros(segment_count + 1)
    with np.errstate(all="ignore"):
        for left in range(1, segment_count + 1):
            failed = -np.expm1(-(left * period_load + lag_load))
            resumed = float(np.dot(durable[: left - 1], wall[left - 1 : 0 : -1]))
            wall[left] = (failed * (mttf_s + down) + resumed) / survival[1]
    return float(np.nan_to_num(wall[segment_count], nan=np.inf, posinf=np.inf))

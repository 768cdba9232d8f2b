"""Checkpoint intervals and goodput under exponential failures: blocking and background writes, exactly.

An interval is the useful work between two checkpoints; it excludes the write. Times are finite and not
negative; interval and MTTF may also be inf. No function here warns or returns NaN for these: a hopeless row
has an infinite segment and a goodput of 0.
"""

from __future__ import annotations

import numpy as np
from scipy.special import exprel, lambertw

from engine.arrays import Array, FloatArray
from engine.reliability.failures import exposure

# Below this write/MTTF lambertw loses digits at its branch point; the series there is exact to 2e-11.
SERIES_BELOW = 1e-5


def up_share(*, mttf_s: Array, restart_s: Array, downtime_s: Array) -> FloatArray:
    """Share of wall time in which the job runs rather than waits and restarts.

    Valid for exponential failures. `mttf_s` [s]; `restart_s` [s], recovery that a failure can interrupt;
    `downtime_s` [s], waiting that none can. Returns [share]: exp(-R/M) / (1 + D/M).
    """
    restart = exposure(time_s=restart_s, mttf_s=mttf_s)
    waiting = exposure(time_s=downtime_s, mttf_s=mttf_s)
    with np.errstate(under="ignore"):
        return np.exp(-restart) / (1.0 + waiting)


def kept_share(*, span_s: Array, mttf_s: Array) -> FloatArray:
    """Share of running time that is kept when a failure loses the span it falls in.

    Valid for exponential failures. `span_s` [s], from one checkpoint to the next; `mttf_s` [s].
    Returns [share]: x / (exp(x) - 1) with x = span / mttf.
    """
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(1.0 / exprel(exposure(time_s=span_s, mttf_s=mttf_s)))


def work_share(*, interval_s: Array, overhead_s: Array) -> FloatArray:
    """Share of a period that is work: interval / (interval + overhead).

    Valid from 0 to inf; 1 without overhead and for an endless interval. `interval_s` [s], `overhead_s` [s].
    """
    interval = np.asarray(interval_s, dtype=np.float64)
    overhead = np.asarray(overhead_s, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        share = 1.0 / (1.0 + overhead / interval)
    return np.where((overhead == 0.0) | np.isposinf(interval), 1.0, share)


def _span_s(interval_s: Array, overhead_s: Array) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(np.asarray(interval_s, dtype=np.float64) + overhead_s)


def expected_segment_s(
    *, interval_s: Array, write_s: Array, mttf_s: Array, restart_s: Array, downtime_s: Array = 0.0
) -> Array:
    """Mean wall time until one interval of work and its checkpoint are done.

    Valid for exponential failures and blocking writes; failures also strike writes and restarts.
    `interval_s`, `write_s`, `mttf_s`, `restart_s` (can be interrupted), `downtime_s` (cannot) [s].
    Returns [s]: exp(R/M) (M + D) (exp((tau + d)/M) - 1), without cancellation for rare failures; inf when
    it exceeds what a float holds.
    Source: Young 1974, Daly 2006; exact form re-derived, checked by simulation.
    """
    span = _span_s(interval_s, write_s)
    restart = exposure(time_s=restart_s, mttf_s=mttf_s)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        retries = exprel(exposure(time_s=span, mttf_s=mttf_s))
        recovery = np.exp(restart) * (1.0 + exposure(time_s=downtime_s, mttf_s=mttf_s))
        return np.where(span == 0.0, 0.0, span * retries * recovery)


def goodput(
    *, interval_s: Array, write_s: Array, mttf_s: Array, restart_s: Array, downtime_s: Array = 0.0
) -> Array:
    """Useful share of wall time with blocking checkpoints.

    Valid as `expected_segment_s`; same parameters [s]. Returns [share], 0 to 1: tau / E[segment]. With an
    interval of 0 it is 0 when a write costs time, else the limit exp(-R/M) / (1 + D/M).
    """
    span = _span_s(interval_s, write_s)
    running = up_share(mttf_s=mttf_s, restart_s=restart_s, downtime_s=downtime_s)
    work = work_share(interval_s=interval_s, overhead_s=write_s)
    with np.errstate(under="ignore"):
        return running * kept_share(span_s=span, mttf_s=mttf_s) * work


def optimal_interval_s(*, write_s: Array, mttf_s: Array) -> Array:
    """Interval with the highest goodput under blocking checkpoints; the unique optimum.

    Valid for exponential failures and any write, also one longer than the MTTF; restart and downtime do
    not matter. `write_s` [s], `mttf_s` [s]. Returns [s]: M (1 + W0(-exp(-1 - d/M))), which tends to M for
    long writes; 0 (checkpoint all the time) when a write is free; inf (never) when the job never fails.
    Source: stationary point of E[segment]/tau, strictly convex; series of W0 at its branch point.
    """
    mean = np.asarray(mttf_s, dtype=np.float64)
    ratio = exposure(time_s=write_s, mttf_s=mean)
    near_branch = ratio < SERIES_BELOW
    with np.errstate(under="ignore", invalid="ignore"):
        root = np.sqrt(-2.0 * np.expm1(-ratio))
        series = 1.0 + root * (-1.0 / 3.0 + root * (11.0 / 72.0 - root * 43.0 / 540.0))
        # M p written as sqrt(2 d M) p / sqrt(2 d/M): a quotient d/M that underflows to 0 does no harm.
        short = young_interval_s(write_s=write_s, mttf_s=mean) * np.sqrt(exprel(-ratio)) * series
        argument: FloatArray = -np.exp(-1.0 - np.where(near_branch, 1.0, ratio))
        interval = np.where(near_branch, short, mean * (1.0 + np.real(lambertw(argument, 0))))
    return np.where(np.isposinf(mean), np.inf, interval)


def young_interval_s(*, write_s: Array, mttf_s: Array) -> Array:
    """First-order interval, for comparison only: its own goodput forecast fails at high failure rates.

    Valid for writes far shorter than the MTTF. `write_s` [s], `mttf_s` [s]. Returns [s]: sqrt(2 d M).
    Source: Young 1974.
    """
    write = np.asarray(write_s, dtype=np.float64)
    mean = np.asarray(mttf_s, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        interval = np.sqrt(2.0) * np.sqrt(write) * np.sqrt(mean)
    return np.where(np.isposinf(mean), np.inf, interval)


def daly_interval_s(*, write_s: Array, mttf_s: Array) -> Array:
    """Higher-order interval of Daly, for comparison only.

    Valid for any write. `write_s` [s], `mttf_s` [s]. Returns [s]:
    sqrt(2 d M) (1 + sqrt(d/(2M))/3 + d/(18M)) - d for d < 2M, else M. Source: Daly 2006, equation 37.
    """
    mean = np.asarray(mttf_s, dtype=np.float64)
    write = np.asarray(write_s, dtype=np.float64)
    half_ratio = exposure(time_s=write, mttf_s=mean) / 2.0
    with np.errstate(invalid="ignore", over="ignore"):
        correction = 1.0 + np.sqrt(half_ratio) / 3.0 + half_ratio / 9.0
        interval = young_interval_s(write_s=write, mttf_s=mean) * correction - write
    return np.where(np.isposinf(mean) | (half_ratio >= 1.0), mean, interval)


def effective_interval_s(
    *, interval_s: Array, stall_s: Array, background_s: Array, slowdown: Array = 0.0
) -> Array:
    """Interval really achieved with background writes: a new snapshot waits for the write in flight.

    Valid for one write in flight. `interval_s`, `stall_s`, `background_s` [s]; `slowdown` [share of speed].
    Returns [s]: max(tau, w (1 - phi) - s), so that a period is never shorter than the write.
    """
    floor = np.asarray(background_s) * (1.0 - np.asarray(slowdown)) - np.asarray(stall_s)
    return np.asarray(np.maximum(interval_s, floor))


def async_goodput(
    *,
    interval_s: Array,
    stall_s: Array,
    background_s: Array,
    mttf_s: Array,
    restart_s: Array,
    downtime_s: Array = 0.0,
    slowdown: Array = 0.0,
) -> Array:
    """Useful share of wall time with background checkpoints, in the long run.

    Valid for exponential failures and one write in flight: a shorter interval counts as
    `effective_interval_s`. `interval_s`, `stall_s` (copy out of the accelerators), `background_s` (then until
    durable), `mttf_s`, `restart_s`, `downtime_s` [s]; `slowdown` phi [share of speed while writing].
    Returns [share]: tau exp(-(tau+s+w)/M) / (1 - exp(-P/M)) / (exp(R/M) (M+D)), P = tau + s + phi w. It is
    the blocking form with d = s + phi w, times exp(-w (1 - phi)/M): a crash rolls back further.
    Source: re-derived renewal argument, checked by simulation.
    """
    interval = effective_interval_s(
        interval_s=interval_s, stall_s=stall_s, background_s=background_s, slowdown=slowdown
    )
    overhead = np.asarray(stall_s) + np.asarray(slowdown) * np.asarray(background_s)
    blocking = goodput(
        interval_s=interval, write_s=overhead, mttf_s=mttf_s, restart_s=restart_s, downtime_s=downtime_s
    )
    lag = np.asarray(background_s) * (1.0 - np.asarray(slowdown))
    with np.errstate(under="ignore"):
        return blocking * np.exp(-exposure(time_s=lag, mttf_s=mttf_s))


def optimal_async_interval_s(
    *, stall_s: Array, background_s: Array, mttf_s: Array, slowdown: Array = 0.0
) -> Array:
    """Interval with the highest goodput under background checkpoints.

    Valid as `async_goodput`; `stall_s`, `background_s`, `mttf_s` [s], `slowdown` [share]. Returns [s]: the
    blocking optimum for d = s + phi w, raised to w (1 - phi) - s. The goodput has one maximum, so raising
    is exact.
    """
    overhead = np.asarray(stall_s) + np.asarray(slowdown) * np.asarray(background_s)
    return effective_interval_s(
        interval_s=optimal_interval_s(write_s=overhead, mttf_s=mttf_s),
        stall_s=stall_s,
        background_s=background_s,
        slowdown=slowdown,
    )

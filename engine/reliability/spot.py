"""Interruptible capacity with a notice long enough for an emergency checkpoint, or without one."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import exprel, gammainc

from engine.arrays import Array, BoolArray, FloatArray
from engine.reliability.checkpointing import goodput, optimal_interval_s, work_share
from engine.reliability.failures import exposure, mttf_s
from engine.reliability.line_search import maximise

# exp(-750) is 0 in a double: a longer interval in units of the mean time to interruption changes nothing.
ENDLESS = 750.0
# A finite interval that gains less than this share over never writing owes it to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SpotInputs:
    """Spot capacity of one gang: rates [1/s], times [s].

    `preemption_rate_per_s` is that of the gang: instances of one type and zone go together.
    """

    preemption_rate_per_s: Array
    failure_rate_per_s: Array
    write_s: Array
    emergency_write_s: Array
    notice_s: Array
    preemption_downtime_s: Array
    failure_downtime_s: Array
    restart_s: Array


@dataclass(frozen=True, slots=True)
class _Rates:
    """Rate of any interruption [1/s], its mean time [s], and the share that is announced."""

    total: FloatArray
    mean_s: FloatArray
    announced: FloatArray


def _rates(inputs: SpotInputs) -> _Rates:
    preempted = np.asarray(inputs.preemption_rate_per_s, dtype=np.float64)
    total = preempted + np.asarray(inputs.failure_rate_per_s, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        announced = np.where(total > 0.0, preempted / total, 0.0)
    return _Rates(total, np.asarray(mttf_s(failure_rate_per_s=total)), announced)


def spot_goodput(inputs: SpotInputs, interval_s: Array) -> Array:
    """Useful share of wall time on interruptible capacity.

    Valid for exponential interruptions, waiting and restart that nothing interrupts, the timer restarting
    at every saved state. A notice shorter than the emergency write is useless: preemptions are then
    crashes, and the blocking form holds. `inputs` see `SpotInputs`; `interval_s` [s]. Returns [share].
    Equation: E[work] / E[time] of one renewal, see `_noticed_goodput`; derived and checked by simulation.
    """
    noticed = _noticed_goodput(inputs, interval_s)
    rates = _rates(inputs)
    unnoticed = goodput(
        interval_s=interval_s,
        write_s=inputs.write_s,
        mttf_s=rates.mean_s,
        restart_s=0.0,
        downtime_s=_mean_downtime_s(inputs, rates.announced),
    )
    return np.where(_is_notice_usable(inputs), noticed, unnoticed)


def find_spot_interval_s(inputs: SpotInputs) -> Array:
    """Interval with the highest goodput on interruptible capacity.

    Valid as `spot_goodput`. `inputs` see `SpotInputs`. Returns [s]: without a usable notice the closed
    form; with one a log grid and a polish, since the goodput is flat at long intervals, and inf when never
    checkpointing before the notice is at least as good.
    """
    rates = _rates(inputs)
    unnoticed = np.asarray(optimal_interval_s(write_s=inputs.write_s, mttf_s=rates.mean_s))
    # The search needs positive finite bounds; rows without failures or write are settled by the limits.
    scale = np.where(np.isfinite(rates.mean_s), rates.mean_s, 1.0)
    start = np.where(np.isfinite(unnoticed) & (unnoticed > 0.0), unnoticed, scale)
    shape = np.broadcast_shapes(*(np.shape(getattr(inputs, field.name)) for field in fields(inputs)))
    low, high = np.broadcast_to(start / 10.0, shape), np.broadcast_to(scale * ENDLESS, shape)
    found = maximise(lambda interval: np.asarray(_noticed_goodput(inputs, interval)), low=low, high=high)
    endless = _noticed_goodput(inputs, np.inf) >= _noticed_goodput(inputs, found) * (1.0 - ROUNDING)
    noticed = np.where(np.asarray(inputs.write_s) == 0.0, unnoticed, np.where(endless, np.inf, found))
    return np.where(_is_notice_usable(inputs), noticed, unnoticed)


def _is_notice_usable(inputs: SpotInputs) -> BoolArray:
    return np.asarray(np.asarray(inputs.emergency_write_s) <= np.asarray(inputs.notice_s))


def _mean_downtime_s(inputs: SpotInputs, announced: FloatArray) -> FloatArray:
    """Waiting and restart after an interruption of either kind; only the mean matters."""
    return np.asarray(
        announced * inputs.preemption_downtime_s
        + (1.0 - announced) * inputs.failure_downtime_s
        + inputs.restart_s
    )


def _noticed_goodput(inputs: SpotInputs, interval_s: Array) -> FloatArray:
    """Goodput when every announced preemption saves its work.

    With l the rate, q the announced share, a = exp(-l tau), b = exp(-l (tau + d)):
    E[work] = tau b + tau q (a - b) + q (1 - a (1 + l tau)) / l;
    E[time] = (1 - b)/l + q (d a - (a - b)/l) + q (a - b)(Dp + R) + q (1 - a)(de + Dp + R)
    + (1 - q)(1 - b)(Df + R). Both are divided by tau + d, which keeps every limit finite.
    """
    rates, write = _rates(inputs), np.asarray(inputs.write_s, dtype=np.float64)
    with np.errstate(over="ignore"):
        interval = np.minimum(interval_s, ENDLESS * rates.mean_s)
    work = work_share(interval_s=interval, overhead_s=write)
    before = exposure(time_s=interval, mttf_s=rates.mean_s)
    during = exposure(time_s=write, mttf_s=rates.mean_s)
    q = rates.announced
    with np.errstate(under="ignore", invalid="ignore", divide="ignore"):
        reached, written = np.exp(-before), np.exp(-before - during)
        saved = np.where(before == 0.0, 0.0, gammainc(2.0, before) / before)
        useful = work * (written + q * (reached - written) + q * saved)
        # Interruptions while working, while writing, and either, per second of the period.
        at_work = rates.total * work * exprel(-before)
        at_write = rates.total * (1.0 - work) * reached * exprel(-during)
        ran = exprel(-before - during) + q * (1.0 - work) * reached * (1.0 - exprel(-during))
        down = np.asarray(inputs.preemption_downtime_s) + np.asarray(inputs.restart_s)
        announced = q * (at_write * down + at_work * (inputs.emergency_write_s + down))
        either = rates.total * exprel(-before - during)
        crashed = (1.0 - q) * either * (np.asarray(inputs.failure_downtime_s) + inputs.restart_s)
        return np.asarray(useful / (ran + announced + crashed))

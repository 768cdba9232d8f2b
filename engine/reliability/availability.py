"""Where the wall time of a training run goes: one call for failures, checkpoints, restarts and spares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, FloatArray
from engine.reliability import checkpointing, failures, spares


@dataclass(frozen=True, slots=True)
class ReliabilityInputs:
    """What interrupts and delays a run; every field a float or an array that broadcasts.

    `checkpoint_write_s` is the blocking part: the whole write when it blocks, else the stall.
    `checkpoint_background_s` is the time from there until the checkpoint is durable and
    `slowdown_while_writing` the share of speed lost meanwhile; both count only where `checkpoint_async` is 1.
    `restart_s` can itself be interrupted by a failure, `downtime_s` cannot. `repair_s` is how long a failed
    node is away; 0 means that a replacement is always at hand. Waiting for one belongs in `repair_s` with
    `spare_nodes`, or in `downtime_s`, never in both.
    """

    failures_per_node_day: Array
    node_count: Array
    job_failures_per_hour: Array
    preemptions_per_node_hour: Array
    checkpoint_interval_s: Array
    checkpoint_write_s: Array
    checkpoint_background_s: Array
    checkpoint_async: Array
    slowdown_while_writing: Array
    restart_s: Array
    downtime_s: Array
    spare_nodes: Array
    repair_s: Array


@dataclass(frozen=True, slots=True)
class Goodput:
    """Shares of wall time, which add up to 1; `interval_s` [s] is the interval achieved, `mttf_s` [s].

    `checkpoint_share` is the cost of checkpoints that were kept; those lost with their work are rework.
    """

    mttf_s: Array
    interval_s: Array
    useful_share: Array
    checkpoint_share: Array
    rework_share: Array
    restart_share: Array
    stalled_share: Array

    @property
    def goodput(self) -> Array:
        """Useful share of wall time, standing still for repairs included: wall = work / goodput."""
        return self.useful_share


@dataclass(frozen=True, slots=True)
class _Writing:
    """Checkpoint times by mode [s]: paid a period, then until durable, and the shortest interval."""

    overhead_s: FloatArray
    lag_s: FloatArray
    floor_s: FloatArray


def _writing(inputs: ReliabilityInputs) -> _Writing:
    """Blocking writes are background writes of no length."""
    stall = np.asarray(inputs.checkpoint_write_s, dtype=np.float64)
    is_async = np.asarray(inputs.checkpoint_async) != 0
    background = np.where(is_async, inputs.checkpoint_background_s, 0.0)
    slowed = background * np.where(is_async, inputs.slowdown_while_writing, 0.0)
    lag = background - slowed
    return _Writing(stall + slowed, lag, lag - stall)


def _mttf_s(inputs: ReliabilityInputs) -> Array:
    rate = failures.job_failure_rate_per_s(
        node_count=inputs.node_count,
        failures_per_node_day=inputs.failures_per_node_day,
        job_failures_per_hour=inputs.job_failures_per_hour,
        preemptions_per_node_hour=inputs.preemptions_per_node_hour,
    )
    return failures.mttf_s(failure_rate_per_s=rate)


def compute_goodput(inputs: ReliabilityInputs) -> Goodput:
    """Shares of wall time of a long run.

    Valid for exponential failures, equal segments and one checkpoint in flight, in the long run;
    preemptions count as crashes (a usable notice: see `spot`); spares are cold and only node failures send
    nodes to repair. `inputs` see `ReliabilityInputs`. Returns `Goodput`. With u = exp(-R/M)/(1 + D/M) the
    share of time the job runs, k = x/(exp(x) - 1), x = P/M, the share of running time kept, times
    exp(-lag/M) for background writes, and v = 1 - ErlangB(s + 1, a):
    useful = v u k tau/P; checkpoint = v u k (1 - tau/P); rework = v u (1 - k); restart = v (1 - u);
    stalled = 1 - v. No errors: hopeless rows have a useful share of 0.
    """
    mttf, writing = _mttf_s(inputs), _writing(inputs)
    interval = np.maximum(np.asarray(inputs.checkpoint_interval_s, dtype=np.float64), writing.floor_s)
    span = interval + writing.overhead_s
    work = checkpointing.work_share(interval_s=interval, overhead_s=writing.overhead_s)
    stalled = _stalled_share(inputs)
    running = checkpointing.up_share(mttf_s=mttf, restart_s=inputs.restart_s, downtime_s=inputs.downtime_s)
    with np.errstate(under="ignore"):
        durable = np.exp(-failures.exposure(time_s=writing.lag_s, mttf_s=mttf))
        kept = checkpointing.kept_share(span_s=span, mttf_s=mttf) * durable
        moving = (1.0 - stalled) * running
        return Goodput(
            mttf_s=mttf,
            interval_s=interval,
            useful_share=moving * kept * work,
            checkpoint_share=moving * kept * (1.0 - work),
            rework_share=moving * (1.0 - kept),
            restart_share=(1.0 - stalled) * (1.0 - running),
            stalled_share=stalled,
        )


def _stalled_share(inputs: ReliabilityInputs) -> FloatArray:
    rate = failures.job_failure_rate_per_s(
        node_count=inputs.node_count, failures_per_node_day=inputs.failures_per_node_day
    )
    load = np.asarray(rate) * np.asarray(inputs.repair_s, dtype=np.float64)
    return np.asarray(spares.stalled_share(spare_nodes=inputs.spare_nodes, repair_load=load))


def find_optimal_interval_s(inputs: ReliabilityInputs) -> Array:
    """Checkpoint interval with the highest goodput, by the closed form of each row's mode.

    Valid as `compute_goodput`; the given `checkpoint_interval_s` is not read. Returns [s]: see
    `checkpointing.optimal_interval_s`, with the overhead of a period as the write, not below what the write
    in flight allows; inf where nothing ever fails.
    """
    writing = _writing(inputs)
    ideal = checkpointing.optimal_interval_s(write_s=writing.overhead_s, mttf_s=_mttf_s(inputs))
    return np.maximum(ideal, writing.floor_s)

"""An offline inference job: instances that work through a fixed number of requests before a deadline.

Each instance runs waves of equal requests ([FIT_SERVING] section 3.7) from a queue that all share. Whatever
interrupts an instance loses the wave in flight (half of it on average, while interruptions are rare) and
costs a cold start: the renewal form that also prices checkpoints, with a wave as the span.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import exprel

from engine.arrays import Array, BoolArray, FloatArray
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving import FEASIBLE, WEIGHTS_TOO_LARGE
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_runs import wave_s
from engine.performance.serving_step import (
    ServingCase,
    ServingInputs,
    Step,
    count_ranks,
    kv_bytes_per_gpu,
    max_batch,
    step_terms,
    weight_bytes_per_gpu,
)
from engine.reliability.checkpointing import kept_share, up_share
from engine.reliability.failures import exposure, job_failure_rate_per_s, mttf_s

DEADLINE_MISSED, TOO_FEW_GPUS, NEVER_ENDS = 11, 12, 13
"""Further values of `feasible_code`, beside those of one serving instance."""

HOURS_PER_WEEK = 168.0
LEAST_KEPT = 1e-12
"""Below this share of useful time a job has no meaningful end; its time stays finite and it is refused."""
_SECONDS_PER_HOUR = 3600.0
_CLOSE = 1.0 + 1e-9
_MOST_GPUS = 1e7
_TINY = 1e-300
_ENDLESS_H = 1e300


@dataclass(frozen=True, slots=True)
class BatchJob:
    """What an offline job is computed from; every field a float or an array that broadcasts.

    `max_batch` inf = what memory and the engine allow; `accelerator_count` are bought GPUs, of which whole
    instances work; `idle_gpu_hours_per_week` come from a fleet paid already and serving the same network.
    """

    load: ServingInputs
    constants: ServingConstants
    requests: Array
    deadline_h: Array
    max_batch: Array
    accelerator_count: Array
    idle_gpu_hours_per_week: Array
    cold_start_s: Array
    throughput_factor: Array
    failures_per_node_day: Array
    preemptions_per_node_hour: Array
    detection_s: Array


@dataclass(frozen=True, slots=True)
class BatchRun:
    """A job's figures. Times of one bought instance in seconds: wall = start + useful + repeated.

    `instances` work (no more than there are requests left to buy); `fitting_batch` is what memory allows,
    `batch` what runs; `idle_gpu_h` are hours of the other fleet used; `unused_gpus` are bought but part of
    no instance; `duration_h` ends with the later of both parts. `feasible_code` 0, WEIGHTS_TOO_LARGE (times
    NaN), TOO_FEW_GPUS, NEVER_ENDS or DEADLINE_MISSED.
    """

    instances: Array
    gpus_per_instance: Array
    unused_gpus: Array
    batch: Array
    fitting_batch: Array
    requests_bought: Array
    requests_each: Array
    idle_gpu_h: Array
    start_s: Array
    useful_s: Array
    repeated_s: Array
    wall_s: Array
    wave_s: Array
    kept_share: Array
    interruptions: Array
    mttf_s: Array
    prefill_share: Array
    output_tokens_per_s: Array
    weight_bytes_per_gpu: Array
    memory_bytes_per_gpu: Array
    duration_h: Array
    feasible_code: Array


@dataclass(frozen=True, slots=True)
class _Pace:
    """What every instance of a job has in common, however many there are."""

    case: ServingCase
    step: Step
    room: FloatArray
    cap: FloatArray
    full_wave_s: FloatArray
    gpus: FloatArray
    mttf_s: FloatArray
    idle_gpu_h: FloatArray
    idle_h: FloatArray
    bought: FloatArray
    start_s: FloatArray
    first_start_s: FloatArray
    up_share: FloatArray


@dataclass(frozen=True, slots=True)
class _Spent:
    """What a number of accelerators comes to."""

    count: FloatArray
    working: FloatArray
    each: FloatArray
    batch: FloatArray
    wave_s: FloatArray
    useful_s: FloatArray
    wall_s: FloatArray
    kept_share: FloatArray
    duration_h: FloatArray


def run_batch_job(model: ModelShape, hardware: Hardware, job: BatchJob) -> BatchRun:
    """Time, GPU-hours and interruptions of a job; never raises, see BatchRun.feasible_code.

    With n = ceil(requests / instances) requests an instance, waves of B of them taking T, the last one T':
    useful = (w-1)*T + T'; running = (w-1)*T/k(T/M) + T'/k(T'/M), k(x) = x/(exp(x)-1), M the mean time between
    interruptions of an instance; wall = running/u + start, u = exp(-C/M)/(1 + D/M) with cold start C
    (itself interruptible) and detection D. Exact for waves and exponential interruptions; checked by
    simulation.
    """
    pace = _pace(model, hardware, job)
    spent = _spend(pace, job, np.asarray(job.accelerator_count))
    context = job.load.input_tokens + job.load.reserved_output_share * np.asarray(job.load.output_tokens)
    weights = weight_bytes_per_gpu(pace.case)
    # Requests and the time they take: the instance's own, else a full wave of the idle hours.
    done = np.where(spent.each > 0.0, spent.each, pace.cap)
    took = np.where(spent.each > 0.0, spent.useful_s, pace.full_wave_s)
    return BatchRun(
        instances=spent.working,
        gpus_per_instance=pace.gpus,
        unused_gpus=np.maximum(job.accelerator_count - spent.working * pace.gpus, 0.0),
        batch=np.where(pace.room >= 1.0, spent.batch, 0.0),
        fitting_batch=pace.room,
        requests_bought=pace.bought,
        requests_each=spent.each,
        idle_gpu_h=pace.idle_gpu_h,
        start_s=pace.start_s,
        useful_s=spent.useful_s,
        repeated_s=spent.wall_s - pace.start_s - spent.useful_s,
        wall_s=spent.wall_s,
        wave_s=spent.wave_s,
        kept_share=spent.kept_share,
        interruptions=spent.working
        * exposure(time_s=spent.wall_s, mttf_s=pace.mttf_s + np.asarray(job.detection_s)),
        mttf_s=pace.mttf_s,
        prefill_share=done * pace.step.prefill / job.throughput_factor / took,
        output_tokens_per_s=done * np.asarray(job.load.output_tokens) / took,
        weight_bytes_per_gpu=weights,
        memory_bytes_per_gpu=weights + spent.batch * kv_bytes_per_gpu(pace.case, context),
        duration_h=spent.duration_h,
        feasible_code=_codes(pace, job, spent),
    )


def _pace(model: ModelShape, hardware: Hardware, job: BatchJob) -> _Pace:
    case = ServingCase(model, hardware, job.load, job.constants)
    step, room = step_terms(case), max_batch(case)
    cap = np.where(room >= 1.0, np.minimum(room, job.max_batch), np.nan)
    full = np.asarray(wave_s(case, step, cap) / job.throughput_factor)
    gpus = count_ranks(job.load)
    each_gpu_h = gpus * full / cap / _SECONDS_PER_HOUR
    offered = job.idle_gpu_hours_per_week * np.asarray(job.deadline_h) / HOURS_PER_WEEK
    # A job whose network does not fit uses no idle hours either; its times stay NaN.
    fitting = np.where(np.isnan(each_gpu_h), np.inf, each_gpu_h)
    idle = np.minimum(job.requests, np.floor(offered / fitting))
    rate = job_failure_rate_per_s(
        node_count=np.ceil(gpus / hardware.accelerators_per_node),
        failures_per_node_day=job.failures_per_node_day,
        preemptions_per_node_hour=job.preemptions_per_node_hour,
    )
    mean, bought = np.asarray(mttf_s(failure_rate_per_s=rate)), np.asarray(job.requests - idle)
    idle_gpu_h = np.where(idle > 0.0, idle * each_gpu_h, 0.0)
    weekly = np.asarray(job.idle_gpu_hours_per_week, dtype=np.float64)
    return _Pace(
        case=case,
        step=step,
        room=room,
        cap=cap,
        full_wave_s=full,
        gpus=gpus,
        mttf_s=mean,
        idle_gpu_h=idle_gpu_h,
        # They come evenly over the week.
        idle_h=np.where(weekly > 0.0, idle_gpu_h / np.where(weekly > 0.0, weekly, 1.0) * HOURS_PER_WEEK, 0.0),
        bought=bought,
        start_s=np.where(bought > 0.0, job.cold_start_s, 0.0),
        first_start_s=np.where(bought > 0.0, _first_start_s(job, mean), 0.0),
        up_share=np.asarray(up_share(mttf_s=mean, restart_s=job.cold_start_s, downtime_s=job.detection_s)),
    )


def _first_start_s(job: BatchJob, mean_s: FloatArray) -> FloatArray:
    """A start that interruptions begin anew [s]: (exp(C/M) - 1)*(M + D)."""
    tries = exposure(time_s=job.cold_start_s, mttf_s=mean_s)
    waits = exposure(time_s=job.detection_s, mttf_s=mean_s)
    with np.errstate(over="ignore"):
        longer = np.minimum(exprel(tries), 1.0 / LEAST_KEPT)
    return np.asarray(job.cold_start_s * longer * (1.0 + waits))


def _spend(pace: _Pace, job: BatchJob, accelerators: FloatArray) -> _Spent:
    """Time of one instance when so many accelerators are bought, and of the whole job."""
    count = np.floor(accelerators / pace.gpus)
    working = np.minimum(count, pace.bought)
    each = np.ceil(pace.bought / np.maximum(working, 1.0))
    # What idle hours do alone runs in their full waves.
    batch = np.where(each > 0.0, np.minimum(pace.cap, each), pace.cap)
    full = wave_s(pace.case, pace.step, batch) / job.throughput_factor
    before = np.maximum(np.ceil(each / batch) - 1.0, 0.0)
    last = wave_s(pace.case, pace.step, each - before * batch) / job.throughput_factor
    last = np.where(each > 0.0, last, 0.0)
    useful = before * full + last
    running = before * full / np.maximum(kept_share(span_s=full, mttf_s=pace.mttf_s), _TINY)
    running = running + last / np.maximum(kept_share(span_s=last, mttf_s=pace.mttf_s), _TINY)
    kept = np.where(running > 0.0, useful / np.where(running > 0.0, running, 1.0), 1.0) * pace.up_share
    wall = useful / np.maximum(kept, LEAST_KEPT) + pace.first_start_s
    return _Spent(
        count=count,
        working=working,
        each=each,
        batch=batch,
        wave_s=np.asarray(full),
        useful_s=np.asarray(useful),
        wall_s=np.asarray(wall),
        kept_share=kept,
        duration_h=np.maximum(wall / _SECONDS_PER_HOUR, pace.idle_h),
    )


def _codes(pace: _Pace, job: BatchJob, spent: _Spent) -> FloatArray:
    buys = pace.bought > 0.0
    return np.select(
        [
            pace.room < 1.0,
            (spent.count < 1.0) & buys,
            (spent.kept_share <= LEAST_KEPT) & buys,
            spent.duration_h > np.asarray(job.deadline_h) * _CLOSE,
        ],
        [WEIGHTS_TOO_LARGE, TOO_FEW_GPUS, NEVER_ENDS, DEADLINE_MISSED],
        default=FEASIBLE,
    ).astype(np.float64)


def fewest_instances(model: ModelShape, hardware: Hardware, job: BatchJob) -> FloatArray:
    """Fewest whole instances that end by the deadline [count]; NaN where no number does or none fits.

    More instances never end later, so halving the range finds it. `job.accelerator_count` is not read.
    """
    pace = _pace(model, hardware, job)

    def in_time(instances: FloatArray) -> BoolArray:
        codes = _codes(pace, job, _spend(pace, job, instances * pace.gpus))
        return np.asarray(codes == FEASIBLE)

    most = np.maximum(np.floor(np.minimum(np.asarray(job.requests), _MOST_GPUS / pace.gpus)), 1.0)
    possible = in_time(most)
    low, high = np.zeros(possible.shape), np.broadcast_to(most, possible.shape)
    for _ in range(int(np.ceil(np.log2(float(np.max(most)) + 1.0)))):
        middle = np.floor((low + high) / 2.0)
        good = in_time(np.maximum(middle, 1.0)) & (middle >= 1.0)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return np.where(possible, high, np.nan)


def shortest_run(model: ModelShape, hardware: Hardware, job: BatchJob) -> BatchRun:
    """The job with an instance for every request and no deadline: no shorter deadline can be met."""
    gpus = count_ranks(job.load)
    most = np.asarray(job.requests) * gpus
    freed = replace(job, accelerator_count=most, idle_gpu_hours_per_week=0.0, deadline_h=_ENDLESS_H)
    return run_batch_job(model, hardware, freed)

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
    idle_requests: FloatArray
    idle_gpu_h: FloatArray


def run_batch_job(model: ModelShape, hardware: Hardware, job: BatchJob) -> BatchRun:
    """Time, GPU-hours and interruptions of a job; never raises, see BatchRun.feasible_code.

    With n = ceil(requests / instances) requests an instance, waves of B of them taking T, the last one T':
    useful = (w-1)*T + T'; running = (w-1)*T/k(T/M) + T'/k(T'/M), k(x) = x/(exp(x)-1), M the mean time between
    interruptions of an instance; wall = running/u + start, u = exp(-C/M)/(1 + D/M) with cold start C
    (itself interruptible) and detection D. Exact for waves and exponential interruptions; checked by
    simulation.
    """
    pace = _pace(model, hardware, job)
    count = np.floor(np.asarray(job.accelerator_count) / pace.gpus)
    bought = job.requests - pace.idle_requests
    working = np.minimum(count, bought)
    each = np.ceil(bought / np.maximum(working, 1.0))
    # What idle hours do alone runs in their full waves.
    batch = np.where(each > 0.0, np.minimum(pace.cap, each), pace.cap)
    useful, running = _waves_s(pace, job, batch, each)
    share = up_share(mttf_s=pace.mttf_s, restart_s=job.cold_start_s, downtime_s=job.detection_s)
    kept = np.where(running > 0.0, useful / np.where(running > 0.0, running, 1.0), 1.0) * share
    start = np.where(bought > 0.0, job.cold_start_s, 0.0)
    wall = useful / np.maximum(kept, LEAST_KEPT) + start + _failed_starts_s(pace, job) * (bought > 0.0)
    duration = np.maximum(wall / _SECONDS_PER_HOUR, _idle_h(job, pace))
    context = job.load.input_tokens + job.load.reserved_output_share * np.asarray(job.load.output_tokens)
    weights = weight_bytes_per_gpu(pace.case)
    # Requests and the time they take: the instance's own, else a full wave of the idle hours.
    done = np.where(each > 0.0, each, pace.cap)
    took = np.where(each > 0.0, useful, pace.full_wave_s)
    return BatchRun(
        instances=working,
        gpus_per_instance=pace.gpus,
        unused_gpus=np.maximum(job.accelerator_count - working * pace.gpus, 0.0),
        batch=np.where(pace.room >= 1.0, batch, 0.0),
        fitting_batch=pace.room,
        requests_bought=bought,
        requests_each=each,
        idle_gpu_h=pace.idle_gpu_h,
        start_s=start,
        useful_s=useful,
        repeated_s=wall - start - useful,
        wall_s=wall,
        wave_s=wave_s(pace.case, pace.step, batch) / job.throughput_factor,
        kept_share=kept,
        interruptions=working * exposure(time_s=wall, mttf_s=pace.mttf_s + np.asarray(job.detection_s)),
        mttf_s=pace.mttf_s,
        prefill_share=done * pace.step.prefill / job.throughput_factor / took,
        output_tokens_per_s=done * np.asarray(job.load.output_tokens) / took,
        weight_bytes_per_gpu=weights,
        memory_bytes_per_gpu=weights + batch * kv_bytes_per_gpu(pace.case, context),
        duration_h=duration,
        feasible_code=_codes(pace, job, bought, count, kept, duration),
    )


def _pace(model: ModelShape, hardware: Hardware, job: BatchJob) -> _Pace:
    case = ServingCase(model, hardware, job.load, job.constants)
    step, room = step_terms(case), max_batch(case)
    cap = np.where(room >= 1.0, np.minimum(room, job.max_batch), np.nan)
    full = np.asarray(wave_s(case, step, cap) / job.throughput_factor)
    gpus = np.asarray(job.load.tensor_parallel * np.asarray(job.load.pipeline_parallel))
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
    return _Pace(
        case=case,
        step=step,
        room=room,
        cap=cap,
        full_wave_s=full,
        gpus=gpus,
        mttf_s=np.asarray(mttf_s(failure_rate_per_s=rate)),
        idle_requests=idle,
        idle_gpu_h=np.where(idle > 0.0, idle * each_gpu_h, 0.0),
    )


def _waves_s(
    pace: _Pace, job: BatchJob, batch: FloatArray, each: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Useful time of one instance, and what it runs until all its waves went through undisturbed [s]."""
    full = wave_s(pace.case, pace.step, batch) / job.throughput_factor
    before = np.maximum(np.ceil(each / batch) - 1.0, 0.0)
    last = np.where(each > 0.0, wave_s(pace.case, pace.step, each - before * batch), 0.0)
    last = last / job.throughput_factor
    least = 1e-300
    running = before * full / np.maximum(kept_share(span_s=full, mttf_s=pace.mttf_s), least)
    running = running + last / np.maximum(kept_share(span_s=last, mttf_s=pace.mttf_s), least)
    return np.asarray(before * full + last), np.asarray(running)


def _failed_starts_s(pace: _Pace, job: BatchJob) -> FloatArray:
    """What interruptions of the first start add to it [s]: (exp(C/M) - 1)*(M + D) - C."""
    tries = exposure(time_s=job.cold_start_s, mttf_s=pace.mttf_s)
    waits = exposure(time_s=job.detection_s, mttf_s=pace.mttf_s)
    with np.errstate(over="ignore"):
        longer = np.minimum(exprel(tries), 1.0 / LEAST_KEPT)
    return np.asarray(job.cold_start_s * (longer * (1.0 + waits) - 1.0))


def _idle_h(job: BatchJob, pace: _Pace) -> FloatArray:
    """When the hours of the other fleet that the job uses have come by [h]: they come evenly."""
    weekly = np.asarray(job.idle_gpu_hours_per_week, dtype=np.float64)
    return np.where(weekly > 0.0, pace.idle_gpu_h / np.where(weekly > 0.0, weekly, 1.0) * HOURS_PER_WEEK, 0.0)


def _codes(
    pace: _Pace, job: BatchJob, bought: FloatArray, count: FloatArray, kept: FloatArray, duration: FloatArray
) -> FloatArray:
    too_few: BoolArray = (count < 1.0) & (bought > 0.0)
    return np.select(
        [
            pace.room < 1.0,
            too_few,
            (kept <= LEAST_KEPT) & (bought > 0.0),
            duration > np.asarray(job.deadline_h) * _CLOSE,
        ],
        [WEIGHTS_TOO_LARGE, TOO_FEW_GPUS, NEVER_ENDS, DEADLINE_MISSED],
        default=FEASIBLE,
    ).astype(np.float64)


def fewest_instances(model: ModelShape, hardware: Hardware, job: BatchJob) -> FloatArray:
    """Fewest whole instances that end by the deadline [count]; NaN where no number does or none fits.

    More instances never end later, so halving the range finds it. `job.accelerator_count` is not read.
    """
    gpus = np.asarray(job.load.tensor_parallel * np.asarray(job.load.pipeline_parallel))

    def in_time(instances: FloatArray) -> BoolArray:
        run = run_batch_job(model, hardware, replace(job, accelerator_count=instances * gpus))
        return np.asarray(np.asarray(run.feasible_code) == FEASIBLE)

    most = np.maximum(np.floor(np.minimum(np.asarray(job.requests), _MOST_GPUS / gpus)), 1.0)
    possible = in_time(most)
    low, high = np.zeros(possible.shape), np.broadcast_to(most, possible.shape)
    for _ in range(int(np.ceil(np.log2(float(np.max(most)) + 1.0)))):
        middle = np.floor((low + high) / 2.0)
        good = in_time(np.maximum(middle, 1.0)) & (middle >= 1.0)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return np.where(possible, high, np.nan)


def shortest_h(model: ModelShape, hardware: Hardware, job: BatchJob) -> FloatArray:
    """Time the job takes with an instance for every request [h]: no shorter deadline can be met."""
    gpus = np.asarray(job.load.tensor_parallel * np.asarray(job.load.pipeline_parallel))
    most = np.asarray(job.requests) * gpus
    alone = replace(job, accelerator_count=most, idle_gpu_hours_per_week=0.0)
    return np.asarray(run_batch_job(model, hardware, alone).duration_h)

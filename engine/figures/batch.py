"""Figures of an offline inference job."""

from __future__ import annotations

import numpy as np

from engine.catalog.accelerators import GIB
from engine.cost.ledger import SECONDS_PER_HOUR
from engine.evaluation import Outcome
from engine.figures.common import MILLION, gpu_hours, metric
from engine.lowering import KernelInputs
from engine.performance.batch import BatchJob, BatchRun
from engine.performance.flops import count_parameters
from engine.results import Metric
from engine.text import N_


def batch_figures(inputs: KernelInputs, outcome: Outcome, run: BatchRun) -> tuple[Metric, ...]:
    """Time, speed, unit costs, interruptions and memory of an offline job."""
    job = inputs.batch
    assert job is not None
    return (
        *_time_figures(outcome, job, run),
        *_speed_figures(job, run, generates=bool(inputs.model.generates)),
        *_cost_figures(outcome, job, run, generates=bool(inputs.model.generates)),
        *_risk_figures(run),
        metric("memory_gib_per_gpu", N_("Memory per GPU"), run.memory_bytes_per_gpu / GIB, "GiB"),
        metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
        metric("parameters_total", N_("Parameters"), count_parameters(inputs.model).total, "parameters"),
        metric("feasible_code", N_("Fit and deadline check"), outcome.feasible_code, ""),
    )


def _time_figures(outcome: Outcome, job: BatchJob, run: BatchRun) -> tuple[Metric, ...]:
    slack = np.asarray(job.deadline_h) - run.duration_h
    return (
        metric("gpu_hours", N_("GPU-hours paid"), gpu_hours(outcome), "GPU-h"),
        metric("idle_gpu_hours", N_("Idle GPU-hours used"), run.idle_gpu_h, "GPU-h"),
        metric("duration_h", N_("Run time"), run.duration_h, "h"),
        metric("deadline_slack_h", N_("Time left before the deadline"), slack, "h"),
    )


def _speed_figures(job: BatchJob, run: BatchRun, *, generates: bool) -> tuple[Metric, ...]:
    return (
        metric(
            "requests_per_s",
            N_("Requests a second, mean of the job"),
            job.requests / (run.duration_h * np.asarray(SECONDS_PER_HOUR)),
            "requests/s",
        ),
        metric(
            "output_tokens_per_s_per_instance",
            N_("Output tokens a second and instance"),
            run.output_tokens_per_s if generates else np.nan,
            "tokens/s",
        ),
        metric("instances_peak", N_("Instances bought"), run.instances, "instances"),
        metric("gpus_per_instance", N_("GPUs per instance"), run.gpus_per_instance, "GPUs"),
        metric("accelerators", N_("Accelerators"), job.accelerator_count, "GPUs"),
        metric("batch", N_("Sequences per instance"), run.batch, "sequences"),
        metric("max_batch", N_("Sequences that fit"), run.fitting_batch, "sequences"),
    )


def _cost_figures(outcome: Outcome, job: BatchJob, run: BatchRun, *, generates: bool) -> tuple[Metric, ...]:
    """Input and output share the bill by prefill and decode time, not by token count."""
    total = float(outcome.total)
    share = run.prefill_share if generates else 1.0
    tokens_in = job.requests * np.asarray(job.load.input_tokens)
    tokens_out = job.requests * np.asarray(job.load.output_tokens)
    return (
        metric(
            "cost_per_million_input_tokens",
            N_("Cost per million input tokens"),
            total * share / tokens_in * MILLION,
            "currency/M tokens",
        ),
        metric(
            "cost_per_million_output_tokens",
            N_("Cost per million output tokens"),
            total * (1.0 - share) / tokens_out * MILLION if generates else np.nan,
            "currency/M tokens",
        ),
        metric(
            "cost_per_request", N_("Cost per request"), total / np.asarray(job.requests), "currency/request"
        ),
    )


def _risk_figures(run: BatchRun) -> tuple[Metric, ...]:
    mttf_h = run.mttf_s / np.asarray(SECONDS_PER_HOUR)
    return (
        metric("interruptions", N_("Interruptions expected"), run.interruptions, "interruptions"),
        metric("mttf_h", N_("Mean time between interruptions of an instance"), mttf_h, "h"),
        metric("goodput", N_("Goodput"), run.kept_share, "share"),
        metric("wave_s", N_("Time of a full batch"), run.wave_s, "s"),
    )

"""Figures of a training run."""

from __future__ import annotations

from engine.arrays import Array
from engine.catalog.accelerators import GIB
from engine.cost.ledger import HOURS_PER_DAY, SECONDS_PER_HOUR
from engine.cost.storage import checkpoint_growth_gib_per_week
from engine.evaluation import Outcome, TrainingOutcome
from engine.figures.common import (
    MILLION,
    amount_of,
    gpu_hours,
    metric,
    share_of,
)
from engine.lowering import KernelInputs
from engine.performance.flops import count_parameters
from engine.plan.money import Scope
from engine.results import Metric
from engine.text import N_


def training_figures(
    inputs: KernelInputs, outcome: Outcome, training: TrainingOutcome, scope: Scope
) -> tuple[Metric, ...]:
    """Speed, tokens, reliability and sizes of a training run."""
    assert inputs.training is not None
    return (
        *_speed_figures(inputs, outcome, training, inputs.training.time_factor),
        *_token_figures(outcome, inputs.training.tokens, scope),
        *_reliability_figures(inputs, training),
        *_size_figures(inputs, outcome, training, inputs.training.run.accelerator_count),
    )


def _speed_figures(
    inputs: KernelInputs, outcome: Outcome, training: TrainingOutcome, time_factor: Array
) -> tuple[Metric, ...]:
    step, goodput = training.step, training.goodput
    return (
        metric("gpu_hours", N_("GPU-hours paid"), gpu_hours(outcome), "GPU-h"),
        metric("duration_h", N_("Run time"), training.wall_h, "h"),
        metric("step_time_s", N_("Step time"), step.step_time_s * time_factor, "s"),
        metric("tokens_per_s_per_gpu", N_("Speed per GPU"), training.tokens_per_s_per_gpu, "tokens/s"),
        metric("mfu", N_("MFU"), step.mfu / time_factor, "share"),
        metric("goodput", N_("Goodput"), goodput.goodput, "share"),
        metric("memory_gib_per_gpu", N_("Memory per GPU"), training.memory.total_bytes / GIB, "GiB"),
        metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
    )


def _token_figures(outcome: Outcome, tokens: Array, scope: Scope) -> tuple[Metric, ...]:
    total = float(outcome.total)
    data, failures = share_of(outcome, scope, "data"), share_of(outcome, scope, "failures")
    return (
        metric(
            "cost_per_million_tokens",
            N_("Cost per million tokens"),
            total / tokens * MILLION,
            "currency/M tokens",
        ),
        metric(
            "cost_per_million_effective_tokens",
            N_("Accelerator cost per million useful tokens"),
            amount_of(outcome, "compute", "failures") / tokens * MILLION,
            "currency/M tokens",
        ),
        metric(
            "effective_tokens_per_gpu_hour",
            N_("Useful tokens per paid GPU-hour"),
            tokens / gpu_hours(outcome),
            "tokens/GPU-h",
        ),
        metric("data_share", N_("Share of data in the total"), data, "share"),
        metric("failure_share", N_("Share of failures in the total"), failures, "share"),
    )


def _reliability_figures(inputs: KernelInputs, training: TrainingOutcome) -> tuple[Metric, ...]:
    goodput, run_days = training.goodput, training.wall_h / HOURS_PER_DAY
    return (
        metric(
            "checkpoint_growth_gib_per_week",
            N_("Checkpoint growth a week"),
            checkpoint_growth_gib_per_week(inputs.money, written=training.checkpoints, days=run_days),
            "GiB/week",
        ),
        metric("checkpoint_interval_s", N_("Checkpoint interval"), training.interval_s, "s"),
        metric("mttf_h", N_("Mean time between failures"), goodput.mttf_s / SECONDS_PER_HOUR, "h"),
        metric("checkpoints_written", N_("Checkpoints written"), training.checkpoints, "checkpoints"),
        metric("rework_share", N_("Work repeated"), goodput.rework_share, "share"),
        metric("checkpoint_share", N_("Time writing checkpoints"), goodput.checkpoint_share, "share"),
        metric("restart_share", N_("Time restarting"), goodput.restart_share, "share"),
    )


def _size_figures(
    inputs: KernelInputs, outcome: Outcome, training: TrainingOutcome, accelerators: Array
) -> tuple[Metric, ...]:
    count = count_parameters(inputs.model)
    return (
        metric("parameters_total", N_("Parameters"), count.total, "parameters"),
        metric("parameters_active", N_("Active parameters"), count.active, "parameters"),
        metric("accelerators", N_("Accelerators"), accelerators, "GPUs"),
        metric("data_parallel", N_("Data parallel"), training.step.data_parallel, ""),
        metric("preparation_days", N_("Experiments before the run"), training.preparation_days, "d"),
        metric("feasible_code", N_("Layout check"), outcome.feasible_code, ""),
    )

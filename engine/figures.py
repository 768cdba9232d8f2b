"""Metrics and resources of an estimate, by the keys scripts rely on."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.compute import EVALUATION, EVALUATION_DAYS, GPU_HOURS, IDLE, TAIL
from engine.cost.ledger import HOURS_PER_DAY, HOURS_PER_MONTH, SECONDS_PER_HOUR, LineSpec
from engine.cost.storage import checkpoint_growth_gib_per_week
from engine.evaluation import Codes, Outcome, ServiceOutcome, TrainingOutcome
from engine.lowering import KernelInputs
from engine.performance.flops import count_parameters
from engine.plan import Plan
from engine.plan.money import Scope
from engine.results import Metric, ResourceUse
from engine.text import N_
from engine.traces import known

GIB = 2.0**30
MILLION = 1e6


def figure_list(inputs: KernelInputs, outcome: Outcome, scope: Scope) -> tuple[Metric, ...]:
    """Every figure of the estimate that is not a ledger line."""
    if outcome.training is not None:
        return _training_figures(inputs, outcome, outcome.training, scope)
    assert outcome.service is not None
    return _service_figures(inputs, outcome, outcome.service)


def _metric(key: str, title: str, value: Array | Codes, unit: str) -> Metric:
    return Metric(key=key, title=title, value=known(np.asarray(value, dtype=float)), unit=unit)


def _amount(outcome: Outcome, *categories: str) -> float:
    """Known amounts of some categories [plan currency]; NaN when one of them is unknown."""
    return float(np.sum([float(ln.amount) for ln in outcome.lines if ln.spec.category in categories]))


def _gpu_hours(outcome: Outcome) -> float:
    return float(np.sum([float(np.asarray(ln.quantity)) for ln in outcome.lines if ln.spec.unit == "GPU-h"]))


def _training_figures(
    inputs: KernelInputs, outcome: Outcome, training: TrainingOutcome, scope: Scope
) -> tuple[Metric, ...]:
    assert inputs.training is not None
    return (
        *_speed_figures(inputs, outcome, training, inputs.training.time_factor),
        *_token_figures(outcome, inputs.training.tokens, scope),
        *_reliability_figures(inputs, training),
        *_size_figures(inputs, outcome, training, inputs.training.run.accelerator_count),
    )


def _working_gpu_hours(outcome: Outcome) -> float:
    """GPU-hours in which accelerators are held for work: paid hours without idle and unused ones."""
    unused = (IDLE.item, TAIL.item)
    lines = (ln for ln in outcome.lines if ln.spec.unit == GPU_HOURS and ln.spec.item not in unused)
    return float(np.sum([float(np.asarray(ln.quantity)) for ln in lines]))


def _hours_of(outcome: Outcome, spec: LineSpec) -> float:
    return float(np.sum([float(np.asarray(ln.quantity)) for ln in outcome.lines if ln.spec is spec]))


def _speed_figures(
    inputs: KernelInputs, outcome: Outcome, training: TrainingOutcome, time_factor: Array
) -> tuple[Metric, ...]:
    step, goodput = training.step, training.goodput
    return (
        _metric("gpu_hours", N_("GPU-hours paid"), _gpu_hours(outcome), "GPU-h"),
        _metric("duration_h", N_("Run time"), training.wall_h, "h"),
        _metric("step_time_s", N_("Step time"), step.step_time_s * time_factor, "s"),
        _metric("tokens_per_s_per_gpu", N_("Speed per GPU"), training.tokens_per_s_per_gpu, "tokens/s"),
        _metric("mfu", N_("MFU"), step.mfu / time_factor, "share"),
        _metric("goodput", N_("Goodput"), goodput.goodput, "share"),
        _metric("memory_gib_per_gpu", N_("Memory per GPU"), training.memory.total_bytes / GIB, "GiB"),
        _metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
    )


def _token_figures(outcome: Outcome, tokens: Array, scope: Scope) -> tuple[Metric, ...]:
    total = float(outcome.total)
    data, failures = _share(outcome, scope, "data"), _share(outcome, scope, "failures")
    return (
        _metric(
            "cost_per_million_tokens",
            N_("Cost per million tokens"),
            total / tokens * MILLION,
            "currency/M tokens",
        ),
        _metric(
            "cost_per_million_effective_tokens",
            N_("Accelerator cost per million useful tokens"),
            _amount(outcome, "compute", "failures") / tokens * MILLION,
            "currency/M tokens",
        ),
        _metric(
            "effective_tokens_per_gpu_hour",
            N_("Useful tokens per paid GPU-hour"),
            tokens / _gpu_hours(outcome),
            "tokens/GPU-h",
        ),
        _metric("data_share", N_("Share of data in the total"), data, "share"),
        _metric("failure_share", N_("Share of failures in the total"), failures, "share"),
    )


def _reliability_figures(inputs: KernelInputs, training: TrainingOutcome) -> tuple[Metric, ...]:
    goodput, run_days = training.goodput, training.wall_h / HOURS_PER_DAY
    return (
        _metric(
            "checkpoint_growth_gib_per_week",
            N_("Checkpoint growth a week"),
            checkpoint_growth_gib_per_week(inputs.money, written=training.checkpoints, days=run_days),
            "GiB/week",
        ),
        _metric("checkpoint_interval_s", N_("Checkpoint interval"), training.interval_s, "s"),
        _metric("mttf_h", N_("Mean time between failures"), goodput.mttf_s / SECONDS_PER_HOUR, "h"),
        _metric("checkpoints_written", N_("Checkpoints written"), training.checkpoints, "checkpoints"),
        _metric("rework_share", N_("Work repeated"), goodput.rework_share, "share"),
        _metric("checkpoint_share", N_("Time writing checkpoints"), goodput.checkpoint_share, "share"),
        _metric("restart_share", N_("Time restarting"), goodput.restart_share, "share"),
    )


def _size_figures(
    inputs: KernelInputs, outcome: Outcome, training: TrainingOutcome, accelerators: Array
) -> tuple[Metric, ...]:
    count = count_parameters(inputs.model)
    return (
        _metric("parameters_total", N_("Parameters"), count.total, "parameters"),
        _metric("parameters_active", N_("Active parameters"), count.active, "parameters"),
        _metric("accelerators", N_("Accelerators"), accelerators, "GPUs"),
        _metric("data_parallel", N_("Data parallel"), training.step.data_parallel, ""),
        _metric("preparation_days", N_("Experiments before the run"), training.preparation_days, "d"),
        _metric("feasible_code", N_("Layout check"), outcome.feasible_code, ""),
    )


def _share(outcome: Outcome, scope: Scope, category: str) -> float:
    """Share of a category in the total; what is out of scope has none. NaN where a part is unknown."""
    total = float(outcome.total)
    counted = [
        float(ln.amount) for ln in outcome.lines if ln.spec.category == category and ln.in_scope(scope)
    ]
    return sum(counted) / total if total > 0 else float("nan")


def _service_figures(inputs: KernelInputs, outcome: Outcome, service: ServiceOutcome) -> tuple[Metric, ...]:
    assert inputs.service is not None
    instance, fleet, load = service.instance, service.fleet, inputs.service.load
    seconds = inputs.money.horizon_months * HOURS_PER_MONTH * SECONDS_PER_HOUR
    months = np.arange(max(1, int(inputs.money.horizon_months)))
    growth = float(np.mean((1.0 + float(inputs.service.growth_per_month)) ** months))
    requests = load.requests_per_second * seconds * growth
    total = float(outcome.total)
    # Input and output share the bill by GPU time, not by token count: prefill and decode cost differently.
    share = instance.prefill_share
    # An encoder gives out no tokens: what they take and cost is not a number.
    generates = bool(inputs.model.generates)
    tokens_in, tokens_out = requests * load.input_tokens, requests * load.output_tokens
    input_share = share if generates else 1.0
    return (
        _metric("gpu_hours", N_("GPU-hours paid"), _gpu_hours(outcome), "GPU-h"),
        _metric("duration_h", N_("Horizon"), outcome.duration_h, "h"),
        _metric("ttft_ms_p95", N_("Time to first token, p95"), instance.ttft_s_p95 * 1000.0, "ms"),
        _metric(
            "tpot_ms_p95",
            N_("Time per output token, p95"),
            instance.tpot_s_p95 * 1000.0 if generates else np.nan,
            "ms",
        ),
        _metric(
            "output_tokens_per_s_per_instance",
            N_("Output tokens a second and instance"),
            instance.output_tokens_per_s * inputs.service.throughput_factor if generates else np.nan,
            "tokens/s",
        ),
        _metric("instances_peak", N_("Instances at peak"), fleet.instances_peak, "instances"),
        _metric("instances_mean", N_("Instances, mean"), fleet.instances_mean, "instances"),
        _metric("gpus_per_instance", N_("GPUs per instance"), service.gpus_per_instance, "GPUs"),
        _metric("utilisation_mean", N_("Mean utilisation"), fleet.utilisation_mean, "share"),
        _metric(
            "cost_per_million_input_tokens",
            N_("Cost per million input tokens"),
            total * input_share / tokens_in * MILLION,
            "currency/M tokens",
        ),
        _metric(
            "cost_per_million_output_tokens",
            N_("Cost per million output tokens"),
            total * (1.0 - share) / tokens_out * MILLION if generates else np.nan,
            "currency/M tokens",
        ),
        _metric("cost_per_request", N_("Cost per request"), total / requests, "currency/request"),
        _metric("batch", N_("Sequences per instance"), instance.batch, "sequences"),
        _metric("max_batch", N_("Sequences that fit"), instance.max_batch, "sequences"),
        _metric("memory_gib_per_gpu", N_("Weights per GPU"), instance.weight_bytes_per_gpu / GIB, "GiB"),
        _metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
        _metric("parameters_total", N_("Parameters"), count_parameters(inputs.model).total, "parameters"),
        _metric("feasible_code", N_("Fit and latency check"), outcome.feasible_code, ""),
    )


def resource_list(plan: Plan, inputs: KernelInputs, outcome: Outcome) -> tuple[ResourceUse, ...]:
    """Average and peak need of accelerators, storage and people over the plan."""
    people = float(sum(role.fte for role in plan.people.roles))
    resources = [ResourceUse(resource=N_("People"), unit="FTE", average=people, peak=people)]
    if outcome.training is not None:
        assert inputs.training is not None
        training = outcome.training
        count = float(inputs.training.run.accelerator_count) + float(
            inputs.training.reliability.spare_nodes * inputs.hardware.accelerators_per_node
        )
        # Evaluation may ask for more accelerators at once than the run itself.
        evaluation = _hours_of(outcome, EVALUATION) / (EVALUATION_DAYS * HOURS_PER_DAY)
        days = float(training.preparation_days + training.wall_h / HOURS_PER_DAY)
        # Evaluation follows the run; its hours and its days both count.
        days += EVALUATION_DAYS if float(inputs.money.evaluation_share) > 0 else 0.0
        average = _working_gpu_hours(outcome) / max(days * HOURS_PER_DAY, 1e-9)
        kept = float(np.minimum(training.checkpoints, inputs.money.storage.checkpoints_kept))
        stored = float(inputs.money.storage.dataset_gb) + kept * float(inputs.money.storage.checkpoint_gb)
        half = float(inputs.money.storage.dataset_gb) + kept / 2 * float(inputs.money.storage.checkpoint_gb)
        resources += [
            ResourceUse(
                resource=N_("Accelerators"), unit="GPUs", average=average, peak=max(count, evaluation)
            ),
            ResourceUse(resource=N_("Storage"), unit="GB", average=half, peak=stored),
        ]
    elif outcome.service is not None:
        gpus = float(outcome.service.gpus_per_instance)
        fleet = outcome.service.fleet
        resources.append(
            ResourceUse(
                resource=N_("Accelerators"),
                unit="GPUs",
                average=known(fleet.instances_mean * gpus),
                peak=known(fleet.instances_peak * gpus),
            )
        )
    return tuple(resources)

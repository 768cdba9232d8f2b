"""Figures of an online service."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.catalog.accelerators import GIB
from engine.cost.ledger import HOURS_PER_MONTH, SECONDS_PER_HOUR
from engine.evaluation import Outcome, ServiceOutcome
from engine.figures.common import (
    MILLION,
    gpu_hours,
    metric,
)
from engine.lowering import KernelInputs, ServiceInputs
from engine.performance.fleet import months_of_growth
from engine.performance.flops import count_parameters
from engine.results import Metric
from engine.text import N_


@dataclass(frozen=True, slots=True)
class ServedTokens:
    """What a service serves over its horizon, and the shares of the bill its input and output carry.

    Input and output share the bill by GPU time, not by token count: prefill and decode cost differently.
    An encoder gives out no tokens: its input carries all, and what output costs is not a number.
    """

    requests: Array
    input_tokens: Array
    output_tokens: Array
    input_share: Array
    output_share: Array


def served_tokens(inputs: KernelInputs, service: ServiceOutcome) -> ServedTokens:
    """Requests and tokens [count] over the horizon, growth counted, and the shares of the bill."""
    assert inputs.service is not None
    load, share = inputs.service.load, service.instance.prefill_share
    generates = bool(inputs.model.generates)
    months = months_of_growth(inputs.service.growth_per_month, inputs.money.horizon_months)
    requests = load.requests_per_second * HOURS_PER_MONTH * SECONDS_PER_HOUR * months
    return ServedTokens(
        requests=requests,
        input_tokens=requests * load.input_tokens,
        output_tokens=requests * load.output_tokens,
        input_share=share if generates else 1.0,
        output_share=1.0 - share if generates else np.nan,
    )


def service_figures(inputs: KernelInputs, outcome: Outcome, service: ServiceOutcome) -> tuple[Metric, ...]:
    """Latency, fleet, utilisation and unit costs of an online service."""
    assert inputs.service is not None
    return (
        metric("gpu_hours", N_("GPU-hours paid"), gpu_hours(outcome), "GPU-h"),
        metric("duration_h", N_("Horizon"), outcome.duration_h, "h"),
        *_latency_figures(inputs, inputs.service, service),
        *_fleet_figures(inputs.service, service),
        *_unit_costs(inputs, inputs.service, outcome, service),
        *_size_figures(inputs, outcome, service),
    )


def _latency_figures(
    inputs: KernelInputs, planned: ServiceInputs, service: ServiceOutcome
) -> tuple[Metric, ...]:
    """Tails and the model's band round them; what generates nothing has no time per token."""
    instance = service.instance
    ttft, tpot = instance.ttft_s_p95 * 1000.0, instance.tpot_s_p95 * 1000.0
    if not inputs.model.generates:
        tpot = tpot * np.nan
    thinking = planned.load.output_tokens * (1.0 - np.asarray(planned.visible_share))
    (ttft_low, ttft_high), (tpot_low, tpot_high) = planned.ttft_band, planned.tpot_band
    found = [
        metric("ttft_ms_p95", N_("Time to first token, p95"), ttft, "ms"),
        metric("ttft_ms_p95_low", N_("Time to first token, low end"), ttft * ttft_low, "ms"),
        metric("ttft_ms_p95_high", N_("Time to first token, high end"), ttft * ttft_high, "ms"),
        metric("ttft_ms_p99", N_("Time to first token, p99"), instance.ttft_s_p99 * 1000.0, "ms"),
        metric("tpot_ms_p95", N_("Time per output token, p95"), tpot, "ms"),
        metric("tpot_ms_p95_low", N_("Time per output token, low end"), tpot * tpot_low, "ms"),
        metric("tpot_ms_p95_high", N_("Time per output token, high end"), tpot * tpot_high, "ms"),
    ]
    if inputs.model.generates:
        pause = instance.longest_pause_s * 1000.0
        found.append(metric("longest_pause_ms", N_("Longest pause between tokens"), pause, "ms"))
    if inputs.model.generates and np.any(thinking > 0.0):
        answer = ttft + thinking * tpot
        found.append(metric("answer_ms_p95", N_("Time to the visible answer, p95"), answer, "ms"))
    return tuple(found)


def _fleet_figures(planned: ServiceInputs, service: ServiceOutcome) -> tuple[Metric, ...]:
    instance, fleet = service.instance, service.fleet
    output = instance.output_tokens_per_s * planned.throughput_factor
    found = [
        metric(
            "output_tokens_per_s_per_instance",
            N_("Output tokens a second and instance"),
            output if not planned.reads_only else np.nan,
            "tokens/s",
        ),
        metric(
            "requests_per_s_per_instance",
            N_("Requests a second and instance"),
            instance.requests_per_s_capacity * planned.throughput_factor,
            "requests/s",
        ),
        metric("instances_peak", N_("Instances at peak"), fleet.instances_peak, "instances"),
        metric("instances_mean", N_("Instances, mean"), fleet.instances_mean, "instances"),
        metric("gpus_per_instance", N_("GPUs per instance"), service.gpus_per_instance, "GPUs"),
        metric("utilisation_mean", N_("Mean utilisation"), fleet.utilisation_mean, "share"),
    ]
    if np.any(planned.load.disaggregated):
        share = instance.prefill_share
        found.append(metric("prefill_instance_share", N_("Instances that only read prompts"), share, "share"))
    return tuple(found)


def _unit_costs(
    inputs: KernelInputs, planned: ServiceInputs, outcome: Outcome, service: ServiceOutcome
) -> tuple[Metric, ...]:
    load, served = planned.load, served_tokens(inputs, service)
    # Other networks on the fleet carry their part of the bill.
    total = float(outcome.total) * float(service.own_share)
    unit = "currency/M tokens"
    return (
        metric(
            "cost_per_million_input_tokens",
            N_("Cost per million input tokens"),
            total * served.input_share / served.input_tokens * MILLION,
            unit,
        ),
        metric(
            "cost_per_million_output_tokens",
            N_("Cost per million output tokens"),
            total * served.output_share / served.output_tokens * MILLION,
            unit,
        ),
        metric("cost_per_request", N_("Cost per request"), total / served.requests, "currency/request"),
        metric("prompt_tokens", N_("Tokens a request carries in"), load.input_tokens, "tokens/request"),
        metric("cached_share", N_("Input found in a cache"), load.prefix_hit_rate, "share"),
        metric("prefill_share", N_("Accelerator time for prompts"), served.input_share, "share"),
    )


def _size_figures(inputs: KernelInputs, outcome: Outcome, service: ServiceOutcome) -> tuple[Metric, ...]:
    instance = service.instance
    return (
        metric("batch", N_("Sequences per instance"), instance.batch, "sequences"),
        metric("max_batch", N_("Sequences that fit"), instance.max_batch, "sequences"),
        metric("memory_gib_per_gpu", N_("Weights per GPU"), instance.weight_bytes_per_gpu / GIB, "GiB"),
        metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
        metric("parameters_total", N_("Parameters"), count_parameters(inputs.model).total, "parameters"),
        metric("feasible_code", N_("Fit and latency check"), outcome.feasible_code, ""),
    )

"""Figures of an online service."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.cost.ledger import HOURS_PER_MONTH, SECONDS_PER_HOUR
from engine.evaluation import Outcome, ServiceOutcome
from engine.figures.common import (
    GIB,
    MILLION,
    gpu_hours,
    metric,
)
from engine.lowering import KernelInputs
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
    seconds = inputs.money.horizon_months * HOURS_PER_MONTH * SECONDS_PER_HOUR
    months = np.arange(max(1, int(inputs.money.horizon_months)))
    growth = float(np.mean((1.0 + float(inputs.service.growth_per_month)) ** months))
    requests = load.requests_per_second * seconds * growth
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
    instance, fleet = service.instance, service.fleet
    total, generates = float(outcome.total), bool(inputs.model.generates)
    served = served_tokens(inputs, service)
    return (
        metric("gpu_hours", N_("GPU-hours paid"), gpu_hours(outcome), "GPU-h"),
        metric("duration_h", N_("Horizon"), outcome.duration_h, "h"),
        metric("ttft_ms_p95", N_("Time to first token, p95"), instance.ttft_s_p95 * 1000.0, "ms"),
        metric(
            "tpot_ms_p95",
            N_("Time per output token, p95"),
            instance.tpot_s_p95 * 1000.0 if generates else np.nan,
            "ms",
        ),
        metric(
            "output_tokens_per_s_per_instance",
            N_("Output tokens a second and instance"),
            instance.output_tokens_per_s * inputs.service.throughput_factor if generates else np.nan,
            "tokens/s",
        ),
        metric("instances_peak", N_("Instances at peak"), fleet.instances_peak, "instances"),
        metric("instances_mean", N_("Instances, mean"), fleet.instances_mean, "instances"),
        metric("gpus_per_instance", N_("GPUs per instance"), service.gpus_per_instance, "GPUs"),
        metric("utilisation_mean", N_("Mean utilisation"), fleet.utilisation_mean, "share"),
        metric(
            "cost_per_million_input_tokens",
            N_("Cost per million input tokens"),
            total * served.input_share / served.input_tokens * MILLION,
            "currency/M tokens",
        ),
        metric(
            "cost_per_million_output_tokens",
            N_("Cost per million output tokens"),
            total * served.output_share / served.output_tokens * MILLION,
            "currency/M tokens",
        ),
        metric("cost_per_request", N_("Cost per request"), total / served.requests, "currency/request"),
        metric("batch", N_("Sequences per instance"), instance.batch, "sequences"),
        metric("max_batch", N_("Sequences that fit"), instance.max_batch, "sequences"),
        metric("memory_gib_per_gpu", N_("Weights per GPU"), instance.weight_bytes_per_gpu / GIB, "GiB"),
        metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
        metric("parameters_total", N_("Parameters"), count_parameters(inputs.model).total, "parameters"),
        metric("feasible_code", N_("Fit and latency check"), outcome.feasible_code, ""),
    )

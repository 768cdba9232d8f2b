"""Figures of an online service."""

from __future__ import annotations

import numpy as np

from engine.cost.ledger import HOURS_PER_MONTH, SECONDS_PER_HOUR
from engine.evaluation import Outcome, ServiceOutcome
from engine.figures.common import (
    GIB,
    MILLION,
    gpu_hours,
    metric,
)
from engine.lowering import KernelInputs
from engine.performance.fleet import months_of_growth
from engine.performance.flops import count_parameters
from engine.results import Metric
from engine.text import N_


def service_figures(inputs: KernelInputs, outcome: Outcome, service: ServiceOutcome) -> tuple[Metric, ...]:
    """Latency, fleet, utilisation and unit costs of an online service."""
    assert inputs.service is not None
    instance, fleet, load = service.instance, service.fleet, inputs.service.load
    months = months_of_growth(inputs.service.growth_per_month, inputs.money.horizon_months)
    requests = load.requests_per_second * HOURS_PER_MONTH * SECONDS_PER_HOUR * months
    total = float(outcome.total)
    # Input and output share the bill by GPU time, not by token count: prefill and decode cost differently.
    share = instance.prefill_share
    # An encoder gives out no tokens: what they take and cost is not a number.
    generates = bool(inputs.model.generates)
    tokens_in, tokens_out = requests * load.input_tokens, requests * load.output_tokens
    input_share = share if generates else 1.0
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
            total * input_share / tokens_in * MILLION,
            "currency/M tokens",
        ),
        metric(
            "cost_per_million_output_tokens",
            N_("Cost per million output tokens"),
            total * (1.0 - share) / tokens_out * MILLION if generates else np.nan,
            "currency/M tokens",
        ),
        metric("cost_per_request", N_("Cost per request"), total / requests, "currency/request"),
        metric("batch", N_("Sequences per instance"), instance.batch, "sequences"),
        metric("max_batch", N_("Sequences that fit"), instance.max_batch, "sequences"),
        metric("memory_gib_per_gpu", N_("Weights per GPU"), instance.weight_bytes_per_gpu / GIB, "GiB"),
        metric("memory_capacity_gib", N_("Usable memory"), inputs.hardware.memory_bytes / GIB, "GiB"),
        metric("parameters_total", N_("Parameters"), count_parameters(inputs.model).total, "parameters"),
        metric("feasible_code", N_("Fit and latency check"), outcome.feasible_code, ""),
    )

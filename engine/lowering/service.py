"""An online service: traffic, targets, split, constants."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.catalog import Accelerator
from engine.codes import (
    SERVING_PRECISIONS,
)
from engine.defaults import THROUGHPUT_FACTOR
from engine.errors import InputError
from engine.lowering.inputs import ServiceInputs
from engine.performance.serving_constants import PREFIX, ServingConstants
from engine.performance.serving_step import ServingInputs
from engine.text import N_, Message
from engine.values import UNKNOWN, PlanValues


def lower_service(values: PlanValues, accelerator: Accelerator) -> ServiceInputs:
    """What an online service is computed from."""
    plan, number = values.plan, values.number
    serving = plan.serving
    assert serving is not None
    profile = serving.profile
    factors = values.catalog.traffic_profile(profile) if isinstance(profile, str) else _weekly(profile)
    return ServiceInputs(
        load=lower_load(values, accelerator),
        constants=ServingConstants.from_facts(values.catalog.constants(PREFIX)),
        profile=np.asarray(factors, dtype=float),
        peak_to_mean=values.number_or("serving.peak_to_mean", UNKNOWN),
        growth_per_month=number("serving.growth_per_month"),
        autoscale=number("serving.autoscale"),
        cold_start_s=number("serving.cold_start_s"),
        spare_instances=number("serving.spare_instances"),
        headroom=number("serving.headroom"),
        throughput_factor=number(THROUGHPUT_FACTOR),
        instances=values.number_or("serving.instances", UNKNOWN),
        availability=number("serving.availability"),
        instance_availability=_instance_availability(values),
    )


def lower_load(values: PlanValues, accelerator: Accelerator) -> ServingInputs:
    """Lengths, precision, targets and split of inference, online or offline."""
    number = values.number
    # An encoder answers with its first and only forward pass.
    encoder = values.plan.architecture.kind == "encoder"
    return ServingInputs(
        requests_per_second=number("serving.requests_per_second"),
        input_tokens=number("serving.input_tokens"),
        output_tokens=1.0 if encoder else number("serving.output_tokens"),
        prefix_hit_rate=number("serving.prefix_hit_rate"),
        weight_precision_code=values.code("serving.weight_precision", SERVING_PRECISIONS),
        kv_precision_code=values.code("serving.kv_precision", SERVING_PRECISIONS),
        tensor_parallel=values.number_or("layout.tensor_parallel", UNKNOWN),
        pipeline_parallel=values.number_or("layout.pipeline_parallel", UNKNOWN),
        ttft_slo_s=number("serving.ttft_slo_ms") / 1000.0,
        tpot_slo_s=np.inf if encoder else number("serving.tpot_slo_ms") / 1000.0,
        arrival_cv=number("serving.arrival_cv"),
        max_num_seqs=number("serving.max_num_seqs"),
        software_factor=values.fact("serving", "amd_compute_factor") if accelerator.vendor == "AMD" else 1.0,
    )


def _instance_availability(values: PlanValues) -> Array:
    """Share of time an instance's node is up: failures a day times the time to replace the instance."""
    failures = values.number("reliability.failures_per_node_day")
    away_s = values.number("serving.cold_start_s") + values.number("reliability.detection_s")
    return 1.0 / (1.0 + failures * away_s / 86400.0)


def _weekly(factors: tuple[float, ...]) -> tuple[float, ...]:
    mean = sum(factors) / len(factors) if factors else 0.0
    if len(factors) != 168 or mean <= 0:
        raise InputError(
            "serving.profile", f"{len(factors)} numbers", Message(N_("168 hourly factors, not all 0"))
        )
    return tuple(factor / mean for factor in factors)

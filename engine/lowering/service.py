"""An online service: traffic, targets, split, constants."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.arrays import Array
from engine.catalog import Accelerator
from engine.codes import SERVING_PRECISIONS
from engine.defaults import THROUGHPUT_FACTOR, serving_error
from engine.errors import InputError
from engine.lowering.inputs import ServiceInputs
from engine.performance.serving_bands import measured_runs
from engine.performance.serving_constants import PREFIX, ServingConstants
from engine.performance.serving_step import ServingInputs
from engine.plan import Plan
from engine.text import N_, Message
from engine.values import UNKNOWN, PlanValues

_TAILS: Mapping[str, float] = {"p95": 0.05, "p99": 0.01}


def lower_service(values: PlanValues, accelerator: Accelerator) -> ServiceInputs:
    """What a service is computed from: traffic as the engine sees it, targets, fleet."""
    plan, number = values.plan, values.number
    serving = plan.serving
    assert serving is not None
    profile = serving.profile
    factors = values.catalog.traffic_profile(profile) if isinstance(profile, str) else _weekly(profile)
    answer = np.asarray(number("serving.output_tokens"), dtype=float)
    output = answer + number("serving.reasoning_tokens")
    return ServiceInputs(
        load=lower_load(values, accelerator),
        constants=ServingConstants.from_facts(values.catalog.constants(PREFIX), serving.engine or ""),
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
        zones=number("serving.zones"),
        accelerator_share=number("serving.accelerator_share"),
        reads_only=reads_only(plan),
        visible_share=answer / np.maximum(output, 1e-12),
        tpot_band=_band(values, "tpot"),
        ttft_band=_band(values, "ttft"),
        measured_runs=measured_runs(values.catalog, accelerator.id, serving.weight_precision)
        if accelerator.mark != "own"
        else 0.0,
    )


def _band(values: PlanValues, metric: str) -> tuple[float, float]:
    """Ends of the model's band of a metric."""
    fact = serving_error(values.plan, values.catalog, metric)
    assert fact is not None and fact.low is not None and fact.high is not None
    return fact.low, fact.high


def reads_only(plan: Plan) -> bool:
    """Whether the plan's network generates nothing: an encoder, or a decoder that embeds or ranks."""
    serving = plan.serving
    silent = serving is not None and serving.output_tokens + serving.reasoning_tokens == 0.0
    return plan.architecture.kind == "encoder" or silent


def lower_load(values: PlanValues, accelerator: Accelerator) -> ServingInputs:
    """Lengths, precision, targets and split of inference, online or offline."""
    plan, number = values.plan, values.number
    serving = plan.serving
    assert serving is not None
    silent = reads_only(plan)
    prompt, cached = _prompt(values)
    output = number("serving.output_tokens") + np.asarray(number("serving.reasoning_tokens"))
    return ServingInputs(
        requests_per_second=number("serving.requests_per_second"),
        input_tokens=prompt,
        # What only reads answers with its first and only forward pass.
        output_tokens=1.0 if silent else output,
        prefix_hit_rate=cached,
        weight_precision_code=values.code("serving.weight_precision", SERVING_PRECISIONS),
        kv_precision_code=values.code("serving.kv_precision", SERVING_PRECISIONS),
        tensor_parallel=values.number_or("layout.tensor_parallel", UNKNOWN),
        pipeline_parallel=values.number_or("layout.pipeline_parallel", UNKNOWN),
        attention_data_parallel=number("layout.attention_data_parallel"),
        ttft_slo_s=number("serving.ttft_slo_ms") / 1000.0,
        tpot_slo_s=np.inf if silent else number("serving.tpot_slo_ms") / 1000.0,
        arrival_cv=number("serving.arrival_cv"),
        max_num_seqs=number("serving.max_num_seqs"),
        software_factor=values.fact("serving", "amd_compute_factor") if accelerator.vendor == "AMD" else 1.0,
        draft_tokens=0.0 if silent else number("serving.draft_tokens"),
        draft_acceptance=number("serving.draft_acceptance"),
        draft_step_share=number("serving.draft_step_share"),
        prefill_chunk_tokens=values.number_or("serving.prefill_chunk_tokens", np.inf),
        disaggregated=0.0 if silent or plan.is_batch else number("serving.disaggregated"),
        adapters=number("serving.adapters"),
        adapter_rank=number("serving.adapter_rank"),
        tail_share=_TAILS[serving.slo_percentile],
    )


def _prompt(values: PlanValues) -> tuple[Array, Array]:
    """Tokens an average request of a session carries, and the share of them found in a cache.

    A turn brings its own tokens and what retrieval adds; before them stand the earlier turns' own tokens and
    answers, (turns - 1)/2 of each on average. The prefix hits are of a turn's own tokens.
    """
    number = values.number
    own, retrieved = number("serving.input_tokens"), number("serving.retrieved_tokens")
    earlier = (number("serving.turns") - 1.0) / 2.0 * (own + np.asarray(number("serving.output_tokens")))
    prompt = own + retrieved + earlier
    found = number("serving.prefix_hit_rate") * own + number("serving.session_hit_rate") * earlier
    return prompt, found / prompt


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

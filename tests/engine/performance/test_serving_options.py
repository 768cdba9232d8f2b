"""Engine options of a service: adapters, speculation, chunks, a pool that prefills, percentiles, zones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.catalog import load_catalog
from engine.codes import SERVING_PRECISIONS
from engine.performance.adapters import adapter_weights, adapters_met
from engine.performance.fleet import fleet_hours, requests_per_instance
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving import InstancePerformance, find_latency_floor, serve_instance
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import ServingCase, ServingInputs, decode_step_s, step_terms, transfer_s

CONSTANTS = ServingConstants.from_facts(load_catalog().constants("serving."))
FP8 = float(SERVING_PRECISIONS.index("fp8"))
H100 = Hardware(1978.9e12, 989.4e12, 79.65 * 2**30, 3.35e12, 450e9, 8.0, 50e9, 8.0)
LLAMA_8B = ModelShape(4096.0, 32.0, 32.0, 8.0, 128.0, 14336.0, 128256.0)
LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
LOAD = ServingInputs(20.0, 1155.0, 211.0, 0.0, FP8, FP8, 4.0, 1.0, 2.0, 0.05, 1.0, 1024.0)


def serve(model: ModelShape = LLAMA_70B, **changes: object) -> InstancePerformance:
    return serve_instance(model, H100, replace(LOAD, **changes), CONSTANTS)  # type: ignore[arg-type]


def fleet(instance: InstancePerformance, load: ServingInputs, **changes: float) -> float:
    found = fleet_hours(
        load,
        instance,
        np.ones(168),
        constants=CONSTANTS,
        peak_to_mean=np.nan,
        growth_per_month=0.0,
        horizon_months=1.0,
        autoscale=0.0,
        cold_start_s=0.0,
        spare_instances=0.0,
        headroom=0.0,
        burst=1.0,
        **changes,
    )
    return float(found.instances_peak)


def test_an_adapter_has_as_many_weights_as_libraries_print() -> None:
    """Rank 16 on all linear layers of an 8B network: 41,943,040, as PEFT prints it."""
    assert float(adapter_weights(LLAMA_8B, 16.0)) == 41_943_040


def test_adapters_met_follow_the_draw() -> None:
    drawn = np.random.default_rng(0).integers(0, 40, size=(4000, 25))
    met = np.mean([np.unique(row).size for row in drawn])
    assert float(adapters_met(40.0, 25.0)) == pytest.approx(met, rel=0.01)
    assert float(adapters_met(0.0, 25.0)) == 0.0


def test_adapters_take_memory_and_time() -> None:
    plain, shared = serve(), serve(adapters=200.0, adapter_rank=32.0)
    held = 200 * float(adapter_weights(LLAMA_70B, 32.0)) * 2.0 / 4.0
    assert float(shared.weight_bytes_per_gpu - plain.weight_bytes_per_gpu) == pytest.approx(held)
    assert float(shared.requests_per_s_capacity) < float(plain.requests_per_s_capacity)


def test_drafts_gain_where_memory_binds_and_lose_where_arithmetic_does() -> None:
    """Accepted tokens a step bound the gain; a full batch pays for every token it verifies."""
    accepted = (1.0 - 0.8**4) / 0.2
    gains = []
    for batch in (1.0, 4096.0):
        plain = ServingCase(LLAMA_70B, H100, LOAD, CONSTANTS)
        drafted = replace(plain, load=replace(LOAD, draft_tokens=3.0, draft_acceptance=0.8))
        gains.append(float(decode_step_s(plain, batch) / decode_step_s(drafted, batch)))
    assert 0.85 * accepted < gains[0] < accepted
    assert gains[1] < 1.0


def test_chunks_shorten_the_pause_and_lengthen_the_first_token() -> None:
    whole, chunked = serve(), serve(prefill_chunk_tokens=256.0)
    assert float(chunked.longest_pause_s) < float(whole.longest_pause_s)
    assert float(chunked.ttft_s_p95) > float(whole.ttft_s_p95)
    case = ServingCase(LLAMA_70B, H100, LOAD, CONSTANTS)
    steps = np.ceil(1155.0 / 256.0) - 1.0
    added = steps * float(decode_step_s(case, whole.occupancy))
    assert float(chunked.ttft_s - whole.ttft_s) == pytest.approx(added, rel=0.02)


def test_a_later_percentile_asks_for_more() -> None:
    early, late = serve(tail_share=0.05), serve(tail_share=0.01)
    assert float(late.ttft_s_p99) > float(late.ttft_s_p95)
    assert float(late.requests_per_s_capacity) <= float(early.requests_per_s_capacity)
    assert float(CONSTANTS.staffing_beta(0.05)) == float(CONSTANTS.staffing_beta_p95)
    assert float(CONSTANTS.staffing_beta(0.01)) == pytest.approx(float(CONSTANTS.staffing_beta_p99))
    bursty = [replace(LOAD, requests_per_second=float(rate), arrival_cv=2.0) for rate in range(10, 400, 15)]
    sizes = [fleet(early, load) for load in bursty]
    later = [fleet(late, replace(load, tail_share=0.01)) for load in bursty]
    assert all(more >= less for more, less in zip(later, sizes, strict=True))
    assert sum(later) > sum(sizes)


@pytest.mark.parametrize("zones", [2, 3, 5])
def test_a_lost_zone_leaves_enough(zones: int) -> None:
    instance, load = serve(), replace(LOAD, requests_per_second=60.0)
    alone, spread = fleet(instance, load), fleet(instance, load, zones=float(zones))
    assert spread % zones == 0
    assert spread - spread / zones >= alone > spread - spread / zones - (zones - 1)


def test_decoding_instances_do_not_stop_for_prompts() -> None:
    split = serve(disaggregated=1.0)
    case = ServingCase(LLAMA_70B, H100, LOAD, CONSTANTS)
    assert float(split.tpot_s_p95) == pytest.approx(float(decode_step_s(case, split.batch)))
    assert float(split.batch) > float(serve().batch)
    assert float(split.longest_pause_s) == pytest.approx(float(split.tpot_s_p95))


def test_pools_are_in_proportion_to_their_work() -> None:
    """A large fleet: prefill and decode instances as prompts' time to tokens' time, at their utilisations."""
    split = serve(disaggregated=1.0)
    load = replace(LOAD, disaggregated=1.0, requests_per_second=5000.0)
    prefill = 5000.0 / float(split.prefill_requests_per_s)
    decode = fleet(split, load) - np.ceil(prefill)
    assert decode * float(split.requests_per_s_capacity) > 5000.0
    busy = 5000.0 * float(split.prefill_s_per_request) / prefill
    assert 0.5 < busy <= float(CONSTANTS.utilisation_ceiling)
    assert float(requests_per_instance(split)) == pytest.approx(
        1.0 / (1.0 / float(split.requests_per_s_capacity) + 1.0 / float(split.prefill_requests_per_s))
    )


@pytest.mark.parametrize(("arrival_cv", "ttft_slo_s"), [(1.0, 1.0), (1.0, 3.0), (2.0, 2.0)])
def test_a_prefill_pool_meets_its_target_in_simulation(arrival_cv: float, ttft_slo_s: float) -> None:
    """Gamma arrivals, log-normal prompts, the first free instance: the wait stays within the target."""
    load = replace(LOAD, disaggregated=1.0, arrival_cv=arrival_cv, ttft_slo_s=ttft_slo_s)
    rate = 40.0
    load = replace(load, requests_per_second=rate)
    split = serve_instance(LLAMA_70B, H100, load, CONSTANTS)
    servers = int(np.ceil(rate / float(split.prefill_requests_per_s)))
    case = ServingCase(LLAMA_70B, H100, load, CONSTANTS)
    rng = np.random.default_rng(1)
    count, sigma = 40_000, float(CONSTANTS.input_length_sigma)
    gaps = rng.gamma(1.0 / arrival_cv**2, arrival_cv**2 / rate, count)
    prompts = 1155.0 * np.exp(rng.normal(-(sigma**2) / 2.0, sigma, count))
    own = float(step_terms(case).prefill) * prompts / 1155.0
    overhead = float(step_terms(case).alone - step_terms(case).prefill)
    free = np.zeros(servers)
    ttft = []
    for at, work in zip(np.cumsum(gaps), own, strict=True):
        first = int(np.argmin(free))
        begin = max(free[first], at)
        free[first] = begin + work
        ttft.append(free[first] - at + overhead)
    moved = float(transfer_s(case)) + float(split.tpot_s_p95) / 2.0
    assert np.quantile(ttft, 0.95) + moved <= ttft_slo_s


def test_the_floor_is_what_a_request_alone_takes() -> None:
    floor = find_latency_floor(LLAMA_70B, H100, LOAD, CONSTANTS)
    assert bool(floor.fits)
    below = serve(tpot_slo_s=float(floor.tpot_s) * 0.999)
    above = serve(tpot_slo_s=float(floor.tpot_s) * 1.001)
    assert (int(below.feasible_code), int(above.feasible_code)) == (2, 0)
    late = serve(ttft_slo_s=float(floor.ttft_s) * 0.999)
    assert int(late.feasible_code) == 3
    starved = find_latency_floor(LLAMA_70B, H100, replace(LOAD, tensor_parallel=1.0), CONSTANTS)
    roomy = replace(H100, memory_bytes=float(starved.needed_bytes))
    tight = replace(H100, memory_bytes=float(starved.needed_bytes) * 0.99)
    one = replace(LOAD, tensor_parallel=1.0)
    assert float(serve_instance(LLAMA_70B, roomy, one, CONSTANTS).max_batch) == 1.0
    assert int(serve_instance(LLAMA_70B, tight, one, CONSTANTS).feasible_code) == 1


def test_options_broadcast_as_rows() -> None:
    rows = serve(
        disaggregated=np.array([0.0, 1.0, 0.0]),
        adapters=np.array([0.0, 0.0, 50.0]),
        adapter_rank=16.0,
        draft_tokens=np.array([0.0, 2.0, 0.0]),
        draft_acceptance=0.7,
        draft_step_share=0.1,
    )
    single = (
        serve(),
        serve(disaggregated=1.0, draft_tokens=2.0, draft_acceptance=0.7, draft_step_share=0.1),
        serve(adapters=50.0, adapter_rank=16.0),
    )
    for name in ("batch", "ttft_s_p95", "tpot_s_p95", "requests_per_s_capacity", "prefill_share"):
        np.testing.assert_allclose(
            np.broadcast_to(getattr(rows, name), (3,)), [float(getattr(one, name)) for one in single]
        )

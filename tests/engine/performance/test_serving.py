"""Serving: published throughput, latency and cache sizes, brute force, and what must hold for any input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalog import load_catalog
from engine.codes import SERVING_PRECISIONS
from engine.performance import serving, serving_runs, serving_step
from engine.performance.flops import attention_kinds
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.queueing import prefill_wait_s
from engine.performance.serving import InstancePerformance
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import ServingCase, ServingInputs

CATALOG = load_catalog()
CONSTANTS = ServingConstants.from_facts(CATALOG.constants("serving."))
BF16, FP8, INT4, NVFP4 = (float(SERVING_PRECISIONS.index(name)) for name in ("bf16", "fp8", "int4", "nvfp4"))

LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
LLAMA_8B = ModelShape(4096.0, 32.0, 32.0, 8.0, 128.0, 14336.0, 128256.0)
LLAMA_405B = ModelShape(16384.0, 126.0, 128.0, 8.0, 128.0, 53248.0, 128256.0)
MIXTRAL = ModelShape(
    4096.0, 32.0, 32.0, 8.0, 128.0, 14336.0, 32000.0, 1.0, 0.0, 8.0, 2.0, moe_intermediate_size=14336.0
)
DEEPSEEK_V3 = ModelShape(
    hidden_size=7168.0,
    num_hidden_layers=61.0,
    num_attention_heads=128.0,
    num_key_value_heads=128.0,
    head_dim=128.0,
    intermediate_size=18432.0,
    vocab_size=129280.0,
    num_experts=256.0,
    num_experts_per_tok=8.0,
    moe_intermediate_size=2048.0,
    shared_expert_intermediate_size=2048.0,
    first_k_dense_replace=3.0,
    q_lora_rank=1536.0,
    kv_lora_rank=512.0,
    qk_nope_head_dim=128.0,
    qk_rope_head_dim=64.0,
    v_head_dim=128.0,
)


def hardware(name: str, precision: str) -> Hardware:
    gpu = CATALOG.accelerator(name)
    return Hardware(
        peak_flops=gpu.peak(precision) or float("nan"),
        peak_bf16_flops=gpu.peak("bf16") or float("nan"),
        memory_bytes=gpu.memory_bytes,
        memory_bandwidth_bytes_per_s=gpu.memory_bandwidth_bytes_per_s,
        scale_up_bandwidth_bytes_per_s=gpu.scale_up_bandwidth_bytes_per_s,
        scale_up_domain=gpu.scale_up_domain,
        nic_bandwidth_bytes_per_s=gpu.nic_bandwidth_bytes_per_s or float("nan"),
        accelerators_per_node=gpu.accelerators_per_node,
    )


H100 = hardware("h100-sxm", "fp8")
LOAD = ServingInputs(
    requests_per_second=10.0,
    input_tokens=1155.0,
    output_tokens=211.0,
    prefix_hit_rate=0.0,
    weight_precision_code=FP8,
    kv_precision_code=FP8,
    tensor_parallel=4.0,
    pipeline_parallel=1.0,
    ttft_slo_s=2.0,
    tpot_slo_s=0.05,
    arrival_cv=1.0,
    max_num_seqs=1024.0,
)
CASE = ServingCase(LLAMA_70B, H100, LOAD, CONSTANTS)


def serve(model: ModelShape = LLAMA_70B, gpu: Hardware = H100, **changes: object) -> InstancePerformance:
    return serving.serve_instance(model, gpu, replace(LOAD, **changes), CONSTANTS)  # type: ignore[arg-type]


# Llama-3.x-70B, FP8 weights and cache, four H100-SXM, output tokens/s: (input, output, measured).
# TensorRT-LLM v0.14 docs/source/performance/perf-overview.md, throughput table
TRTLLM_0_14 = [
    (1000, 1000, 6925.0844),
    (128, 128, 8540.5362),
    (128, 2048, 8998.3742),
    (128, 4096, 6718.5895),
    (2048, 128, 1008.8318),
    (2048, 2048, 4850.8285),
    (500, 2000, 9018.9053),
    (5000, 500, 1316.2865),
    (20000, 2000, 851.8542),
]
# TensorRT-LLM v0.20 docs/source/performance/perf-overview.md, Llama-3.3-70B FP8 table
TRTLLM_0_20 = [
    (128, 2048, 11464.94),
    (128, 4096, 8206.39),
    (500, 2000, 9903.53),
    (1000, 1000, 7435.65),
    (1000, 2000, 7611.12),
    (2048, 128, 1213.33),
    (5000, 500, 1552.68),
    (20000, 2000, 903.66),
]
# InferenceX, Llama-3.1-70B FP8 on four H200-SXM, lengths 0.9 x 1024 on average, TPOT in ms by clients
# (aiconfigurator-core 0.12.0, systems/silicon_sample.csv, 2026_04_06_llama_3_1_70b_h200_sxm_*_1024x1024_*)
INFERENCEX_TRTLLM = [(4, 7.982), (8, 8.237), (16, 8.932), (32, 10.634), (64, 13.662), (128, 19.276)]
INFERENCEX_VLLM = [(4, 9.854), (8, 10.136), (16, 10.937), (32, 14.384), (64, 16.069)]


def test_published_throughput_within_the_stated_error() -> None:
    inputs, outputs, measured = np.array(TRTLLM_0_14 + TRTLLM_0_20).T
    # The documents run 1000 to 3000 requests with an engine that never evicts.
    load = replace(
        LOAD, input_tokens=inputs, output_tokens=outputs, max_num_seqs=2048.0, reserved_output_share=1.0
    )
    predicted = serving_runs.max_throughput(replace(CASE, load=load), 2000.0)
    error = np.abs(predicted / measured - 1.0)
    assert error.size == 17
    assert float(np.median(error)) <= 0.20  # the project's acceptance; the fit's own median is 0.11
    assert float(error.max()) <= 0.30


def latency_error(points: list[tuple[int, float]]) -> np.ndarray:
    clients, measured_ms = np.array(points).T
    load = replace(LOAD, input_tokens=0.9 * 1024, output_tokens=0.9 * 1024)
    case = replace(CASE, hardware=hardware("h200-sxm", "fp8"), load=load)
    return np.asarray(serving_runs.closed_loop(case, clients).tpot_s * 1e3 / measured_ms - 1.0)


def test_published_latency_within_the_stated_error() -> None:
    assert float(np.median(np.abs(latency_error(INFERENCEX_VLLM)))) <= 0.15


def test_the_fastest_engine_is_predicted_slower_never_faster() -> None:
    # One set of constants serves all engines; a tuned TensorRT-LLM of 2026 stays ahead of it by up to 40 %.
    error = latency_error(INFERENCEX_TRTLLM)
    assert float(error.min()) >= 0.0
    assert float(error.max()) <= 0.40


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (LLAMA_8B, 131_072),
        # DeepSeek-AI 2025, arXiv 2505.09343, table 1: KB a token in bf16
        (DEEPSEEK_V3, 70_272),
        (LLAMA_405B, 516_096),
    ],
)
def test_cache_of_a_token_equals_published(model: ModelShape, expected: int) -> None:
    assert float(serving_step.kv_bytes_per_token(model, 2.0)) == expected


@pytest.mark.parametrize(
    ("model", "parameters"),  # totals as the model cards state them
    [(LLAMA_70B, 70.55e9), (LLAMA_8B, 8.03e9), (MIXTRAL, 46.7e9), (DEEPSEEK_V3, 671e9)],
)
def test_bf16_weights_weigh_two_bytes_a_parameter(model: ModelShape, parameters: float) -> None:
    load = replace(LOAD, weight_precision_code=BF16, tensor_parallel=1.0)
    held = serving_step.weight_bytes_per_gpu(ServingCase(model, H100, load, CONSTANTS))
    assert float(held) == pytest.approx(2 * parameters, rel=2e-3)


def test_sharding_conserves_weights() -> None:
    load = replace(
        LOAD, tensor_parallel=np.array([1.0, 2.0, 8.0]), pipeline_parallel=np.array([1.0, 4.0, 2.0])
    )
    held = serving_step.weight_bytes_per_gpu(replace(CASE, load=load))
    assert held * np.array([1.0, 8.0, 16.0]) == pytest.approx(held[0])


def test_a_window_caps_the_cache_and_linear_layers_keep_none() -> None:
    model = CASE.model
    (kind,) = attention_kinds(model)
    halves = (replace(kind, layers=40.0), replace(kind, layers=40.0, window=128.0))
    windowed = replace(model, attention_kinds=halves)
    linear = replace(model, recurrent_layers=40.0)
    full, half, none = (
        float(serving_step.kv_bytes_per_sequence(replace(CASE, model=shape), 10_000.0))
        for shape in (model, windowed, linear)
    )
    assert none == pytest.approx(full / 2)
    assert half == pytest.approx(full / 2 * (1 + 0.0128))


def test_largest_batch_by_hand() -> None:
    weights = (70.55e9 - 2 * 128256 * 8192) + 2 * 2 * 128256 * 8192  # fp8, both embeddings in 16 bits
    room = 0.92 * float(H100.memory_bytes) - weights / 4 - 1e9
    sequence = 80 * 2 * 8 * 128 * (1155 + 211 / 2) / 4  # one byte a value, half the output written
    unlimited = replace(CASE, load=replace(LOAD, max_num_seqs=1e9))
    assert float(serving_step.max_batch(unlimited)) == pytest.approx(room / sequence, rel=1e-3)


def test_more_ranks_than_heads_copy_the_cache() -> None:
    loads = replace(LOAD, tensor_parallel=np.array([4.0, 8.0, 16.0]), max_num_seqs=1e9)
    four, eight, sixteen = serving_step.max_batch(replace(CASE, load=loads))
    assert eight > 2.0 * four
    assert sixteen < 1.2 * eight  # only the weights that moved away leave room


def test_attention_ranks_copy_attention_and_share_experts() -> None:
    load = replace(LOAD, attention_data_parallel=np.array([1.0, 8.0]), tensor_parallel=1.0, max_num_seqs=1e9)
    dense, routed = (ServingCase(model, H100, load, CONSTANTS) for model in (LLAMA_8B, MIXTRAL))
    one, eight = serving_step.weight_bytes_per_gpu(dense)
    assert eight == one
    assert np.divide(*serving_step.max_batch(dense)) == pytest.approx(1 / 8, rel=2e-3)
    alone, together = serving_step.weight_bytes_per_gpu(routed)
    assert together < 0.2 * alone
    # Eight dense ranks with 64 sequences each differ from one by the scheduler's c*B/sqrt(dp) only.
    single, spread = serving_step.decode_step_s(dense, np.array([64.0, 512.0]))
    assert spread - single == pytest.approx(CONSTANTS.sequence_overhead * (512 / np.sqrt(8) - 64))


def test_two_stages_carry_two_batches_in_the_time_of_one() -> None:
    load = replace(LOAD, pipeline_parallel=np.array([1.0, 2.0]))
    one, two = serving_step.decode_step_s(replace(CASE, load=load), np.array([64.0, 128.0]))
    assert two - one == pytest.approx(CONSTANTS.sequence_overhead * 64)  # the scheduler sees each sequence


def test_bursts_spread_over_many_instances_limit_none() -> None:
    few, many = np.asarray(serve(arrival_cv=4.0, requests_per_second=np.array([5.0, 500.0])).occupancy)
    assert many == serve(arrival_cv=4.0, requests_per_second=500.0).batch > 0.95 * serve().batch
    assert few < many


def test_first_token_waits_at_the_planned_utilisation() -> None:
    found = serve()
    one = serving_runs.closed_loop(CASE, 1.0)
    alone = float(one.ttft_s) - float(one.tpot_s) / 2
    wait = prefill_wait_s(
        requests_per_s=0.95 * np.asarray(found.requests_per_s_capacity),
        prefill_s=found.prefill_s_per_request,
        length_sigma=1.0,
        arrival_cv=1.0,
    )
    expected = alone + float(wait) + float(found.tpot_s_p95) / 2
    assert float(found.ttft_s) == pytest.approx(expected, rel=1e-3)


def test_a_wave_that_fits_is_one_batch() -> None:
    decode = serving_step.decode_step_s(CASE, 64.0) * 211.0
    prefill = 64.0 * serving_step.prefill_s_per_request(CASE)
    assert float(serving_runs.finite_run_s(CASE, 100.0, 64.0)) == pytest.approx(float(decode + prefill))


def test_a_long_offline_run_tends_to_the_steady_state() -> None:
    batch = 200.0
    steady = batch / serving_step.steady_tpot_s(CASE, batch)
    run = 2e5 * 211.0 / serving_runs.finite_run_s(CASE, batch, 2e5)
    assert float(run) == pytest.approx(float(steady), rel=1e-3)


def test_clients_beyond_memory_queue() -> None:
    room = serving_step.max_batch(CASE)
    inside, beyond = serving_runs.closed_loop(CASE, np.array([float(room), 3 * float(room)])).ttft_s
    assert beyond > inside + 211.0 * 0.04


def test_a_pair_bridge_does_not_carry_four_cards() -> None:
    # A100-PCIe cards share a fast bridge in pairs: two of four ranks talk over PCIe.
    pairs = hardware("a100-pcie-80", "bf16")
    mesh = replace(pairs, scale_up_domain=8.0)
    load = replace(LOAD, weight_precision_code=BF16, kv_precision_code=BF16)
    prefill = [
        serving_step.prefill_s_per_request(ServingCase(LLAMA_70B, gpu, load, CONSTANTS))
        for gpu in (pairs, mesh)
    ]
    assert prefill[0] > 1.3 * prefill[1]


def test_weight_only_format_helps_small_batches_and_not_prefill() -> None:
    slow = replace(H100, peak_flops=0.5 * np.asarray(H100.peak_bf16_flops))
    four = ServingCase(LLAMA_70B, slow, replace(LOAD, weight_precision_code=INT4), CONSTANTS)
    assert serving_step.decode_step_s(four, 1.0) < serving_step.decode_step_s(CASE, 1.0)
    assert serving_step.prefill_s_per_request(four) > serving_step.prefill_s_per_request(CASE)


def test_speculation_pays_at_small_batches_only() -> None:
    load = replace(LOAD, draft_tokens=3.0, draft_acceptance=0.8, draft_step_share=0.03)
    speculative = replace(CASE, load=load)
    gain = [
        float(serving_step.decode_step_s(CASE, b) / serving_step.decode_step_s(speculative, b))
        for b in (1.0, 1000.0)
    ]
    accepted = (1 - 0.8**4) / (1 - 0.8)
    assert 0.8 * accepted < gain[0] < accepted
    assert gain[1] < 0.7 * gain[0]


def test_speculation_that_is_never_accepted_only_costs() -> None:
    useless = replace(CASE, load=replace(LOAD, draft_tokens=3.0))
    assert serving_step.decode_step_s(useless, 32.0) > serving_step.decode_step_s(CASE, 32.0)


def test_reasons_of_infeasible_rows() -> None:
    result = serve(
        tensor_parallel=np.array([4.0, 1.0, 4.0, 4.0]),
        weight_precision_code=np.array([FP8, BF16, FP8, FP8]),
        tpot_slo_s=np.array([0.05, 0.05, 0.001, 0.05]),
        ttft_slo_s=np.array([2.0, 2.0, 2.0, 0.01]),
    )
    assert np.asarray(result.feasible_code).tolist() == [
        serving.FEASIBLE,
        serving.WEIGHTS_TOO_LARGE,
        serving.TPOT_MISSED,
        serving.TTFT_MISSED,
    ]
    assert np.asarray(result.batch)[1:3].tolist() == [0.0, 1.0]
    assert np.asarray(result.requests_per_s_capacity)[1] == 0.0
    assert np.isnan(np.asarray(result.tpot_s)[1])
    assert np.isfinite(np.asarray(result.ttft_s_p95)[[0, 2, 3]]).all()


def test_rows_equal_scalars() -> None:
    bandwidths = np.array([1e12, 2e12, 3.35e12])
    rows = serve(gpu=replace(H100, memory_bandwidth_bytes_per_s=bandwidths))
    for index, bandwidth in enumerate(bandwidths):
        one = serve(gpu=replace(H100, memory_bandwidth_bytes_per_s=float(bandwidth)))
        assert np.asarray(rows.batch)[index] == one.batch
        assert np.asarray(rows.ttft_s_p95)[index] == pytest.approx(float(one.ttft_s_p95))


def test_columns_of_hours_broadcast() -> None:
    result = serve(input_tokens=np.array([[500.0], [2000.0]]), output_tokens=np.array([100.0, 200.0, 400.0]))
    assert np.shape(result.batch) == (2, 3)


loads = st.fixed_dictionaries(
    {
        "input_tokens": st.floats(16, 8000),
        "output_tokens": st.floats(8, 2000),
        "prefix_hit_rate": st.floats(0, 0.95),
        "tensor_parallel": st.sampled_from([2.0, 4.0, 8.0]),
        "pipeline_parallel": st.sampled_from([1.0, 2.0]),
        "ttft_slo_s": st.floats(0.2, 10),
        "tpot_slo_s": st.floats(0.01, 0.2),
        "arrival_cv": st.floats(0, 4),
        "max_num_seqs": st.sampled_from([64.0, 300.0]),
        "draft_tokens": st.sampled_from([0.0, 2.0]),
        "draft_acceptance": st.floats(0, 1),
    }
)
models = st.sampled_from([LLAMA_8B, LLAMA_70B, MIXTRAL])


@settings(max_examples=60, deadline=None)
@given(models, loads)
def test_batch_equals_brute_force(model: ModelShape, changes: dict[str, float]) -> None:
    found = serve(model, **changes)
    case = ServingCase(model, H100, replace(LOAD, **changes), CONSTANTS)
    every = np.arange(1.0, float(found.max_batch) + 1.0)
    step = serving_step.step_terms(case)
    tail = serving._token_in_tail_s(case, step, every, 0.05)
    within = every[tail <= changes["tpot_slo_s"]] if every.size else every
    if every.size == 0:
        assert (found.feasible_code, found.batch) == (serving.WEIGHTS_TOO_LARGE, 0.0)
    elif within.size == 0:
        assert found.batch == 1.0
        alone = float(serving_step.steady_tpot_s(case, 1.0))
        assert (found.feasible_code == serving.TPOT_MISSED) == (alone > changes["tpot_slo_s"])
    else:
        assert found.batch == within.max()


@settings(max_examples=60, deadline=None)
@given(models, loads)
def test_load_is_the_highest_within_the_first_token_target(
    model: ModelShape, changes: dict[str, float]
) -> None:
    found = serve(model, **changes)
    if found.feasible_code != serving.FEASIBLE:
        return
    assert found.ttft_s_p95 <= changes["ttft_slo_s"] * (1 + 1e-6)
    if found.occupancy < found.batch:
        assert float(found.ttft_s_p95) == pytest.approx(changes["ttft_slo_s"], rel=1e-6)
    patient = serve(model, **{**changes, "ttft_slo_s": np.inf})
    assert patient.occupancy == found.batch
    assert patient.requests_per_s_capacity >= found.requests_per_s_capacity


@settings(max_examples=100, deadline=None)
@given(models, loads, st.floats(1, 4))
def test_more_bandwidth_is_never_slower(model: ModelShape, changes: dict[str, float], factor: float) -> None:
    faster = replace(H100, memory_bandwidth_bytes_per_s=3.35e12 * factor)
    before, after = serve(model, **changes), serve(model, faster, **changes)
    case = ServingCase(model, H100, replace(LOAD, **changes), CONSTANTS)
    slow, fast = (serving_step.steady_tpot_s(replace(case, hardware=gpu), 32.0) for gpu in (H100, faster))
    assert fast <= slow
    if before.feasible_code == serving.FEASIBLE:
        assert after.feasible_code == serving.FEASIBLE
        assert after.batch >= before.batch
        # Occupancy is found by halving, to a few parts in 1e9.
        assert after.output_tokens_per_s >= np.asarray(before.output_tokens_per_s) * (1 - 1e-6)


@given(models, st.sampled_from([1.0, 2.0, 4.0]))
def test_narrower_weights_are_never_larger(model: ModelShape, ranks: float) -> None:
    codes = np.array([BF16, FP8, NVFP4])
    load = replace(LOAD, weight_precision_code=codes, tensor_parallel=ranks)
    held = serving_step.weight_bytes_per_gpu(ServingCase(model, H100, load, CONSTANTS))
    assert held[0] > held[1] > held[2]


@settings(max_examples=60, deadline=None)
@given(models, loads, st.floats(0, 1))
def test_cache_hits_never_lower_throughput(model: ModelShape, changes: dict[str, float], more: float) -> None:
    hit = changes["prefix_hit_rate"]
    before = serve(model, **changes)
    after = serve(model, **{**changes, "prefix_hit_rate": hit + (1.0 - hit) * more})
    if before.feasible_code == serving.FEASIBLE:
        assert after.output_tokens_per_s >= np.asarray(before.output_tokens_per_s) * (1 - 1e-6)


def test_cached_prompts_still_attend() -> None:
    cached = replace(CASE, load=replace(LOAD, prefix_hit_rate=np.array([0.0, 0.5, 1.0])))
    cold, half, all_hit = serving_step.prefill_s_per_request(cached)
    # Half the prompt spares half the GEMMs but only a quarter of the pairs of tokens.
    assert 0.5 * cold < half < 0.51 * cold
    assert all_hit == 0.0

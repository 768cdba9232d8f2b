"""The memory model against published closed forms and peaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import load_catalog
from engine.codes import SHARDING_STAGES
from engine.performance.feasibility import FEASIBLE, MEMORY, layout_feasibility
from engine.performance.flops import count_parameters
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.memory import (
    TrainingMemory,
    activation_bytes_per_token,
    data_parallel_size,
    training_memory,
)
from engine.performance.training_constants import STACKS, resolve_memory_constants

GIB = 2.0**30
NONE, SELECTIVE, FULL = 0.0, 1.0, 2.0
ZERO0, ZERO1, ZERO3 = 0.0, 1.0, 2.0
CATALOG = load_catalog()
ZERO2 = float(SHARDING_STAGES.index("zero2"))
UNFUSED = resolve_memory_constants(CATALOG, stack="megatron_2021")
BIGSCIENCE = resolve_memory_constants(CATALOG, stack="megatron_deepspeed")
SHARDED = resolve_memory_constants(CATALOG, stack="fsdp")
CURRENT = resolve_memory_constants(CATALOG)
H100 = Hardware(989.4e12, 989.4e12, 79.65 * GIB, 3.35e12, 450e9, 8.0, 50e9, 8.0)
LLAMA_8B = ModelShape(4096.0, 32.0, 32.0, 8.0, 128.0, 14336.0, 128256.0)
LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
LAYOUT_70B = LayoutInputs(4.0, 4.0, 2.0, 1.0, 5.0, 1.0, ZERO1, NONE)
RUN_70B = TrainingRun(8192.0, 128 * 8192.0, 0.0, 64.0)
ONE = LayoutInputs(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ZERO0, NONE)


def _gpt(layers: float, hidden: float, heads: float) -> ModelShape:
    return ModelShape(hidden, layers, heads, heads, hidden / heads, 4.0 * hidden, 51200.0, gated_mlp=0.0)


# arXiv 2205.05198 figure 1: activations in GiB of 22B, 175B, 530B and 1T networks, 2,048 tokens, tensor
# parallel 8, with pipeline 1, 8, 35, 64, interleaved 1, 3, 3, 1, micro-batch 4, 1, 1, 1.
KORTHIKANTI = [
    (_gpt(48.0, 6144.0, 64.0), 1.0, 1.0, 4.0, 59.25, 9.5625),
    (_gpt(96.0, 12288.0, 96.0), 8.0, 3.0, 1.0, 66.84375, 12.3515625),
    (_gpt(105.0, 20480.0, 128.0), 35.0, 3.0, 1.0, 114.0234375, 23.076171875),
    (_gpt(128.0, 25600.0, 160.0), 64.0, 1.0, 1.0, 131.25, 26.5625),
]


@pytest.mark.parametrize(("model", "stages", "chunks", "micro", "plain", "selective"), KORTHIKANTI)
def test_activations_match_the_paper(
    model: ModelShape, stages: float, chunks: float, micro: float, plain: float, selective: float
) -> None:
    layout = LayoutInputs(8.0, stages, 1.0, 1.0, chunks, micro, ZERO0, NONE)
    run = TrainingRun(2048.0, 2048.0 * 100_000, 0.0, 8 * stages)
    found = training_memory(model, layout, run, H100, UNFUSED)
    assert found.activations / GIB == pytest.approx(plain, rel=0.02)
    with_sequence = replace(UNFUSED, sequence_parallel=1.0)
    chosen = replace(layout, recompute_code=SELECTIVE)
    found = training_memory(model, chosen, run, H100, with_sequence)
    assert found.activations / GIB == pytest.approx(selective, rel=0.02)


def test_full_recomputation_keeps_layer_inputs_and_one_live_layer() -> None:
    # Paper: 2*s*b*h a layer; plus the layer in work, s*b*h*(34 + 5*a*s/h), one rank.
    model = _gpt(48.0, 6144.0, 64.0)
    run = TrainingRun(2048.0, 2048.0 * 4, 0.0, 1.0)
    found = training_memory(model, replace(ONE, recompute_code=FULL), run, H100, UNFUSED)
    tokens_by_width = 2048 * 6144
    by_hand = 48 * 2 * tokens_by_width + tokens_by_width * (34 + 5 * 64 * 2048 / 6144)
    assert found.activations == pytest.approx(by_hand, rel=1e-9)


# bigscience-workshop/bigscience, chronicles-prequel: peak GiB on A100-80GB, GPT of 80 layers, width 14400, 96
# heads, vocabulary 250,880, 2,048 tokens, full recomputation: (pp, GPUs, micro-batch, sharding, peak).
@pytest.mark.parametrize(
    ("stages", "count", "micro", "sharding", "peak"),
    [
        (10.0, 160.0, 1.0, ZERO1, 51.0),
        (10.0, 320.0, 2.0, ZERO1, 43.0),
        (10.0, 320.0, 4.0, ZERO1, 55.0),
        (10.0, 320.0, 8.0, ZERO1, 76.0),
        (4.0, 384.0, 1.0, ZERO1, 47.0),
    ],
)
def test_peaks_of_bloom_trials(
    stages: float, count: float, micro: float, sharding: float, peak: float
) -> None:
    model = ModelShape(
        14400.0, 80.0, 96.0, 96.0, 150.0, 57600.0, 250880.0, gated_mlp=0.0, tie_word_embeddings=1.0
    )
    layout = LayoutInputs(8.0, stages, 1.0, 1.0, 1.0, micro, sharding, FULL)
    run = TrainingRun(2048.0, 2048.0 * 2048, 0.0, count)
    found = training_memory(model, layout, run, H100, BIGSCIENCE)
    assert found.total_bytes / GIB == pytest.approx(peak, rel=0.1)


def test_llama_70b_fits_64_h100_as_it_did() -> None:
    found = training_memory(LLAMA_70B, LAYOUT_70B, RUN_70B, H100)
    assert 40 * GIB < found.total_bytes < H100.memory_bytes
    code = layout_feasibility(LLAMA_70B, H100, LAYOUT_70B, RUN_70B, found.total_bytes, 1.0)
    assert code == FEASIBLE


def test_weights_are_decimal_gigabytes_not_binary() -> None:
    run = TrainingRun(2048.0, 2048.0, 0.0, 1.0)
    found = training_memory(LLAMA_8B, ONE, run, H100, CURRENT)
    assert found.weights == 2 * 8_030_261_248
    assert found.weights / 1e9 == pytest.approx(16.06, abs=0.01)
    assert found.weights / GIB == pytest.approx(14.96, abs=0.01)
    assert found.optimizer == 12 * 8_030_261_248


def test_a_layout_between_80_gb_and_80_gib_tells_the_units_apart() -> None:
    total = 82e9
    in_gib = replace(H100, memory_bytes=80 * GIB)
    in_gb = replace(H100, memory_bytes=80e9)
    assert layout_feasibility(LLAMA_70B, in_gib, LAYOUT_70B, RUN_70B, total, 1.0) == FEASIBLE
    assert layout_feasibility(LLAMA_70B, in_gb, LAYOUT_70B, RUN_70B, total, 1.0) == MEMORY


def _parts(memory: TrainingMemory) -> float:
    return float(
        memory.weights
        + memory.gradients
        + memory.optimizer
        + memory.activations
        + memory.logits
        + memory.overhead
    )


LAYOUTS = st.builds(
    LayoutInputs,
    tensor_parallel=st.sampled_from([1.0, 2.0, 4.0, 8.0]),
    pipeline_parallel=st.sampled_from([1.0, 2.0, 4.0, 8.0]),
    context_parallel=st.sampled_from([1.0, 2.0]),
    expert_parallel=st.just(1.0),
    virtual_pipeline=st.sampled_from([1.0, 2.0, 5.0]),
    micro_batch=st.sampled_from([1.0, 2.0]),
    sharding_code=st.sampled_from([ZERO0, ZERO1, ZERO2, ZERO3]),
    recompute_code=st.sampled_from([NONE, SELECTIVE, FULL]),
)
RUN = TrainingRun(8192.0, 8192.0 * 2048, 0.0, 1024.0)


@given(LAYOUTS)
def test_parts_add_up_and_recomputation_never_costs_memory(layout: LayoutInputs) -> None:
    found = training_memory(LLAMA_70B, layout, RUN, H100)
    assert found.total_bytes == pytest.approx(_parts(found), rel=1e-12)
    by_mode = [
        float(training_memory(LLAMA_70B, replace(layout, recompute_code=mode), RUN, H100).activations)
        for mode in (NONE, SELECTIVE, FULL)
    ]
    assert by_mode[0] > by_mode[1] > by_mode[2]


@given(LAYOUTS)
def test_sharding_more_never_costs_memory(layout: LayoutInputs) -> None:
    totals = [
        float(training_memory(LLAMA_70B, replace(layout, sharding_code=code), RUN, H100).total_bytes)
        for code in (ZERO0, ZERO1, ZERO2, ZERO3)
    ]
    assert totals[0] >= totals[1] >= totals[2] >= totals[3]


@given(LAYOUTS)
def test_more_tensor_parallelism_never_costs_memory(layout: LayoutInputs) -> None:
    one, two = (replace(layout, tensor_parallel=size) for size in (2.0, 4.0))
    # At equal data parallelism.
    twice = replace(RUN, accelerator_count=2048.0)
    assert data_parallel_size(one, RUN) == data_parallel_size(two, twice)
    larger = training_memory(LLAMA_70B, one, RUN, H100).total_bytes
    assert training_memory(LLAMA_70B, two, twice, H100).total_bytes < larger


def test_adapters_keep_the_states_of_their_share_alone() -> None:
    frozen = training_memory(LLAMA_70B, LAYOUT_70B, replace(RUN_70B, weights_frozen=1.0), H100)
    trained = training_memory(LLAMA_70B, LAYOUT_70B, RUN_70B, H100)
    assert frozen.gradients == pytest.approx(CURRENT.adapter_share * trained.gradients)
    assert frozen.optimizer == pytest.approx(CURRENT.adapter_share * trained.optimizer)
    assert frozen.weights == trained.weights and frozen.activations == trained.activations


def test_adapters_of_a_13b_network_fit_in_35_gb() -> None:
    # 13.26 billion parameters in 16 bits (26.5 GB) with 13 million trained by fp32 Adam; one sequence of 800.
    model = ModelShape(5120.0, 40.0, 40.0, 40.0, 128.0, 13824.0, 55296.0)
    assert count_parameters(model).total == pytest.approx(13.26e9, rel=0.002)
    run = TrainingRun(800.0, 800.0, 0.0, 1.0, weights_frozen=1.0)
    for stack in STACKS:
        constants = resolve_memory_constants(CATALOG, stack=stack)
        if constants.fused_attention:  # the stacks of 2021 keep the scores of attention as well
            found = training_memory(model, ONE, run, H100, constants)
            assert 26.5e9 < found.total_bytes < 35e9, stack


# Qwen3-30B-A3B, counted from its published configuration: 1,541,093,376 parameters on every rank and
# 28,991,029,248 of experts, 128 of them in 48 layers.
QWEN3_30B = ModelShape(
    2048.0,
    48.0,
    32.0,
    4.0,
    128.0,
    6144.0,
    151936.0,
    num_experts=128.0,
    num_experts_per_tok=8.0,
    moe_intermediate_size=768.0,
)


def test_expert_weights_of_a_rank_are_the_published_count() -> None:
    layout = replace(ONE, expert_parallel=8.0, sharding_code=ZERO1)
    found = training_memory(QWEN3_30B, layout, TrainingRun(4096.0, 4096.0 * 64, 0.0, 8.0), H100)
    # Norms of queries and keys, 48 * 2 * 128 parameters, are not among the sizes.
    assert found.weights == (1_541_093_376 - 48 * 2 * 128 + 28_991_029_248 / 8) * 2


# NVIDIA-NeMo/Megatron-Bridge, performance guides: 66.8 GB with expert parallel 16 on 16 H100, micro-batch 1.
def test_peak_of_a_published_expert_run() -> None:
    layout = replace(ONE, expert_parallel=16.0, sharding_code=ZERO1)
    found = training_memory(QWEN3_30B, layout, TrainingRun(4096.0, 4096.0 * 1024, 0.0, 16.0), H100)
    assert found.total_bytes / GIB == pytest.approx(66.8, rel=0.1)


# pytorch/torchtitan, llama3_h100_202412, tables 1 to 4: peak GiB of Llama 3 in fully sharded training:
# (8B or 70B, GPUs, tensor parallel, context parallel, micro-batch, tokens, recomputation, peak).
@pytest.mark.parametrize(
    ("large", "count", "tensor", "context", "micro", "sequence", "mode", "peak"),
    [
        (False, 8.0, 1.0, 1.0, 2.0, 8192.0, SELECTIVE, 77.0),
        (False, 128.0, 1.0, 1.0, 2.0, 8192.0, SELECTIVE, 62.0),
        (False, 8.0, 1.0, 1.0, 1.0, 32768.0, FULL, 83.9),
        (False, 8.0, 1.0, 4.0, 1.0, 131072.0, FULL, 84.0),
        (True, 256.0, 8.0, 1.0, 16.0, 8192.0, FULL, 67.6),
    ],
)
def test_peaks_of_fully_sharded_training(
    large: bool,
    count: float,
    tensor: float,
    context: float,
    micro: float,
    sequence: float,
    mode: float,
    peak: float,
) -> None:
    layout = LayoutInputs(tensor, 1.0, context, 1.0, 1.0, micro, ZERO3, mode)
    run = TrainingRun(sequence, sequence * micro * count / tensor / context, 0.0, count)
    found = training_memory(LLAMA_70B if large else LLAMA_8B, layout, run, H100, SHARDED)
    assert found.total_bytes / GIB == pytest.approx(peak, rel=0.12)


def test_parts_of_a_sharded_state() -> None:
    # 16 bytes a parameter: 2 + 2 + 12, of which each stage leaves its part to the 8 ranks.
    run = TrainingRun(8192.0, 8192.0 * 8, 0.0, 8.0)
    count = 8_030_261_248.0
    for code, gradients, optimizer in ((ZERO0, 1, 1), (ZERO1, 1, 8), (ZERO2, 8, 8), (ZERO3, 8, 8)):
        found = training_memory(LLAMA_8B, replace(ONE, sharding_code=code), run, H100, CURRENT)
        assert found.gradients == pytest.approx(2 * count / gradients)
        assert found.optimizer == pytest.approx(12 * count / optimizer)
        # Two layers of 218,112,000 parameters and both embeddings are gathered.
        gathered = 2 * 218_112_000 + 2 * 128256 * 4096
        assert found.weights == pytest.approx(2 * (gathered if code == ZERO3 else count))


def test_hybrid_sharding_keeps_a_state_on_every_node() -> None:
    run = TrainingRun(8192.0, 8192.0 * 64, 0.0, 64.0)
    layout = replace(ONE, sharding_code=ZERO3)
    whole, node, larger = (
        training_memory(LLAMA_8B, replace(layout, shard_group=size), run, H100) for size in (0.0, 8.0, 512.0)
    )
    assert node.optimizer == pytest.approx(8 * whole.optimizer)
    assert node.activations == whole.activations and larger.optimizer == whole.optimizer


def test_latent_attention_keeps_its_latents_and_expanded_heads() -> None:
    # DeepSeek-V3: 128 heads of 192 (query, key) and 128 (value, output), latents of 1536 and 512, rope of 64;
    # 16 bits throughout, latents before and after their norm.
    heads = 128 * (2 * 192 + 2 * 128)
    by_hand = 2 * (4 * 7168 + heads + 2 * (1536 + 512) + 64 + 3 * 18432)
    model = ModelShape(
        7168.0,
        61.0,
        128.0,
        128.0,
        56.0,
        18432.0,
        129280.0,
        q_lora_rank=1536.0,
        kv_lora_rank=512.0,
        qk_nope_head_dim=128.0,
        qk_rope_head_dim=64.0,
        v_head_dim=128.0,
    )
    kept, live = activation_bytes_per_token(model, ONE, 4096.0, CURRENT)
    assert kept == by_hand and live == 0


@pytest.mark.parametrize(("precision", "input_bytes"), [("fp8", 1.0), ("mxfp8", 1.03125), ("nvfp4", 0.5625)])
def test_narrow_products_keep_narrow_inputs(precision: str, input_bytes: float) -> None:
    narrow = resolve_memory_constants(CATALOG, precision=precision)
    wide, _ = activation_bytes_per_token(LLAMA_70B, ONE, 8192.0, CURRENT)
    found, _ = activation_bytes_per_token(LLAMA_70B, ONE, 8192.0, narrow)
    # Two inputs of h and the MLP's of f shrink; the attention output is kept a second time.
    saved = (2.0 - input_bytes) * (2 * 8192 + 28672) - input_bytes * 64 * 128
    assert wide - found == pytest.approx(saved)
    # PyTorch casts on the fly and keeps 16 bits.
    assert resolve_memory_constants(CATALOG, stack="fsdp", precision=precision) == SHARDED


def test_gathered_inputs_stay_whole_on_every_tensor_rank() -> None:
    layout = replace(ONE, tensor_parallel=8.0)
    split, _ = activation_bytes_per_token(LLAMA_70B, layout, 8192.0, replace(SHARDED, inputs_gathered=0.0))
    whole, _ = activation_bytes_per_token(LLAMA_70B, layout, 8192.0, SHARDED)
    assert whole - split == 4 * 8192 * 7 / 8


@given(st.floats(1.0, 3.0), st.floats(1.0, 3.0))
def test_a_busier_expert_rank_needs_more(one: float, other: float) -> None:
    low, high = sorted((one, other))
    layout = replace(ONE, expert_parallel=8.0, sharding_code=ZERO1)
    run = TrainingRun(4096.0, 4096.0 * 64, 0.0, 8.0)
    totals = [
        training_memory(QWEN3_30B, layout, run, H100, replace(CURRENT, expert_imbalance=x)).total_bytes
        for x in (low, high)
    ]
    assert totals[0] <= totals[1]


@given(st.floats(40e9, 300e9), st.floats(1.0, 4.0))
def test_more_memory_never_removes_a_feasible_layout(size: float, factor: float) -> None:
    tensor = np.array([1.0, 2.0, 4.0, 8.0])[:, None, None]
    modes = np.array([NONE, SELECTIVE, FULL])[:, None]
    layout = LayoutInputs(tensor, 4.0, 2.0, 1.0, 5.0, 1.0, np.array([ZERO1, ZERO3]), modes)
    codes = []
    for memory in (size, size * factor):
        part = replace(H100, memory_bytes=memory)
        total = training_memory(LLAMA_70B, layout, RUN_70B, part).total_bytes
        codes.append(layout_feasibility(LLAMA_70B, part, layout, RUN_70B, total, 0.92) == FEASIBLE)
    assert np.all(codes[1] | ~codes[0])


def test_experts_are_spread_over_expert_parallel_ranks() -> None:
    model = replace(LLAMA_8B, num_experts=64.0, num_experts_per_tok=8.0, moe_intermediate_size=1024.0)
    run = TrainingRun(4096.0, 4096.0 * 1024, 0.0, 64.0)
    sizes = np.array([1.0, 2.0, 8.0, 64.0])
    found = training_memory(model, replace(ONE, expert_parallel=sizes, sharding_code=ZERO1), run, H100)
    assert np.all(np.diff(found.weights) < 0)
    # All replicas together hold one optimizer state, however the experts are spread.
    assert np.allclose(found.optimizer, np.asarray(found.optimizer)[0], rtol=1e-12)


def test_rows_equal_scalars() -> None:
    tensor = np.array([1.0, 2.0, 4.0, 8.0])
    modes = np.array([[NONE], [FULL]])
    layout = replace(LAYOUT_70B, tensor_parallel=tensor, recompute_code=modes)
    rows = np.asarray(training_memory(LLAMA_70B, layout, RUN_70B, H100).total_bytes)
    assert rows.shape == (2, 4)
    for i, mode in enumerate(modes[:, 0]):
        for j, size in enumerate(tensor):
            one = replace(LAYOUT_70B, tensor_parallel=float(size), recompute_code=float(mode))
            assert rows[i, j] == training_memory(LLAMA_70B, one, RUN_70B, H100).total_bytes

"""The memory model against published closed forms and peaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import load_catalog
from engine.performance.feasibility import FEASIBLE, MEMORY, layout_feasibility
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.memory import TrainingMemory, data_parallel_size, training_memory
from engine.performance.training_constants import resolve_memory_constants

GIB = 2.0**30
NONE, SELECTIVE, FULL = 0.0, 1.0, 2.0
ZERO0, ZERO1, ZERO3 = 0.0, 1.0, 2.0
CATALOG = load_catalog()
UNFUSED = resolve_memory_constants(CATALOG, stack="megatron_2021")
BIGSCIENCE = resolve_memory_constants(CATALOG, stack="megatron_deepspeed")
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
    assert found.total_bytes / GIB == pytest.approx(peak, rel=0.2)


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
    sharding_code=st.sampled_from([ZERO0, ZERO1, ZERO3]),
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
        for code in (ZERO0, ZERO1, ZERO3)
    ]
    assert totals[0] >= totals[1] >= totals[2]


@given(LAYOUTS)
def test_more_tensor_parallelism_never_costs_memory(layout: LayoutInputs) -> None:
    one, two = (replace(layout, tensor_parallel=size) for size in (2.0, 4.0))
    # At equal data parallelism.
    twice = replace(RUN, accelerator_count=2048.0)
    assert data_parallel_size(one, RUN) == data_parallel_size(two, twice)
    larger = training_memory(LLAMA_70B, one, RUN, H100).total_bytes
    assert training_memory(LLAMA_70B, two, twice, H100).total_bytes < larger


def test_adapters_keep_no_states_of_the_network() -> None:
    frozen = training_memory(LLAMA_70B, LAYOUT_70B, replace(RUN_70B, weights_frozen=1.0), H100)
    assert frozen.gradients == 0 and frozen.optimizer == 0
    assert frozen.weights == training_memory(LLAMA_70B, LAYOUT_70B, RUN_70B, H100).weights


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

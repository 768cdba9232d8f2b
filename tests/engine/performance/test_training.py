"""Step time against published runs, hand calculations and physics."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalog import load_catalog
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.memory import training_memory
from engine.performance.training import TrainingStep, training_step
from engine.performance.training_constants import resolve_training_constants

CATALOG = load_catalog()
BF16 = resolve_training_constants(CATALOG, "Hopper", "bf16", power_w=700.0)
FP8 = resolve_training_constants(CATALOG, "Hopper", "fp8", power_w=700.0)
H100 = Hardware(989.4e12, 989.4e12, 79.65 * 2**30, 3.35e12, 450e9, 8.0, 50e9, 8.0)
H100_FP8 = replace(H100, peak_flops=1978.9e12)
LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
MIXTRAL = ModelShape(
    4096.0,
    32.0,
    32.0,
    8.0,
    128.0,
    14336.0,
    32000.0,
    num_experts=8.0,
    num_experts_per_tok=2.0,
    moe_intermediate_size=14336.0,
)
LAYOUT = LayoutInputs(4.0, 4.0, 2.0, 1.0, 5.0, 1.0, 1.0, 0.0)
RUN = TrainingRun(8192.0, 128 * 8192.0, 0.0, 64.0)
PARTS = [field.name for field in fields(TrainingStep) if field.name.endswith("_s")]
PARTS.remove("step_time_s")
PARTS.remove("lower_bound_s")


# NVIDIA/dgxc-benchmarking v25.04.02 llama3.1/README.md: Llama 3.1 70B, bf16, H100, 8,192 tokens, tensor 4,
# pipeline 4 (5 chunks), context 2, micro-batch 1; GPUs, global batch in sequences, tokens/s/GPU.
@pytest.mark.parametrize(
    ("count", "sequences", "measured"),
    [
        (64.0, 128.0, 1117.599),
        (128.0, 256.0, 1116.837),
        (256.0, 512.0, 1116.076),
        (512.0, 1024.0, 1116.837),
        (1024.0, 2048.0, 1118.362),
        (2048.0, 4096.0, 1117.599),
    ],
)
def test_published_llama_70b_runs(count: float, sequences: float, measured: float) -> None:
    run = TrainingRun(8192.0, sequences * 8192.0, 0.0, count)
    step = training_step(LLAMA_70B, H100, LAYOUT, run, BF16)
    assert step.tokens_per_s_per_gpu == pytest.approx(measured, rel=0.15)


def test_direction_of_tensor_parallel_as_published() -> None:
    # NVIDIA-NeMo/Megatron-Bridge, memory-tuning guide: fine-tuning of Llama 3 70B in fp8 on 32 H100, 4,096
    # tokens, 32 sequences a step: tensor 4 x pipeline 4 gives 1,625 and tensor 8 x pipeline 4 gives 1,175.
    run = TrainingRun(4096.0, 32 * 4096.0, 2.0, 32.0)
    layout = LayoutInputs(np.array([4.0, 8.0]), 4.0, 1.0, 1.0, 5.0, 1.0, 1.0, 0.0)
    four, eight = training_step(LLAMA_70B, H100_FP8, layout, run, FP8).tokens_per_s_per_gpu  # type: ignore[misc]
    assert eight < four
    assert four == pytest.approx(1625, rel=0.25)
    assert eight == pytest.approx(1175, rel=0.25)


def test_full_recomputation_is_slower_and_smaller() -> None:
    layout = replace(LAYOUT, recompute_code=np.array([0.0, 2.0]))
    none, full = training_step(LLAMA_70B, H100, layout, RUN, BF16).step_time_s  # type: ignore[misc]
    assert 1.25 < full / none < 1.34
    kept, recomputed = training_memory(LLAMA_70B, layout, RUN, H100).total_bytes  # type: ignore[misc]
    assert recomputed < kept


def test_longer_sequences_lower_throughput_at_equal_tokens() -> None:
    run = replace(RUN, sequence_length=np.array([4096.0, 8192.0, 16384.0, 32768.0]))
    speed = training_step(LLAMA_70B, H100, LAYOUT, run, BF16).tokens_per_s_per_gpu
    assert np.all(np.diff(speed) < 0)


def test_mfu_is_flops_over_time_and_peak_by_hand() -> None:
    step = training_step(LLAMA_70B, H100, LAYOUT, RUN, BF16)
    layer = 8192 * 8192 * 2 + 8192 * 1024 * 2 + 3 * 8192 * 28672
    flops_per_token = 6 * 80 * layer + 6 * 80 * 8192 * 8192 + 6 * 8192 * 128256
    achieved = flops_per_token * 128 * 8192 / step.step_time_s / 64
    assert step.mfu == pytest.approx(achieved / 989.4e12, rel=1e-12)
    # NVIDIA reports about half of peak for this run.
    assert 0.45 < step.mfu < 0.58


def test_mfu_varies_with_layout() -> None:
    layout = replace(LAYOUT, tensor_parallel=np.array([1.0, 2.0, 4.0, 8.0]))
    mfu = np.asarray(training_step(LLAMA_70B, H100, layout, replace(RUN, accelerator_count=512.0), BF16).mfu)
    assert len(np.unique(mfu.round(4))) == 4
    recomputed = training_step(LLAMA_70B, H100, replace(LAYOUT, recompute_code=2.0), RUN, BF16)
    # Recomputed FLOPs are no model FLOPs.
    assert recomputed.mfu < training_step(LLAMA_70B, H100, LAYOUT, RUN, BF16).mfu


def test_fp8_is_faster_but_not_twice() -> None:
    bf16 = training_step(LLAMA_70B, H100, LAYOUT, RUN, BF16).step_time_s
    fp8 = training_step(LLAMA_70B, H100_FP8, LAYOUT, RUN, FP8).step_time_s
    assert 1.1 < bf16 / fp8 < 1.8


LAYOUTS = st.builds(
    LayoutInputs,
    tensor_parallel=st.sampled_from([1.0, 2.0, 4.0, 8.0, 16.0]),
    pipeline_parallel=st.sampled_from([1.0, 2.0, 4.0, 7.0, 16.0]),
    context_parallel=st.sampled_from([1.0, 2.0, 4.0]),
    expert_parallel=st.sampled_from([1.0, 2.0, 8.0]),
    virtual_pipeline=st.sampled_from([1.0, 2.0, 5.0]),
    micro_batch=st.sampled_from([1.0, 2.0, 4.0]),
    sharding_code=st.sampled_from([0.0, 1.0, 2.0]),
    recompute_code=st.sampled_from([0.0, 1.0, 2.0]),
)
RUNS = st.builds(
    TrainingRun,
    sequence_length=st.sampled_from([2048.0, 8192.0, 32768.0]),
    global_batch_tokens=st.sampled_from([2.0**22, 2.0**24]),
    precision_code=st.just(0.0),
    accelerator_count=st.sampled_from([64.0, 512.0, 4096.0]),
)
MODELS = st.sampled_from([LLAMA_70B, MIXTRAL])


@settings(max_examples=60)
@given(MODELS, LAYOUTS, RUNS, st.floats(1.0, 4.0))
def test_faster_hardware_is_never_slower(
    model: ModelShape, layout: LayoutInputs, run: TrainingRun, factor: float
) -> None:
    before = training_step(model, H100, layout, run, BF16).step_time_s
    peaks = replace(H100, peak_flops=989.4e12 * factor, peak_bf16_flops=989.4e12 * factor)
    better = [
        replace(H100, memory_bandwidth_bytes_per_s=3.35e12 * factor),
        replace(H100, scale_up_bandwidth_bytes_per_s=450e9 * factor),
        replace(H100, nic_bandwidth_bytes_per_s=50e9 * factor),
        replace(H100, scale_up_domain=72.0),
        peaks,
    ]
    for hardware in better:
        assert training_step(model, hardware, layout, run, BF16).step_time_s <= before * (1 + 1e-12)


@settings(max_examples=60)
@given(MODELS, LAYOUTS, RUNS)
def test_parts_add_up_above_the_lower_bound(
    model: ModelShape, layout: LayoutInputs, run: TrainingRun
) -> None:
    step = training_step(model, H100, layout, run, BF16)
    parts = [float(getattr(step, name)) for name in PARTS]
    assert min(parts) >= 0
    assert step.step_time_s == pytest.approx(sum(parts), rel=1e-12)
    assert step.lower_bound_s < step.step_time_s
    assert 0 < step.mfu < 1


@settings(max_examples=30)
@given(MODELS, LAYOUTS, RUNS)
def test_time_is_proportional_to_tokens_beyond_the_fixed_costs(
    model: ModelShape, layout: LayoutInputs, run: TrainingRun
) -> None:
    times = [
        float(
            training_step(
                model, H100, layout, replace(run, global_batch_tokens=run.global_batch_tokens * n), BF16
            ).step_time_s
        )
        for n in (1, 2, 3)
    ]
    assert times[1] - times[0] == pytest.approx(times[2] - times[1], rel=1e-9)
    assert times[1] > times[0] > 0


def test_an_uneven_pipeline_is_slower_than_its_share() -> None:
    # Seven stages of 80 layers: the fullest has 12, not 80/7; eight stages have 10 each.
    even = training_step(LLAMA_70B, H100, replace(LAYOUT, pipeline_parallel=8.0), RUN, BF16)
    uneven = training_step(LLAMA_70B, H100, replace(LAYOUT, pipeline_parallel=7.0), RUN, BF16)
    ratio = (uneven.attention_s / uneven.microbatches) / (even.attention_s / even.microbatches)
    assert ratio == pytest.approx(1.2, rel=1e-12)


def test_bubble_is_the_published_share_of_the_pipeline() -> None:
    # arXiv 2104.04473 section 2.2: bubble over ideal time = (p - 1) / (v * m), no straggler, no exchange.
    step = training_step(LLAMA_70B, H100, LAYOUT, RUN, BF16)
    ideal = step.step_time_s - step.pipeline_bubble_s - step.straggler_s - step.optimizer_s - step.data_comm_s
    assert step.microbatches == 64
    assert step.pipeline_bubble_s / ideal == pytest.approx(3 / (5 * 64), rel=1e-9)


def test_zero3_pays_for_its_gathers_by_micro_batch() -> None:
    layout = LayoutInputs(1.0, 1.0, 1.0, 1.0, 1.0, np.array([1.0, 4.0]), 2.0, 2.0)
    run = TrainingRun(4096.0, 4096.0 * 1024, 0.0, 64.0)
    small, large = training_step(LLAMA_70B, H100, layout, run, BF16).data_comm_s  # type: ignore[misc]
    assert small > 2 * large


def test_adapters_are_faster_than_full_training() -> None:
    full = training_step(LLAMA_70B, H100, LAYOUT, RUN, BF16)
    adapters = training_step(LLAMA_70B, H100, LAYOUT, replace(RUN, weights_frozen=1.0), BF16)
    assert adapters.step_time_s < full.step_time_s
    assert adapters.data_comm_s == 0 and adapters.optimizer_s == 0


def test_dense_networks_know_no_expert_traffic() -> None:
    assert training_step(LLAMA_70B, H100, LAYOUT, RUN, BF16).expert_comm_s == 0
    layout = LayoutInputs(1.0, 1.0, 1.0, 8.0, 1.0, 1.0, 1.0, 0.0)
    assert training_step(MIXTRAL, H100, layout, RUN, BF16).expert_comm_s > 0


def test_rows_equal_scalars() -> None:
    tensor, micro = np.array([1.0, 4.0, 8.0]), np.array([[1.0], [2.0]])
    rows = np.asarray(
        training_step(
            LLAMA_70B, H100, replace(LAYOUT, tensor_parallel=tensor, micro_batch=micro), RUN, BF16
        ).step_time_s
    )
    assert rows.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        one = replace(LAYOUT, tensor_parallel=float(tensor[j]), micro_batch=float(micro[i, 0]))
        alone = training_step(LLAMA_70B, H100, one, RUN, BF16).step_time_s
        assert rows[i, j] == pytest.approx(alone, rel=1e-14)

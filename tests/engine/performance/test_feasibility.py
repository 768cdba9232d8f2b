"""Reason codes of layouts that cannot run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.performance.feasibility import (
    BATCH,
    CLUSTER,
    EXPERTS,
    FEASIBLE,
    HEADS,
    LAYERS,
    MEMORY,
    REASONS,
    SCHEDULE,
    SEQUENCE,
    layout_feasibility,
)
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun

H100 = Hardware(989.4e12, 989.4e12, 79.65 * 2**30, 3.35e12, 450e9, 8.0, 50e9, 8.0)
LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
LAYOUT = LayoutInputs(4.0, 4.0, 2.0, 1.0, 5.0, 1.0, 1.0, 0.0)
RUN = TrainingRun(8192.0, 128 * 8192.0, 0.0, 64.0)
FITS = 60e9


def _code(layout: LayoutInputs = LAYOUT, run: TrainingRun = RUN, model: ModelShape = LLAMA_70B) -> Any:
    return layout_feasibility(model, H100, layout, run, FITS, 1.0)


def test_the_published_layout_can_run() -> None:
    assert _code() == FEASIBLE
    assert len(REASONS) == MEMORY + 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tensor_parallel": 3.0}, CLUSTER),
        ({"pipeline_parallel": 128.0}, CLUSTER),
        ({"tensor_parallel": 32.0, "pipeline_parallel": 1.0, "virtual_pipeline": 1.0}, FEASIBLE),
        ({"pipeline_parallel": 4.0, "virtual_pipeline": 21.0}, LAYERS),
        ({"pipeline_parallel": 1.0}, SCHEDULE),
        ({"micro_batch": 3.0}, BATCH),
        ({"micro_batch": 256.0, "virtual_pipeline": 1.0}, BATCH),
        ({"expert_parallel": 2.0}, EXPERTS),
    ],
)
def test_each_rule_has_its_code(change: dict[str, float], reason: int) -> None:
    layout = replace(LAYOUT, **change)
    if reason == BATCH:
        layout = replace(layout, virtual_pipeline=1.0)
    assert _code(layout) == reason


def test_heads_must_split() -> None:
    odd = replace(LLAMA_70B, num_attention_heads=66.0, num_key_value_heads=66.0)
    assert _code(model=odd) == HEADS
    # Fewer key-value heads than ranks are copied, which is allowed.
    assert _code(model=replace(LLAMA_70B, num_key_value_heads=2.0)) == FEASIBLE
    assert _code(model=replace(LLAMA_70B, num_key_value_heads=6.0)) == HEADS


def test_sequences_split_in_two_pieces_a_rank() -> None:
    odd = TrainingRun(8190.0, 128 * 8190.0, 0.0, 64.0)
    assert _code(run=odd) == SEQUENCE


def test_uneven_pipelines_may_leave_three_slots() -> None:
    layout = replace(LAYOUT, virtual_pipeline=1.0)
    layers = replace(LLAMA_70B, num_hidden_layers=np.array([77.0, 78.0, 79.0, 80.0, 81.0, 82.0]))
    expected = [FEASIBLE, FEASIBLE, FEASIBLE, FEASIBLE, FEASIBLE, FEASIBLE]
    assert list(_code(layout, model=layers)) == expected
    eight = replace(layout, pipeline_parallel=8.0)
    assert list(_code(eight, model=layers)) == [FEASIBLE] * 4 + [LAYERS, LAYERS]


def test_memory_share_scales_the_limit() -> None:
    totals = np.array([60e9, 80e9, 86e9])
    full = layout_feasibility(LLAMA_70B, H100, LAYOUT, RUN, totals, 1.0)
    most = layout_feasibility(LLAMA_70B, H100, LAYOUT, RUN, totals, 0.9)
    assert list(full) == [FEASIBLE, FEASIBLE, MEMORY]
    assert list(most) == [FEASIBLE, MEMORY, MEMORY]


def test_unknown_sizes_are_never_feasible() -> None:
    nan = float("nan")
    assert layout_feasibility(LLAMA_70B, H100, LAYOUT, RUN, nan, 1.0) == MEMORY
    sizes = ("tensor_parallel", "pipeline_parallel", "context_parallel", "virtual_pipeline", "micro_batch")
    for name in sizes:
        assert _code(replace(LAYOUT, **{name: nan})) != FEASIBLE


def test_experts_split_over_experts_and_ranks() -> None:
    mixture = replace(
        LLAMA_70B, num_experts=8.0, num_experts_per_tok=2.0, moe_intermediate_size=28672.0
    )
    sizes = np.array([1.0, 2.0, 3.0, 4.0, 8.0, 16.0])
    # Two replicas by two context ranks: four ranks.
    codes = _code(replace(LAYOUT, expert_parallel=sizes), model=mixture)
    assert list(codes) == [FEASIBLE, FEASIBLE, EXPERTS, FEASIBLE, EXPERTS, EXPERTS]

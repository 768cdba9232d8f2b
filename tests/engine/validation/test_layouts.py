"""Layouts of rows, with blanks filled as documented."""

from __future__ import annotations

import pytest

from engine.performance.inputs import LayoutInputs, TrainingRun
from engine.validation.layouts import read_layout, recompute_mode
from engine.validation.shapes import read_shape
from engine.validation.tables import DataRow
from tests.engine.validation.tables import LLAMA_8B


def layout(stack: str = "megatron", **cells: str) -> tuple[LayoutInputs, TrainingRun]:
    row = DataRow("x", LLAMA_8B | cells)
    return read_layout(row, read_shape(row), stack)


def test_blanks() -> None:
    found, run = layout(micro_batch="", global_batch_seqs="")
    assert (found.tensor_parallel, found.sharding_code, found.recompute_code) == (1, 1, 0)
    assert found.micro_batch == 1 and run.global_batch_tokens == 64 * 16 * 8192
    assert layout(stack="fsdp")[0].sharding_code == 2
    assert layout(stack="fsdp", micro_batch="")[0].micro_batch == 8
    assert layout(n_gpus="")[1].accelerator_count == 8


def test_virtual_stages() -> None:
    assert layout(pp="4")[0].virtual_pipeline == 4  # eight layers a stage: the largest divisor up to five
    assert layout(pp="4", vpp="2")[0].virtual_pipeline == 2
    assert layout(pp="1", vpp="5")[0].virtual_pipeline == 1
    assert layout(stack="fsdp", pp="4")[0].virtual_pipeline == 1


def test_the_stated_data_parallel_size_is_not_read() -> None:
    assert layout(dp="3") == layout(dp="")


def test_sizes_above_the_cluster_count_as_it() -> None:
    _, run = layout(tp="8", pp="8", cp="2")
    assert run.accelerator_count == 128
    assert layout(global_batch_seqs="32")[0].micro_batch == 0.5


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("", "none"),
        ("-", "none"),
        ("none (TP only)", "none"),
        ("Full", "full"),
        ("selective", "selective"),
        ("mlp+core_attn", "selective"),
        ("seq-parallel + selective", "selective"),
    ],
)
def test_recomputation(text: str, mode: str) -> None:
    assert recompute_mode(text) == mode

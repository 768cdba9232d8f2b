"""Networks of serving rows: totals tell what no column says."""

from __future__ import annotations

import csv
import io

import pytest

from engine.performance.flops import count_parameters
from engine.validation.serving_shapes import NETWORKS, known_networks, read_serving_shape, stack_shapes
from engine.validation.tables import DataRow, shipped_text


def named(model: str) -> DataRow:
    return DataRow("a", {"model": model})


TABLE = [row["model"] for row in csv.DictReader(io.StringIO(shipped_text(NETWORKS)))]


@pytest.mark.parametrize("name", [cells["model"] for cells in known_networks().values()])
def test_counts_come_near_the_published_total(name: str) -> None:
    published = float(next(c for c in known_networks().values() if c["model"] == name)["params_total_B"])
    assert float(count_parameters(read_serving_shape(named(name))).total) / 1e9 == pytest.approx(
        published, rel=0.01 if name in TABLE else 0.1
    )


def test_presets_that_columns_cannot_tell_are_not_guessed() -> None:
    names = {cells["model"] for cells in known_networks().values()}
    assert {"Kimi-K2", "GLM-5", "MiniMax-M2.5", "Llama-3.1-405B"} <= names
    assert names.isdisjoint({"Mamba-2.8B", "Flan-T5-XL", "Nemotron-Nano-9B-v2"})


@pytest.mark.parametrize(
    ("name", "gated", "dense_layers"),
    [  # as their configurations on Hugging Face have it
        ("Llama-3.3-70B", 1.0, 0.0),
        ("GPT-J-6B", 0.0, 0.0),
        ("Falcon-180B", 0.0, 0.0),
        ("DeepSeek-R1", 1.0, 3.0),
        ("Llama-4-Maverick", 1.0, 24.0),
        ("Llama-4-Scout", 1.0, 0.0),
    ],
)
def test_totals_tell_gates_and_layers_without_experts(name: str, gated: float, dense_layers: float) -> None:
    shape = read_serving_shape(named(name))
    assert (shape.gated_mlp, shape.first_k_dense_replace) == (gated, dense_layers)


def test_families_whose_layers_differ() -> None:
    windowed, hybrid = (read_serving_shape(named(name)) for name in ("gpt-oss-120b", "Qwen3.5-397B-A17B"))
    assert [(kind.layers, kind.window) for kind in windowed.attention_kinds] == [(18.0, 0.0), (18.0, 128.0)]
    assert hybrid.recurrent_layers == 45.0
    assert hybrid.state_bytes == 45 * 64 * 128 * 128 * 4


def test_columns_go_before_the_name() -> None:
    row = DataRow("a", {"model": "Llama-3.3-70B", "n_layers": "40", "hidden": "4096", "n_heads": "32"})
    assert read_serving_shape(row).num_hidden_layers == 40.0


def test_a_stack_holds_each_row() -> None:
    shapes = [read_serving_shape(named(name)) for name in ("Llama-3.3-70B", "gpt-oss-120b")]
    stacked = stack_shapes(shapes)
    assert count_parameters(stacked).total == pytest.approx([count_parameters(s).total for s in shapes])
    assert [float(kind.layers[1]) for kind in stacked.attention_kinds] == [18.0, 18.0]  # type: ignore[index]

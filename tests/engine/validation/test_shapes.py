"""Networks of rows, with blanks filled as documented."""

from __future__ import annotations

import pytest

from engine.performance.flops import count_parameters
from engine.validation.shapes import read_shape, shape_of_parameters
from engine.validation.tables import DataRow, RowProblem
from tests.engine.validation.tables import LLAMA_8B, rows_of


def test_blanks_of_a_shape() -> None:
    shape = read_shape(DataRow("x", {"n_layers": "24", "hidden": "2048"}))
    assert (shape.num_attention_heads, shape.num_key_value_heads, shape.head_dim) == (16, 16, 128)
    assert shape.intermediate_size == 4 * 2048 and shape.num_experts == 0


def test_published_parameters_come_out_of_published_shapes() -> None:
    # Within what tied embeddings, biases and learned positions explain.
    rows = [row for row in rows_of("runs_dev") if row["hidden"] and "proxies" not in row["note"]]
    off = [
        row["model_name"]
        for row in rows
        if abs(count_parameters(read_shape(DataRow("x", row))).total / float(row["params_total_B"]) / 1e9 - 1)
        > 0.1
    ]
    assert len(off) < 0.3 * len(rows)
    assert read_shape(DataRow("x", LLAMA_8B)).head_dim == 128


def test_latent_attention_goes_by_name() -> None:
    cells = LLAMA_8B | {"model_name": "DeepSeek-V3"}
    assert read_shape(DataRow("x", cells)).kv_lora_rank == 512
    assert read_shape(DataRow("x", LLAMA_8B)).kv_lora_rank == 0


@pytest.mark.parametrize(("total", "active"), [(0.135, 0.135), (8.0, 8.0), (405.0, 405.0), (671.0, 37.0)])
def test_a_shape_made_of_parameters_has_them(total: float, active: float) -> None:
    counts = count_parameters(shape_of_parameters(total, active))
    layers = counts.active - counts.embedding - counts.output_head
    assert 0.7 < layers / active / 1e9 < 1.6
    if total > active:
        assert 0.7 < counts.total / total / 1e9 < 1.3


def test_parameters_may_stand_in_the_name() -> None:
    shape = read_shape(DataRow("x", {"model_name": "Nemotron-3-30B-A3B"}))
    assert shape.num_experts > 0
    with pytest.raises(RowProblem):
        read_shape(DataRow("x", {"model_name": "DeepSeek-V4-Flash"}))
    with pytest.raises(RowProblem):
        read_shape(DataRow("x", {"params_total_B": "1e300"}))

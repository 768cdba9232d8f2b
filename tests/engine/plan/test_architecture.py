"""Shapes that cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import LLAMA_8B, training_plan

from engine.errors import FlopwiseError
from engine.plan.architecture import Architecture


def test_empty_fields_are_filled() -> None:
    shape = Architecture(**{**LLAMA_8B, "num_key_value_heads": None})
    assert (shape.key_value_heads, shape.head_size) == (32, 128)
    assert Architecture(**{**LLAMA_8B, "head_dim": 64}).head_size == 64


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"num_key_value_heads": 5}, "num_key_value_heads"),
        ({"num_key_value_heads": 64}, "num_key_value_heads"),
        ({"num_experts": 8}, "num_experts_per_tok"),
        ({"num_experts": 8, "num_experts_per_tok": 9}, "num_experts_per_tok"),
        ({"num_experts_per_tok": 2}, "num_experts_per_tok"),
        ({"first_k_dense_replace": 33}, "first_k_dense_replace"),
    ],
)
def test_contradictions_are_refused_by_name(fields: dict[str, Any], word: str) -> None:
    with pytest.raises(FlopwiseError, match=word):
        training_plan({"architecture": {**LLAMA_8B, **fields}})

"""Layouts that cannot exist are refused by the field that would mend them."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.errors import InputError
from engine.estimation import estimate

FLAT: dict[str, Any] = {
    f"layout.{name}": 1
    for name in ("tensor_parallel", "pipeline_parallel", "context_parallel", "virtual_pipeline")
}


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"cluster.accelerator_count": 100}, "cluster.accelerator_count"),
        ({"layout.pipeline_parallel": 7, "cluster.accelerator_count": 56}, "layout.pipeline_parallel"),
        ({"layout.virtual_pipeline": 7}, "layout.pipeline_parallel"),
        ({"training.global_batch_tokens": 8192.0 * 7}, "layout.virtual_pipeline"),
        (
            {"training.global_batch_tokens": 8192.0 * 7, "layout.virtual_pipeline": 1},
            "training.global_batch_tokens",
        ),
        ({**FLAT, "layout.tensor_parallel": 16, "layout.expert_parallel": 4}, "layout.expert_parallel"),
        (
            {**FLAT, "layout.context_parallel": 32, "training.sequence_length": 16},
            "layout.context_parallel",
        ),
    ],
)
def test_the_field_is_named(catalog: Catalog, patch: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        estimate(training_plan(patch), catalog, draws=0)
    assert caught.value.field == field
    assert "auto" in str(caught.value)


def test_what_only_overflows_is_priced(catalog: Catalog) -> None:
    found = estimate(training_plan({"layout.micro_batch": 4}), catalog, draws=0)
    assert not found.feasible and found.total > 0

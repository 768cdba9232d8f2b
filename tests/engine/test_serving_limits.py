"""Services that no fleet can give: the message names the field and what would be needed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from plan_cases import serving_plan

from engine.catalog import load_catalog
from engine.errors import InputError
from engine.estimation import estimate
from engine.plan import apply_patch

CATALOG = load_catalog()


def refused(changes: dict[str, Any]) -> InputError:
    with pytest.raises(InputError) as caught:
        estimate(serving_plan(changes), CATALOG, draws=0)
    return caught.value


def number_after(text: str, words: str) -> float:
    found = re.search(rf"{words} ([\d.]+)", text)
    assert found is not None, text
    return float(found[1])


@pytest.mark.parametrize("name", ["ttft", "tpot"])
def test_a_target_below_physics_says_what_is_reached(name: str) -> None:
    field = f"serving.{name}_slo_ms"
    error = refused({field: 0.01, "layout.tensor_parallel": 4})
    assert error.field == field
    reached = number_after(error.message.render(), "at least")
    plan = serving_plan({field: reached * 1.01, "layout.tensor_parallel": 4})
    assert estimate(plan, CATALOG, draws=0).feasible
    refused({field: reached * 0.99, "layout.tensor_parallel": 4})


def test_a_faster_split_is_named() -> None:
    text = refused({"serving.tpot_slo_ms": 0.01, "layout.tensor_parallel": 1}).message.render()
    assert number_after(text, "or") < number_after(text, "at least")


def test_weights_that_do_not_fit_name_the_memory_and_the_way_out() -> None:
    large = {"architecture.num_hidden_layers": 80, "architecture.hidden_size": 8192}
    large |= {"architecture.intermediate_size": 28672, "architecture.num_attention_heads": 64}
    large |= {"serving.weight_precision": "bf16", "layout.tensor_parallel": 1}
    error = refused(large)
    assert error.field == "layout.tensor_parallel"
    text = error.message.render()
    assert number_after(text, "sequence,") > number_after(text, "where")
    enough = int(number_after(text, "is there:"))
    plan = serving_plan(large | {"layout.tensor_parallel": enough})
    assert estimate(plan, CATALOG, draws=0).metric("max_batch")
    with pytest.raises(InputError):
        estimate(apply_patch(plan, {"layout.tensor_parallel": enough // 2}), CATALOG, draws=0)


def test_an_accelerator_too_small_for_any_split_names_itself() -> None:
    error = refused(
        {
            "architecture.num_hidden_layers": 400,
            "architecture.hidden_size": 16384,
            "architecture.intermediate_size": 65536,
            "layout.tensor_parallel": "auto",
        }
    )
    assert error.field == "cluster.accelerator"


def test_no_traffic_is_refused_by_its_field() -> None:
    from engine.plan import PlanErrors

    with pytest.raises(PlanErrors) as caught:
        serving_plan({"serving.requests_per_second": 0.0})
    assert [error.field for error in caught.value.errors] == ["serving.requests_per_second"]

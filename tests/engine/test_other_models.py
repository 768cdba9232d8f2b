"""Other networks on a service's fleet: each as a plan of its own would be, in one bill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import serving_plan

from engine.catalog import load_catalog
from engine.catalog.presets import load_presets
from engine.errors import InputError
from engine.estimation import estimate
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.plan import apply_patch
from engine.plan.service import OtherModel
from engine.values import PlanValues

CATALOG = load_catalog()
QWEN = {"preset": "Qwen3-8B", "requests_per_second": 60.0, "input_tokens": 900.0, "output_tokens": 150.0}
EMBEDDER = {
    "preset": "bge-m3",
    "requests_per_second": 200.0,
    "input_tokens": 300.0,
    "output_tokens": 0.0,
    "profile": "code",
    "accelerator_share": 0.5,
}


def gpu_hours(plan: Any, item: str) -> float:
    lines = [line for line in estimate(plan, CATALOG, draws=0).lines if line.item == item]
    return sum(line.quantity or 0.0 for line in lines)


def alone(row: dict[str, Any]) -> Any:
    """The row as a service of its own, without spares, on the first plan's accelerators."""
    own = OtherModel(**row).model_dump(exclude={"preset", "tensor_parallel"})
    traffic = {f"serving.{key}": value for key, value in own.items()}
    shape = {"architecture": load_presets()[row["preset"]].architecture.model_dump()}
    spares = {"serving.spare_instances": 0, "serving.availability": 0.0, "serving.peak_to_mean": None}
    return serving_plan({**shape, **traffic, **spares, "layout.tensor_parallel": 1})


@pytest.mark.parametrize("autoscale", [False, True])
def test_hours_are_those_of_services_of_their_own(autoscale: bool) -> None:
    shared = serving_plan({"serving.other_models": [QWEN, EMBEDDER], "serving.autoscale": autoscale})
    expected = sum(
        gpu_hours(apply_patch(alone(row), {"serving.autoscale": autoscale}), "Serving instances")
        for row in (QWEN, EMBEDDER)
    )
    assert gpu_hours(shared, "Other models on the fleet") == pytest.approx(expected)
    first = serving_plan({"serving.autoscale": autoscale})
    assert gpu_hours(shared, "Serving instances") == gpu_hours(first, "Serving instances")


def test_unit_costs_are_the_first_networks_own() -> None:
    """Accelerators at one price and nothing else in scope: a request costs what it did alone."""
    scope = {"scope.categories": ["compute"]}
    first = estimate(serving_plan(scope), CATALOG, draws=0)
    shared = estimate(serving_plan({**scope, "serving.other_models": [QWEN]}), CATALOG, draws=0)
    assert shared.total > first.total
    assert shared.metric("cost_per_request") == pytest.approx(first.metric("cost_per_request"))


def test_peaks_add_up() -> None:
    def peak(patch: dict[str, Any]) -> float:
        used = estimate(serving_plan(patch), CATALOG, draws=0).resources
        return next(item.peak or 0.0 for item in used if item.resource == "Accelerators")

    more = estimate(alone(QWEN), CATALOG, draws=0).metric("instances_peak")
    assert peak({"serving.other_models": [QWEN]}) == pytest.approx(peak({}) + (more or 0.0))


def test_rows_and_draws_hold_for_the_others_too() -> None:
    plan = serving_plan({"serving.other_models": [QWEN]})
    factors = np.array([0.8, 1.0, 1.2])
    totals = evaluate(lower(PlanValues(plan, CATALOG, {"model.throughput_factor": factors})), plan.scope)
    assert totals.service is not None
    others = totals.service.others[0].gpus_mean
    assert others.shape == (3,) and others[0] >= others[1] >= others[2] and others[0] > others[2]
    found = estimate(plan, CATALOG, draws=200)
    assert found.p10 is not None and found.p90 is not None and found.p10 < found.total < found.p90


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"preset": "Qwen3-8"}, "serving.other_models.0.preset"),
        ({"preset": "Llama-3.1-405B"}, "serving.other_models.0.preset"),
    ],
)
def test_a_network_that_cannot_be_served_is_named(row: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        estimate(serving_plan({"serving.other_models": [{**QWEN, **row}]}), CATALOG, draws=0)
    assert caught.value.field == field

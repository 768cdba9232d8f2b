"""What an estimate says beside its numbers."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import serving_plan, training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan


def notes(plan: Plan, catalog: Catalog) -> list[str]:
    return [note.render() for note in estimate(plan, catalog, draws=0).notes]


def test_a_plan_in_order_needs_no_notes(catalog: Catalog) -> None:
    assert notes(training_plan(), catalog) == [] == notes(serving_plan(), catalog)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"schedule.deadline_days": 10.0}, "deadline of 10 d"),
        ({"governance.budget": 10.0}, "budget of 10"),
        ({"layout.micro_batch": 4}, "GiB of memory on each GPU"),
        ({"data.acquisition_cost": None}, "Data licences"),
    ],
)
def test_each_trouble_has_its_note(catalog: Catalog, patch: dict[str, Any], words: str) -> None:
    found = notes(training_plan(patch), catalog)
    assert len(found) == 1 and words in found[0]


def test_a_deadline_met_to_the_day_is_met(catalog: Catalog) -> None:
    days = estimate(training_plan(), catalog, draws=0).metric("duration_h") / 24
    assert notes(training_plan({"schedule.deadline_days": days * (1 + 1e-9)}), catalog) == []
    assert notes(training_plan({"schedule.deadline_days": days * (1 - 1e-9)}), catalog)


def test_too_small_a_fleet_says_so(catalog: Catalog) -> None:
    plan = serving_plan({"serving.instances": 1, "serving.requests_per_second": 400.0})
    assert not estimate(plan, catalog, draws=0).feasible
    assert any("fixed number of instances" in note for note in notes(plan, catalog))


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"cluster.accelerator": "l40s", "layout.tensor_parallel": 4}, "no published run with l40s"),
        ({"serving.weight_precision": "int4"}, "weights in int4"),
        ({"serving.engine": "lmdeploy"}, "LMDeploy"),
        ({"serving.adapters": 20}, "Adapters count"),
        (
            {
                "architecture.hidden_size": 8192,
                "architecture.num_hidden_layers": 80,
                "architecture.num_attention_heads": 64,
                "architecture.intermediate_size": 28672,
                "serving.input_tokens": 6000.0,
                "serving.ttft_slo_ms": 60000.0,
            },
            "Memory is short",
        ),
    ],
)
def test_thin_ground_has_its_note(catalog: Catalog, patch: dict[str, Any], words: str) -> None:
    assert any(words in note for note in notes(serving_plan(patch), catalog))

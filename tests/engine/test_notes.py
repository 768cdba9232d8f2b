"""What an estimate says beside its numbers."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import LLAMA_70B, serving_plan, training_plan

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


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"architecture": LLAMA_70B, "serving.weight_precision": "bf16"}, "do not fit in memory"),
        ({"serving.tpot_slo_ms": 0.5}, "time per output token"),
        ({"serving.ttft_slo_ms": 1.0}, "time to first token"),
    ],
)
def test_a_service_says_which_target_it_misses(catalog: Catalog, patch: dict[str, Any], words: str) -> None:
    plan = serving_plan(patch)
    assert not estimate(plan, catalog, draws=0).feasible
    assert any(words in note for note in notes(plan, catalog))

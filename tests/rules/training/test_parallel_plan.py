"""TRN-PARALLEL-PLAN."""

from __future__ import annotations

import pytest
from plan_cases import small_plan, training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number, outcome_at

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import apply_patch
from engine.recommend.pricing import Pricer
from engine.recommend.proposal import propose
from rules.base import Fired, Passed
from rules.evaluation import evaluate_rules

ID = "TRN-PARALLEL-PLAN"
# Sixteen stages without interleaving: the bubble is what the search removes.
DEEP = training_plan(
    layout__tensor_parallel=4,
    layout__pipeline_parallel=16,
    layout__context_parallel=1,
    layout__virtual_pipeline=1,
    layout__recompute="full",
    layout__micro_batch=8,
)


def test_a_deep_pipeline_is_replanned(catalog: Catalog) -> None:
    found = assert_fires(ID, DEEP, catalog)
    assert "layout.recompute" not in found.patch  # that saving belongs to TRN-RECOMPUTE
    assert_mends(ID, DEEP, catalog, writes=set(found.patch))
    steps = [
        estimate(plan, catalog, draws=0).metric("step_time_s")
        for plan in (DEEP, apply_patch(DEEP, found.patch))
    ]
    assert number(found, "now") / number(found, "best") == pytest.approx(steps[0] / steps[1], rel=1e-6)


def test_the_fastest_layout_passes(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(), catalog)


def test_step_time_just_above_and_below_the_ratio(catalog: Catalog) -> None:
    found = assert_fires(ID, DEEP, catalog)
    ratio = number(found, "best") / number(found, "now")
    assert isinstance(outcome_at(ID, DEEP, catalog, step_time_ratio=ratio * (1 + 1e-9)), Fired)
    assert isinstance(outcome_at(ID, DEEP, catalog, step_time_ratio=ratio * (1 - 1e-9)), Passed)


def test_fifteen_accelerators_are_too_few(catalog: Catalog) -> None:
    slow = {"layout.micro_batch": 1, "layout.sharding": "zero1"}
    assert_fires(ID, small_plan(slow, cluster__accelerator_count=16), catalog)
    few = small_plan(slow, cluster__accelerator_count=8)
    assert_passes(ID, few, catalog)
    assert isinstance(outcome_at(ID, few, catalog, smallest_cluster=8), Fired)


def test_a_layout_that_overflows_memory_gets_a_card_even_when_the_fitting_one_costs_more(
    catalog: Catalog,
) -> None:
    overflowing = training_plan(
        layout__tensor_parallel=1,
        layout__pipeline_parallel=1,
        layout__context_parallel=1,
        layout__virtual_pipeline=1,
        layout__sharding="zero3",
        layout__recompute="selective",
    )
    assert not estimate(overflowing, catalog, draws=0).feasible
    pricer = Pricer(overflowing, catalog, draws=50)
    proposal = propose(pricer, evaluate_rules(pricer).actions, chosen=None, dismissed=frozenset())
    card = next(item for item in proposal.recommendations if item.id == ID)
    patched = apply_patch(overflowing, {change.path: change.after for change in card.changes})
    assert estimate(patched, catalog, draws=0).feasible

"""What the rules see of a batch job: spot where it may stop, 8-bit weights, an accelerator that suits."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import batch_plan, outcome_of
from rule_checks import assert_fires, assert_mends, assert_passes, number

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan, apply_patch
from rules.base import Fired, NotEvaluable
from rules.evaluation import recommend
from rules.registry import RULES

LIST_PRICE = {"cluster.price_per_gpu_hour": None, "schedule.interruptible": True}


def job(**fields: Any) -> Plan:
    return batch_plan({**LIST_PRICE, "batch.requests": 1e7, "cluster.accelerator_count": 40}, **fields)


def test_every_rule_that_applies_comes_to_a_finding(catalog: Catalog) -> None:
    found = recommend(job(), catalog, draws=50)
    lists = (found.recommendations, found.governance, found.warnings, found.passed, found.not_evaluated)
    seen = {item.id for items in lists for item in items}
    assert seen == {rule.id for rule in RULES if "batch_inference" in rule.applies_to}


def test_interruptible_work_goes_to_spot_capacity(catalog: Catalog) -> None:
    plan = job()
    found = assert_mends("RES-SPOT", plan, catalog, writes={"cluster.price_mode"})
    spot = estimate(apply_patch(plan, found.patch), catalog, draws=0)
    assert number(found, "goodput") == spot.metric("goodput")
    card = next(c for c in recommend(plan, catalog, draws=50).recommendations if c.id == "RES-SPOT")
    assert card.needs == (), "no checkpoint rule applies to a job without checkpoints"


def test_spot_gets_enough_gpus_to_end_with_time_to_spare(catalog: Catalog) -> None:
    plan = job(cluster__accelerator_count="auto")
    found = assert_mends(
        "RES-SPOT", plan, catalog, writes={"cluster.price_mode", "cluster.accelerator_count"}
    )
    spot = estimate(apply_patch(plan, found.patch), catalog, draws=0)
    assert (spot.metric("duration_h") or 0.0) <= 0.8 * 24.0
    fewer = {**found.patch, "cluster.accelerator_count": int(found.patch["cluster.accelerator_count"]) - 1}
    assert (estimate(apply_patch(plan, fewer), catalog, draws=0).metric("duration_h") or 0.0) > 0.8 * 24.0


def test_spot_without_slack_or_for_work_that_may_not_stop_is_not_offered(catalog: Catalog) -> None:
    late = estimate(job(), catalog, draws=0).metric("duration_h")
    assert late is not None
    assert_passes("RES-SPOT", job(batch__deadline_hours=1.1 * late), catalog)
    assert_passes("RES-SPOT", job(schedule__interruptible=False), catalog)
    assert isinstance(outcome_of("RES-SPOT", job(schedule__interruptible=None), catalog), NotEvaluable)


def test_spot_for_work_that_may_not_stop_is_a_risk(catalog: Catalog) -> None:
    risky = job(cluster__price_mode="spot", schedule__interruptible=False)
    assert_fires("RSK-SPOT-NOTOL", risky, catalog)
    assert_passes("RSK-SPOT-NOTOL", job(cluster__price_mode="spot"), catalog)


def test_16_bit_weights_on_several_instances_are_found(catalog: Catalog) -> None:
    plan = job(serving__weight_precision="bf16")
    assert_mends("INF-QUANT-8BIT", plan, catalog, writes={"serving.weight_precision"})
    assert_passes("INF-QUANT-8BIT", job(), catalog)


def test_a_wasteful_accelerator_is_replaced_by_one_that_still_meets_the_deadline(catalog: Catalog) -> None:
    plan = job(
        cluster__accelerator="a100-sxm-80", serving__weight_precision="bf16", batch__deadline_hours=90.0
    )
    found = outcome_of("INF-GPU-CHOICE", plan, catalog)
    assert isinstance(found, Fired), found
    changed = estimate(apply_patch(plan, found.patch), catalog, draws=0)
    assert changed.feasible and changed.total < estimate(plan, catalog, draws=0).total
    assert isinstance(found.patch["cluster.accelerator_count"], int)


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_repeated_prefixes_matter_from_a_share_on(catalog: Catalog, share: float) -> None:
    plan = job(serving__prefix_share=share)
    if share < 0.3:
        assert_passes("INF-PREFIX-CACHE", plan, catalog)
    else:
        assert_mends("INF-PREFIX-CACHE", plan, catalog, writes={"serving.prefix_hit_rate"})

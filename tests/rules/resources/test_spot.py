"""RES-SPOT."""

from __future__ import annotations

from typing import Any

from plan_cases import outcome_of, training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number, outcome_at

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan, apply_patch
from rules.base import Fired, NotEvaluable, Passed

ID = "RES-SPOT"
FIELD = "cluster.price_mode"


def by_the_hour(**fields: Any) -> Plan:
    return training_plan({FIELD: "on_demand", "schedule.interruptible": True}, **fields)


def test_interruptible_work_by_the_hour_is_found(catalog: Catalog) -> None:
    found = assert_mends(ID, by_the_hour(), catalog, writes={FIELD})
    spot = estimate(apply_patch(by_the_hour(), found.patch), catalog, draws=0)
    assert number(found, "spot") < number(found, "now")
    assert number(found, "goodput") == spot.metric("goodput")


def test_goodput_lost_above_the_price_gap_is_not_offered(catalog: Catalog) -> None:
    """p_spot / G_spot >= p_on_demand / G_on_demand: cheaper hours, dearer work."""
    rough = by_the_hour(reliability__preemptions_per_node_hour=1.2)
    before, after = (
        estimate(plan, catalog, draws=0) for plan in (rough, apply_patch(rough, {FIELD: "spot"}))
    )
    prices = {mode: catalog.price("h100-sxm", mode).fact.value for mode in ("spot", "on_demand")}
    assert prices["spot"] / after.metric("goodput") >= prices["on_demand"] / before.metric("goodput")
    assert_passes(ID, rough, catalog)


def test_work_that_may_not_stop_passes(catalog: Catalog) -> None:
    assert_passes(ID, by_the_hour(schedule__interruptible=False), catalog)


def test_other_purchases_pass(catalog: Catalog) -> None:
    assert_passes(ID, training_plan({"schedule.interruptible": True}), catalog)


def test_unless_interruptible_is_known_the_rule_cannot_look(catalog: Catalog) -> None:
    plan = training_plan({FIELD: "on_demand"})
    assert outcome_of(ID, plan, catalog) == NotEvaluable(("schedule.interruptible",))


def test_without_a_spot_offer_the_rule_cannot_look(catalog: Catalog) -> None:
    spec = {
        "memory_gib": 80.0,
        "memory_bandwidth_gb_per_s": 3350.0,
        "peak_tflops": {"bf16": 989.0, "fp8": 1979.0},
        "scale_up_gb_per_s": 450.0,
        "power_w": 700.0,
        "accelerators_per_node": 8,
    }
    own = by_the_hour(
        cluster__accelerator="our-own", cluster__accelerator_spec=spec, cluster__price_per_gpu_hour=4.0
    )
    assert outcome_of(ID, own, catalog) == NotEvaluable(("cluster.price_per_gpu_hour",))


def test_slack_to_the_deadline_just_enough_and_just_too_little(catalog: Catalog) -> None:
    spot = estimate(apply_patch(by_the_hour(), {FIELD: "spot"}), catalog, draws=0)
    days = spot.metric("preparation_days") + spot.metric("duration_h") / 24.0
    assert_fires(ID, by_the_hour(schedule__deadline_days=days / 0.8 * (1 + 1e-9)), catalog)
    assert_passes(ID, by_the_hour(schedule__deadline_days=days / 0.8 * (1 - 1e-9)), catalog)
    tight = by_the_hour(schedule__deadline_days=days * 1.01)
    assert isinstance(outcome_at(ID, tight, catalog, slack_share=0.0), Fired)
    assert isinstance(outcome_at(ID, tight, catalog, slack_share=0.02), Passed)


def test_experiments_before_the_run_use_up_slack(catalog: Catalog) -> None:
    trials = {"experiments__runs": 10, "experiments__run_share": 0.1}
    spot = estimate(apply_patch(by_the_hour(), {FIELD: "spot"}), catalog, draws=0)
    deadline = spot.metric("duration_h") / 24.0 / 0.79
    assert_fires(ID, by_the_hour(schedule__deadline_days=deadline), catalog)
    assert_passes(ID, by_the_hour(schedule__deadline_days=deadline, **trials), catalog)

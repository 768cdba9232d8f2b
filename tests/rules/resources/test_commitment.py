"""RES-COMMIT."""

from __future__ import annotations

from plan_cases import outcome_of, training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan
from rules.base import NotEvaluable

ID = "RES-COMMIT"
WRITES = {"cluster.price_mode", "cluster.commitment_term_months"}
ON_DEMAND = {"cluster.price_mode": "on_demand"}


def lasting(factor: float) -> Plan:
    """The ten-month run by the hour, made longer or shorter by its token count."""
    return training_plan({**ON_DEMAND, "training.tokens": 2.4e12 * factor})


def test_a_steady_ten_month_load_by_the_hour_is_found(catalog: Catalog) -> None:
    months = estimate(lasting(1.0), catalog, draws=0).metric("duration_h") / 730.0
    assert 9.0 < months < 11.0
    found = assert_mends(ID, lasting(1.0), catalog, writes=WRITES)
    assert found.patch["cluster.commitment_term_months"] == 12.0
    assert number(found, "reserved") < number(found, "now")


def test_three_years_of_work_take_the_long_term(catalog: Catalog) -> None:
    assert assert_fires(ID, lasting(4.0), catalog).patch["cluster.commitment_term_months"] == 36.0


def test_a_short_run_and_other_purchases_pass(catalog: Catalog) -> None:
    assert_passes(ID, lasting(0.1), catalog)
    assert_passes(ID, training_plan(), catalog)


def test_work_just_too_short_and_just_long_enough_for_the_term(catalog: Catalog) -> None:
    """The term is paid in full: it pays from the month at which hours as they come cost as much."""
    reserved = catalog.price("h100-sxm", "reserved", term_months=12).fact.value
    paid_h = 12 * 730.0 * reserved / catalog.price("h100-sxm", "on_demand").fact.value
    accelerator_h = sum(
        line.quantity for line in estimate(lasting(1.0), catalog, draws=0).lines if line.unit == "GPU-h"
    )
    break_even = paid_h * 64 / accelerator_h
    assert_passes(ID, lasting(break_even * 0.999), catalog)
    assert_fires(ID, lasting(break_even * 1.001), catalog)


def test_without_a_reserved_offer_the_rule_cannot_look(catalog: Catalog) -> None:
    amd = training_plan({**ON_DEMAND, "cluster.accelerator": "mi300x", "layout": {}})
    assert outcome_of(ID, amd, catalog) == NotEvaluable(("cluster.price_per_gpu_hour",))


def test_a_free_allocation_has_nothing_to_commit(catalog: Catalog) -> None:
    assert_passes(ID, training_plan({**ON_DEMAND, "cluster.price_per_gpu_hour": 0.0}), catalog)

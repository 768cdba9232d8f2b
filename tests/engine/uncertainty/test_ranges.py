"""Which inputs are uncertain."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import serving_plan, training_plan

from engine.catalog import Catalog
from engine.defaults import THROUGHPUT_FACTOR, TIME_FACTOR
from engine.plan import Plan
from engine.uncertainty.ranges import UncertainInput, uncertain_inputs
from engine.values import PlanValues


def inputs(plan: Plan, catalog: Catalog) -> dict[str, UncertainInput]:
    return {item.path: item for item in uncertain_inputs(PlanValues(plan, catalog))}


def with_range(low: float, high: float, path: str = "training.tokens", **fields: Any) -> Plan:
    return training_plan({f"ranges.{path}": {"low": low, "high": high}}, **fields)


def test_the_estimators_own_error_is_always_there(catalog: Catalog) -> None:
    assert TIME_FACTOR in inputs(training_plan(), catalog)
    assert THROUGHPUT_FACTOR in inputs(serving_plan(), catalog)
    assert THROUGHPUT_FACTOR not in inputs(training_plan(), catalog)
    assert TIME_FACTOR not in inputs(serving_plan(), catalog)


def test_entered_ranges_come_with_the_value(catalog: Catalog) -> None:
    item = inputs(with_range(2e12, 3e12), catalog)["training.tokens"]
    assert (item.low, item.central, item.high, item.unit) == (2e12, 2.4e12, 3e12, "tokens")


def test_a_range_the_value_has_left_is_not_its_own(catalog: Catalog) -> None:
    """A recommendation may move the value; the spread entered for the old one does not follow."""
    assert "training.tokens" not in inputs(with_range(3e12, 4e12), catalog)


def test_a_range_of_no_width_is_no_uncertainty(catalog: Catalog) -> None:
    assert "training.tokens" not in inputs(with_range(2.4e12, 2.4e12), catalog)


def test_an_entered_value_takes_the_catalogues_range_away(catalog: Catalog) -> None:
    path = "reliability.failures_per_node_day"
    assert path in inputs(training_plan({path: None}), catalog)
    assert path not in inputs(training_plan({path: 0.02}), catalog)


def test_an_entered_range_goes_before_the_catalogues(catalog: Catalog) -> None:
    path = "reliability.restart_s"
    item = inputs(with_range(100.0, 1000.0, path), catalog)[path]
    assert (item.low, item.central, item.high) == (100.0, 600.0, 1000.0)


@pytest.mark.parametrize(
    ("path", "needs"),
    [
        ("reliability.preemptions_per_node_hour", {"cluster.price_mode": "spot"}),
        ("reliability.checkpoint_stall_s", {"reliability.checkpoint_mode": "async"}),
        ("operations.energy_price_per_kwh", {"operations.energy_included": False}),
    ],
)
def test_what_the_plan_does_not_use_is_not_drawn(catalog: Catalog, path: str, needs: dict[str, Any]) -> None:
    assert path not in inputs(training_plan(), catalog)
    assert path in inputs(training_plan(needs), catalog)


def test_ranges_of_money_are_in_the_plans_currency(catalog: Catalog) -> None:
    path, rate = "cluster.price_per_gpu_hour", {"USD/CNY": {"rate": 7.0, "date": "2026-12-02"}}
    dollars = inputs(training_plan(), catalog)[path]
    yuan = inputs(training_plan({"meta.currency": "CNY", "finance.fx_rates": rate}), catalog)[path]
    assert (yuan.low, yuan.central, yuan.high) == pytest.approx(
        (7 * dollars.low, 7 * dollars.central, 7 * dollars.high)
    )


def test_the_cost_of_a_role_is_its_own_input(catalog: Catalog) -> None:
    path = "people.roles.0.monthly_cost"
    assert path in inputs(training_plan({"people.roles": [{"role": "manager", "fte": 1.0}]}), catalog)
    own = [{"role": "manager", "fte": 1.0, "monthly_cost": 20_000.0}]
    assert path not in inputs(training_plan({"people.roles": own}), catalog)
    item = inputs(with_range(15_000.0, 30_000.0, path, people__roles=own), catalog)[path]
    assert item.central == 20_000.0


def test_every_range_holds_its_central_value(catalog: Catalog) -> None:
    for plan in (training_plan({"cluster.price_mode": "spot"}), serving_plan()):
        for item in inputs(plan, catalog).values():
            assert item.low <= item.central <= item.high and item.title, item.path


@pytest.mark.parametrize(
    ("path", "needs"),
    [
        ("cluster.committed_price_per_gpu_hour", {"cluster.committed_accelerators": 4}),
        ("cluster.spot_price_per_gpu_hour", {"cluster.spot_share": 0.2}),
    ],
)
def test_prices_of_a_base_and_of_spot_are_drawn_where_they_are_paid(
    catalog: Catalog, path: str, needs: dict[str, Any]
) -> None:
    assert path not in inputs(serving_plan(), catalog)
    assert path in inputs(serving_plan(needs), catalog)
    assert path not in inputs(training_plan(needs), catalog)

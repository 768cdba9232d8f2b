"""Reading a plan's numbers: overrides, plan, catalogue; and money in the plan's currency."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.values import PlanValues

RATE = {"rate": 7.1, "date": "2026-12-02"}


def test_overrides_go_before_the_plan_and_the_plan_before_the_catalogue(catalog: Catalog) -> None:
    path = "reliability.restart_s"
    plan = training_plan({path: 600.0})
    draws = np.array([1.0, 2.0])
    assert PlanValues(plan, catalog, {path: draws}).number(path) is draws
    assert PlanValues(plan, catalog).number(path) == 600.0
    empty = training_plan({path: None})
    assert PlanValues(empty, catalog).number(path) == catalog.fact("failures", "restart_s").value


def test_what_nobody_knows_is_nan_and_not_nothing(catalog: Catalog) -> None:
    values = PlanValues(training_plan(), catalog)
    assert math.isnan(values.number("schedule.deadline_days"))
    assert math.isnan(values.fact("no", "such"))


def test_choices_are_codes_and_auto_is_none_of_them(catalog: Catalog) -> None:
    values = PlanValues(training_plan({"layout.recompute": "auto"}), catalog)
    assert values.code("training.precision", ("bf16", "fp16", "fp8")) == 2.0
    assert values.code("layout.recompute", ("none", "full")) == -1.0


def test_the_cost_of_a_role_is_its_own_or_the_catalogues(catalog: Catalog) -> None:
    roles = [{"role": "manager", "fte": 1.0, "monthly_cost": 5.0}, {"role": "manager", "fte": 1.0}]
    values = PlanValues(training_plan({"people.roles": roles}), catalog)
    assert values.number("people.roles.0.monthly_cost") == 5.0
    assert values.number("people.roles.1.monthly_cost") == catalog.fact("people", "manager_month").value


def test_exchange_rates_work_in_both_directions(catalog: Catalog) -> None:
    yuan = training_plan({"meta.currency": "CNY", "finance.fx_rates": {"USD/CNY": RATE}})
    assert PlanValues(yuan, catalog).exchange_rate("USD") == pytest.approx(7.1)
    dollars = training_plan({"finance.fx_rates": {"USD/CNY": RATE}})
    assert PlanValues(dollars, catalog).exchange_rate("CNY") == pytest.approx(1 / 7.1)


def test_own_currency_needs_no_rate_and_an_unknown_rate_is_unknown(catalog: Catalog) -> None:
    values = PlanValues(training_plan(), catalog)
    assert values.exchange_rate("USD") == 1.0 and values.exchange_rate(None) == 1.0
    assert math.isnan(values.exchange_rate("EUR"))

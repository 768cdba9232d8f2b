"""Risk-adjusted savings, against the ranking method's own numbers."""

from __future__ import annotations

from typing import Any

import pytest
from action_cases import make_action
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.recommend.pricing import Pricer
from engine.recommend.ranking import Weight, ranking_settings, weigh
from engine.text import Message

PATCH = {"cluster.busy_share": 0.99}


@pytest.fixture(scope="module")
def pricer(catalog: Catalog) -> Pricer:
    return Pricer(training_plan(), catalog, draws=0)


def weight(pricer: Pricer, **fields: Any) -> Weight:
    return weigh(make_action("A", PATCH, **fields), pricer, shortfall=0.0)


def test_risk_adjusted_is_chance_times_median_less_loss_less_cost_of_acting() -> None:
    assert Weight(0.9, 10.0, 5.0).risk_adjusted(100.0) == pytest.approx(0.9 * 100 - 10 - 5)


@pytest.mark.parametrize(("confidence", "chance"), [("A", 0.9), ("B", 0.7), ("C", 0.4)])
def test_chances_by_confidence(pricer: Pricer, confidence: str, chance: float) -> None:
    assert weight(pricer, confidence=confidence).success_probability == chance
    open_condition = weight(pricer, confidence=confidence, conditions=(Message("first"),))
    assert open_condition.success_probability == pytest.approx(chance / 2)


@pytest.mark.parametrize(("effort", "days"), [("S", 2), ("M", 10), ("L", 40)])
def test_acting_costs_person_days(pricer: Pricer, catalog: Catalog, effort: str, days: float) -> None:
    month = catalog.fact("people", "ml_engineer_month").value
    assert weight(pricer, effort=effort).one_off == pytest.approx(days * month / 17.7)
    assert weight(pricer, effort=effort, extra_one_off=500.0).one_off == pytest.approx(
        days * month / 17.7 + 500.0
    )


def test_the_plans_own_engineers_set_the_rate(catalog: Catalog) -> None:
    roles = [{"role": "ml_engineer", "fte": 1.0, "monthly_cost": 17_700.0}]
    own = Pricer(training_plan({"people.roles": roles}), catalog, draws=0)
    assert weight(own).one_off == pytest.approx(2 * 1000.0)


@pytest.mark.parametrize("people", [[], [{"role": "ml_engineer", "fte": 1.0}]])
def test_the_rate_follows_the_currency_and_is_never_nan(
    catalog: Catalog, people: list[dict[str, Any]]
) -> None:
    dollars = weight(Pricer(training_plan({"people.roles": people}), catalog, draws=0)).one_off
    rate = {"USD/CNY": {"rate": 7.0, "date": "2026-12-02"}}
    yuan = Pricer(
        training_plan({"people.roles": people, "meta.currency": "CNY", "finance.fx_rates": rate}),
        catalog,
        draws=0,
    )
    assert weight(yuan).one_off == pytest.approx(7 * dollars)
    unknown = Pricer(training_plan({"people.roles": people, "meta.currency": "EUR"}), catalog, draws=0)
    found = weight(unknown, effect=3, stability=3, governance=3)
    assert found.one_off == found.one_off and found.expected_loss == found.expected_loss


def test_no_risk_no_loss(pricer: Pricer) -> None:
    assert weight(pricer).expected_loss == 0.0


@pytest.mark.parametrize("dimension", ["effect", "stability", "governance"])
def test_loss_grows_with_the_level(pricer: Pricer, dimension: str) -> None:
    losses = [weight(pricer, **{dimension: level}).expected_loss for level in range(4)]
    assert losses == sorted(losses) and losses[0] == 0.0 < losses[1]
    assert losses[3] / losses[1] == pytest.approx(0.20 / 0.02)


def test_the_worst_dimension_rules(pricer: Pricer) -> None:
    alone = [
        weight(pricer, **risk).expected_loss for risk in ({"effect": 2}, {"stability": 1}, {"governance": 3})
    ]
    assert weight(pricer, effect=2, stability=1, governance=3).expected_loss == pytest.approx(max(alone))


def test_what_can_be_undone_costs_less(pricer: Pricer) -> None:
    losses = [
        weight(pricer, effect=2, reversibility=name).expected_loss for name in ("high", "medium", "none")
    ]
    assert losses[0] == pytest.approx(losses[1] / 2) and losses[2] == pytest.approx(losses[1] * 1.5)


def test_a_bad_draw_is_a_loss_of_stability(pricer: Pricer) -> None:
    action = make_action("A", PATCH, stability=2)
    calm, rough = (weigh(action, pricer, shortfall=value).expected_loss for value in (0.0, 1e5))
    assert rough > calm
    huge = weigh(action, pricer, shortfall=1e30).expected_loss
    assert huge <= 0.08 * 0.5 * pricer.base.total * (1 + 1e-12)


def test_settings_are_the_methods() -> None:
    settings = ranking_settings()
    assert settings["bad_probability"] == {"0": 0.0, "1": 0.02, "2": 0.08, "3": 0.20}
    assert settings["reversibility_factor"]["none"] == 1.5

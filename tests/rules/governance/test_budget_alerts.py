"""GOV-BUDGET-ALERT."""

from __future__ import annotations

import pytest
from plan_cases import outcome_of, serving_plan, training_plan
from rule_checks import assert_fires, assert_passes

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import apply_patch
from rules.base import Fired
from rules.evaluation import recommend

ID = "GOV-BUDGET-ALERT"
ALERTS = "governance.budget_alerts"


def test_a_plan_in_order_passes(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(), catalog)
    assert_passes(ID, serving_plan(), catalog)


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("governance.budget", None, "No budget"),
        (ALERTS, None, "alerts"),
        (ALERTS, False, "alerts"),
        ("governance.tag_coverage", 0.5, "owner"),
    ],
)
def test_each_thing_missing_is_named(catalog: Catalog, field: str, value: object, word: str) -> None:
    assert word in assert_fires(ID, training_plan({field: value}), catalog).finding.render()


def test_all_of_them_at_once(catalog: Catalog) -> None:
    plan = training_plan({"governance": {"tag_coverage": 0.5}})
    found = assert_fires(ID, plan, catalog)
    told = " ".join(message.render() for message in (found.finding, *found.why))
    assert all(word in told for word in ("No budget", "alerts", "owner"))


def test_the_change_silences_the_alerts_and_saves_nothing(catalog: Catalog) -> None:
    plan = training_plan({ALERTS: None})
    found = assert_fires(ID, plan, catalog)
    assert found.patch == {ALERTS: True}
    changed = apply_patch(plan, found.patch)
    assert not isinstance(outcome_of(ID, changed, catalog), Fired)
    assert estimate(changed, catalog, draws=0).total == estimate(plan, catalog, draws=0).total


def test_it_stands_in_its_own_group(catalog: Catalog) -> None:
    result = recommend(training_plan({ALERTS: None}), catalog, draws=50)
    assert [advice.id for advice in result.governance] == [ID]
    assert ID not in {card.id for card in result.recommendations}


def test_tag_coverage_just_above_and_below_the_limit(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(governance__tag_coverage=0.9), catalog)
    assert_fires(ID, training_plan(governance__tag_coverage=0.8999), catalog)


def test_budget_just_above_and_below_the_ninth_decile(catalog: Catalog) -> None:
    high = estimate(training_plan(), catalog, draws=50).p90
    assert high
    assert_passes(ID, training_plan(governance__budget=high * (1 + 1e-9)), catalog)
    found = assert_fires(ID, training_plan(governance__budget=high * (1 - 1e-9)), catalog)
    assert found.finding.params["high"].value == pytest.approx(high)

"""RSK-SPOT-NOTOL."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import training_plan
from rule_checks import assert_passes

from engine.catalog import Catalog
from engine.plan import Plan
from engine.recommend.pricing import Pricer
from rules.evaluation import evaluate_rules, recommend

ID = "RSK-SPOT-NOTOL"
INTERVAL = "reliability.checkpoint_interval_s"


def proposing(**fields: Any) -> Plan:
    """A plan for which RES-SPOT fires and nothing speaks against it, with some fields changed."""
    return training_plan(
        {
            "cluster.price_mode": "on_demand",
            "schedule.interruptible": True,
            "reliability.restore_tested": True,
            INTERVAL: 3600.0,
        },
        **fields,
    )


def gates_of(plan: Plan, catalog: Catalog) -> list[tuple[str, bool]]:
    return [(g.action_id, g.veto) for g in evaluate_rules(Pricer(plan, catalog, draws=50)).gates]


def test_no_spot_planned_or_proposed_passes(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(), catalog)


def test_tolerant_work_passes(catalog: Catalog) -> None:
    findings = evaluate_rules(Pricer(proposing(), catalog, draws=50))
    assert "RES-SPOT" in {action.id for action in findings.actions}
    assert ID in {check.id for check in findings.passed}


def test_an_untested_restore_vetoes_the_proposal(catalog: Catalog) -> None:
    plan = proposing(reliability__restore_tested=False)
    assert gates_of(plan, catalog) == [("RES-SPOT", True)]
    result = recommend(plan, catalog, draws=50)
    assert "RES-SPOT" not in result.joint_saving.ids
    assert all("RES-SPOT" not in portfolio.ids for portfolio in result.portfolios)


def test_a_restore_nobody_knows_of_is_a_condition(catalog: Catalog) -> None:
    plan = proposing(reliability__restore_tested=None)
    assert gates_of(plan, catalog) == [("RES-SPOT", False)]
    card = next(c for c in recommend(plan, catalog, draws=50).recommendations if c.id == "RES-SPOT")
    assert any("Rehearse" in message.render() for message in card.conditional)


def test_checkpoint_interval_just_at_and_above_the_limit(catalog: Catalog) -> None:
    assert gates_of(proposing(), catalog) == []
    assert gates_of(proposing(reliability__checkpoint_interval_s=3600.1), catalog) == [("RES-SPOT", False)]


@pytest.mark.parametrize(
    ("field", "value"), [("schedule.interruptible", False), ("reliability.restore_tested", False)]
)
def test_spot_already_in_the_plan_is_warned_of(catalog: Catalog, field: str, value: bool) -> None:
    plan = training_plan({"cluster.price_mode": "spot", INTERVAL: 3600.0, field: value})
    assert ID in {advice.id for advice in evaluate_rules(Pricer(plan, catalog, draws=50)).warnings}

"""RSK-EFFECT-GATE."""

from __future__ import annotations

from dataclasses import replace

from plan_cases import context_of, rule_named, training_plan
from rule_checks import outcome_at

from engine.catalog import Catalog
from engine.recommend.pricing import Pricer
from rules.base import Fired, Passed
from rules.evaluation import evaluate_rules, recommend, run_rule

ID = "RSK-EFFECT-GATE"
RISKY = {"training.precision": "bf16"}  # makes TRN-PRECISION propose fp8, an effect risk of 2
NO_SET = {"governance.evaluation_set": None}


def test_a_risky_proposal_without_an_evaluation_set_is_held_back(catalog: Catalog) -> None:
    findings = evaluate_rules(Pricer(training_plan({**RISKY, **NO_SET}), catalog, draws=50))
    assert [advice.id for advice in findings.warnings] == [ID]
    assert [(gate.action_id, gate.veto) for gate in findings.gates] == [("TRN-PRECISION", False)]


def test_the_card_carries_the_condition_and_stays_out_of_the_committed_total(catalog: Catalog) -> None:
    result = recommend(training_plan({**RISKY, **NO_SET}), catalog, draws=50)
    card = next(c for c in result.recommendations if c.id == "TRN-PRECISION")
    assert any("evaluation set" in message.render() for message in card.conditional)
    assert not card.chosen and "TRN-PRECISION" not in result.joint_saving.ids


def test_an_evaluation_set_settles_it(catalog: Catalog) -> None:
    findings = evaluate_rules(Pricer(training_plan(RISKY), catalog, draws=50))
    assert ID in {check.id for check in findings.passed} and not findings.gates


def test_no_evaluation_set_is_as_bad_as_not_knowing(catalog: Catalog) -> None:
    plan = training_plan({**RISKY, "governance.evaluation_set": False})
    assert ID in {a.id for a in evaluate_rules(Pricer(plan, catalog, draws=50)).warnings}


def test_without_risky_proposals_it_passes(catalog: Catalog) -> None:
    assert isinstance(outcome_at(ID, training_plan(NO_SET), catalog), Passed)


def test_effect_risk_just_at_and_below_the_limit(catalog: Catalog) -> None:
    plan = training_plan({**RISKY, **NO_SET})
    actions = tuple(evaluate_rules(Pricer(plan, catalog, draws=50)).actions)
    context = replace(context_of(ID, plan, catalog), proposed=actions)
    assert max(action.risk.effect for action in actions) == 2
    assert isinstance(run_rule(rule_named(ID), replace(context, thresholds={"effect": 2})), Fired)
    assert isinstance(run_rule(rule_named(ID), replace(context, thresholds={"effect": 3})), Passed)

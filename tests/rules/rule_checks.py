"""What holds for every rule that proposes a change: it saves what two estimates say, and then it is quiet."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_cases import context_of, outcome_of, rule_named

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan, apply_patch, get_value
from engine.recommend.pricing import Pricer
from engine.text import Quantity
from rules.base import Context, Fired, Outcome, Passed
from rules.evaluation import evaluate_rules, recommend, run_rule


def fired(outcome: Outcome) -> Fired:
    assert isinstance(outcome, Fired), outcome
    return outcome


def assert_passes(rule_id: str, plan: Plan, catalog: Catalog) -> Passed:
    outcome = outcome_of(rule_id, plan, catalog)
    assert isinstance(outcome, Passed), outcome
    return outcome


def assert_fires(rule_id: str, plan: Plan, catalog: Catalog) -> Fired:
    """The rule fires, and the run of the whole rule base reports it under its id."""
    outcome = fired(outcome_of(rule_id, plan, catalog))
    findings = evaluate_rules(Pricer(plan, catalog, draws=50))
    named = [a.id for a in (*findings.actions, *findings.governance, *findings.warnings)]
    assert rule_id in named
    return outcome


def assert_mends(rule_id: str, plan: Plan, catalog: Catalog, *, writes: set[str]) -> Fired:
    """The change writes what it should, saves the difference of two estimates, and silences the rule."""
    found = assert_fires(rule_id, plan, catalog)
    assert set(found.patch) == writes
    assert any(get_value(plan, path) != value for path, value in found.patch.items())
    changed = apply_patch(plan, found.patch)
    difference = estimate(plan, catalog, draws=0).total - estimate(changed, catalog, draws=0).total
    card = next(c for c in recommend(plan, catalog, draws=50).recommendations if c.id == rule_id)
    assert difference > 0
    assert card.saving.gross == pytest.approx(difference, rel=1e-9)
    assert card.saving.net == pytest.approx(difference - card.saving.one_off, rel=1e-9)
    assert {change.path: change.after for change in card.changes} == dict(found.patch)
    assert not isinstance(outcome_of(rule_id, changed, catalog), Fired)
    return found


def number(found: Fired, name: str) -> float:
    """A number that the finding names."""
    value = found.finding.params[name]
    shown = value.value if isinstance(value, Quantity) else value
    assert isinstance(shown, int | float)
    return float(shown)


def outcome_at(rule_id: str, plan: Plan, catalog: Catalog, **thresholds: float) -> Outcome:
    """The rule's outcome with some of its thresholds moved."""
    context = context_of(rule_id, plan, catalog)
    moved: Context = replace(context, thresholds={**context.thresholds, **thresholds})
    return run_rule(rule_named(rule_id), moved)

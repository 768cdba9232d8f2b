"""Running the rule base on a plan: levers and waste first, then risk checks that gate what they proposed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from engine.catalog import Catalog
from engine.plan import Plan, get_value
from engine.recommend.actions import Action
from engine.recommend.pricing import Pricer
from engine.recommend.proposal import changes_of, propose
from engine.results import Advice, NotEvaluated, PassedCheck, RecommendationSet
from engine.text import N_, Message, Quantity
from rules.base import Context, Fired, Gate, NotEvaluable, Outcome, Passed, Rule
from rules.registry import RULES


@dataclass
class _Findings:
    """What the rules said, sorted by where it is shown."""

    actions: list[Action] = field(default_factory=list)
    governance: list[Advice] = field(default_factory=list)
    warnings: list[Advice] = field(default_factory=list)
    passed: list[PassedCheck] = field(default_factory=list)
    not_evaluated: list[NotEvaluated] = field(default_factory=list)
    gates: list[Gate] = field(default_factory=list)


@cache
def thresholds() -> Mapping[str, Mapping[str, float]]:
    """Threshold values by rule id and name, from thresholds.toml."""
    data = tomllib.loads(files("rules").joinpath("thresholds.toml").read_text(encoding="utf-8"))
    return {rule: {name: entry["value"] for name, entry in names.items()} for rule, names in data.items()}


def recommend(
    plan: Plan,
    catalog: Catalog,
    *,
    chosen: frozenset[str] | None = None,
    dismissed: frozenset[str] = frozenset(),
    seed: int = 0,
    draws: int = 2000,
    cancelled: Callable[[], bool] | None = None,
) -> RecommendationSet:
    """Check a plan with every rule, price what they propose, combine and rank.

    Parameters: `chosen` the ticked rule ids, None for the program's own choice; `dismissed` ids the planner
    put aside; seed and number of draws of the bands; `cancelled()` is asked before each
    re-estimate. Errors: as `estimate`; Cancelled when stopped.
    """
    pricer = Pricer(plan, catalog, seed=seed, draws=draws, cancelled=cancelled)
    findings = evaluate_rules(pricer)
    actions = [_gated(action, findings.gates) for action in findings.actions]
    proposal = propose(pricer, actions, chosen=chosen, dismissed=dismissed)
    small = [
        PassedCheck(
            id=item.action.id,
            title=item.action.title,
            finding=Message(
                N_("would save {saving}, too little to act on"), {"saving": Quantity(item.p50, "currency")}
            ),
        )
        for item in proposal.too_small
    ]
    impossible = [
        PassedCheck(
            id=action.id, title=action.title, finding=Message(N_("its change does not fit this plan"))
        )
        for action in proposal.impossible
    ]
    return RecommendationSet(
        baseline_total=pricer.base.total,
        joint_saving=proposal.joint,
        recommendations=proposal.recommendations,
        governance=tuple(findings.governance),
        warnings=tuple(findings.warnings),
        passed=(*findings.passed, *small, *impossible),
        not_evaluated=tuple(findings.not_evaluated),
        portfolios=proposal.portfolios,
        seed=seed,
        draws=draws,
    )


def evaluate_rules(pricer: Pricer) -> _Findings:
    """Run every rule that applies to the plan's workload, risk checks last."""
    findings = _Findings()
    kind = pricer.plan.workload.kind
    for rule in sorted((r for r in RULES if kind in r.applies_to), key=lambda r: r.kind == "risk"):
        context = Context(pricer, thresholds().get(rule.id, {}), tuple(findings.actions))
        _sort_outcome(rule, run_rule(rule, context), pricer, findings)
    return findings


def run_rule(rule: Rule, context: Context) -> Outcome:
    """One rule's outcome; not evaluated when an input it requires is empty."""
    missing = tuple(path for path in rule.requires if get_value(context.base.plan, path) is None)
    return NotEvaluable(missing) if missing else rule.check(context)


def _sort_outcome(rule: Rule, outcome: Outcome, pricer: Pricer, findings: _Findings) -> None:
    if isinstance(outcome, NotEvaluable):
        findings.not_evaluated.append(NotEvaluated(id=rule.id, title=rule.title, needs=outcome.needs))
    elif isinstance(outcome, Passed):
        findings.passed.append(PassedCheck(id=rule.id, title=rule.title, finding=outcome.finding))
    elif rule.kind in ("lever", "waste"):
        findings.actions.append(_action(rule, outcome, pricer.plan.workload.kind))
    else:
        findings.gates.extend(outcome.gates)
        group = findings.governance if rule.kind == "governance" else findings.warnings
        group.append(
            Advice(
                id=rule.id,
                kind=rule.kind,
                title=rule.title,
                finding=outcome.finding,
                why=outcome.why,
                changes=changes_of(pricer, outcome.patch),
                verify=rule.verify,
                rollback=rule.rollback,
                risk=outcome.risk or rule.risk,
                about=tuple(sorted({gate.action_id for gate in outcome.gates})),
            )
        )


def _action(rule: Rule, fired: Fired, kind: str) -> Action:
    applying = {other.id for other in RULES if kind in other.applies_to}
    return Action(
        id=rule.id,
        title=rule.title,
        kind=rule.kind,
        family=rule.family,
        stage=rule.stage,
        patch=fired.patch,
        finding=fired.finding,
        why=fired.why,
        risk=fired.risk or rule.risk,
        effort=rule.effort,
        confidence=rule.confidence,
        reversibility=rule.reversibility,
        verify=rule.verify,
        rollback=rule.rollback,
        evidence=rule.evidence,
        excludes=rule.excludes,
        needs=tuple(name for name in rule.needs if name in applying),
        do_before=rule.do_before,
        conditions=fired.conditions,
        extra_one_off=fired.extra_one_off,
    )


def _gated(action: Action, gates: list[Gate]) -> Action:
    """The action with what risk checks said of it."""
    mine = [gate for gate in gates if gate.action_id == action.id]
    if not mine:
        return action
    conditions = (*action.conditions, *(gate.message for gate in mine))
    return replace(action, conditions=conditions, vetoed=any(gate.veto for gate in mine))


def rule_metadata() -> list[dict[str, Any]]:
    """Every rule's metadata as plain data, for the rules command and generated documentation."""
    return [
        {
            "id": rule.id,
            "title": rule.title,
            "family": rule.family,
            "kind": rule.kind,
            "stage": rule.stage,
            "applies_to": sorted(rule.applies_to),
            "requires": list(rule.requires),
            "thresholds": dict(thresholds().get(rule.id, {})),
            "risk": rule.risk.model_dump(),
            "effort": rule.effort,
            "confidence": rule.confidence,
            "reversibility": rule.reversibility,
            "verify": rule.verify,
            "rollback": rule.rollback,
            "excludes": sorted(rule.excludes),
            "needs": list(rule.needs),
            "do_before": list(rule.do_before),
            "evidence": [{"source": key, "figure": figure} for key, figure in rule.evidence],
        }
        for rule in RULES
    ]

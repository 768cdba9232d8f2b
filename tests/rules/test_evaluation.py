"""recommend(): what ranking, combination and bands must hold to, on a plan with many overlapping levers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from plan_cases import context_of, rule_named, serving_plan, training_plan

from engine.catalog import Catalog
from engine.plan import Plan, apply_patch
from engine.recommend.actions import Action
from engine.recommend.combination import combine, merge
from engine.recommend.pricing import Pricer
from engine.recommend.proposal import propose
from engine.results import RecommendationSet
from rules.base import NotEvaluable
from rules.evaluation import evaluate_rules, recommend, run_rule

DRAWS = 300

WASTEFUL: dict[str, Any] = {
    "training.precision": "bf16",
    "layout.recompute": "full",
    "reliability.checkpoint_interval_s": 18000.0,
    "reliability.checkpoint_write_s": 200.0,
    "reliability.restore_tested": None,
    "storage.checkpoints_kept": "all",
    "cluster.busy_share": 0.6,
    "cluster.price_mode": "on_demand",
    "schedule.interruptible": True,
    "governance.evaluation_set": None,
    "governance.budget_alerts": None,
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return training_plan(WASTEFUL)


@pytest.fixture(scope="module")
def service() -> Plan:
    return serving_plan(
        {
            "serving.requests_per_second": 200.0,
            "serving.input_tokens": 3000.0,
            "serving.profile": "chat",
            "serving.weight_precision": "bf16",
            "serving.prefix_share": 0.6,
            "cluster.price_mode": "on_demand",
            "cluster.commitment_term_months": None,
            "cluster.price_per_gpu_hour": None,
            "cluster.busy_share": 0.7,
        }
    )


@pytest.fixture(scope="module")
def results(plan: Plan, service: Plan, catalog: Catalog) -> dict[str, RecommendationSet]:
    return {
        "training": recommend(plan, catalog, draws=DRAWS),
        "serving": recommend(service, catalog, draws=DRAWS),
    }


@pytest.fixture(params=["training", "serving"])
def result(request: pytest.FixtureRequest, results: dict[str, RecommendationSet]) -> RecommendationSet:
    found: RecommendationSet = results[request.param]
    return found


@pytest.fixture(scope="module")
def pricer(plan: Plan, catalog: Catalog) -> Pricer:
    return Pricer(plan, catalog, draws=DRAWS)


@pytest.fixture(scope="module")
def actions(pricer: Pricer) -> list[Action]:
    return evaluate_rules(pricer).actions


def test_the_examples_have_levers_enough(results: dict[str, RecommendationSet]) -> None:
    ids = {name: {c.id for c in found.recommendations} for name, found in results.items()}
    assert {
        "WST-IDLE-GPU",
        "TRN-RECOMPUTE",
        "TRN-PRECISION",
        "REL-CKPT-INTERVAL",
        "REL-CKPT-ASYNC",
        "STO-CKPT-LIFECYCLE",
        "RES-SPOT",
        "RES-COMMIT",
    } <= ids["training"]
    assert {"WST-IDLE-GPU", "INF-PREFIX-CACHE", "INF-QUANT-8BIT", "INF-AUTOSCALE", "RES-COMMIT"} <= ids[
        "serving"
    ]


def test_shares_of_the_chosen_add_up_to_the_joint_saving(result: RecommendationSet) -> None:
    shares = [card.saving.in_plan for card in result.recommendations if card.chosen]
    assert len(shares) >= 3 and all(share is not None for share in shares)
    assert math.fsum(share for share in shares if share is not None) == pytest.approx(
        result.joint_saving.gross, rel=1e-12
    )


def test_shapley_values_add_up_to_the_joint_saving(pricer: Pricer, actions: list[Action]) -> None:
    """Exact Shapley values of five levers, by all subsets, from re-estimates alone."""
    five = [a for a in actions if a.id not in ("RES-SPOT", "TRN-PARALLEL-PLAN", "TRN-PRECISION")][:5]
    assert len(five) == 5
    names = [a.id for a in five]
    saving: dict[frozenset[str], float] = {}
    for size in range(6):
        for subset in itertools.combinations(five, size):
            priced = pricer.central(merge(subset))
            assert priced is not None
            saving[frozenset(a.id for a in subset)] = pricer.base.total - priced.total
    shapley = {
        name: math.fsum(
            math.factorial(len(s))
            * math.factorial(4 - len(s))
            / math.factorial(5)
            * (saving[s | {name}] - saving[s])
            for s in saving
            if name not in s
        )
        for name in names
    }
    combination = combine(pricer, five, dict.fromkeys(names, 0.0))
    assert math.fsum(shapley.values()) == pytest.approx(combination.gross, rel=1e-12)
    assert math.fsum(combination.shares.values()) == pytest.approx(combination.gross, rel=1e-12)
    # Overlapping levers: alone each saves more than its fair share of the whole.
    assert math.fsum(saving[frozenset({name})] for name in names) > combination.gross


def test_nothing_saves_more_than_the_bill(result: RecommendationSet) -> None:
    assert result.joint_saving.gross <= result.baseline_total
    assert result.joint_saving.total_after >= 0
    assert all(card.saving.gross <= result.baseline_total for card in result.recommendations)
    for portfolio in result.portfolios:
        assert portfolio.gross <= result.baseline_total


def test_the_order_of_the_cards_changes_nothing(pricer: Pricer, actions: list[Action]) -> None:
    rng = np.random.default_rng(7)
    first = propose(pricer, actions, chosen=None, dismissed=frozenset())
    for _ in range(5):
        shuffled = [actions[i] for i in rng.permutation(len(actions))]
        again = propose(pricer, shuffled, chosen=None, dismissed=frozenset())
        assert again.joint == first.joint
        assert [c.id for c in again.recommendations] == [c.id for c in first.recommendations]
        assert again.portfolios == first.portfolios


def test_unticking_changes_the_joint_saving_by_the_last_in_saving(
    plan: Plan, catalog: Catalog, results: dict[str, RecommendationSet]
) -> None:
    whole = results["training"]
    for name in whole.joint_saving.ids:
        rest = recommend(plan, catalog, chosen=frozenset(whole.joint_saving.ids) - {name}, draws=DRAWS)
        last_in = next(c for c in rest.recommendations if c.id == name).saving.in_plan
        assert last_in is not None
        assert whole.joint_saving.gross - rest.joint_saving.gross == pytest.approx(last_in, rel=1e-9)


def test_ticks_are_obeyed(plan: Plan, catalog: Catalog) -> None:
    only = recommend(plan, catalog, chosen=frozenset({"WST-IDLE-GPU"}), draws=DRAWS)
    assert only.joint_saving.ids == ("WST-IDLE-GPU",)
    none = recommend(plan, catalog, chosen=frozenset(), draws=DRAWS)
    assert none.joint_saving.ids == () and none.joint_saving.gross == 0.0


def test_excluded_pairs_never_stand_together(
    plan: Plan, catalog: Catalog, results: dict[str, RecommendationSet]
) -> None:
    both = recommend(plan, catalog, chosen=frozenset({"RES-SPOT", "RES-COMMIT"}), draws=DRAWS)
    assert len(both.joint_saving.ids) == 1
    for found in (both, *results.values()):
        sets = [found.joint_saving.ids, *(portfolio.ids for portfolio in found.portfolios)]
        assert not any({"RES-SPOT", "RES-COMMIT"} <= set(ids) for ids in sets)
    spot = next(c for c in both.recommendations if c.id == "RES-SPOT")
    assert "RES-COMMIT" in spot.excludes


def test_dismissed_cards_stay_listed_but_do_not_count(
    plan: Plan, catalog: Catalog, results: dict[str, RecommendationSet]
) -> None:
    put_aside = results["training"].joint_saving.ids[0]
    found = recommend(plan, catalog, dismissed=frozenset({put_aside}), draws=DRAWS)
    card = next(c for c in found.recommendations if c.id == put_aside)
    assert card.state == "dismissed" and not card.chosen
    assert put_aside not in found.joint_saving.ids
    assert all(put_aside not in portfolio.ids for portfolio in found.portfolios)


def test_cards_stand_in_order_of_risk_adjusted_saving(result: RecommendationSet) -> None:
    worth = [card.risk_adjusted for card in result.recommendations]
    assert worth == sorted(worth, reverse=True)
    assert [card.rank for card in result.recommendations] == list(range(1, len(worth) + 1))


def test_bands_are_ordered(result: RecommendationSet) -> None:
    for saving in (*(card.saving for card in result.recommendations), result.joint_saving):
        assert saving.p10 <= saving.p50 <= saving.p90
    assert any(card.saving.p10 < card.saving.p90 for card in result.recommendations)


def test_the_cost_of_acting_is_taken_off_once(result: RecommendationSet) -> None:
    for card in result.recommendations:
        assert card.saving.one_off > 0
        assert card.saving.net == pytest.approx(card.saving.gross - card.saving.one_off, rel=1e-12)
        assert card.risk_adjusted == pytest.approx(
            card.success_probability * card.saving.p50 - card.expected_loss - card.saving.one_off, rel=1e-12
        )
    joint = result.joint_saving
    one_off = math.fsum(c.saving.one_off for c in result.recommendations if c.id in joint.ids)
    assert joint.one_off == pytest.approx(one_off, rel=1e-12)
    assert joint.net == pytest.approx(joint.gross - one_off, rel=1e-12)
    for portfolio in result.portfolios:
        costs = math.fsum(c.saving.one_off for c in result.recommendations if c.id in portfolio.ids)
        assert portfolio.net == pytest.approx(portfolio.gross - costs, rel=1e-12)


def test_the_careful_portfolio_is_careful(result: RecommendationSet) -> None:
    cards = {card.id: card for card in result.recommendations}
    careful, balanced, bold = result.portfolios
    assert (careful.key, balanced.key, bold.key) == ("careful", "balanced", "bold")
    for name in careful.ids:
        card = cards[name]
        assert card.confidence == "A" and not card.conditional
        assert card.risk.effect <= 1 and card.risk.stability <= 1
    assert all(cards[name].risk.worst <= 2 and not cards[name].conditional for name in balanced.ids)
    assert careful.gross <= bold.gross * (1 + 1e-12)


def test_no_conditional_action_is_in_the_committed_total(result: RecommendationSet) -> None:
    for card in result.recommendations:
        risky = max(card.risk.effect, card.risk.stability) >= 2
        if risky or card.conditional:
            assert not card.chosen, card.id


def test_governance_and_risks_stand_in_their_own_groups(results: dict[str, RecommendationSet]) -> None:
    found = results["training"]
    assert [advice.id for advice in found.governance] == ["GOV-BUDGET-ALERT"]
    assert {advice.id for advice in found.warnings} == {"RSK-SPOT-NOTOL", "RSK-EFFECT-GATE"}
    groups = [
        {c.id for c in found.recommendations},
        {a.id for a in (*found.governance, *found.warnings)},
        {p.id for p in found.passed},
        {n.id for n in found.not_evaluated},
    ]
    assert all(not one & other for one, other in itertools.combinations(groups, 2))


def test_what_could_not_be_evaluated_names_its_inputs(results: dict[str, RecommendationSet]) -> None:
    (missing,) = results["training"].not_evaluated
    assert (missing.id, missing.needs) == ("TRN-SCALE-RIGHTSIZE", ("schedule.deadline_days",))


def test_a_rule_with_a_missing_input_is_not_run(catalog: Catalog) -> None:
    context = context_of("INF-PREFIX-CACHE", serving_plan(serving__prefix_share=None), catalog)
    assert run_rule(rule_named("INF-PREFIX-CACHE"), context) == NotEvaluable(("serving.prefix_share",))


def test_one_seed_gives_one_answer(
    plan: Plan, catalog: Catalog, results: dict[str, RecommendationSet]
) -> None:
    assert recommend(plan, catalog, draws=DRAWS) == results["training"]
    other = recommend(plan, catalog, draws=DRAWS, seed=1)
    assert other.joint_saving.gross == results["training"].joint_saving.gross
    assert other.joint_saving.p10 != results["training"].joint_saving.p10


def test_a_saving_too_small_to_act_on_is_a_passed_check(catalog: Catalog) -> None:
    found = recommend(
        training_plan({"storage.checkpoints_kept": 21, "data.preparation_cost": 1e8}), catalog, draws=50
    )
    check = next(p for p in found.passed if p.id == "STO-CKPT-LIFECYCLE")
    assert "too little" in check.finding.render()
    assert "STO-CKPT-LIFECYCLE" not in {c.id for c in found.recommendations}


def test_the_recomputed_total_after_every_chosen_change(
    plan: Plan, catalog: Catalog, results: dict[str, RecommendationSet]
) -> None:
    found = results["training"]
    cards = {card.id: card for card in found.recommendations}
    merged = {c.path: c.after for name in found.joint_saving.ids for c in cards[name].changes}
    again = Pricer(apply_patch(plan, merged), catalog, draws=0)
    assert again.base.total == pytest.approx(found.joint_saving.total_after, rel=1e-9)

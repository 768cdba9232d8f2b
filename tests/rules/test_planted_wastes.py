"""Four known wastes planted in a clean plan, one by one and all together, must be found and priced."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from plan_cases import outcome_of, serving_plan, small_plan, training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan, apply_patch
from engine.reliability.summaries import checkpoint_summary
from engine.results import Recommendation, RecommendationSet
from rules.base import Fired
from rules.evaluation import recommend

DRAWS = 200
RULE_OF = {
    "interval": "REL-CKPT-INTERVAL",
    "recompute": "TRN-RECOMPUTE",
    "idle": "WST-IDLE-GPU",
    "by the hour": "RES-COMMIT",
}


@pytest.fixture(scope="module")
def wastes(catalog: Catalog) -> dict[str, dict[str, Any]]:
    """What each waste changes in the clean plan."""
    clean = training_plan()
    mttf_h = estimate(clean, catalog, draws=0).metric("mttf_h")
    write_s, restart_s = clean.reliability.checkpoint_write_s, clean.reliability.restart_s
    assert mttf_h and write_s and restart_s
    optimum = checkpoint_summary(mttf_s=mttf_h * 3600.0, write_s=write_s, restart_s=restart_s)
    return {
        "interval": {"reliability.checkpoint_interval_s": 4.0 * optimum.optimal_interval_s},
        "recompute": {"layout.recompute": "full"},
        "idle": {"cluster.busy_share": 0.6},
        "by the hour": {"cluster.price_mode": "on_demand"},
    }


@pytest.fixture(scope="module")
def everything(wastes: dict[str, dict[str, Any]]) -> Plan:
    merged: dict[str, Any] = {}
    for waste in wastes.values():
        merged |= waste
    return training_plan(merged)


@pytest.fixture(scope="module")
def found(everything: Plan, catalog: Catalog) -> RecommendationSet:
    return recommend(everything, catalog, draws=DRAWS)


def total(plan: Plan, catalog: Catalog) -> float:
    return estimate(plan, catalog, draws=0).total


def patch_of(card: Recommendation) -> dict[str, Any]:
    return {change.path: change.after for change in card.changes}


def test_the_clean_plans_are_clean(catalog: Catalog) -> None:
    for plan in (training_plan(), serving_plan(), small_plan()):
        result = recommend(plan, catalog, draws=DRAWS)
        assert result.recommendations == () and result.governance == () and result.warnings == ()
        assert result.joint_saving.gross == 0.0 and result.joint_saving.ids == ()


@pytest.mark.parametrize("name", list(RULE_OF))
def test_each_alone(catalog: Catalog, wastes: dict[str, dict[str, Any]], name: str) -> None:
    plan = training_plan(wastes[name])
    result = recommend(plan, catalog, draws=DRAWS)
    card = next(c for c in result.recommendations if c.id == RULE_OF[name])
    mended = apply_patch(plan, patch_of(card))
    assert card.saving.gross == pytest.approx(total(plan, catalog) - total(mended, catalog), rel=1e-9)
    assert card.saving.gross > 0 and card.risk_adjusted > 0
    assert card.chosen
    assert result.joint_saving.ids == (card.id,)
    assert not isinstance(outcome_of(card.id, mended, catalog), Fired)
    # The only other card a lone waste may bring is another road to the same memory: a new layout.
    assert {c.id for c in result.recommendations} <= {card.id, "TRN-PARALLEL-PLAN"}


@pytest.mark.parametrize("names", list(combinations(RULE_OF, 2)))
def test_every_pair(catalog: Catalog, wastes: dict[str, dict[str, Any]], names: tuple[str, str]) -> None:
    plan = training_plan({**wastes[names[0]], **wastes[names[1]]})
    cards = {card.id for card in recommend(plan, catalog, draws=DRAWS).recommendations}
    assert {RULE_OF[name] for name in names} <= cards


def test_all_together(found: RecommendationSet) -> None:
    assert set(RULE_OF.values()) <= {card.id for card in found.recommendations}
    assert set(found.joint_saving.ids) == set(RULE_OF.values())


def test_every_gross_saving_is_the_difference_of_two_estimates(
    found: RecommendationSet, everything: Plan, catalog: Catalog
) -> None:
    before = total(everything, catalog)
    assert found.baseline_total == pytest.approx(before, rel=1e-12)
    for card in found.recommendations:
        after = total(apply_patch(everything, patch_of(card)), catalog)
        assert card.saving.gross == pytest.approx(before - after, rel=1e-9), card.id


def test_no_rule_fires_again_after_its_change(
    found: RecommendationSet, everything: Plan, catalog: Catalog
) -> None:
    for card in found.recommendations:
        after = apply_patch(everything, patch_of(card))
        assert not isinstance(outcome_of(card.id, after, catalog), Fired), card.id


def test_the_joint_saving_is_one_estimate_with_every_chosen_change(
    found: RecommendationSet, everything: Plan, catalog: Catalog
) -> None:
    merged: dict[str, Any] = {}
    for name in found.joint_saving.ids:
        merged |= patch_of(next(c for c in found.recommendations if c.id == name))
    mended = estimate(apply_patch(everything, merged), catalog, draws=0)
    assert found.joint_saving.total_after == pytest.approx(mended.total, rel=1e-9)
    assert found.joint_saving.gross == pytest.approx(found.baseline_total - mended.total, rel=1e-9)
    assert found.joint_saving.duration_after_h == pytest.approx(mended.metric("duration_h"), rel=1e-9)


def test_the_mended_plan_is_nearly_the_clean_one(
    found: RecommendationSet, everything: Plan, catalog: Catalog
) -> None:
    """All four mended: what is left against the clean plan is the purchase and the turnaround allowed."""
    clean = estimate(training_plan({"cluster.busy_share": 0.92}), catalog, draws=0)
    assert found.joint_saving.duration_after_h == pytest.approx(clean.metric("duration_h"), rel=1e-3)


def test_nothing_saves_more_than_the_bill(found: RecommendationSet) -> None:
    assert 0 < found.joint_saving.gross < found.baseline_total
    assert found.joint_saving.gross < sum(
        card.saving.gross for card in found.recommendations if card.chosen
    )  # these four overlap: added up they would claim too much

"""The search of a batch job: equal to estimating every setting by itself, and to the limits it is given."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.catalog import Catalog
from engine.errors import FlopwiseError
from engine.estimation import estimate
from engine.optimize.objectives import Objective
from engine.optimize.offline import CAPS, NOT_INTERRUPTIBLE, PURCHASES, search_offline
from engine.optimize.search import optimize
from engine.plan import Plan, apply_patch
from engine.recommend.pricing import Pricer
from tests.engine.plan_cases import batch_plan

PLAN = batch_plan({"cluster.accelerator_count": 2, "cluster.price_per_gpu_hour": None, "batch.requests": 2e5})
SPLITS = (1, 2, 4, 8)


def by_hand(plan: Plan, catalog: Catalog) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Total and hours of every setting that ends in time, one estimate each."""
    found = {}
    for split, cap, (mode, term) in product(SPLITS, CAPS, PURCHASES):
        # Two GPUs today: up to four times as many instances of each split, and the fewest that do.
        now = max(1, round(2 / split))
        base = {
            "layout.tensor_parallel": split,
            "batch.max_batch": None if cap == float("inf") else int(cap),
            "cluster.price_mode": mode,
            "cluster.commitment_term_months": term,
        }
        for instances in range(1, 4 * now + 1):
            patch = {**base, "cluster.accelerator_count": instances * split}
            one = estimate(apply_patch(plan, patch), catalog, draws=0)
            if one.feasible:
                found[(split, cap, mode, instances)] = (one.total, one.metric("duration_h") or 0.0)
        try:
            least = estimate(
                apply_patch(plan, {**base, "cluster.accelerator_count": "auto"}), catalog, draws=0
            )
        except FlopwiseError:
            continue
        count = least.choices[0].value // split
        found[(split, cap, mode, count)] = (least.total, least.metric("duration_h") or 0.0)
    return found


def test_the_search_equals_one_estimate_after_another(catalog: Catalog) -> None:
    hand = by_hand(PLAN, catalog)
    every, evaluated, excluded = search_offline(Pricer(PLAN, catalog, draws=0))
    assert sorted(item.total for item in every) == pytest.approx(sorted(total for total, _ in hand.values()))
    assert evaluated == len(every) + sum(excluded.values())
    for objective, key in (("cost", lambda v: v), ("time", lambda v: (v[1], v[0]))):
        best = optimize(PLAN, catalog, objective=objective).best  # type: ignore[arg-type]
        wanted = min(hand.values(), key=key)
        assert (best.total, best.duration_h) == pytest.approx(wanted, rel=1e-9)


def test_time_under_budget_is_the_fastest_that_costs_no_more(catalog: Catalog) -> None:
    hand = by_hand(PLAN, catalog)
    budget = 1.02 * min(total for total, _ in hand.values())
    plan = apply_patch(PLAN, {"governance.budget": budget})
    best = optimize(plan, catalog, objective="time_under_budget").best
    wanted = min(hours for total, hours in hand.values() if total <= budget)
    assert best.total <= budget and best.duration_h == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("objective", ["cost", "time", "cost_under_deadline", "time_under_budget"])
def test_every_candidate_is_the_estimate_of_its_changes(catalog: Catalog, objective: Objective) -> None:
    found = optimize(batch_plan({"cluster.accelerator_count": "auto"}), catalog, objective=objective)
    for item in (found.best, *found.candidates):
        patch = {change.path: change.after for change in item.changes}
        plan = apply_patch(batch_plan({"cluster.accelerator_count": "auto"}), patch)
        one = estimate(plan, catalog, draws=0)
        assert (item.total, item.duration_h) == pytest.approx((one.total, one.metric("duration_h")))
        assert one.feasible
    assert found.best.total <= found.baseline_total or objective in ("time", "time_under_budget")


def test_nothing_beats_the_frontier(catalog: Catalog) -> None:
    found = optimize(PLAN, catalog)
    shown = found.pareto
    assert len(shown) >= 3
    assert [item.total for item in shown] == sorted((item.total for item in shown), reverse=True)
    every, _, _ = search_offline(Pricer(PLAN, catalog, draws=0))
    for item in shown:
        assert not any(e.total < item.total * (1 - 1e-12) and e.duration_h < item.duration_h for e in every)


def test_work_that_may_not_stop_is_not_offered_spot(catalog: Catalog) -> None:
    plan = apply_patch(PLAN, {"schedule.interruptible": False})
    found = optimize(plan, catalog)
    assert NOT_INTERRUPTIBLE in found.excluded
    assert all(change.after != "spot" for item in found.candidates for change in item.changes)


def test_a_plan_that_is_late_is_mended(catalog: Catalog) -> None:
    plan = apply_patch(PLAN, {"batch.deadline_hours": 0.6, "cluster.accelerator_count": 1})
    assert not estimate(plan, catalog, draws=0).feasible
    best = optimize(plan, catalog).best
    assert best.duration_h <= 0.6 and best.changes


def test_the_curves_cover_size_and_batch(catalog: Catalog) -> None:
    size, cap = optimize(PLAN, catalog).curves
    assert (size.path, cap.path) == ("cluster.accelerator_count", "batch.max_batch")
    assert size.now == 2.0 and len(size.x) > 2 and len(cap.x) > 5
    assert list(size.duration_h) == sorted(size.duration_h, reverse=True)

"""optimize(): what it may claim about its candidates."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import LLAMA_70B, serving_plan, training_plan

from engine.catalog import Catalog
from engine.errors import Cancelled, InputError
from engine.estimation import estimate
from engine.optimize.search import optimize
from engine.plan import Plan, apply_patch
from engine.results import Candidate, Optimisation


def slow_plan(**fields: Any) -> Plan:
    """A run with something to find: full recomputation and checkpoints too far apart."""
    return training_plan(
        {
            "layout.recompute": "full",
            "reliability.checkpoint_interval_s": 20_000.0,
            "people.roles": [{"role": "ml_engineer", "fte": 4.0}],
        },
        **fields,
    )


@pytest.fixture(scope="module")
def training(catalog: Catalog) -> Optimisation:
    return optimize(slow_plan(), catalog)


@pytest.fixture(scope="module")
def serving(catalog: Catalog) -> Optimisation:
    return optimize(service(), catalog)


def service() -> Plan:
    return serving_plan(
        {"architecture": LLAMA_70B, "serving.weight_precision": "bf16", "layout.tensor_parallel": 8}
    )


def patch_of(item: Candidate) -> dict[str, Any]:
    return {change.path: change.after for change in item.changes}


def test_every_candidate_costs_what_its_estimate_says(
    training: Optimisation, serving: Optimisation, catalog: Catalog
) -> None:
    for plan, found in ((slow_plan(), training), (service(), serving)):
        assert found.baseline_total == pytest.approx(estimate(plan, catalog, draws=0).total, rel=1e-9)
        for item in (*found.candidates, found.best):
            again = estimate(apply_patch(plan, patch_of(item)), catalog, draws=0)
            assert again.feasible
            assert item.total == pytest.approx(again.total, rel=1e-9)
            assert item.duration_h == pytest.approx(again.metric("duration_h"), rel=1e-9)


def test_the_best_is_the_cheapest_and_never_dearer_than_the_plan(
    training: Optimisation, serving: Optimisation
) -> None:
    for found in (training, serving):
        assert found.best.total == min(item.total for item in found.candidates)
        assert found.best.total <= found.baseline_total
        assert found.evaluated > 0
    assert training.best.total < training.baseline_total


def test_the_frontier_holds_what_nothing_beats(training: Optimisation) -> None:
    frontier = training.pareto
    hours, totals = [c.duration_h for c in frontier], [c.total for c in frontier]
    assert hours == sorted(hours) and totals == sorted(totals, reverse=True)
    for item in training.candidates:
        beaten = any(
            other.total <= item.total
            and other.duration_h <= item.duration_h
            and (other.total, other.duration_h) != (item.total, item.duration_h)
            for other in training.candidates
        )
        assert item.on_frontier == (not beaten)


def test_settings_are_listed_once(training: Optimisation) -> None:
    patches = [repr(sorted(patch_of(item).items(), key=str)) for item in training.candidates]
    assert len(patches) == len(set(patches))


@pytest.mark.parametrize("objective", ["cost", "time", "cost_under_deadline", "time_under_budget"])
def test_each_objective_finds_its_own_best(catalog: Catalog, objective: Any) -> None:
    plan = slow_plan(schedule__deadline_days=120.0, governance__budget=1.3e6)
    found = optimize(plan, catalog, objective=objective)
    days = {id(c): c.duration_h / 24 for c in found.candidates}
    allowed = {
        "cost": found.candidates,
        "time": found.candidates,
        "cost_under_deadline": [c for c in found.candidates if days[id(c)] <= 120.0],
        "time_under_budget": [c for c in found.candidates if c.total <= 1.3e6],
    }[objective]
    assert allowed
    if objective.startswith("cost"):
        assert found.best.total == min(c.total for c in allowed)
    else:
        assert found.best.duration_h == min(c.duration_h for c in allowed)


def test_time_costs_money(catalog: Catalog) -> None:
    alone = slow_plan(people__roles=[])
    cheap, fast = (optimize(alone, catalog, objective=name).best for name in ("cost", "time"))
    assert fast.duration_h < cheap.duration_h and fast.total > cheap.total


def test_an_unknown_objective_is_refused(catalog: Catalog) -> None:
    with pytest.raises(InputError) as caught:
        optimize(slow_plan(), catalog, objective="glory")  # type: ignore[arg-type]
    assert caught.value.field == "--objective" and "cost_under_deadline" in str(caught.value)


def test_a_search_can_be_followed_and_stopped(catalog: Catalog) -> None:
    steps: list[tuple[int, int]] = []
    optimize(slow_plan(), catalog, progress=lambda done, of: steps.append((done, of)))
    assert steps == [(n, len(steps)) for n in range(1, len(steps) + 1)] and steps
    with pytest.raises(Cancelled):
        optimize(slow_plan(), catalog, cancelled=lambda: True)


def test_curves_pass_through_the_plan(training: Optimisation, catalog: Catalog) -> None:
    interval, size = training.curves
    assert interval.now == 20_000.0 and size.now == 64.0
    assert interval.best is not None and interval.best < 20_000.0
    at_best = estimate(
        apply_patch(slow_plan(), {"reliability.checkpoint_interval_s": interval.best}), catalog, draws=0
    )
    assert interval.best_total == pytest.approx(at_best.total, rel=1e-9)
    assert dict(zip(size.x, size.total, strict=True))[64.0] == pytest.approx(
        training.baseline_total, rel=1e-9
    )


def test_a_plan_that_does_not_fit_is_not_its_own_best(catalog: Catalog) -> None:
    overflowing = training_plan({"layout.micro_batch": 4})
    found = optimize(overflowing, catalog)
    assert found.best.changes
    assert estimate(apply_patch(overflowing, patch_of(found.best)), catalog, draws=0).feasible

"""The best interval against a dense grid and against the textbook."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.optimize.checkpoint import PATH, interval_sweep
from engine.reliability.summaries import checkpoint_summary
from engine.values import PlanValues

CASES: list[dict[str, Any]] = [
    {},
    {"reliability.failures_per_node_day": 2.0},
    {"reliability.checkpoint_write_s": 600.0},
    {"reliability.checkpoint_mode": "async", "reliability.checkpoint_write_s": 300.0},
    {
        "storage.checkpoints_kept": "all",
        "storage.months_after_run": 60.0,
        "storage.checkpoint_tier": "parallel_fs",
    },
    {"cluster.price_mode": "spot", "reliability.preemptions_per_node_hour": 0.05},
]


@pytest.mark.parametrize("patch", CASES)
def test_no_interval_of_a_dense_grid_costs_less(catalog: Catalog, patch: dict[str, Any]) -> None:
    values = PlanValues(training_plan(patch), catalog)
    found = interval_sweep(values)
    assert found.best is not None and found.best_total is not None
    dense = np.geomspace(20.0, 2e6, 40_001)
    totals = evaluate(lower(PlanValues(values.plan, catalog, {PATH: dense})), values.plan.scope).total
    assert found.best_total <= totals.min() * (1 + 1e-9)
    assert found.best == pytest.approx(dense[np.argmin(totals)], rel=0.02)


def test_without_storage_it_is_the_textbooks_interval(catalog: Catalog) -> None:
    plan = training_plan({"storage.months_after_run": 0.0, "storage.checkpoints_kept": 1})
    mttf_h = estimate(plan, catalog, draws=0).metric("mttf_h")
    assert mttf_h
    textbook = checkpoint_summary(mttf_s=mttf_h * 3600, write_s=20.0, restart_s=600.0)
    assert interval_sweep(PlanValues(plan, catalog)).best == pytest.approx(
        textbook.optimal_interval_s, rel=0.01
    )


def test_stored_checkpoints_that_cost_money_lengthen_it(catalog: Catalog) -> None:
    free, dear = (
        interval_sweep(PlanValues(training_plan({"storage.checkpoints_kept": "all", **patch}), catalog)).best
        for patch in ({"storage.months_after_run": 0.0}, {"storage.months_after_run": 120.0})
    )
    assert free is not None and dear is not None and dear > 1.2 * free


def test_the_flat_region_holds_the_best_and_little_more_cost(catalog: Catalog) -> None:
    found = interval_sweep(PlanValues(training_plan(), catalog))
    assert found.flat_low is not None and found.flat_high is not None and found.best is not None
    assert found.flat_low <= found.best <= found.flat_high
    for end in (found.flat_low, found.flat_high):
        total = estimate(training_plan({PATH: end}), catalog, draws=0).total
        assert total <= (found.best_total or 0) * 1.01 * (1 + 1e-9)

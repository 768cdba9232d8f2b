"""Cluster sizes that keep layout and batch."""

from __future__ import annotations

import numpy as np
import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.optimize.cluster_size import PATH, size_grid, size_sweep, within_deadline
from engine.plan import apply_patch
from engine.values import PlanValues


def test_sizes_are_whole_replicas_that_divide_the_batch(catalog: Catalog) -> None:
    sizes = size_grid(PlanValues(training_plan(), catalog))
    replicas = sizes / 32
    assert np.all(512 % replicas == 0) and 64.0 in sizes and sizes.min() == 32 and sizes.max() == 512 * 32


def test_every_point_is_an_estimate(catalog: Catalog) -> None:
    found = size_sweep(PlanValues(training_plan(), catalog))
    assert found.feasible.sum() >= 4
    for index in np.flatnonzero(found.feasible)[:4]:
        alone = estimate(apply_patch(training_plan(), {PATH: int(found.x[index])}), catalog, draws=0)
        assert found.total[index] == pytest.approx(alone.total, rel=1e-12)
        assert found.duration_h[index] == pytest.approx(alone.metric("duration_h"), rel=1e-12)


def test_the_best_is_the_cheapest_that_fits(catalog: Catalog) -> None:
    found = size_sweep(PlanValues(training_plan(), catalog))
    assert found.best_total == found.total[found.feasible].min()


def test_the_deadline_counts_the_experiments_too(catalog: Catalog) -> None:
    plan = training_plan(
        {"experiments.runs": 10, "experiments.run_share": 0.1, "schedule.deadline_days": 300.0}
    )
    found = size_sweep(PlanValues(plan, catalog))
    allowed = within_deadline(PlanValues(plan, catalog), found)
    assert np.all(found.end_day[allowed] <= 300.0)
    run_alone = found.feasible & (found.duration_h / 24.0 <= 300.0)
    assert np.any(run_alone & ~allowed)
    free = training_plan({"experiments.runs": 10, "experiments.run_share": 0.1})
    assert np.array_equal(within_deadline(PlanValues(free, catalog), found), found.feasible)

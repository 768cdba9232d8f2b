"""Sweeps of one setting."""

from __future__ import annotations

import numpy as np
import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.optimize.curves import sweep
from engine.plan import apply_patch
from engine.values import PlanValues


def test_every_point_is_an_estimate(catalog: Catalog) -> None:
    x = np.array([0.5, 0.7, 0.9, 1.0])
    found = sweep(PlanValues(training_plan(), catalog), "cluster.busy_share", x)
    for value, total in zip(x, found.total, strict=True):
        alone = estimate(apply_patch(training_plan(), {"cluster.busy_share": float(value)}), catalog, draws=0)
        assert total == pytest.approx(alone.total, rel=1e-12)
    assert found.best == 1.0 and found.best_total == found.total[-1]


def test_without_a_feasible_point_there_is_no_best(catalog: Catalog) -> None:
    found = sweep(PlanValues(training_plan(), catalog), "layout.micro_batch", np.array([64.0, 128.0]))
    assert not found.feasible.any()
    assert (found.best, found.best_total, found.flat_low, found.flat_high) == (None, None, None, None)

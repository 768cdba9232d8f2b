"""The best batch against every batch the layout can split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.optimize.batch import best_batch, critical_batch_tokens, equal_loss_tokens
from engine.values import PlanValues


@pytest.mark.parametrize(
    "patch",
    [
        {"training.critical_batch_tokens": 5e5},
        {"training.critical_batch_tokens": 4e6},
        {"training.critical_batch_tokens": 1e9},
        {"cluster.accelerator_count": 512, "training.critical_batch_tokens": 1e6},
    ],
)
def test_no_other_batch_within_a_factor_of_sixteen_costs_less(
    catalog: Catalog, patch: dict[str, Any]
) -> None:
    plan = training_plan(patch)
    training = plan.training
    assert training is not None
    found = best_batch(PlanValues(plan, catalog))
    replicas = int(plan.cluster.accelerator_count) // 32
    quantum = training.sequence_length * replicas
    least, most = (int(training.global_batch_tokens * factor / quantum) for factor in (1 / 16, 16))
    batches = quantum * np.arange(max(1, least), most + 1, dtype=float)
    tokens = equal_loss_tokens(
        training.tokens,
        batch=training.global_batch_tokens,
        new_batch=batches,
        critical=training.critical_batch_tokens,
    )
    columns = {"training.global_batch_tokens": batches, "training.tokens": np.asarray(tokens)}
    outcome = evaluate(lower(PlanValues(plan, catalog, columns)), plan.scope)
    totals = np.where(np.asarray(outcome.feasible_code) == 0, outcome.total, np.inf)
    assert found.total == pytest.approx(totals.min(), rel=2e-4)
    assert found.batch_tokens % quantum == 0


def test_equal_loss_keeps_the_least_tokens() -> None:
    """D / (1 + B/Bc) is the same before and after; a doubled batch at B = Bc costs half as much again."""
    assert equal_loss_tokens(3.0, batch=1.0, new_batch=2.0, critical=1.0) == pytest.approx(4.5)
    assert equal_loss_tokens(3.0, batch=2.0, new_batch=2.0, critical=1.0) == 3.0


def test_the_critical_batch_is_as_entered_or_grows_with_the_tokens(catalog: Catalog) -> None:
    assert critical_batch_tokens(PlanValues(training_plan(), catalog)) == 5e6
    open_plans = [
        training_plan({"training.critical_batch_tokens": None, "training.tokens": tokens})
        for tokens in (1e12, 2e12)
    ]
    small, large = (critical_batch_tokens(PlanValues(plan, catalog)) for plan in open_plans)
    exponent = catalog.fact("scaling", "critical_batch_exponent").value
    assert large / small == pytest.approx(2**exponent)

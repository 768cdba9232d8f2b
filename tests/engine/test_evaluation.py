"""The one kernel: rows equal plans, and the figures hang together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plan_cases import batch_plan, serving_plan, training_plan

from engine.catalog import Catalog
from engine.evaluation import Outcome, evaluate
from engine.lowering import lower
from engine.plan import Plan, apply_patch
from engine.values import PlanValues


def run(plan: Plan, catalog: Catalog, overrides: dict[str, Any] | None = None) -> Outcome:
    return evaluate(lower(PlanValues(plan, catalog, overrides or {})), plan.scope)


ROWS = [
    ("training", "training.tokens", [1e12, 2.4e12, 7e12]),
    ("training", "cluster.price_per_gpu_hour", [0.0, 1.0, 9.0]),
    ("training", "cluster.busy_share", [0.3, 0.95, 1.0]),
    ("training", "reliability.checkpoint_interval_s", [600.0, 4000.0, 40000.0]),
    ("training", "reliability.failures_per_node_day", [0.001, 0.02, 0.5]),
    ("training", "reliability.restart_s", [0.0, 600.0, 7200.0]),
    ("training", "experiments.failed_share", [0.0, 0.2, 1.0]),
    ("training", "schedule.deadline_days", [10.0, 280.0, 4000.0]),
    ("serving", "serving.requests_per_second", [2.0, 20.0, 900.0]),
    ("serving", "serving.output_tokens", [30.0, 300.0, 900.0]),
    ("serving", "schedule.horizon_months", [1.0, 12.0, 36.0]),
    ("batch", "batch.requests", [1.0, 1e6, 1e8]),
    ("batch", "batch.deadline_hours", [1.0, 24.0, 200.0]),
    ("batch", "batch.idle_gpu_hours_per_week", [0.0, 50.0, 1e5]),
    ("batch", "cluster.accelerator_count", [1.0, 3.0, 200.0]),
    ("batch", "reliability.failures_per_node_day", [0.0, 0.02, 50.0]),
    ("batch", "serving.cold_start_s", [0.0, 600.0, 7200.0]),
]


@pytest.mark.parametrize(("kind", "path", "column"), ROWS)
def test_a_row_is_the_plan_with_that_value(
    catalog: Catalog, kind: str, path: str, column: list[float]
) -> None:
    """What the optimiser and the draws see is what the page shows: no second formula."""
    plan = {"training": training_plan, "serving": serving_plan, "batch": batch_plan}[kind]()
    rows = run(plan, catalog, {path: np.array(column)})
    for index, value in enumerate(column):
        alone = run(apply_patch(plan, {path: value}), catalog)
        assert np.broadcast_to(rows.total, 3)[index] == pytest.approx(float(alone.total), rel=1e-12)
        assert np.broadcast_to(rows.duration_h, 3)[index] == pytest.approx(float(alone.duration_h), rel=1e-12)


def test_many_columns_at_once_are_many_plans(catalog: Catalog) -> None:
    plan, rng = training_plan(), np.random.default_rng(3)
    columns = {
        "training.tokens": rng.uniform(1e11, 1e13, 20),
        "cluster.price_per_gpu_hour": rng.uniform(0, 10, 20),
        "reliability.restart_s": rng.uniform(0, 4000, 20),
    }
    rows = run(plan, catalog, columns)
    for index in range(20):
        patch = {path: float(column[index]) for path, column in columns.items()}
        assert rows.total[index] == pytest.approx(
            float(run(apply_patch(plan, patch), catalog).total), rel=1e-12
        )


def test_shares_of_the_wall_time_add_up_to_one(catalog: Catalog) -> None:
    training = run(training_plan({"reliability.checkpoint_interval_s": 9000.0}), catalog).training
    assert training is not None
    found = training.goodput
    shares = (
        found.goodput,
        found.rework_share,
        found.checkpoint_share,
        found.restart_share,
        found.stalled_share,
    )
    assert sum(float(share) for share in shares) == pytest.approx(1.0, rel=1e-9)
    assert float(training.useful_h / training.wall_h) == pytest.approx(float(found.goodput), rel=1e-12)


def test_the_planned_interval_is_kept_and_the_open_one_is_the_optimum(catalog: Catalog) -> None:
    planned = run(training_plan({"reliability.checkpoint_interval_s": 9000.0}), catalog).training
    best = run(training_plan({"reliability.checkpoint_interval_s": "auto"}), catalog).training
    assert planned is not None and best is not None
    assert float(planned.interval_s) == 9000.0
    assert float(best.goodput.goodput) > float(planned.goodput.goodput)
    for factor in (0.9, 1.1):
        near = training_plan({"reliability.checkpoint_interval_s": float(best.interval_s) * factor})
        other = run(near, catalog).training
        assert other is not None and float(best.goodput.goodput) >= float(other.goodput.goodput)


def test_the_work_ends_after_experiments_and_run(catalog: Catalog) -> None:
    outcome = run(training_plan({"experiments.runs": 4, "experiments.run_share": 0.1}), catalog)
    assert outcome.training is not None
    assert outcome.end_day == pytest.approx(
        float(outcome.training.preparation_days) + float(outcome.duration_h) / 24
    )
    service = run(serving_plan(), catalog)
    assert float(service.end_day) == pytest.approx(365.0)


def test_a_fixed_number_of_instances_is_kept(catalog: Catalog) -> None:
    outcome = run(serving_plan({"serving.instances": 7}), catalog)
    assert outcome.service is not None
    assert float(outcome.service.fleet.instances_peak) == 7 == float(outcome.service.fleet.instances_mean)


def test_a_slower_estimator_takes_longer_in_proportion(catalog: Catalog) -> None:
    inputs = lower(PlanValues(training_plan(), catalog))
    assert inputs.training is not None
    slow = replace(inputs, training=replace(inputs.training, time_factor=2.0 * inputs.training.time_factor))
    scope = training_plan().scope
    assert float(evaluate(slow, scope).duration_h) == pytest.approx(
        2 * float(evaluate(inputs, scope).duration_h)
    )


def test_a_committed_base_is_priced_row_by_row(catalog: Catalog) -> None:
    plan = serving_plan({**CHAT, "serving.growth_per_month": 0.05, "schedule.horizon_months": 7.5})
    rows = {
        "cluster.committed_accelerators": np.array([0.0, 3.0, 9.0, 9.0, 40.0]),
        "layout.tensor_parallel": np.array([1.0, 2.0, 1.0, 4.0, 2.0]),
        "cluster.spot_share": np.array([0.0, 0.5, 0.0, 1.0, 0.2]),
        "serving.requests_per_second": np.array([20.0, 90.0, 60.0, 60.0, 150.0]),
        "cluster.committed_term_months": np.array([12.0, 12.0, 3.0, 36.0, 12.0]),
    }
    together = evaluate(lower(PlanValues(plan, catalog, rows)), plan.scope)
    whole = ("cluster.committed_accelerators", "layout.tensor_parallel")
    for row, total in enumerate(np.asarray(together.total)):
        patch = {path: int(x[row]) if path in whole else float(x[row]) for path, x in rows.items()}
        assert float(run(apply_patch(plan, patch), catalog).total) == pytest.approx(float(total), rel=1e-12)


def test_without_a_base_its_price_changes_nothing(catalog: Catalog) -> None:
    plan = serving_plan(CHAT)
    priced = apply_patch(plan, {"cluster.committed_price_per_gpu_hour": 99.0, "cluster.spot_share": 0.0})
    assert float(run(priced, catalog).total) == float(run(plan, catalog).total)


def test_a_fixed_fleet_stands_on_its_base_every_hour(catalog: Catalog) -> None:
    plan = serving_plan({**CHAT, "serving.instances": 8, "cluster.busy_share": 1.0})
    outcome = run(apply_patch(plan, {"cluster.committed_accelerators": 5}), catalog)
    hours = {line.spec.item: float(line.quantity) for line in outcome.lines if line.spec.unit == "GPU-h"}
    assert hours["Committed base, in use"] == pytest.approx(5 * 8760.0)
    assert hours["Committed base, unused"] == 0.0
    assert hours["Serving instances"] == pytest.approx(3 * 8760.0)


CHAT = {
    "serving.profile": "chat",
    "serving.autoscale": True,
    "cluster.price_mode": "on_demand",
    "cluster.committed_price_per_gpu_hour": 1.25,
    "cluster.spot_price_per_gpu_hour": 0.75,
}

"""Calibrating with a planner's own runs."""

from __future__ import annotations

import math

import pytest

from engine.catalog import load_catalog
from engine.errors import InputError
from engine.estimation import estimate
from engine.performance.own_runs import OwnRun, StackFactor, calibrate_own_runs, own_run
from tests.engine.plan_cases import training_plan

CATALOG = load_catalog()


def factor(*ratios: float) -> StackFactor:
    """The factor from runs whose step took `ratio` times what was predicted."""
    runs = [OwnRun("own", predicted=ratio * 1000.0, measured=1000.0) for ratio in ratios]
    return calibrate_own_runs(runs, CATALOG)["own"]


def test_more_runs_pull_further_and_narrow_the_band() -> None:
    found = [factor(*[1.2] * n) for n in (1, 2, 5, 50)]
    assert [f.factor for f in found] == sorted(f.factor for f in found)
    assert 1.1 < found[0].factor < found[-1].factor < 1.2
    widths = [math.log(f.high / f.low) for f in found]
    assert widths == sorted(widths, reverse=True) and widths[0] < math.log(1.4)
    assert all(f.low < f.factor < f.high for f in found)


def test_one_sick_run_does_not_move_the_rest() -> None:
    assert factor(1.0, 1.0, 1.0, 1.0, 3.0).factor == 1.0


def test_stacks_are_apart_and_say_where_they_come_from() -> None:
    runs = [OwnRun("fsdp", 900.0, 1000.0), OwnRun("jax", 1100.0, 1000.0), OwnRun("jax", 1100.0, 1000.0)]
    found = calibrate_own_runs(runs, CATALOG)
    assert found["fsdp"].factor < 1 < found["jax"].factor
    assert [found[name].runs for name in ("fsdp", "jax")] == [1, 2]
    assert "2 runs" in found["jax"].provenance.render() and "jax" in found["jax"].provenance.render()
    assert calibrate_own_runs([], CATALOG) == {}


@pytest.mark.parametrize("speed", [0.0, -1.0, math.inf, math.nan])
def test_impossible_speeds_are_refused(speed: float) -> None:
    with pytest.raises(InputError) as caught:
        calibrate_own_runs([OwnRun("fsdp", 1000.0, speed)], CATALOG)
    assert caught.value.field == "own_runs.measured"


def test_a_plans_run_is_predicted_as_its_estimate_is() -> None:
    plan = training_plan()
    run = own_run(plan, CATALOG, 1234.0)
    metrics = {metric.key: metric.value for metric in estimate(plan, CATALOG, draws=0).metrics}
    assert run.predicted == pytest.approx(metrics["tokens_per_s_per_gpu"], rel=1e-12)
    assert run.measured == 1234.0


def test_a_measured_run_has_a_layout() -> None:
    with pytest.raises(InputError) as caught:
        own_run(training_plan({"layout.tensor_parallel": "auto"}), CATALOG, 1000.0)
    assert caught.value.field == "layout"

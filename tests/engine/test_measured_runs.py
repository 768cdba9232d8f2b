"""Calibrating with a planner's own runs."""

from __future__ import annotations

import math

import pytest

from engine.catalog import load_catalog
from engine.defaults import TIME_FACTOR, default_fact
from engine.errors import InputError
from engine.estimation import estimate
from engine.measured_runs import OwnRun, StackFactor, calibrate_own_runs, own_run
from engine.plan import Plan, apply_patch
from engine.recommend.pricing import Pricer
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


def speed(plan: Plan) -> float:
    found = estimate(plan, CATALOG, draws=0).metric("tokens_per_s_per_gpu")
    assert found is not None
    return found


def measured(plan: Plan, *runs: dict[str, object]) -> Plan:
    return apply_patch(plan, {"training.measured_runs": list(runs)})


def test_measured_runs_of_the_plan_move_its_estimate_and_narrow_its_band() -> None:
    plan = training_plan({"training.stack": "megatron"})
    slow = 0.8 * speed(plan)
    runs = [{"tokens_per_s_per_gpu": slow}] * 3
    moved = measured(plan, *runs)
    assert slow < speed(moved) < 0.86 / 0.8 * slow
    before, after = (default_fact(p, CATALOG, TIME_FACTOR) for p in (plan, moved))
    assert before is not None and after is not None
    assert after.high / after.low < before.high / before.low
    assert "3 runs" in after.source
    wide, narrow = (estimate(p, CATALOG, draws=400) for p in (plan, moved))
    assert narrow.p90 / narrow.p10 < wide.p90 / wide.p10


def test_a_run_on_another_cluster_is_predicted_there() -> None:
    plan = training_plan({"training.stack": "megatron", "cluster.accelerator_count": 256})
    at_64 = speed(apply_patch(plan, {"cluster.accelerator_count": 64, "training.global_batch_tokens": 2**20}))
    run = {"tokens_per_s_per_gpu": at_64, "accelerator_count": 64, "global_batch_tokens": 2**20}
    assert speed(measured(plan, run)) == pytest.approx(speed(plan), rel=1e-12)


def test_runs_on_another_stack_leave_the_plan_alone() -> None:
    plan = training_plan({"training.stack": "megatron"})
    assert speed(measured(plan, {"tokens_per_s_per_gpu": 10.0, "stack": "fsdp"})) == speed(plan)


def test_a_run_without_a_layout_names_what_is_missing() -> None:
    plan = training_plan({"layout.tensor_parallel": "auto"})
    with pytest.raises(InputError, match=r"layout\.tensor_parallel") as caught:
        estimate(measured(plan, {"tokens_per_s_per_gpu": 900.0}), CATALOG, draws=0)
    assert caught.value.field == "training.measured_runs.0"


def test_the_stack_matters_and_an_unknown_one_widens_the_band() -> None:
    plan = training_plan()
    known, other = (apply_patch(plan, {"training.stack": name}) for name in ("megatron", "fsdp"))
    assert speed(known) == speed(plan) != speed(other)
    bands = [default_fact(p, CATALOG, TIME_FACTOR) for p in (plan, known)]
    assert bands[0].high / bands[0].low > bands[1].high / bands[1].low


VARIANTS: tuple[dict[str, object], ...] = (
    {"layout.recompute": "none"},
    {"training.precision": "fp8"},
    {"layout.tensor_parallel": 4, "layout.pipeline_parallel": 2},
    {"cluster.accelerator": "h200-sxm"},
    {"training.global_batch_tokens": 2**23},
)


@pytest.mark.parametrize("change", VARIANTS)
def test_a_variant_of_the_plan_does_not_change_what_was_measured(change: dict[str, object]) -> None:
    """Else every action would be priced with another factor, and its saving would be an artefact."""
    plan = training_plan({"training.stack": "megatron", "layout.recompute": "full"})
    calibrated = measured(plan, {"tokens_per_s_per_gpu": 0.9 * speed(plan)})
    before, after = (
        default_fact(p, CATALOG, TIME_FACTOR) for p in (calibrated, apply_patch(calibrated, change))
    )
    assert after.value == pytest.approx(before.value, rel=1e-12)
    plain = speed(apply_patch(plan, change)) / speed(plan)
    assert speed(apply_patch(calibrated, change)) / speed(calibrated) == pytest.approx(plain, rel=1e-9)


def test_a_saving_is_as_large_with_own_runs_as_its_share_without() -> None:
    plan = training_plan({"training.stack": "megatron", "layout.recompute": "full"})
    calibrated = measured(plan, {"tokens_per_s_per_gpu": 0.9 * speed(plan)})
    shares = []
    for start in (plan, calibrated):
        pricer = Pricer(start, CATALOG, draws=0)
        changed = pricer.central({"layout.recompute": "none"})
        assert changed is not None
        shares.append(changed.duration_h / pricer.base.duration_h)
    assert shares[1] == pytest.approx(shares[0], rel=0.02)

"""What a plan leaves open is filled with the best choice, and says so."""

from __future__ import annotations

import pytest
from plan_cases import serving_plan, small_plan, training_plan

from engine.catalog import Catalog
from engine.errors import InputError
from engine.estimation import estimate
from engine.plan import apply_patch
from engine.resolution import resolve

AUTO = {"cluster.accelerator_count": "auto"}


def test_a_settled_plan_is_left_alone(catalog: Catalog) -> None:
    for plan in (training_plan(), serving_plan()):
        assert resolve(plan, catalog) == (plan, ())


def test_what_was_entered_is_kept(catalog: Catalog) -> None:
    plan = training_plan({"layout": {"tensor_parallel": 8, "recompute": "full"}})
    settled, choices = resolve(plan, catalog)
    assert settled.layout.tensor_parallel == 8 and settled.layout.recompute == "full"
    assert not {"layout.tensor_parallel", "layout.recompute"} & {choice.path for choice in choices}
    assert "auto" not in settled.layout.model_dump().values()


def test_an_open_cluster_is_the_cheapest_doubling_that_meets_the_deadline(catalog: Catalog) -> None:
    plan = training_plan({**AUTO, "layout": {}, "schedule.deadline_days": 100.0})
    settled, _ = resolve(plan, catalog)
    chosen = settled.cluster.accelerator_count
    found = {}
    for size in (8 * 2**k for k in range(8)):
        try:
            found[size] = estimate(apply_patch(plan, {"cluster.accelerator_count": size}), catalog, draws=0)
        except InputError:
            continue
    in_time = {s: f for s, f in found.items() if f.metric("duration_h") / 24 <= 100.0}
    assert chosen == min(in_time, key=lambda size: in_time[size].total)


def test_experiments_count_towards_the_deadline(catalog: Catalog) -> None:
    trials = {"experiments.runs": 10, "experiments.run_share": 0.1, "schedule.deadline_days": 100.0}
    found = estimate(training_plan({**AUTO, **trials, "layout": {}}), catalog, draws=0)
    assert not any("later than the deadline" in note.render() for note in found.notes)


def test_a_deadline_nobody_meets_takes_the_fastest(catalog: Catalog) -> None:
    plan = small_plan({**AUTO, "layout": {}, "schedule.deadline_days": 1e-4})
    settled, _ = resolve(plan, catalog)
    hours = estimate(settled, catalog, draws=0).metric("duration_h")
    for size in (8, 16, 32):
        try:
            other = estimate(apply_patch(plan, {"cluster.accelerator_count": size}), catalog, draws=0)
        except InputError:
            continue
        assert hours <= other.metric("duration_h") * (1 + 1e-9)


def test_the_split_of_a_service_is_the_cheapest_that_meets_its_targets(catalog: Catalog) -> None:
    plan = serving_plan({"layout": {}, "serving.requests_per_second": 300.0})
    settled, choices = resolve(plan, catalog)
    assert {choice.path for choice in choices} == {"layout.tensor_parallel", "layout.pipeline_parallel"}
    totals = {
        split: estimate(apply_patch(settled, {"layout.tensor_parallel": split}), catalog, draws=0)
        for split in (1, 2, 4, 8)
    }
    feasible = {split: found for split, found in totals.items() if found.feasible}
    assert settled.layout.tensor_parallel in feasible
    assert feasible[settled.layout.tensor_parallel].total == pytest.approx(
        min(found.total for found in feasible.values())
    )


def test_a_cluster_too_small_for_the_network_says_why(catalog: Catalog) -> None:
    with pytest.raises(InputError) as caught:
        resolve(training_plan({"layout": {}, "cluster.accelerator_count": 2}), catalog)
    assert caught.value.field == "cluster.accelerator_count" and "memory" in str(caught.value)


def test_a_share_of_an_accelerator_holds_a_whole_instance(catalog: Catalog) -> None:
    small = {"serving.accelerator_share": 0.5, "layout.tensor_parallel": 2}
    with pytest.raises(InputError) as caught:
        resolve(serving_plan(small), catalog)
    assert caught.value.field == "layout.tensor_parallel"
    settled, _ = resolve(serving_plan(small | {"layout.tensor_parallel": "auto"}), catalog)
    assert settled.layout.tensor_parallel == 1

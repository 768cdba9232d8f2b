"""What a batch plan leaves to the engine, and what it says when nothing will do."""

from __future__ import annotations

import pytest
from plan_cases import batch_plan, named_fields, refusal

from engine.catalog import Catalog
from engine.errors import FlopwiseError
from engine.estimation import estimate
from engine.plan import Plan, apply_patch
from engine.text import Quantity

AUTO = {"cluster.accelerator_count": "auto", "layout.tensor_parallel": "auto"}
BIG = {
    "architecture.hidden_size": 8192,
    "architecture.num_hidden_layers": 80,
    "architecture.num_attention_heads": 64,
    "architecture.intermediate_size": 28672,
    "serving.weight_precision": "bf16",
}


def feasible(plan: Plan, catalog: Catalog) -> bool:
    try:
        return estimate(plan, catalog, draws=0).feasible
    except FlopwiseError:
        return False


@pytest.mark.parametrize("split", [1, 2, 4])
@pytest.mark.parametrize("hours", [2.0, 5.0, 24.0])
def test_the_count_is_the_fewest_whole_instances_that_meet_the_deadline(
    catalog: Catalog, split: int, hours: float
) -> None:
    plan = batch_plan({**AUTO, "layout.tensor_parallel": split, "batch.deadline_hours": hours})
    chosen = {choice.path: choice.value for choice in estimate(plan, catalog, draws=0).choices}
    count = chosen["cluster.accelerator_count"]
    tried = [
        n
        for n in range(split, count + split, split)
        if feasible(apply_patch(plan, {"cluster.accelerator_count": n}), catalog)
    ]
    assert tried == [count]


def test_the_split_is_the_cheapest_that_meets_the_deadline(catalog: Catalog) -> None:
    plan = batch_plan({**AUTO, **BIG})
    found = estimate(plan, catalog, draws=0)
    totals = {}
    for split in (1, 2, 4, 8):
        try:
            one = estimate(apply_patch(plan, {"layout.tensor_parallel": split}), catalog, draws=0)
        except FlopwiseError:
            continue
        totals[split] = one.total
    chosen = {choice.path: choice.value for choice in found.choices}
    assert 1 not in totals and len(totals) == 3
    assert chosen["layout.tensor_parallel"] == min(totals, key=lambda split: totals[split])
    assert found.total == min(totals.values()) and found.feasible


def test_a_given_count_that_is_late_is_priced_and_told_what_would_do(catalog: Catalog) -> None:
    plan = batch_plan({"cluster.accelerator_count": 1, "batch.deadline_hours": 4.0})
    found = estimate(plan, catalog, draws=0)
    assert not found.feasible and found.metric("feasible_code") == 11.0
    assert found.total > 0 and (found.metric("deadline_slack_h") or 0.0) < 0.0
    gpus = found.notes[0].params["gpus"]
    assert isinstance(gpus, Quantity) and gpus.value is not None
    needed = int(gpus.value)
    assert feasible(apply_patch(plan, {"cluster.accelerator_count": needed}), catalog)
    assert not feasible(apply_patch(plan, {"cluster.accelerator_count": needed - 1}), catalog)


def test_a_deadline_that_nothing_meets_names_the_shortest_that_can_be_met(catalog: Catalog) -> None:
    plan = batch_plan({**AUTO, "batch.deadline_hours": 0.05})
    error = refusal(lambda: estimate(plan, catalog, draws=0))
    assert error is not None and named_fields(error) == {"batch.deadline_hours"}
    least = error.accepted.params["least"].value  # type: ignore[attr-defined]
    assert feasible(apply_patch(plan, {"batch.deadline_hours": least}), catalog)
    given = estimate(batch_plan({"batch.deadline_hours": 0.05}), catalog, draws=0)
    assert not given.feasible and "no number of GPUs" in given.notes[0].template


def test_capacity_that_never_lasts_is_refused_as_such(catalog: Catalog) -> None:
    rough = {"cluster.price_mode": "spot", "reliability.preemptions_per_node_hour": 1000.0}
    error = refusal(lambda: estimate(batch_plan({**AUTO, **rough}), catalog, draws=0))
    assert error is not None and named_fields(error) == {"cluster.price_mode"}
    given = estimate(batch_plan(rough), catalog, draws=0)
    assert not given.feasible and "faster than a batch ends" in given.notes[0].template


def test_a_network_that_does_not_fit_names_a_split_that_does(catalog: Catalog) -> None:
    plan = batch_plan({**BIG, "layout.tensor_parallel": 1})
    error = refusal(lambda: estimate(plan, catalog, draws=0))
    assert error is not None and named_fields(error) == {"layout.tensor_parallel"}
    split = error.accepted.params["split"]  # type: ignore[attr-defined]
    wider = {"layout.tensor_parallel": split, "cluster.accelerator_count": "auto"}
    assert feasible(apply_patch(plan, wider), catalog)


def test_a_network_that_fits_nowhere_asks_for_another_accelerator(catalog: Catalog) -> None:
    plan = batch_plan({**AUTO, **BIG, "architecture.num_hidden_layers": 900})
    error = refusal(lambda: estimate(plan, catalog, draws=0))
    assert error is not None and named_fields(error) == {"cluster.accelerator"}


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"batch.requests": 0.0}, "batch.requests"),
        ({"batch.max_batch": 0}, "batch.max_batch"),
        ({"batch.deadline_hours": 0.0}, "batch.deadline_hours"),
        ({"batch.idle_gpu_hours_per_week": -1.0}, "batch.idle_gpu_hours_per_week"),
        ({"layout.tensor_parallel": 8}, "cluster.accelerator_count"),
    ],
)
def test_bad_input_is_named(catalog: Catalog, patch: dict[str, object], field: str) -> None:
    error = refusal(lambda: estimate(batch_plan(patch), catalog, draws=0))
    assert error is not None and named_fields(error) == {field}

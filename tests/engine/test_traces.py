"""Where every number came from."""

from __future__ import annotations

import math
from typing import Any

import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan
from engine.results import TraceInput
from engine.traces import known, provenance

BILL = {"kind": "imported", "source": "bill", "date": "2026-11-30"}


def inputs_of(plan: Plan, catalog: Catalog, item: str) -> dict[str, TraceInput]:
    line = next(entry for entry in estimate(plan, catalog, draws=0).lines if entry.item == item)
    assert line.trace.formula
    return {entry.name: entry for entry in line.trace.inputs}


def test_unknown_numbers_are_none() -> None:
    assert known(math.nan) is None and known(math.inf) is None and known(0.0) == 0.0


@pytest.mark.parametrize(
    ("patch", "kind"),
    [
        ({"cluster.price_per_gpu_hour": 2.0}, "entered"),
        ({"cluster.price_per_gpu_hour": 2.0, "provenance.cluster.price_per_gpu_hour": BILL}, "imported"),
        ({}, "catalogue"),
    ],
)
def test_the_price_says_where_it_came_from(catalog: Catalog, patch: dict[str, Any], kind: str) -> None:
    price = inputs_of(training_plan(patch), catalog, "Main run, useful work")["price"]
    assert price.provenance == kind and price.unit == "currency/GPU-h"
    if kind == "catalogue":
        assert price.source and price.date
    if kind == "imported":
        assert (price.source, price.date) == ("bill", "2026-11-30")


def test_values_of_fields_are_those_of_the_plan(catalog: Catalog) -> None:
    found = inputs_of(training_plan({"cluster.busy_share": 0.7}), catalog, "Paid but idle")
    assert found["busy share"].value == 0.7
    assert found["busy share"].path == "cluster.busy_share" and found["busy share"].provenance == "entered"
    assert found["working GPU-hours"].provenance == "computed"


def test_every_line_can_be_recomputed_from_its_inputs(catalog: Catalog) -> None:
    plan = training_plan({"cluster.busy_share": 0.7})
    idle = inputs_of(plan, catalog, "Paid but idle")
    line = next(entry for entry in estimate(plan, catalog, draws=0).lines if entry.item == "Paid but idle")
    hours = float(idle["working GPU-hours"].value or 0) * (1 / float(idle["busy share"].value or 1) - 1)
    assert line.quantity == pytest.approx(hours)
    assert line.amount == pytest.approx(hours * float(idle["price"].value or 0))


def test_a_default_is_told_from_an_entry() -> None:
    plan = training_plan({"training.evaluation_share": 0.02, "storage.months_after_run": 9.0})
    assert provenance(plan, "training.evaluation_share")[0] == "default"
    assert provenance(plan, "storage.months_after_run")[0] == "entered"
    assert provenance(plan, None)[0] == "computed"

"""Accelerator hours, held against hand counts."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from engine.cost.compute import TrainingUse, serving_lines, training_lines
from engine.cost.inputs import MoneyInputs, Purchase
from engine.cost.ledger import Line

PURCHASE = Purchase(
    price_per_gpu_hour=2.0,
    price_source="",
    price_date="",
    reserved=0.0,
    term_months=0.0,
    busy_share=0.8,
    support_share=0.0,
)
# 100 accelerators, 80 useful hours in 100 hours of wall time: 15 repeated or restarting, 5 writing.
USE = TrainingUse(
    accelerators=100.0,
    spare_accelerators=8.0,
    useful_h=80.0,
    wall_h=100.0,
    rework_share=0.15,
    stall_share=0.05,
    tokens=1e12,
    tokens_per_s_per_gpu=1e12 / (100 * 80 * 3600),
    preparation_days=2.0,
)


def money(**changes: Any) -> MoneyInputs:
    empty = {field.name: 0.0 for field in fields(MoneyInputs)}
    base = {
        **empty,
        "purchase": PURCHASE,
        "experiment_runs": 10.0,
        "experiment_run_share": 0.02,
        "experiment_failed_share": 0.25,
        "experiment_rerun_share": 0.5,
        "evaluation_share": 0.1,
        "horizon_months": 2.0,
    }
    return MoneyInputs(**{**base, **changes})


def hours(lines: list[Line]) -> dict[str, float]:
    return {line.spec.item: float(np.asarray(line.quantity)) for line in lines}


def test_every_hour_is_in_one_line() -> None:
    found = hours(training_lines(USE, money()))
    useful = 100 * 80.0
    trials = useful * 10 * 0.02 * 1.5
    working = 100 * 100.0 + 8 * 100.0 + trials + useful * 0.1
    assert found == pytest.approx(
        {
            "Main run, useful work": useful,
            "Rework and restarts": 1500.0,
            "Checkpoint stalls": 500.0,
            "Spare nodes": 800.0,
            "Experiments that succeed": trials * 0.75,
            "Experiments that fail": trials * 0.25,
            "Evaluation": 800.0,
            "Paid but idle": working * (1 / 0.8 - 1),
            "Commitment beyond the work": 0.0,
        }
    )


def test_the_wall_time_is_paid_in_full() -> None:
    found = hours(training_lines(USE, money()))
    run = found["Main run, useful work"] + found["Rework and restarts"] + found["Checkpoint stalls"]
    assert run == pytest.approx(USE.accelerators * USE.wall_h)


def test_the_busy_share_is_the_share_of_paid_hours_that_work() -> None:
    lines = training_lines(USE, money())
    found = hours(lines)
    paid = sum(found.values())
    assert (paid - found["Paid but idle"]) / paid == pytest.approx(0.8)


@pytest.mark.parametrize(("reserved", "expected"), [(0.0, 0.0), (1.0, None)])
def test_a_term_that_outlasts_the_work_is_paid_to_its_end(reserved: float, expected: float | None) -> None:
    purchase = replace(PURCHASE, reserved=reserved, term_months=1.0)
    found = hours(training_lines(USE, money(purchase=purchase)))
    tail = found.pop("Commitment beyond the work")
    committed = 108 * 730.0
    assert tail == pytest.approx(committed - sum(found.values()) if expected is None else expected)


def test_work_beyond_the_term_leaves_no_tail() -> None:
    purchase = replace(PURCHASE, reserved=1.0, term_months=0.1)
    assert hours(training_lines(USE, money(purchase=purchase)))["Commitment beyond the work"] == 0.0


def test_every_line_has_the_price_and_its_trace() -> None:
    for line in training_lines(USE, money()):
        assert line.unit_price == 2.0
        assert line.terms["price"].value == 2.0
        assert line.spec.formula and line.spec.unit == "GPU-h"


def test_dates_follow_one_another() -> None:
    lines = {line.spec.item: line for line in training_lines(USE, money())}
    assert lines["Experiments that succeed"].end_day == 2.0
    assert lines["Main run, useful work"].start_day == 2.0
    assert lines["Main run, useful work"].end_day == pytest.approx(2.0 + 100 / 24)
    assert lines["Evaluation"].start_day == lines["Main run, useful work"].end_day


def test_a_service_pays_its_mean_instances_over_the_horizon() -> None:
    found = hours(serving_lines(3.5, 4.0, 20.0, money()))
    working = 3.5 * 4 * 2 * 730.0
    assert found["Serving instances"] == pytest.approx(working)
    assert found["Paid but idle"] == pytest.approx(working * 0.25)


def test_a_reserved_service_pays_for_its_peak() -> None:
    purchase = replace(PURCHASE, reserved=1.0, term_months=12.0, busy_share=1.0)
    found = hours(serving_lines(3.5, 4.0, 20.0, money(purchase=purchase)))
    assert sum(found.values()) == pytest.approx(20 * 12 * 730.0)


def test_rows_broadcast() -> None:
    rows = replace(USE, wall_h=np.array([100.0, 200.0]))
    lines = {line.spec.item: line for line in training_lines(rows, money())}
    assert lines["Spare nodes"].quantity.tolist() == [800.0, 1600.0]

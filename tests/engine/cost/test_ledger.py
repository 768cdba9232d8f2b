"""Lines and their sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.cost.ledger import DAYS_PER_MONTH, HOURS_PER_MONTH, Line, LineSpec, total, unknown_items
from engine.plan.money import CATEGORIES, Scope

COMPUTE = LineSpec("compute", "hours", "run", "GPU-h", "variable", "hours x price")
RETRY = LineSpec("failures", "rework", "run", "GPU-h", "variable", "hours x price", "include_retries")
TRIAL = LineSpec("compute", "trials", "prepare", "GPU-h", "variable", "hours x price", "include_experiments")
ALL = Scope()


def test_an_amount_is_quantity_times_price() -> None:
    assert Line(COMPUTE, 10.0, 2.5).amount == 25.0
    assert Line(COMPUTE, np.array([1.0, 2.0]), 3.0).amount.tolist() == [3.0, 6.0]


def test_an_unknown_price_is_unknown_and_never_nothing() -> None:
    line = Line(COMPUTE, 10.0, math.nan)
    assert math.isnan(line.amount)
    assert unknown_items([line, Line(RETRY, 1.0, 2.0)], ALL) == ["hours"]
    assert total([line, Line(RETRY, 1.0, 2.0)], ALL) == 2.0


def test_nothing_bought_costs_nothing_whatever_its_price() -> None:
    line = Line(COMPUTE, 0.0, math.nan)
    assert line.amount == 0.0 and unknown_items([line], ALL) == []


def test_a_price_of_zero_is_a_price() -> None:
    line = Line(COMPUTE, 10.0, 0.0)
    assert line.amount == 0.0 and unknown_items([line], ALL) == []


def test_an_unknown_quantity_is_unknown() -> None:
    assert unknown_items([Line(COMPUTE, math.nan, 2.0)], ALL) == ["hours"]


@pytest.mark.parametrize(
    ("scope", "counted"),
    [
        (Scope(), 1.0 + 10.0 + 100.0),
        (Scope(include_retries=False), 1.0 + 100.0),
        (Scope(include_experiments=False), 1.0 + 10.0),
        (Scope(categories=("failures",)), 10.0),
        (Scope(categories=()), 0.0),
    ],
)
def test_scope_switches_take_their_lines_out(scope: Scope, counted: float) -> None:
    lines = [Line(COMPUTE, 1.0, 1.0), Line(RETRY, 10.0, 1.0), Line(TRIAL, 100.0, 1.0)]
    assert total(lines, scope) == counted


def test_what_is_out_of_scope_is_not_missed() -> None:
    assert unknown_items([Line(RETRY, 1.0, math.nan)], Scope(include_retries=False)) == []


def test_rows_add_up_row_by_row() -> None:
    lines = [Line(COMPUTE, np.array([1.0, 2.0]), 1.0), Line(RETRY, 1.0, np.array([10.0, math.nan]))]
    assert total(lines, ALL).tolist() == [11.0, 2.0]
    assert unknown_items(lines, ALL) == ["rework"]


def test_an_empty_ledger_costs_nothing() -> None:
    assert total([], ALL) == 0.0


def test_months_hold_the_hours_of_a_year() -> None:
    assert HOURS_PER_MONTH * 12 == 8760.0
    assert pytest.approx(365.0) == DAYS_PER_MONTH * 12
    assert len(set(CATEGORIES)) == 8

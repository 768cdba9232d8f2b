"""Committed base and spot share, held against hand counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cost.committed import BASE_AFTER, BASE_UNUSED, BASE_USED, SPOT
from engine.cost.compute import serving_lines
from engine.cost.inputs import CommittedBase
from engine.cost.ledger import Line
from tests.engine.cost.test_compute import PURCHASE, hours, money

# Two months, 3.5 instances of 4 GPUs on average, of them 1.5 above the base; busy 80 %.
BASE = CommittedBase(
    accelerators=16.0,
    term_months=12.0,
    price_per_gpu_hour=1.0,
    spot_share=0.25,
    spot_price_per_gpu_hour=0.5,
)
MONTHS = 730.0


def lines(base: CommittedBase = BASE, elastic: float = 1.5) -> list[Line]:
    return serving_lines(3.5, 4.0, 20.0, money(purchase=replace(PURCHASE, base=base)), elastic)


def test_every_paid_hour_is_in_one_line() -> None:
    found = hours(lines())
    above = 1.5 * 4 * 2 * MONTHS
    assert found["Serving instances"] == pytest.approx(0.75 * above)
    assert found["Paid but idle"] == pytest.approx(0.75 * above * 0.25)
    assert found[SPOT.item] == pytest.approx(0.25 * above / 0.8)
    assert found[BASE_USED.item] == pytest.approx(2.0 * 4 * 2 * MONTHS / 0.8)
    assert found[BASE_USED.item] + found[BASE_UNUSED.item] == pytest.approx(16 * 2 * MONTHS)
    assert found[BASE_AFTER.item] == pytest.approx(16 * 10 * MONTHS)


def test_each_line_has_its_own_price_and_commitment() -> None:
    for line in lines():
        own = {SPOT: 0.5, BASE_USED: 1.0, BASE_UNUSED: 1.0, BASE_AFTER: 1.0}.get(line.spec, 2.0)
        assert line.unit_price == line.terms["price"].value == own
        assert line.committed == (1.0 if line.spec in (BASE_USED, BASE_UNUSED, BASE_AFTER) else 0.0)


def test_the_rest_of_the_term_is_paid_after_the_service() -> None:
    after = next(line for line in lines() if line.spec is BASE_AFTER)
    assert (after.start_day, float(after.end_day)) == (pytest.approx(2 * 365 / 12), pytest.approx(365.0))
    short = next(line for line in lines(replace(BASE, term_months=2.0)) if line.spec is BASE_AFTER)
    assert float(short.amount) == 0.0


def test_an_unknown_price_of_the_base_is_unknown_only_where_there_is_one() -> None:
    unknown = replace(BASE, price_per_gpu_hour=np.nan)
    assert all(np.isnan(line.amount) for line in lines(unknown) if line.spec in (BASE_USED, BASE_UNUSED))
    none = lines(replace(unknown, accelerators=0.0, spot_share=0.0), elastic=3.5)
    assert not any(np.isnan(line.amount) for line in none)


def test_a_reserved_top_owes_its_term_for_the_peak_above_the_base() -> None:
    purchase = replace(PURCHASE, reserved=1.0, term_months=12.0, busy_share=1.0, base=BASE)
    found = hours(serving_lines(3.5, 4.0, 20.0, money(purchase=replace(purchase)), 0.5))
    top = found["Serving instances"] + found["Commitment beyond the work"]
    assert top == pytest.approx((20 - 16) * 12 * MONTHS)


def test_rows_broadcast() -> None:
    sizes = replace(BASE, accelerators=np.array([20.0, 28.0, 44.0]))
    unused = next(line for line in lines(sizes) if line.spec is BASE_UNUSED)
    assert np.diff(unused.quantity).tolist() == pytest.approx([8 * 2 * MONTHS, 16 * 2 * MONTHS])

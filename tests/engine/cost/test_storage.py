"""Stored checkpoints, against a simulation that writes and deletes them one by one."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cost.inputs import MoneyInputs, StoragePlan
from engine.cost.storage import checkpoint_growth_gib_per_week, mean_held, storage_lines

STORED = StoragePlan(
    dataset_gb=1000.0,
    dataset_price=0.02,
    checkpoint_gb=500.0,
    checkpoints_kept=10.0,
    checkpoint_price=0.03,
    months_after=6.0,
    item_gb_months=300.0,
    item_price=0.01,
    tariff_source="",
    tariff_date="",
)


def simulated_mean_held(written: int, kept: int) -> float:
    """Mean number in store over equal steps: one more in each, the oldest beyond `kept` goes."""
    held, seen = 0, 0.0
    for _ in range(written):
        after = min(held + 1, kept)
        seen += (held + after) / 2
        held = after
    return seen / written


@given(written=st.integers(1, 400), kept=st.integers(1, 500))
def test_the_mean_number_held_is_what_a_simulation_finds(written: int, kept: int) -> None:
    assert float(mean_held(float(written), float(kept))) == pytest.approx(
        simulated_mean_held(written, kept), rel=1e-9
    )


@pytest.mark.parametrize(
    ("written", "kept", "held"), [(100.0, np.inf, 50.0), (100.0, 1.0, 0.995), (7.0, 7.0, 3.5)]
)
def test_known_means(written: float, kept: float, held: float) -> None:
    assert float(mean_held(written, kept)) == pytest.approx(held)


def lines_of(storage: StoragePlan, **changes: Any) -> dict[str, float]:
    frame = {"written": 100.0, "start_day": 0.0, "end_day": 365.0, "with_checkpoints": True, **changes}
    return {line.spec.item: float(line.amount) for line in storage_lines(storage, **frame)}


def test_amounts_by_hand() -> None:
    found = lines_of(STORED)
    assert found["Data sets"] == pytest.approx(1000 * 18 * 0.02)
    assert found["Checkpoints during the run"] == pytest.approx(500 * 9.5 * 12 * 0.03)
    assert found["Checkpoints kept after the run"] == pytest.approx(500 * 10 * 6 * 0.03)
    assert found["Further stored items"] == pytest.approx(3.0)


def test_no_more_are_kept_than_were_written() -> None:
    assert lines_of(STORED, written=4.0)["Checkpoints kept after the run"] == pytest.approx(
        500 * 4 * 6 * 0.03
    )


def test_a_service_stores_no_checkpoints() -> None:
    assert set(lines_of(STORED, with_checkpoints=False)) == {"Data sets", "Further stored items"}


def test_growth_counts_binary_units_from_decimal_sizes() -> None:
    """500 GB are 465.66 GiB; ten stay after fourteen days: five a week."""
    empty: dict[str, Any] = {field.name: 0.0 for field in fields(MoneyInputs)}
    money = MoneyInputs(**{**empty, "storage": STORED})
    growth = checkpoint_growth_gib_per_week(money, written=100.0, days=14.0)
    assert growth == pytest.approx(5 * 500e9 / 1024**3)
    assert growth == pytest.approx(2328.306, rel=1e-6)
    everything = MoneyInputs(**{**empty, "storage": replace(STORED, checkpoints_kept=np.inf)})
    assert checkpoint_growth_gib_per_week(everything, written=100.0, days=14.0) == pytest.approx(10 * growth)

"""Percentiles of the total and the tornado."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import serving_plan, training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import apply_patch
from engine.uncertainty.bands import draw_totals, tornado
from engine.values import PlanValues

RANGES: dict[str, Any] = {
    "ranges.training.tokens": {"low": 2e12, "high": 4e12},
    "ranges.cluster.busy_share": {"low": 0.7, "high": 0.97},
    "ranges.cluster.price_per_gpu_hour": {"low": 1.5, "high": 3.0},
    "cluster.price_per_gpu_hour": 2.0,
    "training.stack": "megatron",
}


def test_each_bar_is_a_direct_re_estimate(catalog: Catalog) -> None:
    plan = training_plan(RANGES)
    drivers = {driver.path: driver for driver in estimate(plan, catalog, draws=10).drivers}
    for path in ("training.tokens", "cluster.busy_share", "cluster.price_per_gpu_hour"):
        driver = drivers[path]
        for value, total in ((driver.low, driver.total_low), (driver.high, driver.total_high)):
            again = estimate(apply_patch(plan, {path: value}), catalog, draws=0)
            assert total == pytest.approx(again.total, rel=1e-12), path


def test_the_widest_bar_stands_first_and_shares_add_up(catalog: Catalog) -> None:
    drivers = tornado(PlanValues(training_plan(RANGES), catalog))
    spans = [abs(driver.total_high - driver.total_low) for driver in drivers]
    assert spans == sorted(spans, reverse=True) and spans[0] > 0
    assert sum(driver.share_of_variance for driver in drivers) == pytest.approx(1.0)


def test_only_money_moves_the_ends_of_the_bars(catalog: Catalog) -> None:
    drivers = {d.path: d for d in tornado(PlanValues(training_plan(RANGES), catalog))}
    assert drivers["training.tokens"].total_low < drivers["training.tokens"].total_high
    assert drivers["cluster.busy_share"].total_low > drivers["cluster.busy_share"].total_high


def test_one_seed_gives_one_band(catalog: Catalog) -> None:
    values = PlanValues(training_plan(RANGES), catalog)
    first, again, other = (draw_totals(values, draws=300, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.totals, again.totals) and not np.array_equal(first.totals, other.totals)


@pytest.mark.parametrize("share", [10, 50, 80, 90])
def test_percentiles_settle(catalog: Catalog, share: float) -> None:
    values = PlanValues(training_plan(RANGES), catalog)
    few, many = (draw_totals(values, draws=draws, seed=1).percentile(share) for draws in (2000, 20_000))
    assert few == pytest.approx(many, rel=0.03)


def test_a_percentile_is_the_total_that_so_many_draws_stay_below(catalog: Catalog) -> None:
    draws = draw_totals(PlanValues(training_plan(RANGES), catalog), draws=2000, seed=0)
    for share in (10, 50, 90):
        assert np.mean(draws.totals <= draws.percentile(share)) == pytest.approx(share / 100, abs=0.002)
    assert draws.percentile(10) < draws.percentile(50) < draws.percentile(90)


def test_the_tenth_percentile_is_the_cheap_end(catalog: Catalog) -> None:
    found = estimate(training_plan(), catalog, draws=2000)
    assert found.p10 and found.p50 and found.p90
    assert found.p10 < found.total < found.p90
    assert found.p50 == pytest.approx(found.total, rel=0.1)


def test_a_plan_without_uncertain_money_has_a_band_of_no_width(catalog: Catalog) -> None:
    free = training_plan(
        {"cluster.price_per_gpu_hour": 0.0, "storage.dataset_gb": 0.0, "storage.months_after_run": 0.0}
    )
    found = estimate(free, catalog, draws=100)
    assert found.total >= 0 and found.p10 is not None and found.p10 >= 0


def test_rows_of_a_service_are_drawn_too(catalog: Catalog) -> None:
    busy = serving_plan({"serving.requests_per_second": 400.0})
    draws = draw_totals(PlanValues(busy, catalog), draws=500, seed=0)
    assert draws.totals.shape == (500,) and np.ptp(draws.totals) > 0
    assert np.all(draws.totals > 0) and np.all(draws.duration_h == 8760.0)


def test_no_draw_earns_money(catalog: Catalog) -> None:
    tight = {"ranges.cluster.busy_share": {"low": 0.9, "high": 1.0}, "cluster.busy_share": 0.99}
    draws = draw_totals(PlanValues(training_plan(tight), catalog), draws=2000, seed=0)
    certain = training_plan({"cluster.busy_share": 1.0})
    floor = draw_totals(PlanValues(certain, catalog), draws=2000, seed=0)
    assert np.all(draws.totals >= floor.totals * (1 - 1e-12))

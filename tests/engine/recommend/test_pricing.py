"""Variants of a plan, each one estimate."""

from __future__ import annotations

import numpy as np
import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.errors import FlopwiseError
from engine.estimation import estimate
from engine.plan import apply_patch
from engine.recommend.pricing import Pricer
from engine.uncertainty.bands import draw_totals
from engine.values import PlanValues

BUSY = {"cluster.busy_share": 0.8}


@pytest.fixture(scope="module")
def pricer(catalog: Catalog) -> Pricer:
    return Pricer(training_plan(), catalog, draws=200)


def test_a_variant_costs_what_its_estimate_says(pricer: Pricer, catalog: Catalog) -> None:
    priced = pricer.central(BUSY)
    assert priced is not None
    changed = estimate(apply_patch(training_plan(), BUSY), catalog, draws=0)
    assert priced.total == pytest.approx(changed.total, rel=1e-12)
    assert priced.duration_h == pytest.approx(changed.metric("duration_h"))


def test_variants_are_remembered(pricer: Pricer) -> None:
    assert pricer.central(BUSY) is pricer.central(dict(BUSY))
    assert pricer.central({}) is pricer.base
    assert pricer.totals(BUSY) is pricer.totals(dict(BUSY))


def test_an_impossible_variant_is_none(pricer: Pricer) -> None:
    assert pricer.central({"cluster.busy_share": 2.0}) is None
    assert pricer.central({"layout.tensor_parallel": 3}) is None
    assert pricer.central({"cluster.accelerator": "abacus"}) is None


def test_a_variant_that_does_not_fit_may_not_stand_for_the_plan(pricer: Pricer) -> None:
    overflowing = {"layout.micro_batch": 4}
    priced = pricer.central(overflowing)
    assert priced is not None and not priced.feasible
    assert pricer.usable(overflowing) is None


def test_a_variant_with_a_new_unknown_price_may_not_look_like_a_saving(pricer: Pricer) -> None:
    unknown = {"data.acquisition_cost": None}
    assert pricer.central(unknown) is not None and pricer.usable(unknown) is None


def test_an_impossible_plan_is_refused_at_once(catalog: Catalog) -> None:
    with pytest.raises(FlopwiseError):
        Pricer(training_plan({"layout.tensor_parallel": 3}), catalog)


def test_draws_share_their_random_numbers(pricer: Pricer, catalog: Catalog) -> None:
    direct = draw_totals(PlanValues(apply_patch(training_plan(), BUSY), catalog), draws=200, seed=0)
    assert np.array_equal(pricer.totals(BUSY), direct.totals)
    # Idle hours are in proportion to the bill, so with common numbers every draw shows the same factor.
    compute = training_plan({"storage.dataset_gb": 0.0, "storage.checkpoint_tier": "archive_object"})
    common = Pricer(compute, catalog, draws=200)
    ratio = common.totals(BUSY) / common.totals({})
    assert np.ptp(ratio) < 1e-4
    assert ratio.mean() == pytest.approx(0.95 / 0.8, rel=1e-3)

"""The plan's price in another mode."""

from __future__ import annotations

import pytest
from plan_cases import context_of, training_plan

from engine.catalog import Catalog
from rules.resources.purchase import mode_patch

ON_DEMAND = {"cluster.price_mode": "on_demand"}


def test_an_entered_price_keeps_its_distance_from_the_list(catalog: Catalog) -> None:
    listed = catalog.price("h100-sxm", "on_demand").fact.value
    term = catalog.price("h100-sxm", "reserved", term_months=12).fact.value
    own = training_plan({**ON_DEMAND, "cluster.price_per_gpu_hour": listed / 2})
    patch = mode_patch(context_of("RES-COMMIT", own, catalog), "reserved", 12)
    assert patch["cluster.price_per_gpu_hour"] == pytest.approx(term / 2, rel=1e-5)
    assert patch["cluster.price_mode"] == "reserved" and patch["cluster.commitment_term_months"] == 12.0


def test_a_catalogue_price_stays_with_the_catalogue(catalog: Catalog) -> None:
    patch = mode_patch(context_of("RES-SPOT", training_plan(ON_DEMAND), catalog), "spot")
    assert patch == {"cluster.price_mode": "spot"}


def test_no_offer_is_no_change(catalog: Catalog) -> None:
    amd = training_plan({**ON_DEMAND, "cluster.accelerator": "mi300x", "layout": {}})
    assert mode_patch(context_of("RES-COMMIT", amd, catalog), "reserved", 12) is None


def test_a_free_allocation_stays_free(catalog: Catalog) -> None:
    free = training_plan({**ON_DEMAND, "cluster.price_per_gpu_hour": 0.0})
    patch = mode_patch(context_of("RES-SPOT", free, catalog), "spot")
    assert patch["cluster.price_per_gpu_hour"] == 0.0

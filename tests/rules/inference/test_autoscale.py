"""INF-AUTOSCALE."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import serving_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan

ID = "INF-AUTOSCALE"
FIELD = "serving.autoscale"


def swinging(**fields: Any) -> Plan:
    """Chat traffic by the hour, of a size at which nights need fewer instances."""
    return serving_plan(
        {
            "serving.profile": "chat",
            "serving.requests_per_second": 200.0,
            "cluster.price_mode": "on_demand",
            "cluster.commitment_term_months": None,
        },
        **fields,
    )


def test_a_fleet_sized_for_the_peak_is_found(catalog: Catalog) -> None:
    plan = swinging()
    found = assert_mends(ID, plan, catalog, writes={FIELD})
    assert found.patch == {FIELD: True}
    before = estimate(plan, catalog, draws=0)
    assert number(found, "ratio") == pytest.approx(max(catalog.traffic_profile("chat")))
    assert number(found, "peak") == before.metric("instances_peak")


def test_a_fleet_that_follows_the_load_passes(catalog: Catalog) -> None:
    assert_passes(ID, swinging(serving__autoscale=True), catalog)


def test_flat_traffic_passes(catalog: Catalog) -> None:
    assert_passes(ID, serving_plan(), catalog)


def test_peak_to_mean_just_above_and_below_the_limit(catalog: Catalog) -> None:
    assert_passes(ID, swinging(serving__peak_to_mean=1.5), catalog)
    assert number(assert_fires(ID, swinging(serving__peak_to_mean=1.5001), catalog), "ratio") == 1.5001

"""INF-GPU-CHOICE."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import serving_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number, outcome_at

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan, apply_patch
from rules.base import Fired, Passed

ID = "INF-GPU-CHOICE"


def dear(**fields: Any) -> Plan:
    """A service by the hour at the list price, which others of the seller undercut."""
    return serving_plan(
        {
            "cluster.price_mode": "on_demand",
            "cluster.commitment_term_months": None,
            "cluster.price_per_gpu_hour": None,
        },
        **fields,
    )


def test_a_cheaper_accelerator_of_the_same_seller_is_found(catalog: Catalog) -> None:
    found = assert_fires(ID, dear(), catalog)
    assert_mends(ID, dear(), catalog, writes=set(found.patch))
    assert {"cluster.accelerator", "layout.tensor_parallel"} <= set(found.patch)
    before, after = (
        estimate(dear(), catalog, draws=0),
        estimate(apply_patch(dear(), found.patch), catalog, draws=0),
    )
    assert after.total == pytest.approx(number(found, "ratio") * before.total, rel=1e-9)
    assert after.metric("ttft_ms_p95") <= 2000.0 and after.metric("tpot_ms_p95") <= 50.0
    seller = catalog.price("h100-sxm", "on_demand").provider
    assert found.patch["cluster.provider"] == seller


def test_a_price_others_cannot_beat_passes(catalog: Catalog) -> None:
    assert_passes(ID, dear(cluster__price_per_gpu_hour=0.1), catalog)


def test_the_accelerators_own_figures_go_back_to_the_catalogue(catalog: Catalog) -> None:
    plan = dear(cluster__price_per_gpu_hour=50.0, cluster__nic_gbps_per_gpu=100.0)
    patch = assert_fires(ID, plan, catalog).patch
    assert patch["cluster.price_per_gpu_hour"] is None and patch["cluster.nic_gbps_per_gpu"] is None


def test_cost_ratio_just_above_and_below_the_limit(catalog: Catalog) -> None:
    ratio = number(assert_fires(ID, dear(), catalog), "ratio")
    assert ratio < 0.85
    assert isinstance(outcome_at(ID, dear(), catalog, cost_ratio=ratio * (1 + 1e-9)), Fired)
    assert isinstance(outcome_at(ID, dear(), catalog, cost_ratio=ratio * (1 - 1e-9)), Passed)

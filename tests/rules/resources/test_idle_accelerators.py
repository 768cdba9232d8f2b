"""WST-IDLE-GPU."""

from __future__ import annotations

import pytest
from plan_cases import serving_plan, training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number

from engine.catalog import Catalog
from engine.estimation import estimate

ID = "WST-IDLE-GPU"
FIELD = "cluster.busy_share"


def test_a_busy_share_of_six_tenths_is_found(catalog: Catalog) -> None:
    plan = training_plan({FIELD: 0.6})
    found = assert_mends(ID, plan, catalog, writes={FIELD})
    idle = next(ln for ln in estimate(plan, catalog, draws=0).lines if ln.item == "Paid but idle")
    assert number(found, "idle") == pytest.approx(0.4)
    assert number(found, "hours") == pytest.approx(idle.quantity)


def test_a_service_is_looked_at_too(catalog: Catalog) -> None:
    by_the_hour = {"cluster.price_mode": "on_demand", "cluster.commitment_term_months": None}
    assert_mends(ID, serving_plan({**by_the_hour, FIELD: 0.6}), catalog, writes={FIELD})


def test_idle_share_just_above_and_below_the_limit(catalog: Catalog) -> None:
    assert_passes(ID, training_plan({FIELD: 0.9}), catalog)
    assert_fires(ID, training_plan({FIELD: 0.899}), catalog)

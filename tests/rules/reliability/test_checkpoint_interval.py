"""REL-CKPT-INTERVAL."""

from __future__ import annotations

import pytest
from plan_cases import training_plan
from rule_checks import assert_mends, assert_passes, number

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.optimize.checkpoint import interval_sweep
from engine.plan import Plan
from engine.reliability.summaries import checkpoint_summary
from engine.values import PlanValues

ID = "REL-CKPT-INTERVAL"
FIELD = "reliability.checkpoint_interval_s"
WRITE_S, RESTART_S = 20.0, 600.0


def at(interval_s: float) -> Plan:
    return training_plan({FIELD: interval_s})


@pytest.fixture(scope="module")
def textbook_s(catalog: Catalog) -> float:
    """The optimum of one job with blocking writes, from the closed form alone."""
    mttf_h = estimate(training_plan(), catalog, draws=0).metric("mttf_h")
    assert mttf_h
    return checkpoint_summary(mttf_s=mttf_h * 3600.0, write_s=WRITE_S, restart_s=RESTART_S).optimal_interval_s


@pytest.fixture(scope="module")
def cheapest_s(catalog: Catalog) -> float:
    best = interval_sweep(PlanValues(at(5000.0), catalog)).best
    assert best is not None
    return best


def test_the_optimum_passes(catalog: Catalog, textbook_s: float) -> None:
    assert_passes(ID, at(textbook_s), catalog)
    assert_passes(ID, training_plan({FIELD: "auto"}), catalog)


@pytest.mark.parametrize("factor", [4.0, 0.25])
def test_four_times_and_a_quarter_of_the_optimum_are_found(
    catalog: Catalog, textbook_s: float, factor: float
) -> None:
    found = assert_mends(ID, at(factor * textbook_s), catalog, writes={FIELD})
    assert number(found, "now") == pytest.approx(factor * textbook_s)
    # Storage costs next to nothing here, so the cheapest interval is the textbook's.
    assert found.patch[FIELD] == pytest.approx(textbook_s, rel=0.02)


def test_waste_is_symmetric_in_the_logarithm(catalog: Catalog, textbook_s: float) -> None:
    best = estimate(at(textbook_s), catalog, draws=0).total
    long, short = (estimate(at(f * textbook_s), catalog, draws=0).total - best for f in (4.0, 0.25))
    assert long == pytest.approx(short, rel=0.05)  # equal in the first-order terms write/tau and tau/2M


@pytest.mark.parametrize(("factor", "fires"), [(1.999, False), (2.001, True), (0.501, False), (0.499, True)])
def test_just_inside_and_outside_the_band(
    catalog: Catalog, cheapest_s: float, factor: float, fires: bool
) -> None:
    if fires:
        assert_mends(ID, at(factor * cheapest_s), catalog, writes={FIELD})
    else:
        assert_passes(ID, at(factor * cheapest_s), catalog)

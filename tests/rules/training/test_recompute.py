"""TRN-RECOMPUTE."""

from __future__ import annotations

from plan_cases import training_plan
from rule_checks import assert_mends, assert_passes, number, outcome_at

from engine.catalog import Catalog
from engine.estimation import estimate
from rules.base import Fired, Passed

ID = "TRN-RECOMPUTE"
FIELD = "layout.recompute"
ROOMY = training_plan(layout__recompute="full")


def test_full_recomputation_with_memory_to_spare_is_found(catalog: Catalog) -> None:
    found = assert_mends(ID, ROOMY, catalog, writes={FIELD})
    assert found.patch[FIELD] == "none"
    assert number(found, "memory") <= 0.92 * number(found, "usable")


def test_lighter_modes_pass(catalog: Catalog) -> None:
    for mode in ("none", "selective"):
        assert_passes(ID, training_plan(layout__recompute=mode), catalog)


def test_full_recomputation_that_memory_demands_passes(catalog: Catalog) -> None:
    tight = training_plan(layout__recompute="full", layout__context_parallel=1, layout__micro_batch=4)
    assert estimate(tight, catalog, draws=0).feasible
    assert not estimate(
        tight.model_copy(update={"layout": tight.layout.model_copy(update={"recompute": "selective"})}),
        catalog,
        draws=0,
    ).feasible
    assert_passes(ID, tight, catalog)


def test_memory_just_above_and_below_the_margin(catalog: Catalog) -> None:
    need = {
        mode: estimate(training_plan(layout__recompute=mode), catalog, draws=0).metric("memory_gib_per_gpu")
        for mode in ("none", "selective")
    }
    usable = estimate(ROOMY, catalog, draws=0).metric("memory_capacity_gib")
    assert need["none"] and need["selective"] and usable
    lightest = need["none"] / usable
    at = outcome_at(ID, ROOMY, catalog, memory_share=lightest * (1 + 1e-9))
    assert isinstance(at, Fired) and at.patch == {FIELD: "none"}
    below = outcome_at(ID, ROOMY, catalog, memory_share=lightest * (1 - 1e-9))
    assert isinstance(below, Fired) and below.patch == {FIELD: "selective"}
    none_fits = outcome_at(ID, ROOMY, catalog, memory_share=need["selective"] / usable * (1 - 1e-9))
    assert isinstance(none_fits, Passed)

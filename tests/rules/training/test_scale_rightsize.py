"""TRN-SCALE-RIGHTSIZE."""

from __future__ import annotations

import pytest
from plan_cases import outcome_of, training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, outcome_at

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import apply_patch
from rules.base import Fired, NotEvaluable, Passed

ID = "TRN-SCALE-RIGHTSIZE"
PATH = "cluster.accelerator_count"
# 2,048 accelerators split the batch so finely that most of each step is bubble and communication.
FINE = {PATH: 2048, "schedule.deadline_days": 300.0}
WIDE = training_plan(FINE)


def test_a_cluster_far_too_wide_is_found(catalog: Catalog) -> None:
    found = assert_mends(ID, WIDE, catalog, writes={PATH})
    assert found.patch[PATH] < 2048
    best = estimate(apply_patch(WIDE, found.patch), catalog, draws=0)
    assert best.feasible and best.metric("duration_h") / 24.0 <= 300.0


def test_without_a_deadline_the_rule_cannot_look(catalog: Catalog) -> None:
    outcome = outcome_of(ID, training_plan({PATH: 2048}), catalog)
    assert outcome == NotEvaluable(("schedule.deadline_days",))


def test_a_size_on_the_flat_part_passes(catalog: Catalog) -> None:
    found = assert_fires(ID, WIDE, catalog)
    assert_passes(ID, training_plan({**FINE, **found.patch}), catalog)


def test_saving_just_above_and_below_the_threshold(catalog: Catalog) -> None:
    found = assert_fires(ID, WIDE, catalog)
    total = estimate(WIDE, catalog, draws=0).total
    saving = 1.0 - estimate(apply_patch(WIDE, found.patch), catalog, draws=0).total / total
    assert saving > 0.02
    assert isinstance(outcome_at(ID, WIDE, catalog, saving_share=saving * (1 - 1e-9)), Fired)
    assert isinstance(outcome_at(ID, WIDE, catalog, saving_share=saving * (1 + 1e-9)), Passed)


def test_experiments_before_the_run_count_towards_the_deadline(catalog: Catalog) -> None:
    trials = {"experiments.runs": 10, "experiments.run_share": 0.1}
    plan = training_plan({**FINE, **trials})
    patched = apply_patch(plan, assert_fires(ID, plan, catalog).patch)
    end = estimate(patched, catalog, draws=0)
    assert end.metric("preparation_days") + end.metric("duration_h") / 24.0 <= 300.0
    assert not any("later than the deadline" in note.render() for note in end.notes)


def test_a_deadline_nobody_meets_passes(catalog: Catalog) -> None:
    passed = assert_passes(ID, training_plan({**FINE, "schedule.deadline_days": 0.001}), catalog)
    assert passed.finding.params["deadline"].value == pytest.approx(0.001)

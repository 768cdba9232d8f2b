"""Scaling, and the report of the plan's own layouts."""

from __future__ import annotations

import itertools

import pytest

from engine.catalog import Catalog
from engine.errors import Cancelled, InputError
from engine.estimation import estimate
from engine.optimize.layout_report import report_layouts
from engine.optimize.scaling import scale
from engine.plan import apply_patch
from tests.engine.plan_cases import serving_plan, training_plan

PLAN = training_plan({"training.stack": "megatron"})


def test_speeds_are_those_of_an_estimate(catalog: Catalog) -> None:
    report = report_layouts(PLAN, catalog)
    for option in (report.fastest[0], report.fastest[-1], report.frontier[-1], report.now):
        found = estimate(apply_patch(PLAN, option.settings), catalog, draws=0)
        assert found.metric("tokens_per_s_per_gpu") == pytest.approx(option.tokens_per_s_per_gpu, rel=1e-9)
        assert found.metric("memory_gib_per_gpu") == pytest.approx(option.memory_gib, rel=1e-9)


def test_the_frontier_is_what_no_other_beats(catalog: Catalog) -> None:
    report = report_layouts(PLAN, catalog)
    for one, other in itertools.permutations((*report.frontier, *report.fastest), 2):
        if one in report.frontier:
            faster = other.step_time_s < one.step_time_s and other.memory_gib <= one.memory_gib
            smaller = other.memory_gib < one.memory_gib and other.step_time_s <= one.step_time_s
            assert not (faster or smaller)
    assert report.fastest[0].step_time_s == report.frontier[0].step_time_s
    assert list(report.fastest) == sorted(report.fastest, key=lambda item: item.step_time_s)


def test_nothing_is_faster_than_its_arithmetic(catalog: Catalog) -> None:
    report = report_layouts(PLAN, catalog)
    assert report.lower_bound_s < report.fastest[0].step_time_s
    assert report.gap == pytest.approx(report.fastest[0].step_time_s / report.lower_bound_s - 1.0)


def test_strong_scaling_tires_and_weak_scaling_keeps_up(catalog: Catalog) -> None:
    found = scale(PLAN, catalog)
    strong, weak = found.strong, found.weak
    assert [p.accelerators for p in strong] == sorted(p.accelerators for p in strong)
    assert strong[-1].efficiency < weak[-1].efficiency
    assert strong[0].marginal is None
    for before, after in itertools.pairwise(strong):
        added = (after.tokens_per_s - before.tokens_per_s) / (after.accelerators - before.accelerators)
        assert after.marginal == pytest.approx(added * before.accelerators / before.tokens_per_s)
    assert {p.global_batch_tokens for p in strong} == {PLAN.training.global_batch_tokens}
    assert weak[-1].global_batch_tokens > weak[0].global_batch_tokens
    assert found.sequence.best is None  # what the network must read is no setting to save on
    assert found.batch.now == PLAN.training.global_batch_tokens


def test_a_service_is_refused_and_a_stop_is_heard(catalog: Catalog) -> None:
    with pytest.raises(InputError):
        scale(serving_plan(), catalog)
    with pytest.raises(Cancelled):
        scale(PLAN, catalog, cancelled=lambda: True)

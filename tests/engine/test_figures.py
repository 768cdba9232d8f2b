"""Metrics and resources by the keys scripts rely on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_cases import serving_plan, training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.evaluation import evaluate
from engine.figures import figure_list
from engine.lowering import lower
from engine.values import PlanValues

TRAINING_KEYS = {
    "gpu_hours",
    "duration_h",
    "step_time_s",
    "tokens_per_s_per_gpu",
    "mfu",
    "goodput",
    "memory_gib_per_gpu",
    "cost_per_million_tokens",
    "cost_per_million_effective_tokens",
    "effective_tokens_per_gpu_hour",
    "data_share",
    "failure_share",
    "checkpoint_growth_gib_per_week",
}
SERVING_KEYS = {
    "ttft_ms_p95",
    "tpot_ms_p95",
    "output_tokens_per_s_per_instance",
    "instances_peak",
    "instances_mean",
    "gpus_per_instance",
    "utilisation_mean",
    "cost_per_million_input_tokens",
    "cost_per_million_output_tokens",
    "cost_per_request",
}


def test_the_promised_figures_are_there_and_known(catalog: Catalog) -> None:
    for plan, keys in ((training_plan(), TRAINING_KEYS), (serving_plan(), SERVING_KEYS)):
        found = estimate(plan, catalog, draws=0)
        assert keys <= {metric.key for metric in found.metrics}
        assert all(found.metric(key) is not None for key in keys)
        assert len({metric.key for metric in found.metrics}) == len(found.metrics)


def test_shares_are_shares(catalog: Catalog) -> None:
    for plan in (training_plan(), serving_plan()):
        for metric in estimate(plan, catalog, draws=0).metrics:
            if metric.unit == "share":
                assert metric.value is not None and 0.0 <= metric.value <= 1.0, metric.key


def test_token_prices_add_up_to_the_bill(catalog: Catalog) -> None:
    found = estimate(serving_plan(), catalog, draws=0)
    seconds = 365 * 86400
    paid = 20 * seconds * 1000 / 1e6 * (
        found.metric("cost_per_million_input_tokens") or 0
    ) + 20 * seconds * 300 / 1e6 * (found.metric("cost_per_million_output_tokens") or 0)
    assert paid == pytest.approx(found.total)
    assert 20 * seconds * (found.metric("cost_per_request") or 0) == pytest.approx(found.total)


def test_failure_share_is_the_failures_category(catalog: Catalog) -> None:
    found = estimate(training_plan({"experiments.runs": 3}), catalog, draws=0)
    failures = sum(line.amount or 0 for line in found.lines if line.category == "failures")
    assert found.metric("failure_share") == pytest.approx(failures / found.total)


def test_figures_of_unknown_money_are_unknown(catalog: Catalog) -> None:
    found = estimate(training_plan({"meta.currency": "EUR"}), catalog, draws=0)
    assert found.metric("cost_per_million_effective_tokens") is None
    assert found.metric("mfu") is not None
    assert found.metric("no such figure") is None


def test_peaks_count_spares_and_averages_do_not_exceed_them(catalog: Catalog) -> None:
    found = estimate(
        training_plan({"reliability.spare_nodes": 2, "people.roles": [{"role": "manager", "fte": 1.5}]}),
        catalog,
        draws=0,
    )
    use = {item.resource: item for item in found.resources}
    assert use["Accelerators"].peak == 64 + 16
    assert use["People"].peak == 1.5
    for item in found.resources:
        if item.resource != "Accelerators":  # idle paid hours may exceed the working peak
            assert (item.average or 0) <= (item.peak or 0)


def test_an_estimator_that_runs_slow_lowers_speed_and_mfu_alike(catalog: Catalog) -> None:
    """The estimator's own factor on time is a figure of the estimate, not of the kernel alone."""
    inputs = lower(PlanValues(training_plan(), catalog))
    assert inputs.training is not None
    slow = replace(inputs, training=replace(inputs.training, time_factor=2.0 * inputs.training.time_factor))
    scope = training_plan().scope
    before, after = (
        {metric.key: metric.value for metric in figure_list(item, evaluate(item, scope), scope)}
        for item in (inputs, slow)
    )
    for key, factor in (("mfu", 0.5), ("tokens_per_s_per_gpu", 0.5), ("step_time_s", 2.0)):
        assert before[key] is not None
        assert after[key] == pytest.approx(factor * before[key], rel=1e-9)

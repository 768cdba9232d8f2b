"""The service report: the estimate's own figures, sums that add up, and weeks counted a second way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engine.catalog import Catalog
from engine.errors import InputError
from engine.estimation import estimate
from engine.lowering import lower
from engine.optimize.service_report import report_service
from engine.performance.serving_step import ServingCase, steady_tpot_s
from engine.plan import Plan, apply_patch
from engine.resolution import resolve
from engine.results import ServiceReport
from engine.values import PlanValues
from tests.engine.plan_cases import serving_plan, training_plan

CASES: dict[str, dict[str, Any]] = {
    "flat": {},
    "bound by TTFT": {"serving.ttft_slo_ms": 105.0, "serving.requests_per_second": 100.0},
    "bound by TPOT": {"serving.tpot_slo_ms": 15.0, "serving.profile": "chat", "serving.autoscale": True},
    "bound by the engine": {"serving.max_num_seqs": 32, "serving.tpot_slo_ms": 200.0},
    "grows": {"serving.growth_per_month": 0.1, "schedule.horizon_months": 7.0, "serving.profile": "code"},
    "bought by the hour": {"cluster.price_mode": "on_demand", "cluster.price_per_gpu_hour": 3.0},
}


def report(plan: Plan, catalog: Catalog) -> ServiceReport:
    return report_service(plan, catalog, with_fleets=False)


@pytest.fixture(params=CASES)
def plan(request: pytest.FixtureRequest) -> Plan:
    return serving_plan(CASES[request.param])


def test_the_operating_point_is_the_estimate(plan: Plan, catalog: Catalog) -> None:
    curve, found = report(plan, catalog).curve, estimate(plan, catalog, draws=0)
    assert curve is not None and curve.operating is not None
    own = curve.operating
    assert own.ttft_ms == pytest.approx(found.metric("ttft_ms_p95"), rel=1e-9)
    assert own.tpot_ms == pytest.approx(found.metric("tpot_ms_p95"), rel=1e-9)
    assert own.output_tokens_per_s == pytest.approx(
        found.metric("output_tokens_per_s_per_instance"), rel=1e-9
    )
    assert curve.batch == found.metric("batch") and curve.max_batch == found.metric("max_batch")
    full = next(point for point in curve.points if point.batch == curve.batch)
    assert full.tpot_ms == pytest.approx(found.metric("tpot_ms_p95"), rel=1e-9)
    if own.batch == curve.batch:
        assert full.ttft_ms == pytest.approx(own.ttft_ms, rel=1e-9)
        assert full.output_tokens_per_s == pytest.approx(own.output_tokens_per_s, rel=1e-9)


def test_the_curve_runs_to_the_largest_batch(plan: Plan, catalog: Catalog) -> None:
    curve = report(plan, catalog).curve
    assert curve is not None
    batches = [point.batch for point in curve.points]
    assert batches[0] == 1.0 and batches[-1] == curve.max_batch
    assert batches == sorted(set(batches)) and len(batches) <= 41
    # The chosen batch is the largest on the curve that meets the time per token.
    assert max(p.batch for p in curve.points if p.tpot_ms <= curve.tpot_slo_ms) == curve.batch
    for earlier, later in zip(curve.points, curve.points[1:], strict=False):
        assert later.tpot_ms >= earlier.tpot_ms and later.ttft_ms >= earlier.ttft_ms


def test_each_point_follows_from_its_step_time(catalog: Catalog) -> None:
    plan = serving_plan()
    inputs = lower(PlanValues(resolve(plan, catalog)[0], catalog))
    service = inputs.service
    assert service is not None
    case = ServingCase(inputs.model, inputs.hardware, service.load, service.constants)
    for point in report(plan, catalog).curve.points:
        step = float(steady_tpot_s(case, point.batch))
        assert point.tpot_ms == pytest.approx(1000.0 * step, rel=1e-9)
        assert point.output_tokens_per_s == pytest.approx(point.batch / step, rel=1e-9)
        assert point.requests_per_s == pytest.approx(point.batch / step / 300.0, rel=1e-9)
        assert point.ttft_ms_low < point.ttft_ms < point.ttft_ms_high
        assert point.tpot_ms_low < point.tpot_ms < point.tpot_ms_high


@pytest.mark.parametrize(
    ("case", "limit", "end"),
    [
        ("bound by TTFT", "ttft", "memory"),
        ("bound by TPOT", "tpot", "memory"),
        ("bound by the engine", "engine", "engine"),
    ],
)
def test_it_says_what_limits(catalog: Catalog, case: str, limit: str, end: str) -> None:
    curve = report(serving_plan(CASES[case]), catalog).curve
    assert (curve.limited_by, curve.ends_by) == (limit, end)
    loosened = {
        "ttft": "serving.ttft_slo_ms",
        "tpot": "serving.tpot_slo_ms",
        "engine": "serving.max_num_seqs",
    }
    patch = {**CASES[case], loosened[limit]: 100_000 if limit == "engine" else 1e5}
    assert report(serving_plan(patch), catalog).curve.operating.batch > curve.operating.batch


def test_the_parts_add_up_to_every_unit_cost(plan: Plan, catalog: Catalog) -> None:
    costs, found = report(plan, catalog).costs, estimate(plan, catalog, draws=0)
    assert costs is not None and not costs.unknown
    parts = costs.parts
    per_input, per_output = costs.per_million_input, costs.per_million_output
    for key, whole in (
        ("total", found.total),
        ("per_request", found.metric("cost_per_request")),
        ("per_million_input", found.metric("cost_per_million_input_tokens")),
        ("per_million_output", found.metric("cost_per_million_output_tokens")),
    ):
        assert sum(getattr(part, key) for part in parts) == pytest.approx(whole, rel=1e-9)
        assert getattr(costs, key) == pytest.approx(whole, rel=1e-9)
    # A request of 1,000 tokens in and 300 out costs what its tokens cost.
    assert costs.per_request == pytest.approx(per_input * 1e-3 + per_output * 3e-4, rel=1e-9)
    assert costs.per_request == pytest.approx(costs.per_million * 1.3e-3, rel=1e-9)
    by_category = {line.category: 0.0 for line in found.lines if line.in_scope}
    for line in found.lines:
        by_category[line.category] += line.amount if line.in_scope else 0.0
    for category, amount in by_category.items():
        assert sum(p.total for p in parts if p.category == category) == pytest.approx(amount, rel=1e-9)


def test_a_missing_price_is_unknown_and_no_part(catalog: Catalog) -> None:
    plan = serving_plan({"cluster.accelerator": "h20-96", "cluster.price_per_gpu_hour": None})
    found = report(plan, catalog)
    assert "Serving instances" in found.costs.unknown
    assert all(part.key not in ("prefill", "decode", "headroom") for part in found.costs.parts)
    assert all(point.cost_per_million_output_tokens is None for point in found.curve.points)


def test_the_week_is_the_estimates_fleet(plan: Plan, catalog: Catalog) -> None:
    week, found = report(plan, catalog).week, estimate(plan, catalog, draws=0)
    assert week is not None and len(week.planned) == 168
    assert max(week.planned) == found.metric("instances_peak")
    mean = week.autoscaled_mean if week.autoscale else week.static_mean
    assert mean == week.planned_mean == pytest.approx(found.metric("instances_mean"), rel=1e-9)
    assert week.utilisation_mean == pytest.approx(found.metric("utilisation_mean"), rel=1e-9)
    assert week.planned == (week.autoscaled if week.autoscale else week.static)
    for hour in range(168):
        assert week.needed[hour] <= week.autoscaled[hour] <= week.static[hour]
    hours = plan.schedule.horizon_months * 8760.0 / 12.0
    assert week.saved_instance_hours == pytest.approx((week.static_mean - week.autoscaled_mean) * hours)
    assert week.lead_instance_hours >= 0.0


def test_autoscaling_starts_a_cold_start_ahead(catalog: Catalog) -> None:
    hourly = {"serving.profile": "code", "serving.requests_per_second": 400.0, "serving.cold_start_s": 7000.0}
    week = report(serving_plan(hourly), catalog).week
    spare = week.spare_instances
    for hour in range(168):
        ahead = max(week.needed[(hour + later) % 168] for later in range(3))
        assert week.autoscaled[hour] == ahead + spare
        assert week.static[hour] == max(week.needed) + spare
    prompt = report(serving_plan({**hourly, "serving.cold_start_s": 0.0}), catalog).week
    gap = np.mean(np.array(week.autoscaled) - np.array(prompt.autoscaled))
    assert week.lead_instance_hours == pytest.approx(float(gap) * 8760.0, rel=1e-9)


def test_availability_is_what_independent_instances_reach(catalog: Catalog) -> None:
    fields = {"reliability.failures_per_node_day": 2.0, "serving.cold_start_s": 3600.0}
    plan = serving_plan({**fields, "serving.requests_per_second": 300.0})
    week = report(plan, catalog).week
    needed, spares = int(max(week.needed)), int(week.spare_instances)
    inputs = lower(PlanValues(resolve(plan, catalog)[0], catalog))
    up = float(inputs.service.instance_availability)
    draws = np.random.default_rng(0).random((200_000, needed + spares)) < up
    simulated = float(np.mean(draws.sum(axis=1) >= needed))
    assert week.availability == pytest.approx(simulated, abs=4.0 * math.sqrt(0.25 / 200_000))
    assert week.availability >= week.availability_target


def test_a_fixed_fleet_is_shown_as_planned(catalog: Catalog) -> None:
    plan = serving_plan({"serving.instances": 40, "serving.profile": "chat"})
    week = report(plan, catalog).week
    assert set(week.planned) == {40.0}
    assert max(week.static) < 40.0
    assert week.spare_instances == 40.0 - (max(week.static) - 1.0)


@pytest.mark.parametrize(
    ("patch", "words", "curve"),
    [
        ({"serving.instances": 1, "serving.requests_per_second": 500.0}, "busiest hour needs", True),
        ({"serving.tpot_slo_ms": 1.0}, "target is 1 ms", True),
        ({"serving.ttft_slo_ms": 5.0}, "target is 5 ms", True),
        ({"cluster.accelerator": "l40s", "architecture.num_hidden_layers": 400}, "weights take", False),
    ],
)
def test_what_fails_comes_with_what_is_needed(
    catalog: Catalog, patch: dict[str, Any], words: str, curve: bool
) -> None:
    found = report(serving_plan(patch), catalog)
    assert not found.feasible and found.problem is not None
    assert any(words in message.render() for message in found.remedies)
    assert (found.curve is not None) == curve


def test_the_advised_split_and_count_do_mend_it(catalog: Catalog) -> None:
    plan = serving_plan({"cluster.accelerator": "l40s", "architecture.num_hidden_layers": 150})
    message = report(plan, catalog).remedies[-1]
    count = message.params["count"]
    assert report(apply_patch(plan, {"layout.tensor_parallel": count}), catalog).feasible
    assert not report(apply_patch(plan, {"layout.tensor_parallel": count // 2}), catalog).feasible
    few = serving_plan({"serving.instances": 1, "serving.requests_per_second": 500.0})
    needed = report(few, catalog).remedies[0].params["needed"].value
    assert report(apply_patch(few, {"serving.instances": int(needed)}), catalog).feasible


def test_a_service_of_vectors_has_no_time_per_token(catalog: Catalog) -> None:
    plan = serving_plan({"architecture.kind": "encoder"})
    found, own = report(plan, catalog), estimate(plan, catalog, draws=0)
    assert found.curve.operating.tpot_ms is None and found.costs.per_million_output is None
    assert found.curve.operating.ttft_ms == pytest.approx(own.metric("ttft_ms_p95"), rel=1e-9)
    assert sum(part.per_million_input for part in found.costs.parts) == pytest.approx(
        own.metric("cost_per_million_input_tokens"), rel=1e-9
    )


def test_only_services_are_reported(catalog: Catalog) -> None:
    with pytest.raises(InputError):
        report_service(training_plan(), catalog)

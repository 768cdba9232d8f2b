"""A service seen from its instance, its week, its bill and its alternatives: the estimate's own kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Array, FloatArray
from engine.catalog import Catalog
from engine.cost.compute import IDLE, TAIL
from engine.cost.ledger import HOURS_PER_MONTH, SECONDS_PER_HOUR, Line, unknown_items
from engine.defaults import serving_error
from engine.errors import InputError
from engine.evaluation import Outcome, ServiceOutcome, evaluate, run_service
from engine.figures.common import MILLION
from engine.figures.service import ServedTokens, served_tokens
from engine.lowering import KernelInputs, ServiceInputs, lower
from engine.notes import SERVING_REASONS
from engine.optimize.fleet_words import batch_limit
from engine.optimize.fleets import search_fleets
from engine.optimize.service_remedies import remedies
from engine.performance.fleet import requests_per_instance
from engine.performance.serving import FEASIBLE, TOO_FEW_INSTANCES, serve_instance
from engine.plan import Plan
from engine.resolution import resolve
from engine.results import CostPart, LatencyCurve, LatencyPoint, ServiceReport, ServiceWeek, UnitCosts
from engine.text import N_, Message, Term
from engine.traces import known
from engine.values import PlanValues

CURVE_POINTS = 40
_MS = 1000.0


@dataclass(frozen=True, slots=True)
class _Case:
    """What every part of the report reads: the settled plan, its inputs and its outcome."""

    plan: Plan
    catalog: Catalog
    inputs: KernelInputs
    service: ServiceInputs
    outcome: Outcome
    served: ServiceOutcome

    @property
    def code(self) -> int:
        """Why the service cannot run; 0 where it can."""
        return int(self.served.feasible_code)


def report_service(
    plan: Plan,
    catalog: Catalog,
    *,
    accelerators: Sequence[str] | None = None,
    with_fleets: bool = True,
    cancelled: Callable[[], bool] = lambda: False,
) -> ServiceReport:
    """Latency of one instance, the week, unit costs, and fleets that no other beats.

    accelerators: of the fleet search, None = all with a price; `with_fleets` off leaves the search out.
    Points and sums are those of estimate(plan, catalog). Errors: InputError for a plan that is no online
    service.
    """
    if plan.serving is None or plan.workload.kind != "online_inference":
        raise InputError("workload.kind", plan.workload.kind, Message(N_("online_inference")))
    settled, _ = resolve(plan, catalog)
    inputs = lower(PlanValues(settled, catalog))
    outcome = evaluate(inputs, settled.scope)
    assert inputs.service is not None and outcome.service is not None
    case = _Case(settled, catalog, inputs, inputs.service, outcome, outcome.service)
    runs = case.code in (FEASIBLE, TOO_FEW_INSTANCES)
    return ServiceReport(
        feasible=case.code == FEASIBLE,
        problem=None if case.code == FEASIBLE else _problem(case.code),
        remedies=() if case.code == FEASIBLE else remedies(settled, catalog, inputs, case.served),
        curve=_curve(case),
        week=_week(case) if runs else None,
        costs=_unit_costs(case) if runs else None,
        fleets=search_fleets(plan, catalog, accelerators, with_spares=True, cancelled=cancelled)
        if with_fleets
        else None,
    )


def _problem(code: int) -> Message:
    return Message(N_("The fleet cannot meet the plan: {reason}"), {"reason": Term(SERVING_REASONS[code])})


def batch_grid(largest: float, also: float) -> FloatArray:
    """About CURVE_POINTS whole batches from 1 to `largest`, evenly spaced by ratio; `also` is among them."""
    spaced = np.rint(np.geomspace(1.0, max(largest, 1.0), CURVE_POINTS))
    return np.unique(np.append(spaced, also))


def _curve(case: _Case) -> LatencyCurve | None:
    instance, load = case.served.instance, case.service.load
    room, batch = float(instance.max_batch), float(instance.batch)
    if room < 1.0:
        return None
    grid, cap = batch_grid(room, batch), load.max_num_seqs * np.asarray(load.attention_data_parallel)
    free = replace(
        load,
        max_num_seqs=grid / np.asarray(load.attention_data_parallel),
        tpot_slo_s=np.inf,
        ttft_slo_s=np.inf,
    )
    swept = serve_instance(case.inputs.model, case.inputs.hardware, free, case.service.constants)
    points = _points(
        case,
        grid,
        swept.tpot_s_p95,
        swept.ttft_s_p95,
        swept.requests_per_s_capacity,
        swept.prefill_share,
    )
    own = _points(
        case,
        np.asarray([instance.occupancy]),
        instance.tpot_s_p95,
        instance.ttft_s_p95,
        instance.requests_per_s_capacity,
        instance.prefill_share,
    )
    return LatencyCurve(
        points=points,
        batch=batch,
        max_batch=room,
        ends_by=batch_limit(room, room, room, cap),
        limited_by=batch_limit(float(instance.occupancy), batch, room, cap),
        tpot_slo_ms=known(load.tpot_slo_s * _MS) if case.inputs.model.generates else None,
        ttft_slo_ms=float(load.ttft_slo_s) * _MS,
        operating=own[0] if case.code in (FEASIBLE, TOO_FEW_INSTANCES) else None,
    )


def _points(
    case: _Case, batch: FloatArray, tpot_s: Array, ttft_s: Array, requests_per_s: Array, prefill_share: Array
) -> tuple[LatencyPoint, ...]:
    """Points of the curve; throughput carries the plan's calibration, as the estimate's does."""
    service, load = case.service, case.service.load
    generates = bool(case.inputs.model.generates)
    rate = np.asarray(requests_per_s) * service.throughput_factor
    tokens = rate * load.output_tokens
    hourly = case.inputs.money.purchase.price_per_gpu_hour * case.served.gpus_per_instance
    share = 1.0 - np.asarray(prefill_share)
    cost = hourly * share / (tokens * SECONDS_PER_HOUR) * MILLION
    good = (np.asarray(tpot_s) <= load.tpot_slo_s) & (np.asarray(ttft_s) <= load.ttft_slo_s)
    tpot, ttft = np.asarray(tpot_s) * _MS, np.asarray(ttft_s) * _MS
    tpot_low, tpot_high = _band(case, "tpot")
    ttft_low, ttft_high = _band(case, "ttft")
    hidden = 1.0 if generates else np.nan
    columns = (
        tokens * hidden, tpot * hidden, tpot * tpot_low * hidden, tpot * tpot_high * hidden, cost * hidden,
    )  # fmt: skip
    rows = np.broadcast_arrays(batch, rate, ttft, good, *columns)
    return tuple(
        LatencyPoint(
            batch=float(size),
            requests_per_s=float(served),
            output_tokens_per_s=known(out),
            tpot_ms=known(each),
            tpot_ms_low=known(low),
            tpot_ms_high=known(high),
            ttft_ms=float(first),
            ttft_ms_low=float(first) * ttft_low,
            ttft_ms_high=float(first) * ttft_high,
            cost_per_million_output_tokens=known(money),
            within_targets=bool(within),
        )
        for size, served, first, within, out, each, low, high, money in zip(*rows, strict=True)
    )


def _band(case: _Case, metric: str) -> tuple[float, float]:
    """Low and high of measured over predicted; no band where the catalogue has none."""
    fact = serving_error(case.plan, case.catalog, metric)
    if fact is None or fact.low is None or fact.high is None:
        return 1.0, 1.0
    return fact.low, fact.high


def _week(case: _Case) -> ServiceWeek:
    plan, served, inputs = case.plan, case.served, case.inputs
    service = replace(case.service, instances=np.nan)
    static = run_service(inputs, replace(service, autoscale=0.0)).fleet
    scaled = run_service(inputs, replace(service, autoscale=1.0)).fleet
    prompt = run_service(inputs, replace(service, autoscale=1.0, cold_start_s=0.0)).fleet
    bare = replace(service, autoscale=1.0, cold_start_s=0.0, spare_instances=0.0, availability=0.0)
    needed = run_service(inputs, bare).fleet
    fixed = not np.isnan(case.service.instances)
    size = served.fleet.hourly_instances.shape
    planned = np.full(size, served.fleet.instances_peak) if fixed else served.fleet.hourly_instances
    capacity = requests_per_instance(served.instance) * case.service.throughput_factor
    hours = float(inputs.money.horizon_months) * HOURS_PER_MONTH
    static_mean, scaled_mean = float(static.instances_mean), float(scaled.instances_mean)
    assert plan.serving is not None
    return ServiceWeek(
        requests_per_s=_hours(served.fleet.hourly_requests_per_s),
        planned=_hours(planned),
        static=_hours(static.hourly_instances),
        autoscaled=_hours(scaled.hourly_instances),
        needed=_hours(needed.hourly_instances),
        utilisation=_hours(served.fleet.hourly_requests_per_s / (planned * capacity)),
        gpus_per_instance=float(served.gpus_per_instance),
        spare_instances=float(served.fleet.instances_peak) - float(served.fleet.needed_peak),
        availability=float(served.availability),
        availability_target=plan.serving.availability,
        autoscale=plan.serving.autoscale and not fixed,
        planned_mean=float(served.fleet.instances_mean),
        utilisation_mean=float(served.fleet.utilisation_mean),
        static_mean=static_mean,
        autoscaled_mean=scaled_mean,
        saved_instance_hours=(static_mean - scaled_mean) * hours,
        saved_share=1.0 - scaled_mean / static_mean,
        cold_start_s=float(case.service.cold_start_s),
        lead_instance_hours=(scaled_mean - float(prompt.instances_mean)) * hours,
    )


def _hours(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _unit_costs(case: _Case) -> UnitCosts:
    tokens = served_tokens(case.inputs, case.served)
    amounts = _part_amounts(case)
    parts = tuple(_part(key, category, *amount, tokens) for (key, category), amount in amounts.items())
    whole = _part(
        "total",
        "",
        float(case.outcome.total) * float(case.served.own_share),
        float(tokens.input_share),
        tokens,
    )
    return UnitCosts(
        currency=case.plan.meta.currency,
        parts=tuple(part for part in parts if part.total != 0.0),
        unknown=tuple(unknown_items(case.outcome.lines, case.plan.scope)),
        **whole.model_dump(exclude={"key", "category"}),
    )


def _part_amounts(case: _Case) -> dict[tuple[str, str], tuple[float, float]]:
    """Known amounts in scope by part, and the share of each that input pays; key and category first.

    The utilised share of the fleet's hours serves, prefill and decode by their GPU time; the rest waits.
    """
    lines = [line for line in case.outcome.lines if line.in_scope(case.plan.scope)]
    compute = [line for line in lines if line.spec.category == "compute"]
    aside = [line for line in compute if line.spec in (IDLE, TAIL)]
    own = float(case.served.own_share)
    fleet = own * _known_sum(line for line in compute if line not in aside)
    tokens = served_tokens(case.inputs, case.served)
    share = float(tokens.input_share)
    busy = min(float(case.served.fleet.utilisation_mean), 1.0) * fleet
    found = {
        ("prefill", "compute"): (busy * share, 1.0),
        ("decode", "compute"): (busy * (1.0 - share), 0.0),
        ("headroom", "compute"): (fleet - busy, share),
        ("unused", "compute"): (own * _known_sum(aside), share),
    }
    others = dict.fromkeys(line.spec.category for line in lines if line.spec.category != "compute")
    for category in others:
        amount = own * _known_sum(line for line in lines if line.spec.category == category)
        found[category, category] = (amount, share)
    return found


def _known_sum(lines: Iterable[Line]) -> float:
    return float(sum(np.nan_to_num(float(line.amount)) for line in lines))


def _part(key: str, category: str, amount: float, input_share: float, tokens: ServedTokens) -> CostPart:
    generates = not np.isnan(np.asarray(tokens.output_share))
    output = amount * (1.0 - input_share) / float(tokens.output_tokens) * MILLION
    every = float(tokens.input_tokens) + (float(tokens.output_tokens) if generates else 0.0)
    return CostPart(
        key=key,
        category=category,
        total=amount,
        per_request=amount / float(tokens.requests),
        per_million_input=amount * input_share / float(tokens.input_tokens) * MILLION,
        per_million_output=output if generates else None,
        per_million=amount / every * MILLION,
    )

"""optimize(plan, catalog) -> Optimisation: the best settings, the frontier, the certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.catalog import Catalog
from engine.errors import Cancelled, InputError
from engine.lowering import resolve_accelerator
from engine.optimize import checkpoint
from engine.optimize.certificate import evolve
from engine.optimize.cluster_size import size_sweep
from engine.optimize.curves import as_curve, sweep, without_best
from engine.optimize.layout import FIELDS, search_layouts
from engine.optimize.layout_report import report_layouts
from engine.optimize.objectives import OBJECTIVES, Objective
from engine.optimize.offline import offline_curves, search_offline, shown_settings
from engine.plan import Plan, apply_patch, get_value
from engine.recommend.pricing import Priced, Pricer
from engine.results import Candidate, Certificate, Change, Curve, Optimisation
from engine.text import N_
from engine.traces import known
from engine.values import PlanValues

BEST = N_("Best found")
CHEAPEST = N_("Cheapest")
FASTEST = N_("Fastest")
SAME_SIZE = N_("Same cluster, best layout")
INTERVAL_ONLY = N_("Checkpoint interval only")
OTHER = N_("Candidate")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Found:
    """One candidate setting with its pricing."""

    patch: dict[str, Any]
    priced: Priced


def optimize(
    plan: Plan,
    catalog: Catalog,
    *,
    certify: bool = False,
    objective: Objective = "cost_under_deadline",
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Optimisation:
    """Search cluster size, layout and checkpoint interval (training), the tensor split (serving), or split,
    batch cap, instances and purchase (batch).

    Exhaustive over the stated set, on the same kernel as the estimate, so the best may be called best within
    it. Parameters: `certify` also runs an evolution over the same set and reports the gap (cost objectives,
    training); `progress(done, all)` is called between cluster sizes; `cancelled()` is asked there.
    Errors: InputError for an unknown objective; Cancelled when stopped.
    """
    if objective not in OBJECTIVES:
        raise InputError("--objective", objective, ", ".join(OBJECTIVES))
    pricer = Pricer(plan, catalog, draws=0)
    if plan.is_training:
        found, evaluated, excluded = _training_candidates(pricer, progress, cancelled)
        curves = _training_curves(pricer)
    elif plan.is_batch:
        found, evaluated, excluded = _batch_candidates(pricer)
        curves = offline_curves(pricer)
    else:
        found, evaluated, excluded = _serving_candidates(pricer)
        curves = _serving_curves(pricer)
    result = _assemble(pricer, objective, found, curves, evaluated, excluded)
    if plan.is_training:
        result = result.model_copy(update={"layouts": report_layouts(pricer.base.plan, catalog)})
    if certify and plan.is_training and objective in ("cost", "cost_under_deadline"):
        return result.model_copy(update={"certificate": _certificate(pricer, objective, found)})
    return result


def _certificate(pricer: Pricer, objective: Objective, found: Sequence[_Found]) -> Certificate:
    """The evolution's best total as bound, and how far the enumeration's best lies above it."""
    plan = pricer.base.plan
    if objective == "cost":
        plan = apply_patch(plan, {"schedule.deadline_days": None})
    sizes = [int(size) for size in _sizes(pricer)]
    evolved = evolve(plan, pricer.catalog, sizes)
    best = min((item.priced.total for item in found), default=pricer.base.total)
    if evolved is None:
        return Certificate(method=N_("differential evolution found nothing that fits"), bound=None, gap=None)
    gap = max(0.0, best / evolved.total - 1.0) if evolved.total > 0.0 else 0.0
    return Certificate(
        method=N_("exhaustive, checked by differential evolution"), bound=evolved.total, gap=gap
    )


def _training_candidates(
    pricer: Pricer, progress: Progress | None, cancelled: Callable[[], bool] | None
) -> tuple[list[_Found], int, Counter[str]]:
    """The fastest layout of every cluster size: at one size cost and time both grow with step time."""
    evaluated, excluded = 0, Counter[str]()
    found: list[_Found] = []
    sizes = _sizes(pricer)
    for done, count in enumerate(sizes):
        if cancelled is not None and cancelled():
            raise Cancelled
        search = search_layouts(pricer.base.plan, pricer.catalog, count, free=frozenset(FIELDS))
        evaluated += search.evaluated
        excluded.update(search.excluded)
        best = search.best()
        if best is not None:
            patch = {"cluster.accelerator_count": count, **best, checkpoint.PATH: "auto"}
            _add(pricer, found, _only_changes(pricer, patch))
        if progress is not None:
            progress(done + 1, len(sizes))
    if pricer.plan.reliability.checkpoint_interval_s != "auto":
        _add(pricer, found, {checkpoint.PATH: "auto"})
    return _distinct([_with_best_interval(pricer, item) for item in found]), evaluated, excluded


def _distinct(found: list[_Found]) -> list[_Found]:
    """Each setting once: another way to the same change is not another candidate."""
    return list({repr(sorted(item.patch.items(), key=str)): item for item in found}.values())


def _sizes(pricer: Pricer) -> list[int]:
    """Cluster sizes to try: doublings of a node around the plan's own size, with the halves between."""
    values = PlanValues(pricer.base.plan, pricer.catalog)
    per_node = int(pricer.base.inputs.hardware.accelerators_per_node)
    now = int(np.asarray(values.number("cluster.accelerator_count")))
    around = [now * factor for factor in (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)]
    whole = {max(per_node, round(size / per_node) * per_node) for size in around}
    return sorted(whole | {now})


def _add(pricer: Pricer, found: list[_Found], patch: dict[str, Any]) -> None:
    """Keep a setting that changes something, fits, and has no new unknown price."""
    priced = pricer.usable(patch)
    if patch and priced is not None and priced.feasible:
        found.append(_Found(patch, priced))


def _only_changes(pricer: Pricer, patch: dict[str, Any]) -> dict[str, Any]:
    return {path: value for path, value in patch.items() if value != get_value(pricer.base.plan, path)}


def _with_best_interval(pricer: Pricer, item: _Found) -> _Found:
    """Replace the goodput-optimal interval by the interval of lowest total (storage counts too)."""
    best = checkpoint.interval_sweep(PlanValues(item.priced.plan, pricer.catalog)).best
    if best is None:
        return item
    patch = {**item.patch, checkpoint.PATH: float(f"{best:.4g}")}
    priced = pricer.central(patch)
    return _Found(patch, priced) if priced is not None and priced.total <= item.priced.total else item


def _batch_candidates(pricer: Pricer) -> tuple[list[_Found], int, Counter[str]]:
    """The frontier of every setting of a batch job that ends in time, each priced like the plan itself."""
    every, evaluated, excluded = search_offline(pricer)
    found: list[_Found] = []
    for item in shown_settings(every, pricer.plan.governance.budget):
        _add(pricer, found, item.patch)
    return found, evaluated, excluded


def _serving_candidates(pricer: Pricer) -> tuple[list[_Found], int, Counter[str]]:
    found: list[_Found] = []
    excluded = Counter[str]()
    splits = _splits(pricer)
    for split in splits:
        patch = _only_changes(pricer, {"layout.tensor_parallel": split, "layout.pipeline_parallel": 1})
        before = len(found)
        _add(pricer, found, patch)
        if patch and len(found) == before:
            excluded[N_("does not fit or misses a latency target")] += 1
    return found, len(splits), excluded


def _splits(pricer: Pricer) -> list[int]:
    heads = pricer.base.plan.architecture.num_attention_heads
    domain = resolve_accelerator(PlanValues(pricer.base.plan, pricer.catalog)).scale_up_domain
    return [s for s in (1, 2, 4, 8, 16, 32, 64) if heads % s == 0 and s <= max(1, domain)]


def _training_curves(pricer: Pricer) -> tuple[Curve, ...]:
    values = PlanValues(pricer.base.plan, pricer.catalog)
    training = pricer.base.outcome.training
    assert training is not None
    interval = checkpoint.interval_sweep(values)
    size = size_sweep(values)
    return (
        as_curve(interval, float(training.interval_s)),
        as_curve(size, float(np.asarray(values.number("cluster.accelerator_count")))),
    )


def _serving_curves(pricer: Pricer) -> tuple[Curve, ...]:
    values = PlanValues(pricer.base.plan, pricer.catalog)
    path = "layout.tensor_parallel"
    splits = sweep(values, path, np.array(_splits(pricer), dtype=float))
    rate = float(np.asarray(values.number("serving.requests_per_second")))
    load = sweep(values, "serving.requests_per_second", np.geomspace(rate / 4.0, rate * 4.0, 49))
    return as_curve(splits, float(np.asarray(values.number(path)))), without_best(as_curve(load, rate))


def _assemble(
    pricer: Pricer,
    objective: Objective,
    found: Sequence[_Found],
    curves: tuple[Curve, ...],
    evaluated: int,
    excluded: Counter[str],
) -> Optimisation:
    base = _Found({}, pricer.base)
    everything = [*found, base] if pricer.base.feasible or not found else list(found)
    best = min(everything, key=lambda item: _rank(pricer.plan, objective, item))
    frontier = _frontier(everything)
    candidates = tuple(
        _candidate(pricer, item, _label(pricer, item, best, everything), item in frontier)
        for item in everything
    )
    return Optimisation(
        objective=objective,
        baseline_total=pricer.base.total,
        baseline_duration_h=pricer.base.duration_h,
        best=_candidate(pricer, best, BEST, best in frontier),
        candidates=candidates,
        pareto=tuple(c for c in sorted(candidates, key=lambda c: c.duration_h) if c.on_frontier),
        curves=curves,
        evaluated=evaluated,
        excluded=dict(excluded),
        certificate=Certificate(
            method=N_("exhaustive over the stated set"), bound=best.priced.total, gap=0.0
        ),
    )


def _rank(plan: Plan, objective: Objective, item: _Found) -> tuple[bool, float, float]:
    """Sort key: a broken limit last, then the objective, then the other figure."""
    total, hours = item.priced.total, item.priced.duration_h
    deadline, budget = plan.deadline_days, plan.governance.budget
    if objective == "cost":
        return False, total, hours
    if objective == "time":
        return False, hours, total
    if objective == "time_under_budget":
        over = budget is not None and total > budget
        return over, total if over else hours, hours if over else total
    late = deadline is not None and float(item.priced.outcome.end_day) > deadline
    return late, hours if late else total, total if late else hours


def _frontier(found: Sequence[_Found]) -> list[_Found]:
    """Candidates that no other beats in both total and time."""
    return [
        item
        for item in found
        if not any(
            other.priced.total <= item.priced.total
            and other.priced.duration_h <= item.priced.duration_h
            and (other.priced.total < item.priced.total or other.priced.duration_h < item.priced.duration_h)
            for other in found
        )
    ]


def _label(pricer: Pricer, item: _Found, best: _Found, everything: Sequence[_Found]) -> str:
    if not item.patch:
        return N_("Plan as it stands")
    if item is best:
        return BEST
    if item is min(everything, key=lambda other: other.priced.total):
        return CHEAPEST
    if pricer.plan.is_service:  # a service runs its whole horizon, whatever serves it
        return OTHER
    if item is min(everything, key=lambda other: other.priced.duration_h):
        return FASTEST
    if set(item.patch) == {checkpoint.PATH}:
        return INTERVAL_ONLY
    return SAME_SIZE if "cluster.accelerator_count" not in item.patch else OTHER


def _candidate(pricer: Pricer, item: _Found, label: str, on_frontier: bool) -> Candidate:
    training = item.priced.outcome.training
    return Candidate(
        label=label,
        changes=tuple(
            Change(path=path, before=get_value(pricer.plan, path), after=after)
            for path, after in item.patch.items()
        ),
        total=item.priced.total,
        duration_h=item.priced.duration_h,
        accelerators=_accelerators(item.priced),
        mfu=None if training is None else float(training.step.mfu),
        goodput=None if training is None else float(training.goodput.goodput),
        on_frontier=on_frontier,
    )


def _accelerators(priced: Priced) -> float | None:
    """GPUs of a training run or a batch job; of a service those at the peak."""
    inputs, service = priced.inputs, priced.outcome.service
    if inputs.training is not None:
        return known(inputs.training.run.accelerator_count)
    if inputs.batch is not None:
        return known(inputs.batch.accelerator_count)
    assert service is not None
    return known(service.fleet.instances_peak * service.gpus_per_instance)

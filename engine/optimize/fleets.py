"""Every fleet of a stated set for a service: accelerator, split, precision, batch cap, scaling, purchase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from engine.arrays import Array, FloatArray
from engine.catalog import Catalog
from engine.cost.ledger import Line
from engine.errors import FlopwiseError, InputError
from engine.evaluation import Outcome, ServiceOutcome, evaluate
from engine.lowering import lower
from engine.notes import SERVING_REASONS
from engine.optimize.fleet_words import batch_limit, explain_fleet
from engine.performance.serving import FEASIBLE
from engine.plan import Plan, apply_patch, get_value
from engine.plan.cluster import ACCELERATOR_FIGURES, ACCELERATOR_OFFER
from engine.plan.money import Scope
from engine.results import Change, FleetOption, FleetReport
from engine.splits import tensor_splits
from engine.text import N_, Message
from engine.values import PlanValues

BATCH_CAPS = (32, 64, 128, 256, 512, 1024)
TERMS: tuple[tuple[str, float | None], ...] = (("on_demand", None), ("reserved", 12.0), ("reserved", 36.0))
"""Purchases tried beside the plan's own: mode and term [months]."""
SPARES = (0.0, 1.0, 2.0)
"""Spare instances tried beside the plan's own spares and availability, whatever availability they reach."""
SHOWN = 30
NO_PRICE = N_("nobody publishes a price for it")
NO_FORMAT = N_("the accelerator does not compute in this precision")

_SPLIT, _CAP, _SCALE = "layout.tensor_parallel", "serving.max_num_seqs", "serving.autoscale"
_SPARES, _TARGET = "serving.spare_instances", "serving.availability"
_TOTAL, _TTFT, _TPOT, _AVAILABILITY, _ACCELERATOR, _CALL, _ROW = range(7)
_WIDTH = 7
_DISCRETE = (
    "cluster.accelerator",
    "serving.weight_precision",
    "cluster.price_mode",
    "cluster.commitment_term_months",
)
_OF_ONE_ACCELERATOR = (*ACCELERATOR_FIGURES, *ACCELERATOR_OFFER, "cluster.provider")


@dataclass(frozen=True, slots=True)
class _Call:
    """One kernel call: the patch and the rows that made it, and its outcome."""

    patch: dict[str, Any]
    rows: Mapping[str, FloatArray]
    outcome: Outcome

    @property
    def size(self) -> int:
        """How many fleets it holds."""
        return _count(self.rows)

    @property
    def service(self) -> ServiceOutcome:
        """Its figures."""
        assert self.outcome.service is not None
        return self.outcome.service

    def column(self, values: Array) -> FloatArray:
        """One figure of every fleet."""
        shape = np.broadcast_shapes(*(axis.shape for axis in self.rows.values()))
        return np.broadcast_to(np.asarray(values, dtype=float), shape).ravel()


def _count(rows: Mapping[str, FloatArray]) -> int:
    """Fleets of a grid whose axes broadcast."""
    return int(np.prod(np.broadcast_shapes(*(axis.shape for axis in rows.values()))))


def search_fleets(
    plan: Plan,
    catalog: Catalog,
    accelerators: Sequence[str] | None = None,
    *,
    with_spares: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> FleetReport:
    """All fleets over `accelerators` (None = those with a published price), cheapest first.

    Exhaustive over SPLITS of engine.splits, BATCH_CAPS, autoscaled or not, the plan's weight precision and
    fp8, the plan's purchase and TERMS; one kernel call for each accelerator, precision and purchase. A
    fleet that misses a latency target, or whose price nobody knows, is counted and left out. `with_spares`
    adds SPARES to the plan's own, and availability to what the frontier weighs; the cheapest still reach
    the plan's target. Errors: InputError for a plan that serves nothing or an accelerator nobody knows.
    """
    if plan.serving is None or plan.workload.kind != "online_inference":
        raise InputError("workload.kind", plan.workload.kind, Message(N_("online_inference")))
    base = apply_patch(plan, {"layout.pipeline_parallel": 1, _SPLIT: 1, "serving.instances": "auto"})
    own = evaluate(lower(PlanValues(base, catalog)), base.scope)
    gaps = frozenset(line.spec.item for line in own.lines if np.any(_gap(line)))
    excluded: Counter[str] = Counter()
    calls: list[_Call] = []
    kept: list[FloatArray] = []
    evaluated = 0
    for patch in _settings(plan, catalog, accelerators):
        if cancelled():
            break
        rows = _grid(base, catalog, patch, with_spares)
        evaluated += _count(rows)
        try:
            variant = apply_patch(base, patch)
            outcome = evaluate(lower(PlanValues(variant, catalog, dict(rows))), variant.scope)
            unpriced = _unpriced(outcome.lines, variant.scope, gaps)
        except FlopwiseError:
            excluded[NO_FORMAT] += _count(rows)
            continue
        calls.append(_Call(patch, rows, outcome))
        kept.append(_usable(calls[-1], unpriced, excluded))
    return _report(plan, catalog, calls, kept, (evaluated, excluded), with_spares)


def _report(
    plan: Plan,
    catalog: Catalog,
    calls: Sequence[_Call],
    kept: Sequence[FloatArray],
    counted: tuple[int, Counter[str]],
    with_spares: bool,
) -> FleetReport:
    table = _sorted_distinct(calls, kept)
    assert plan.serving is not None
    reached = table[:, _AVAILABILITY] >= plan.serving.availability - 1e-12
    good = np.flatnonzero(reached) if with_spares else np.arange(len(table))
    made: dict[int, FleetOption] = {}

    def option(place: int) -> FleetOption:
        if place not in made:
            call, row = calls[int(table[place, _CALL])], int(table[place, _ROW])
            made[place] = _option(plan, catalog, call, row, bool(reached[place]))
        return made[place]

    return FleetReport(
        evaluated=counted[0],
        excluded=dict(counted[1]),
        cheapest=tuple(option(int(place)) for place in good[:SHOWN]),
        frontier=tuple(option(place) for place in _frontier(table, with_spares)),
    )


def _settings(plan: Plan, catalog: Catalog, asked: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """Patches of what one kernel call cannot vary. The plan's own accelerator keeps its own figures."""
    own = plan.cluster.accelerator
    names = list(asked) if asked is not None else [own, *(n for n in _priced(catalog) if n != own)]
    assert plan.serving is not None
    precisions = dict.fromkeys((plan.serving.weight_precision, "fp8"))
    purchase = (plan.cluster.price_mode, plan.cluster.commitment_term_months)
    for name, precision, (mode, term) in product(names, precisions, dict.fromkeys((purchase, *TERMS))):
        patch = dict(zip(_DISCRETE, (name, precision, mode, term), strict=True))
        if name != own:
            catalog.accelerator(name)
            patch = {**dict.fromkeys(_OF_ONE_ACCELERATOR), **patch}
        elif (mode, term) != purchase:
            patch["cluster.price_per_gpu_hour"] = None
        yield patch


def _priced(catalog: Catalog) -> list[str]:
    return [name for name in catalog.accelerators if catalog.price(name, "on_demand") is not None]


def _grid(base: Plan, catalog: Catalog, patch: Mapping[str, Any], with_spares: bool) -> dict[str, FloatArray]:
    """Splits within a fast domain that divide the heads, batch caps, autoscaling off and on, and spares."""
    heads = base.architecture.num_attention_heads
    spec = base.cluster.accelerator_spec if "cluster.accelerator_spec" not in patch else None
    domain = spec.accelerators_per_node if spec else catalog.accelerator(patch[_DISCRETE[0]]).scale_up_domain
    splits = tensor_splits(heads, domain)
    assert base.serving is not None
    policies = [(float(base.serving.spare_instances), base.serving.availability)]
    if with_spares:
        policies += [(count, 0.0) for count in SPARES]
    mesh = np.meshgrid(splits, BATCH_CAPS, (0.0, 1.0), indexing="ij")
    rows = {path: axis.ravel().astype(float) for path, axis in zip((_SPLIT, _CAP, _SCALE), mesh, strict=True)}
    if with_spares:
        # A first axis of their own: what the hours need is then sized once for all of them.
        rows[_SPARES], rows[_TARGET] = np.asarray(policies).T[:, :, np.newaxis]
    return rows


def _usable(call: _Call, unpriced: FloatArray, excluded: Counter[str]) -> FloatArray:
    """Rows that meet the targets at a known price; the others are counted by their reason."""
    codes, unknown = call.column(np.asarray(call.outcome.feasible_code, dtype=float)), call.column(unpriced)
    for code, count in zip(*np.unique(codes[codes != FEASIBLE], return_counts=True), strict=True):
        excluded[SERVING_REASONS[int(code)]] += int(count)
    good = codes == FEASIBLE
    if np.any(good & (unknown > 0)):
        excluded[NO_PRICE] += int(np.sum(good & (unknown > 0)))
    return np.flatnonzero(good & (unknown == 0)).astype(float)


def _unpriced(lines: Sequence[Line], scope: Scope, known_gaps: frozenset[str]) -> FloatArray:
    """1 for rows with a line of unknown price that the plan itself prices: it would look like a saving."""
    gaps = [_gap(line) for line in lines if line.in_scope(scope) and line.spec.item not in known_gaps]
    found: FloatArray = np.any(np.broadcast_arrays(*gaps), axis=0).astype(float) if gaps else np.zeros(())
    return found


def _gap(line: Line) -> FloatArray:
    """1 where something is bought at a price nobody knows."""
    bought = np.asarray(line.quantity, dtype=float) != 0.0
    return np.asarray(bought & np.isnan(np.asarray(line.unit_price, dtype=float)), dtype=float)


def _sorted_distinct(calls: Sequence[_Call], kept: Sequence[FloatArray]) -> FloatArray:
    """A row of figures a fleet, the cheapest first; each fleet once.

    A cap above the batch that the targets allow, or spares that both number and target ask for, change
    nothing: the first of such rows stays.
    """
    names = {name: place for place, name in enumerate(dict.fromkeys(c.patch[_DISCRETE[0]] for c in calls))}
    parts = [np.zeros((0, _WIDTH))]
    for number, (call, rows) in enumerate(zip(calls, kept, strict=True)):
        instance, at = call.service.instance, rows.astype(int)
        columns = (call.outcome.total, instance.ttft_s_p95, instance.tpot_s_p95, call.service.availability)
        figures = [call.column(column)[at] for column in columns]
        labels = [np.full(at.size, float(v)) for v in (names[call.patch[_DISCRETE[0]]], number)]
        parts.append(np.column_stack([*figures, *labels, rows]))
    table = np.concatenate(parts)
    _, first = np.unique(table[:, : _ACCELERATOR + 1], axis=0, return_index=True)
    table = table[np.sort(first)]
    order = np.lexsort((-table[:, _AVAILABILITY], table[:, _TPOT], table[:, _TTFT], table[:, _TOTAL]))
    return np.asarray(table[order])


def _frontier(table: FloatArray, with_spares: bool) -> list[int]:
    """Fleets that no other beats in cost, latencies and (with spares) availability; the cheapest first."""
    worse = table[:, [_TTFT, _TPOT, _AVAILABILITY]] * (1.0, 1.0, -1.0 if with_spares else 0.0)
    kept: list[int] = []
    for place, own in enumerate(worse):
        if not np.any(np.all(worse[kept] <= own, axis=1)):
            kept.append(place)
    return kept


def _option(plan: Plan, catalog: Catalog, call: _Call, row: int, reaches_target: bool) -> FleetOption:
    instance, fleet = call.service.instance, call.service.fleet

    def at(values: Array) -> float:
        return float(call.column(values)[row])

    split = at(call.rows[_SPLIT])
    patch: dict[str, Any] = {
        **call.patch,
        _SPLIT: int(split),
        _CAP: int(at(call.rows[_CAP])),
        _SCALE: bool(at(call.rows[_SCALE])),
        "layout.pipeline_parallel": 1,
        "serving.instances": "auto",
    }
    if _SPARES in call.rows:
        patch |= {_SPARES: int(at(call.rows[_SPARES])), _TARGET: at(call.rows[_TARGET])}
    name, own = patch[_DISCRETE[0]], plan.cluster.accelerator_spec
    is_own = own is not None and name == plan.cluster.accelerator
    needed, occupancy = at(fleet.needed_peak), at(instance.occupancy)
    spares = at(fleet.instances_peak) - needed
    limit = batch_limit(occupancy, at(instance.batch), at(instance.max_batch), patch[_CAP])
    availability, utilisation = at(call.service.availability), at(fleet.utilisation_mean)
    assert plan.serving is not None
    return FleetOption(
        accelerator=name,
        name=own.name if is_own and own is not None else catalog.accelerator(name).name,
        total=at(call.outcome.total),
        ttft_ms=at(instance.ttft_s_p95) * 1000.0,
        tpot_ms=at(instance.tpot_s_p95) * 1000.0,
        instances_peak=at(fleet.instances_peak),
        instances_mean=at(fleet.instances_mean),
        accelerators_peak=at(fleet.instances_peak) * split,
        changes=tuple(
            Change(path=path, before=get_value(plan, path), after=value)
            for path, value in patch.items()
            if get_value(plan, path) != value
        ),
        batch=occupancy,
        limited_by=limit,
        spare_instances=spares,
        availability=availability,
        reaches_target=reaches_target,
        utilisation=utilisation,
        why=explain_fleet(
            occupancy=occupancy,
            limit=limit,
            needed=needed,
            spares=spares,
            asked_spares=float(patch.get(_SPARES, plan.serving.spare_instances)),
            availability=availability,
            utilisation=utilisation,
        ),
    )

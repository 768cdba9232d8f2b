"""Every fleet of a stated set for a service: accelerator, split, precision, batch cap, scaling, purchase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from engine.arrays import Array, FloatArray
from engine.catalog import Catalog
from engine.cost.ledger import Line
from engine.errors import FlopwiseError, InputError
from engine.evaluation import Outcome, evaluate
from engine.lowering import lower
from engine.notes import SERVING_REASONS
from engine.performance.serving import FEASIBLE
from engine.plan import Plan, apply_patch, get_value
from engine.plan.cluster import ACCELERATOR_FIGURES, ACCELERATOR_OFFER
from engine.plan.money import Scope
from engine.results import Change, FleetOption, FleetReport
from engine.text import N_, Message
from engine.values import PlanValues

SPLITS = (1, 2, 4, 8, 16)
BATCH_CAPS = (32, 64, 128, 256, 512, 1024)
TERMS: tuple[tuple[str, float | None], ...] = (("on_demand", None), ("reserved", 12.0), ("reserved", 36.0))
"""Purchases tried beside the plan's own: mode and term [months]."""
SHOWN = 30
NO_PRICE = N_("nobody publishes a price for it")
NO_FORMAT = N_("the accelerator does not compute in this precision")

_SPLIT, _CAP, _SCALE = "layout.tensor_parallel", "serving.max_num_seqs", "serving.autoscale"
_DISCRETE = (
    "cluster.accelerator",
    "serving.weight_precision",
    "cluster.price_mode",
    "cluster.commitment_term_months",
)
_OF_ONE_ACCELERATOR = (*ACCELERATOR_FIGURES, *ACCELERATOR_OFFER, "cluster.provider")


@dataclass(frozen=True, slots=True)
class _Row:
    """One fleet: the patch that makes it, and its row in the outcome of its kernel call."""

    patch: dict[str, Any]
    total: float
    outcome: Outcome
    row: int


def search_fleets(plan: Plan, catalog: Catalog, accelerators: Sequence[str] | None = None) -> FleetReport:
    """All fleets over `accelerators` (None = those with a published price), cheapest first.

    Exhaustive over SPLITS, BATCH_CAPS, autoscaled or not, the plan's weight precision and fp8, the plan's
    purchase and TERMS; one kernel call for each accelerator, precision and purchase. A fleet that misses a
    latency target, or whose price nobody knows, is counted and left out. Errors: InputError for a plan
    that serves nothing or an accelerator nobody knows.
    """
    if plan.serving is None or plan.workload.kind != "online_inference":
        raise InputError("workload.kind", plan.workload.kind, Message(N_("online_inference")))
    base = apply_patch(plan, {"layout.pipeline_parallel": 1, _SPLIT: 1, "serving.instances": "auto"})
    own = evaluate(lower(PlanValues(base, catalog)), base.scope)
    gaps = frozenset(line.spec.item for line in own.lines if np.any(_gap(line)))
    excluded: Counter[str] = Counter()
    found: list[_Row] = []
    evaluated = 0
    for patch in _settings(plan, catalog, accelerators):
        rows = _grid(base, catalog, patch)
        evaluated += rows[_SPLIT].size
        try:
            variant = apply_patch(base, patch)
            outcome = evaluate(lower(PlanValues(variant, catalog, dict(rows))), variant.scope)
            unpriced = _unpriced(outcome.lines, variant.scope, gaps)
        except FlopwiseError:
            excluded[NO_FORMAT] += rows[_SPLIT].size
            continue
        found += _usable(patch, rows, outcome, unpriced, excluded)
    options = _distinct(_option(plan, catalog, item) for item in found)
    options.sort(key=lambda option: (option.total, option.ttft_ms, option.tpot_ms))
    return FleetReport(
        evaluated=evaluated,
        excluded=dict(excluded),
        cheapest=tuple(options[:SHOWN]),
        frontier=_frontier(options),
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


def _grid(base: Plan, catalog: Catalog, patch: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Splits within a fast domain that divide the heads, batch caps, and autoscaling off and on."""
    heads = base.architecture.num_attention_heads
    spec = base.cluster.accelerator_spec if "cluster.accelerator_spec" not in patch else None
    domain = spec.accelerators_per_node if spec else catalog.accelerator(patch[_DISCRETE[0]]).scale_up_domain
    splits = [s for s in SPLITS if heads % s == 0 and s <= max(1, domain)]
    mesh = np.meshgrid(splits, BATCH_CAPS, (0.0, 1.0), indexing="ij")
    return {path: axis.ravel().astype(float) for path, axis in zip((_SPLIT, _CAP, _SCALE), mesh, strict=True)}


def _usable(
    patch: dict[str, Any],
    rows: Mapping[str, FloatArray],
    outcome: Outcome,
    unpriced: FloatArray,
    excluded: Counter[str],
) -> Iterator[_Row]:
    size = rows[_SPLIT].size
    codes = _column(np.asarray(outcome.feasible_code, dtype=float), size)
    totals, unknown = _column(outcome.total, size), _column(unpriced, size)
    for row in range(size):
        if codes[row] != FEASIBLE:
            excluded[SERVING_REASONS[int(codes[row])]] += 1
        elif unknown[row]:
            excluded[NO_PRICE] += 1
        else:
            varied = {
                _SPLIT: int(rows[_SPLIT][row]),
                _CAP: int(rows[_CAP][row]),
                _SCALE: bool(rows[_SCALE][row]),
                "layout.pipeline_parallel": 1,
                "serving.instances": "auto",
            }
            yield _Row({**patch, **varied}, float(totals[row]), outcome, row)


def _unpriced(lines: Sequence[Line], scope: Scope, known_gaps: frozenset[str]) -> FloatArray:
    """1 for rows with a line of unknown price that the plan itself prices: it would look like a saving."""
    gaps = [_gap(line) for line in lines if line.in_scope(scope) and line.spec.item not in known_gaps]
    found: FloatArray = np.any(np.broadcast_arrays(*gaps), axis=0).astype(float) if gaps else np.zeros(())
    return found


def _gap(line: Line) -> FloatArray:
    """1 where something is bought at a price nobody knows."""
    bought = np.asarray(line.quantity, dtype=float) != 0.0
    return np.asarray(bought & np.isnan(np.asarray(line.unit_price, dtype=float)), dtype=float)


def _column(values: Array, size: int) -> FloatArray:
    return np.broadcast_to(np.asarray(values, dtype=float), (size,))


def _option(plan: Plan, catalog: Catalog, item: _Row) -> FleetOption:
    served, patch = item.outcome.service, item.patch
    assert served is not None
    instance, fleet = served.instance, served.fleet

    def at(values: Array) -> float:
        shaped = np.asarray(values, dtype=float)
        return float(shaped[item.row] if shaped.ndim else shaped)

    name = patch["cluster.accelerator"]
    own = plan.cluster.accelerator_spec
    return FleetOption(
        accelerator=name,
        name=own.name
        if own is not None and name == plan.cluster.accelerator
        else catalog.accelerator(name).name,
        total=item.total,
        ttft_ms=at(instance.ttft_s_p95) * 1000.0,
        tpot_ms=at(instance.tpot_s_p95) * 1000.0,
        instances_peak=at(fleet.instances_peak),
        instances_mean=at(fleet.instances_mean),
        accelerators_peak=at(fleet.instances_peak) * patch[_SPLIT],
        changes=tuple(
            Change(path=path, before=get_value(plan, path), after=value)
            for path, value in patch.items()
            if get_value(plan, path) != value
        ),
    )


def _distinct(options: Iterable[FleetOption]) -> list[FleetOption]:
    """Each fleet once: a cap above the batch that the targets allow changes nothing."""
    kept: dict[tuple[str, float, float, float], FleetOption] = {}
    for option in options:
        kept.setdefault((option.accelerator, option.total, option.ttft_ms, option.tpot_ms), option)
    return list(kept.values())


def _frontier(options: Sequence[FleetOption]) -> tuple[FleetOption, ...]:
    """Fleets that no other beats in cost, time to first token and time per token; the cheapest first."""
    kept: list[FleetOption] = []
    for option in options:
        if not any(k.ttft_ms <= option.ttft_ms and k.tpot_ms <= option.tpot_ms for k in kept):
            kept.append(option)
    return tuple(kept)

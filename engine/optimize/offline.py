"""Every setting of a stated set for a batch job: split, batch cap, instances, purchase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.batch_choices import COUNT, SPLIT, STAGES, serving_splits
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.notes import BATCH_REASONS
from engine.optimize.curves import as_curve, sweep
from engine.performance.batch import fewest_instances
from engine.plan import Plan, apply_patch, get_value
from engine.recommend.pricing import Pricer
from engine.results import Curve
from engine.text import N_
from engine.values import PlanValues

CAP = "batch.max_batch"
CAPS = (16.0, 32.0, 64.0, 128.0, 256.0, 512.0, np.inf)
"""Batch caps tried; inf = what memory and the engine allow."""
PURCHASES: tuple[tuple[str, float | None], ...] = (("on_demand", None), ("reserved", 12.0), ("spot", None))
"""Purchases tried beside the plan's own: mode and term [months]."""
NO_PRICE = N_("nobody publishes a price for it")
NOT_INTERRUPTIBLE = N_("the work may not be interrupted")
MOST_SHOWN = 40
_FINE, _STEPS = 64, 65
_MODE, _TERM, _PRICE = "cluster.price_mode", "cluster.commitment_term_months", "cluster.price_per_gpu_hour"


@dataclass(frozen=True, slots=True)
class OfflineSetting:
    """One setting that ends by the deadline: what it changes, its total [plan currency] and its hours."""

    patch: dict[str, Any]
    total: float
    duration_h: float


def search_offline(pricer: Pricer) -> tuple[list[OfflineSetting], int, Counter[str]]:
    """All settings of the set that end in time, how many were tried, and why others were left out.

    Exhaustive over tensor splits within a fast domain, CAPS, PURCHASES with the plan's own, and instances:
    every number up to four times today's when that is at most 64, else 65 from an eighth to four times of
    it, and always the fewest that meet the deadline.
    """
    excluded: Counter[str] = Counter()
    found: list[OfflineSetting] = []
    evaluated = 0
    for purchase in _purchases(pricer):
        variant = apply_patch(pricer.base.plan, purchase)
        rows = _rows(pricer, variant)
        evaluated += rows[SPLIT].size
        reason = _refusal(pricer, purchase)
        if reason is not None:
            excluded[reason] += rows[SPLIT].size
            continue
        outcome = evaluate(lower(PlanValues(variant, pricer.catalog, dict(rows))), variant.scope)
        codes, totals, hours = (
            np.broadcast_to(np.asarray(column, dtype=float), rows[SPLIT].shape)
            for column in (outcome.feasible_code, outcome.total, outcome.duration_h)
        )
        for code, count in Counter(codes[codes != 0].tolist()).items():
            excluded[BATCH_REASONS[int(code)]] += count
        for row in np.flatnonzero(codes == 0).tolist():
            patch = _changes(pricer, {**purchase, **_setting(rows, row)})
            found.append(OfflineSetting(patch, float(totals[row]), float(hours[row])))
    return found, evaluated, excluded


def shown_settings(found: list[OfflineSetting], budget: float | None) -> list[OfflineSetting]:
    """The frontier of cost and time, thinned to MOST_SHOWN; ends and the fastest in the budget stay."""
    frontier: list[OfflineSetting] = []
    for item in sorted(found, key=lambda item: (item.total, item.duration_h, len(item.patch))):
        if not frontier or item.duration_h < frontier[-1].duration_h:
            frontier.append(item)
    if not frontier:
        return []
    keep = set(np.linspace(0, len(frontier) - 1, MOST_SHOWN).round().astype(int).tolist())
    if budget is not None:
        keep.add(max(sum(item.total <= budget for item in frontier) - 1, 0))
    return [frontier[index] for index in sorted(keep)]


def offline_curves(pricer: Pricer) -> tuple[Curve, ...]:
    """Cost and time over the number of GPUs, and over the batch cap with as many GPUs as it then takes."""
    values = PlanValues(pricer.base.plan, pricer.catalog)
    run, job = pricer.base.outcome.batch, pricer.base.inputs.batch
    assert run is not None and job is not None
    gpus, now = float(run.gpus_per_instance), float(np.asarray(job.accelerator_count))
    model, hardware = pricer.base.inputs.model, pricer.base.inputs.hardware
    fewest = float(fewest_instances(model, hardware, job))
    size = sweep(values, COUNT, _instances(max(1.0, now // gpus), fewest) * gpus)
    most = min(float(run.fitting_batch), float(np.asarray(job.max_batch)))
    caps = np.unique(np.round(np.geomspace(1.0, max(float(run.fitting_batch), 1.0), 33)))
    caps = np.unique(np.append(caps, most))
    enough = fewest_instances(model, hardware, replace(job, max_batch=caps)) * gpus
    cap = sweep(values, CAP, caps, extra={COUNT: np.fmax(now, enough)})
    return as_curve(size, now), as_curve(cap, most)


def _purchases(pricer: Pricer) -> Iterator[dict[str, Any]]:
    """Patches of the plan's own purchase and the others; another mode takes the catalogue's price."""
    cluster = pricer.base.plan.cluster
    own = (cluster.price_mode, cluster.commitment_term_months)
    for mode, term in dict.fromkeys((own, *PURCHASES)):
        yield {} if (mode, term) == own else {_MODE: mode, _TERM: term, _PRICE: None}


def _refusal(pricer: Pricer, purchase: dict[str, Any]) -> str | None:
    """Why a purchase may not stand for the plan's."""
    if not purchase:
        return None
    if purchase[_MODE] == "spot" and pricer.plan.schedule.interruptible is False:
        return NOT_INTERRUPTIBLE
    priced = pricer.central({**purchase, COUNT: "auto"})
    return NO_PRICE if priced is None or not priced.unknown <= pricer.base.unknown else None


def _rows(pricer: Pricer, variant: Plan) -> dict[str, FloatArray]:
    """Split, cap and GPUs of every row."""
    splits = serving_splits(variant, pricer.catalog)
    split, cap = (axis.ravel() for axis in np.meshgrid(splits, CAPS, indexing="ij"))
    inputs = lower(PlanValues(variant, pricer.catalog, {SPLIT: split, CAP: cap, COUNT: split}))
    run, job = pricer.base.outcome.batch, inputs.batch
    assert run is not None and job is not None
    fewest = np.broadcast_to(fewest_instances(inputs.model, inputs.hardware, job), split.shape)
    stages = float(np.asarray(job.load.pipeline_parallel))
    now = max(1.0, float(run.instances * run.gpus_per_instance))
    tried = [
        _instances(max(1.0, round(now / (gpus * stages))), float(least))
        for gpus, least in zip(split, fewest, strict=True)
    ]
    sizes, repeats = np.concatenate(tried), [numbers.size for numbers in tried]
    split, cap = np.repeat(split, repeats), np.repeat(cap, repeats)
    return {SPLIT: split, CAP: cap, COUNT: sizes * split * stages}


def _instances(now: float, fewest: float) -> FloatArray:
    """Numbers of instances tried around today's."""
    if 4.0 * now <= _FINE:
        around = np.arange(1.0, 4.0 * now + 1.0)
    else:
        around = np.round(np.geomspace(now / 8.0, now * 4.0, _STEPS))
    wanted = np.array([now, fewest])
    return np.unique(np.concatenate([around, wanted[np.isfinite(wanted)]]))


def _setting(rows: dict[str, FloatArray], row: int) -> dict[str, Any]:
    cap = float(rows[CAP][row])
    return {
        SPLIT: int(rows[SPLIT][row]),
        CAP: int(cap) if np.isfinite(cap) else None,
        COUNT: int(rows[COUNT][row]),
    }


def _changes(pricer: Pricer, setting: dict[str, Any]) -> dict[str, Any]:
    """What differs from the plan as entered; nothing when it is what the engine settled on anyway.

    A field left to the engine is fixed with the others: else it would be settled anew.
    """
    settled = pricer.base.plan
    if all(get_value(settled, path) == value for path, value in setting.items()):
        return {}
    fixed = {STAGES: get_value(settled, STAGES), **setting}
    return {path: value for path, value in fixed.items() if get_value(pricer.plan, path) != value}

"""Sweeps of one setting: total and hours over a grid, the optimum, and the flat region around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import BoolArray, FloatArray
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.plan import find_field
from engine.results import Curve
from engine.values import PlanValues

FLAT_MARGIN = 0.01
"""A setting within 1 % of the best total is as good: the flat region, not the optimum, is the message."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One setting's values; at each the total [plan currency], hours, last day, feasibility; the optimum."""

    path: str
    x: FloatArray
    total: FloatArray
    duration_h: FloatArray
    end_day: FloatArray
    feasible: BoolArray
    best: float | None
    best_total: float | None
    flat_low: float | None
    flat_high: float | None


def sweep(
    values: PlanValues,
    path: str,
    x: FloatArray,
    *,
    polish: Callable[[PlanValues, float, float], float] | None = None,
    extra: dict[str, FloatArray] | None = None,
) -> Sweep:
    """Evaluate one setting over `x` (with columns that move along in `extra`) in one kernel call."""
    overrides = {**values.overrides, path: x, **(extra or {})}
    outcome = evaluate(lower(replace(values, overrides=overrides)), values.plan.scope)
    total = np.array(np.broadcast_to(outcome.total, x.shape))
    hours = np.array(np.broadcast_to(outcome.duration_h, x.shape))
    end_day = np.array(np.broadcast_to(outcome.end_day, x.shape))
    feasible = np.array(np.broadcast_to(np.asarray(outcome.feasible_code) == 0, x.shape)) & np.isfinite(total)
    if not feasible.any():
        return Sweep(path, x, total, hours, end_day, feasible, None, None, None, None)
    index = int(np.argmin(np.where(feasible, total, np.inf)))
    best, best_total = float(x[index]), float(total[index])
    if polish is not None and 0 < index < x.size - 1:
        best = polish(values, float(x[index - 1]), float(x[index + 1]))
        at_best = evaluate(
            lower(replace(values, overrides={**overrides, path: np.array([best])})), values.plan.scope
        )
        best_total = float(at_best.total[0])
    flat = feasible & (total <= best_total * (1.0 + FLAT_MARGIN))
    return Sweep(
        path,
        x,
        total,
        hours,
        end_day,
        feasible,
        best,
        best_total,
        float(x[flat].min()) if flat.any() else best,
        float(x[flat].max()) if flat.any() else best,
    )


def as_curve(found: Sweep, now: float) -> Curve:
    """The feasible part of a sweep as a result, with the setting as it stands."""
    spec = find_field(found.path)
    assert spec is not None
    shown = found.feasible
    return Curve(
        path=found.path,
        title=spec.title,
        unit=spec.unit,
        x=tuple(found.x[shown].tolist()),
        total=tuple(found.total[shown].tolist()),
        duration_h=tuple(found.duration_h[shown].tolist()),
        now=now,
        best=found.best,
        best_total=found.best_total,
        flat_low=found.flat_low,
        flat_high=found.flat_high,
    )


def without_best(curve: Curve) -> Curve:
    """The curve of what is given rather than chosen: load, sequence length."""
    return curve.model_copy(update=dict.fromkeys(("best", "best_total", "flat_low", "flat_high")))

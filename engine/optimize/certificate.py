"""A second road to the optimum: differential evolution, to hold against the enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import differential_evolution

from engine.arrays import Array, FloatArray
from engine.catalog import Catalog
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.optimize.layout import AUTO_MEMORY_SHARE, FIELDS, layout_options
from engine.plan import Plan
from engine.values import UNKNOWN, PlanValues

_WORST = 1e30
"""Stands for infeasible: above any total, yet its square is still a number."""


@dataclass(frozen=True, slots=True)
class Evolved:
    """Best total found by evolution [plan currency], its columns, and how many settings it tried."""

    total: float
    setting: dict[str, float]
    evaluated: int


def evolve(
    plan: Plan, catalog: Catalog, sizes: list[int], *, seed: int = 0, generations: int = 200
) -> Evolved | None:
    """Search cluster size and layout together with integer differential evolution.

    It shares the kernel with the enumeration but none of its search code. Every variable is a position in
    the list of its values; infeasible settings and late ones cost more than anything. None when nothing fits.
    """
    options: dict[str, FloatArray] = {"cluster.accelerator_count": np.array(sizes, dtype=float)}
    options |= {path: np.array(layout_options(plan, max(sizes))[path], dtype=float) for path in FIELDS}
    deadline = np.inf if plan.schedule.deadline_days is None else plan.schedule.deadline_days
    tried: list[int] = []

    def totals(positions: FloatArray) -> FloatArray:
        picked = np.rint(positions).astype(int).reshape(len(options), -1)
        columns: dict[str, Array] = {
            path: values[row] for (path, values), row in zip(options.items(), picked, strict=True)
        }
        tried.append(picked.shape[1])
        columns["reliability.checkpoint_interval_s"] = np.full(picked.shape[1], UNKNOWN)
        inputs = lower(PlanValues(plan, catalog, columns))
        outcome = evaluate(inputs, plan.scope)
        assert outcome.training is not None
        roomy = outcome.training.memory.total_bytes <= AUTO_MEMORY_SHARE * inputs.hardware.memory_bytes
        allowed = (np.asarray(outcome.feasible_code) == 0) & roomy & (np.asarray(outcome.end_day) <= deadline)
        return np.where(allowed, outcome.total, _WORST)

    search: Any = differential_evolution
    found = search(
        totals,
        bounds=[(0, values.size - 1) for values in options.values()],
        integrality=[True] * len(options),
        vectorized=True,
        updating="deferred",
        polish=False,
        popsize=30,
        maxiter=generations,
        tol=0.0,
        rng=seed,
    )
    if found.fun >= _WORST:
        return None
    picked = np.rint(found.x).astype(int)
    setting = {
        path: float(values[index]) for (path, values), index in zip(options.items(), picked, strict=True)
    }
    return Evolved(float(found.fun), setting, sum(tried))

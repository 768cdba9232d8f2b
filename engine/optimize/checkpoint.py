"""The checkpoint interval of lowest total cost: goodput against storage, sync or async."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar

from engine.arrays import FloatArray
from engine.evaluation import Outcome, evaluate
from engine.lowering import lower
from engine.optimize.curves import Sweep, sweep
from engine.values import PlanValues

PATH = "reliability.checkpoint_interval_s"
GRID_POINTS = 161
_WIDEST = (10.0, 30.0 * 86400.0)


def interval_sweep(values: PlanValues) -> Sweep:
    """Total against checkpoint interval, on a log grid wide enough to hold the optimum, then polished.

    The total has no closed form once stored checkpoints cost money, and is flat near its optimum, so the log
    of the interval is searched on a grid first and the best cell polished by `minimize_scalar`.
    """
    outcome = _evaluate_at(values, np.array([1.0]))
    assert outcome.training is not None
    longest = float(outcome.training.useful_h) * 3600.0
    grid = np.geomspace(_WIDEST[0], max(min(_WIDEST[1], longest), 100.0), GRID_POINTS)
    return sweep(values, PATH, grid, polish=_polish)


def _evaluate_at(values: PlanValues, intervals: FloatArray) -> Outcome:
    overrides = {**values.overrides, PATH: intervals}
    return evaluate(lower(replace(values, overrides=overrides)), values.plan.scope)


def _polish(values: PlanValues, low: float, high: float) -> float:
    found = minimize_scalar(
        lambda log_interval: float(_evaluate_at(values, np.array([np.exp(log_interval)])).total[0]),
        bounds=(np.log(low), np.log(high)),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return float(np.exp(found.x))

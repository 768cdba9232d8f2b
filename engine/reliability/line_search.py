"""Maximum of a function along one positive axis, for every row at once: log grid, then golden section."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.arrays import FloatArray

GRID_POINTS = 400
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
# 0.618^45 narrows a bracket by 4e-10; closer points no longer differ in a double.
GOLDEN_STEPS = 45


def maximise(
    function: Callable[[FloatArray], FloatArray], *, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Point in [low, high] where `function` is largest, row by row.

    Valid for positive bounds and a function without peaks narrower than a grid step. `low`, `high` [any
    unit], the shape of the rows. Returns the point [same unit]. A grid first, because goodput can be flat
    at one end of the axis, where bracketing alone stops early.
    """
    log_low, log_high = np.log(low), np.log(high)
    step = (log_high - log_low) / (GRID_POINTS - 1)
    best = np.full(np.shape(step), -np.inf)
    at = np.zeros(np.shape(step))
    for index in range(GRID_POINTS):
        value = function(np.exp(log_low + index * step))
        at = np.where(value > best, float(index), at)
        best = np.fmax(value, best)
    centre = log_low + at * step
    return _polish(function, np.maximum(centre - step, log_low), np.minimum(centre + step, log_high))


def _polish(function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray) -> FloatArray:
    """Golden section on the logarithm."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(np.exp(left)), function(np.exp(right))
    for _ in range(GOLDEN_STEPS):
        rising = at_left < at_right
        low, high = np.where(rising, left, low), np.where(rising, high, right)
        left, right = (
            np.where(rising, right, high - GOLDEN * (high - low)),
            np.where(rising, low + GOLDEN * (high - low), left),
        )
        probe = function(np.exp(np.where(rising, right, left)))
        at_left, at_right = np.where(rising, at_right, probe), np.where(rising, probe, at_left)
    return np.asarray(np.exp((low + high) / 2.0))

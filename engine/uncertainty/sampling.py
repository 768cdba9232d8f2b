"""Seeded draws of uncertain inputs: a Latin hypercube whose columns depend on the input's path alone.

That makes common random numbers automatic: the plan before and after a change draws the same value for an
input both have, so their difference carries only what the change does.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from engine.arrays import FloatArray
from engine.plan import find_field
from engine.uncertainty.ranges import UncertainInput

Z_P90 = 1.2815515655446004
"""Standard normal quantile at 0.9."""


def draw_inputs(inputs: Sequence[UncertainInput], *, draws: int, seed: int) -> dict[str, FloatArray]:
    """One array of `draws` values an input, P10/P50/P90 at its low, central and high, within its bounds."""
    return {item.path: _bounded(item, _normal_column(item.path, draws, seed)) for item in inputs}


def _bounded(item: UncertainInput, scores: FloatArray) -> FloatArray:
    """The tails of a distribution know no bounds, the field does: a share above 1 would earn money."""
    drawn, spec = _spread(item, scores), find_field(item.path)
    if spec is None or spec.path != item.path:
        # Costs of people and the models' own factors: positive, and no field says so.
        return np.maximum(drawn, 0.0)
    low = -np.inf if spec.minimum is None else spec.minimum
    high = np.inf if spec.maximum is None else spec.maximum
    low = np.nextafter(low, np.inf) if spec.exclusive_minimum else low
    return np.clip(drawn, low, np.nextafter(high, -np.inf) if spec.exclusive_maximum else high)


def _normal_column(path: str, draws: int, seed: int) -> FloatArray:
    """Standard normal scores, one in each of `draws` equal strata, in an order fixed by seed and path."""
    rng = np.random.default_rng([seed, zlib.crc32(path.encode())])
    strata = (rng.permutation(draws) + rng.random(draws)) / draws
    return np.asarray(ndtri(strata), dtype=float)


def _spread(item: UncertainInput, scores: FloatArray) -> FloatArray:
    """Two half-distributions joined at the central value: log-normal where all are positive, else normal."""
    z = scores / Z_P90
    if item.low > 0 and item.central > 0:
        up, down = np.log(item.high / item.central), np.log(item.central / item.low)
        return np.asarray(item.central * np.exp(np.where(z > 0, z * up, z * down)), dtype=float)
    return item.central + np.where(z > 0, z * (item.high - item.central), z * (item.central - item.low))

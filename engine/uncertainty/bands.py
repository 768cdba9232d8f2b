"""Percentiles of the total, and the tornado: what each uncertain input does on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import FloatArray
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.results import Driver
from engine.uncertainty.ranges import UncertainInput, uncertain_inputs
from engine.uncertainty.sampling import draw_inputs
from engine.values import PlanValues


@dataclass(frozen=True, slots=True)
class Draws:
    """Totals and hours of every draw of one plan [plan currency, h]."""

    totals: FloatArray
    duration_h: FloatArray

    def percentile(self, share: float) -> float:
        """The total that `share` percent of the draws stay below."""
        return float(np.percentile(self.totals, share))


def draw_totals(values: PlanValues, *, draws: int, seed: int) -> Draws:
    """Evaluate the plan on seeded draws of all its uncertain inputs. The plan must have no open choices."""
    columns = draw_inputs(uncertain_inputs(values), draws=draws, seed=seed)
    outcome = evaluate(lower(replace(values, overrides={**values.overrides, **columns})), values.plan.scope)
    shape = (draws,)
    return Draws(
        np.array(np.broadcast_to(outcome.total, shape)), np.array(np.broadcast_to(outcome.duration_h, shape))
    )


def tornado(values: PlanValues) -> tuple[Driver, ...]:
    """Total at the P10 and P90 of each uncertain input alone, widest span first."""
    inputs = uncertain_inputs(values)
    if not inputs:
        return ()
    columns = {item.path: _one_at_a_time(index, item, len(inputs)) for index, item in enumerate(inputs)}
    outcome = evaluate(lower(replace(values, overrides={**values.overrides, **columns})), values.plan.scope)
    totals = np.broadcast_to(outcome.total, (2 * len(inputs),)).reshape(len(inputs), 2)
    spans = np.abs(totals[:, 1] - totals[:, 0])
    shares = spans**2 / max(float(np.sum(spans**2)), 1e-300)
    drivers = [
        Driver(
            path=item.path,
            title=item.title,
            unit=item.unit,
            low=item.low,
            high=item.high,
            total_low=float(totals[i, 0]),
            total_high=float(totals[i, 1]),
            share_of_variance=float(shares[i]),
        )
        for i, item in enumerate(inputs)
    ]
    order: Sequence[int] = np.argsort(-spans, kind="stable").tolist()
    return tuple(drivers[i] for i in order)


def _one_at_a_time(index: int, item: UncertainInput, count: int) -> FloatArray:
    column = np.full(2 * count, item.central)
    column[2 * index], column[2 * index + 1] = item.low, item.high
    return column

"""Cluster size against cost and time: the same layout, more or fewer replicas of it."""

from __future__ import annotations

import numpy as np

from engine.arrays import BoolArray, FloatArray
from engine.optimize.curves import Sweep, sweep
from engine.optimize.layout import sequences_per_step
from engine.values import PlanValues

PATH = "cluster.accelerator_count"
LARGEST = 10_000_000
"""The plan's bound on the number of accelerators."""


def size_grid(values: PlanValues) -> FloatArray:
    """Cluster sizes that keep the layout and divide the batch: whole replicas, from one up to the batch."""
    layout = values.plan.layout
    split = int(
        float(layout.tensor_parallel) * float(layout.pipeline_parallel) * float(layout.context_parallel)
    )
    sequences = sequences_per_step(values.plan)
    micro = int(float(layout.micro_batch))
    most = min(sequences // max(micro, 1), LARGEST // max(split, 1))
    replicas = np.arange(1, most + 1, dtype=np.int64)
    return np.asarray(replicas[sequences % (replicas * micro) == 0] * split, dtype=float)


def size_sweep(values: PlanValues) -> Sweep:
    """Total and hours over every cluster size that keeps the plan's layout and batch."""
    return sweep(values, PATH, size_grid(values))


def within_deadline(values: PlanValues, found: Sweep) -> BoolArray:
    """Which sizes are feasible and end before the deadline; all feasible ones when there is none."""
    deadline = values.plan.schedule.deadline_days
    return found.feasible if deadline is None else found.feasible & (found.end_day <= deadline)

"""What figures of every plan are made of."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.compute import IDLE, TAIL
from engine.cost.ledger import GPU_HOURS, LineSpec
from engine.evaluation import Codes, Outcome
from engine.plan.money import Scope
from engine.results import Metric
from engine.traces import known

MILLION = 1e6


def metric(key: str, title: str, value: Array | Codes, unit: str) -> Metric:
    """A figure with its key, title and unit; what nobody knows is None."""
    return Metric(key=key, title=title, value=known(np.asarray(value, dtype=float)), unit=unit)


def amount_of(outcome: Outcome, *categories: str) -> float:
    """Known amounts of some categories [plan currency]; NaN when one of them is unknown."""
    return float(np.sum([float(ln.amount) for ln in outcome.lines if ln.spec.category in categories]))


def gpu_hours(outcome: Outcome) -> float:
    """GPU-hours paid, all lines together."""
    return float(np.sum([float(np.asarray(ln.quantity)) for ln in outcome.lines if ln.spec.unit == "GPU-h"]))


def working_gpu_hours(outcome: Outcome) -> float:
    """GPU-hours in which accelerators are held for work: paid hours without idle and unused ones."""
    unused = (IDLE.item, TAIL.item)
    lines = (ln for ln in outcome.lines if ln.spec.unit == GPU_HOURS and ln.spec.item not in unused)
    return float(np.sum([float(np.asarray(ln.quantity)) for ln in lines]))


def hours_of(outcome: Outcome, spec: LineSpec) -> float:
    """GPU-hours of one kind of line."""
    return float(np.sum([float(np.asarray(ln.quantity)) for ln in outcome.lines if ln.spec is spec]))


def share_of(outcome: Outcome, scope: Scope, category: str) -> float:
    """Share of a category in the total; what is out of scope has none. NaN where a part is unknown."""
    total = float(outcome.total)
    counted = [
        float(ln.amount) for ln in outcome.lines if ln.spec.category == category and ln.in_scope(scope)
    ]
    return sum(counted) / total if total > 0 else float("nan")

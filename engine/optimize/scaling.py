"""How a training run scales: cluster sizes with the best layout of each, sequence lengths, batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.errors import Cancelled, InputError
from engine.optimize.batch import batch_sweep
from engine.optimize.curves import as_curve, sweep, without_best
from engine.optimize.layout import FIELDS, search_layouts
from engine.plan import Plan, apply_patch
from engine.recommend.pricing import Pricer
from engine.results import Curve, Scaling, ScalingPoint
from engine.text import N_, Message
from engine.values import PlanValues

SEQUENCE = "training.sequence_length"
BATCH = "training.global_batch_tokens"
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


def scale(plan: Plan, catalog: Catalog, *, cancelled: Callable[[], bool] | None = None) -> Scaling:
    """Strong and weak scaling over doublings of the plan's cluster, and sweeps of sequence and batch.

    Strong: the plan's batch on every size. Weak: the batch grows with the cluster. Each size runs its
    fastest layout; sizes without one are left out. Errors: InputError for a plan that trains nothing;
    Cancelled when stopped.
    """
    if not plan.is_training:
        raise InputError("workload.kind", plan.workload.kind, Message(N_("a training")))
    pricer = Pricer(plan, catalog, draws=0)
    base = pricer.base.plan
    values = PlanValues(base, catalog)
    sizes = _sizes(pricer)
    assert base.training is not None
    batch = base.training.global_batch_tokens
    now = float(np.asarray(values.number("cluster.accelerator_count")))
    return Scaling(
        strong=_points(pricer, sizes, [batch] * len(sizes), cancelled),
        weak=_points(pricer, sizes, [batch * size / now for size in sizes], cancelled),
        sequence=_sequence_curve(values),
        batch=as_curve(batch_sweep(values), batch),
    )


def _sizes(pricer: Pricer) -> list[int]:
    per_node = int(np.asarray(pricer.base.inputs.hardware.accelerators_per_node))
    training = pricer.base.inputs.training
    assert training is not None
    now = int(np.asarray(training.run.accelerator_count))
    return sorted({max(per_node, round(now * factor / per_node) * per_node) for factor in _FACTORS} | {now})


def _points(
    pricer: Pricer, sizes: Sequence[int], batches: Sequence[float], cancelled: Callable[[], bool] | None
) -> tuple[ScalingPoint, ...]:
    found: list[ScalingPoint] = []
    for size, batch in zip(sizes, batches, strict=True):
        if cancelled is not None and cancelled():
            raise Cancelled
        plan = apply_patch(pricer.base.plan, {BATCH: batch})
        search = search_layouts(plan, pricer.catalog, size, free=frozenset(FIELDS))
        if search.setting is None:
            continue
        patch = {BATCH: batch, "cluster.accelerator_count": size, **search.setting}
        priced = pricer.central(patch)
        found.append(
            _point(
                found,
                size,
                batch,
                search.step_time_s,
                total=priced.total if priced is not None else None,
                duration_h=priced.duration_h if priced is not None else None,
            )
        )
    return tuple(found)


def _point(
    before: Sequence[ScalingPoint],
    size: int,
    batch: float,
    time: float,
    *,
    total: float | None,
    duration_h: float | None,
) -> ScalingPoint:
    speed = batch / time
    first = before[0] if before else None
    last = before[-1] if before else None
    marginal = None
    if last is not None and size > last.accelerators:
        added = (speed - last.tokens_per_s) / (size - last.accelerators)
        marginal = added / (last.tokens_per_s / last.accelerators)
    return ScalingPoint(
        accelerators=size,
        global_batch_tokens=batch,
        step_time_s=time,
        tokens_per_s=speed,
        efficiency=1.0 if first is None else speed / size / (first.tokens_per_s / first.accelerators),
        marginal=marginal,
        total=total,
        duration_h=duration_h,
    )


def _sequence_curve(values: PlanValues) -> Curve:
    """Total and hours over doublings of the sequence, with the plan's layout and batch in tokens."""
    training = values.plan.training
    assert training is not None
    now = training.sequence_length
    doublings: FloatArray = now * 2.0 ** np.arange(-4.0, 5.0)
    whole = doublings[(doublings >= 16.0) & (np.mod(doublings, 1.0) == 0.0)]
    # What the network must read is a need, not a setting to save on: the curve has no best.
    return without_best(as_curve(sweep(values, SEQUENCE, whole), float(now)))

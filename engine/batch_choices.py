"""What a batch job's plan leaves to the engine: the split of an instance, and how many GPUs to buy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.catalog.accelerators import GIB
from engine.errors import InputError
from engine.evaluation import Outcome, evaluate
from engine.lowering import KernelInputs, lower, resolve_accelerator
from engine.performance.batch import (
    DEADLINE_MISSED,
    NEVER_ENDS,
    fewest_instances,
    run_batch_job,
    shortest_run,
)
from engine.performance.serving import FEASIBLE, WEIGHTS_TOO_LARGE
from engine.performance.serving_step import count_ranks
from engine.plan import Plan, apply_patch
from engine.splits import tensor_splits
from engine.text import N_, Message, Quantity
from engine.values import PlanValues

SPLIT, STAGES, COUNT = "layout.tensor_parallel", "layout.pipeline_parallel", "cluster.accelerator_count"

Found = dict[str, tuple[Any, Message]]
"""Value and reason of each field that was left to the engine."""


def serving_splits(plan: Plan, catalog: Catalog) -> FloatArray:
    """Tensor splits of an instance worth a try: they divide the heads and stay within a fast domain."""
    heads = plan.architecture.num_attention_heads
    domain = resolve_accelerator(PlanValues(plan, catalog)).scale_up_domain
    return tensor_splits(heads, domain)


def batch_choices(plan: Plan, catalog: Catalog) -> Found:
    """Values for the fields of a batch plan that are "auto".

    Count: the fewest GPUs, in whole instances, that meet the deadline; split: with that, the lowest total.
    Errors: InputError naming the field when no split fits in memory or no number of GPUs meets the deadline.
    """
    found: Found = {}
    if plan.layout.pipeline_parallel == "auto":
        found[STAGES] = (1, Message(N_("one stage is fastest within a node")))
        plan = apply_patch(plan, {STAGES: 1})
    free_split, free_count = plan.layout.tensor_parallel == "auto", plan.cluster.accelerator_count == "auto"
    rows = {SPLIT: serving_splits(plan, catalog)} if free_split else {}
    inputs = lower(PlanValues(plan, catalog, dict(rows)))
    _require_fit(plan, catalog, inputs)
    if not free_split and not free_count:
        return found
    counts = _fewest_gpus(inputs) if free_count else None
    outcome = evaluate(lower(PlanValues(plan, catalog, _columns(rows, counts))), plan.scope)
    best = _best_row(outcome)
    if counts is not None and np.isnan(np.atleast_1d(counts)[best]):
        raise _too_short(plan, inputs)
    if free_split:
        split = int(rows[SPLIT][best])
        found[SPLIT] = (split, Message(N_("lowest total that meets the deadline")))
    if counts is not None:
        count = int(np.atleast_1d(counts)[best])
        found[COUNT] = (count, Message(N_("fewest GPUs, in whole instances, that meet the deadline")))
    return found


def _columns(rows: dict[str, FloatArray], counts: FloatArray | None) -> dict[str, FloatArray]:
    return rows if counts is None else {**rows, COUNT: counts}


def _fewest_gpus(inputs: KernelInputs) -> FloatArray:
    job = inputs.batch
    assert job is not None
    instances = fewest_instances(inputs.model, inputs.hardware, job)
    return np.asarray(instances * count_ranks(job.load))


def _best_row(outcome: Outcome) -> int:
    """The cheapest row that meets the deadline, else the quickest that only misses it, else any."""
    codes = np.atleast_1d(outcome.feasible_code)
    totals = np.broadcast_to(outcome.total, codes.shape)
    hours = np.broadcast_to(outcome.duration_h, codes.shape)
    key = np.where(codes == FEASIBLE, totals, np.where(np.isnan(hours), np.inf, hours))
    order = np.select([codes == FEASIBLE, codes == DEADLINE_MISSED], [0, 1], default=2)
    return int(np.lexsort((np.arange(codes.size), key, order))[0])


def _require_fit(plan: Plan, catalog: Catalog, inputs: KernelInputs) -> None:
    """Raise InputError, saying what would fit, when weights and one sequence fit in no row's instance."""
    job = inputs.batch
    assert job is not None
    run = run_batch_job(inputs.model, inputs.hardware, job)
    if np.any(np.asarray(run.fitting_batch) >= 1.0):
        return
    seen = {
        "needed": Quantity(float(np.min(run.weight_bytes_per_gpu)) / GIB, "GiB"),
        "usable": Quantity(float(np.min(inputs.hardware.memory_bytes)) / GIB, "GiB"),
    }
    fitting = _fitting_split(plan, catalog)
    if fitting is None:
        accepted = N_(
            "an accelerator with more memory, or weights in fewer bits: the weights alone take {needed} of "
            "each GPU at the widest split, {usable} are usable"
        )
        raise InputError("cluster.accelerator", plan.cluster.accelerator, Message(accepted, seen))
    accepted = N_(
        "from {split}: weights and one sequence have to fit, and the weights alone take {needed} of each "
        "GPU, {usable} are usable; or weights in fewer bits"
    )
    raise InputError(SPLIT, plan.layout.tensor_parallel, Message(accepted, {**seen, "split": fitting}))


def _fitting_split(plan: Plan, catalog: Catalog) -> int | None:
    splits = serving_splits(plan, catalog)
    inputs = lower(PlanValues(plan, catalog, {SPLIT: splits}))
    assert inputs.batch is not None
    run = run_batch_job(inputs.model, inputs.hardware, inputs.batch)
    codes = np.broadcast_to(run.feasible_code, splits.shape)
    fits = splits[codes != WEIGHTS_TOO_LARGE]
    return int(fits[0]) if fits.size else None


def _too_short(plan: Plan, inputs: KernelInputs) -> InputError:
    """The deadline ends before a start and one request do, or none ever ends: no number of GPUs helps."""
    job = inputs.batch
    assert job is not None and plan.batch is not None
    shortest = shortest_run(inputs.model, inputs.hardware, job)
    if np.all(np.asarray(shortest.feasible_code) == NEVER_ENDS):
        calmer = Message(
            N_("capacity that lasts longer: interruptions come faster than a start and a request")
        )
        return InputError("cluster.price_mode", plan.cluster.price_mode, calmer)
    least = float(np.nanmin(shortest.duration_h))
    # Whole minutes, upwards: what is named here is accepted when entered.
    least = math.ceil(least * 60.0) / 60.0
    accepted = Message(
        N_("at least {least}: a cold start and one request take that, however many GPUs there are"),
        {"least": Quantity(least, "h")},
    )
    return InputError("batch.deadline_hours", plan.batch.deadline_hours, accepted)

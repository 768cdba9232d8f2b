"""Refusing a service that no fleet can give: what fails, and what would be needed instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from engine.arrays import FloatArray
from engine.catalog.accelerators import GIB
from engine.codes import SERVING_PRECISIONS
from engine.errors import InputError
from engine.evaluation import OtherUse, Outcome
from engine.lowering import KernelInputs, ServiceInputs
from engine.notes import SERVING_REASONS
from engine.performance.serving import (
    FEASIBLE,
    TPOT_MISSED,
    TTFT_MISSED,
    WEIGHTS_TOO_LARGE,
    LatencyFloor,
    find_latency_floor,
)
from engine.plan import Plan, get_value
from engine.splits import WIDER, tensor_splits
from engine.text import N_, Message, Quantity, Term
from engine.traces import known

_SMALLER = ("fp8", "int4")


def require_serviceable(plan: Plan, settled: Plan, inputs: KernelInputs, outcome: Outcome) -> None:
    """Raise InputError where the weights do not fit or a target lies below what one request alone takes.

    `plan` is as entered, `settled` with every choice filled in; the error names the field to change, and the
    nearest value at which this accelerator could serve the network.
    """
    if outcome.service is None or inputs.service is None:
        return
    _require_others(settled, outcome.service.others)
    code = int(outcome.service.feasible_code)
    if code == WEIGHTS_TOO_LARGE:
        _refuse_size(plan, settled, inputs, inputs.service)
    if code in (TPOT_MISSED, TTFT_MISSED):
        _refuse_target(settled, inputs, inputs.service, code)


def _require_others(settled: Plan, others: Sequence[OtherUse]) -> None:
    """Every other network on the fleet fits and meets the same targets."""
    for index, other in enumerate(others):
        code = int(other.feasible_code)
        if code != FEASIBLE:
            path = f"serving.other_models.{index}.preset"
            accepted = Message(
                N_("a network that this accelerator serves within the targets, or a wider split: {reason}"),
                {"reason": Term(SERVING_REASONS[code])},
            )
            raise InputError(path, get_value(settled, path), accepted)


def _floor(inputs: KernelInputs, service: ServiceInputs, **changes: Any) -> LatencyFloor:
    load = replace(service.load, **changes)
    return find_latency_floor(inputs.model, inputs.hardware, load, service.constants)


def _splits(inputs: KernelInputs) -> FloatArray:
    """Tensor-parallel sizes that divide the heads and stay within the fast links."""
    heads, domain = float(inputs.model.num_attention_heads), float(inputs.hardware.scale_up_domain)
    return tensor_splits(heads, domain, WIDER)


def _refuse_size(plan: Plan, settled: Plan, inputs: KernelInputs, service: ServiceInputs) -> NoReturn:
    field = "cluster.accelerator" if plan.layout.tensor_parallel == "auto" else "layout.tensor_parallel"
    accepted = Message(
        N_("memory for the weights and one sequence, {needed} on each GPU where {there} is there: {remedy}"),
        {
            "needed": Quantity(known(_floor(inputs, service).needed_bytes / GIB), "GiB"),
            "there": Quantity(known(np.asarray(inputs.hardware.memory_bytes) / GIB), "GiB"),
            "remedy": _room(inputs, service),
        },
    )
    raise InputError(field, get_value(settled, field), accepted)


def _room(inputs: KernelInputs, service: ServiceInputs) -> Message:
    """The fewest GPUs an instance that are enough, or smaller weights, or a larger accelerator."""
    splits = _splits(inputs)
    enough = splits[np.broadcast_to(_floor(inputs, service, tensor_parallel=splits).fits, splits.shape)]
    if enough.size:
        return Message(N_("{count} an instance are enough"), {"count": Quantity(float(enough[0]), "GPUs")})
    for precision in _SMALLER:
        code = float(SERVING_PRECISIONS.index(precision))
        fits = _floor(inputs, service, tensor_parallel=splits, weight_precision_code=code).fits
        enough = splits[np.broadcast_to(fits, splits.shape)]
        if enough.size:
            return Message(
                N_("weights in {precision} on {count} an instance would fit"),
                {"precision": precision, "count": Quantity(float(enough[0]), "GPUs")},
            )
    return Message(N_("an accelerator with more memory, or pipeline parallel over several nodes"))


def _refuse_target(settled: Plan, inputs: KernelInputs, service: ServiceInputs, code: int) -> NoReturn:
    name = "tpot" if code == TPOT_MISSED else "ttft"
    splits = _splits(inputs)
    own, others = _floor(inputs, service), _floor(inputs, service, tensor_parallel=splits)
    now = float(getattr(own, f"{name}_s")) * 1000.0
    reached = np.where(others.fits, getattr(others, f"{name}_s"), np.inf) * 1000.0
    reached = np.broadcast_to(reached, splits.shape)
    best = int(np.argmin(reached))
    field = f"serving.{name}_slo_ms"
    if reached[best] < now:
        accepted = Message(
            N_("at least {now}, what a request alone takes here, or {best} with {count} an instance"),
            {
                "now": Quantity(now, "ms"),
                "best": Quantity(float(reached[best]), "ms"),
                "count": Quantity(float(splits[best]), "GPUs"),
            },
        )
    else:
        accepted = Message(
            N_("at least {now}, what a request alone takes here"), {"now": Quantity(now, "ms")}
        )
    raise InputError(field, get_value(settled, field), accepted)

"""From a scalar plan to the kernel's inputs: floats, or arrays where overrides stand in."""

from __future__ import annotations

from dataclasses import replace

from engine.architecture.kernel_shape import model_shape
from engine.lowering.accelerator import (
    gemm_precision,
    lower_hardware,
    resolve_accelerator,
    share_hardware,
)
from engine.lowering.batch import lower_batch
from engine.lowering.inputs import KernelInputs
from engine.lowering.money import lower_money
from engine.lowering.others import other_models
from engine.lowering.service import lower_service, reads_only
from engine.lowering.training import lower_training
from engine.values import PlanValues


def lower(values: PlanValues) -> KernelInputs:
    """Kernel inputs of a plan and its overrides. Errors: InputError for accelerator or precision."""
    plan = values.plan
    model = model_shape(plan.architecture)
    if not plan.is_training and reads_only(plan):
        model = replace(model, generates=0.0, head_weights=0.0)
    accelerator = resolve_accelerator(values)
    precision = gemm_precision(plan)
    hardware = lower_hardware(values, accelerator, precision)
    if plan.is_service:
        hardware = share_hardware(hardware, values.number("serving.accelerator_share"))
    training = lower_training(values, model, hardware, accelerator) if plan.is_training else None
    service = lower_service(values, accelerator) if plan.is_service else None
    batch = lower_batch(values, accelerator) if plan.is_batch else None
    money = lower_money(values, model, accelerator)
    others = (
        tuple((other.plan.architecture.model_name, lower(other)) for other in other_models(values))
        if plan.is_service
        else ()
    )
    return KernelInputs(model, hardware, money, training, service, batch, others)

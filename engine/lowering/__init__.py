"""From plans to kernel inputs: `lower` is the one way in, KernelInputs the only thing that carries arrays."""

from engine.lowering.accelerator import resolve_accelerator
from engine.lowering.inputs import KernelInputs, ReliabilityPlan, ServiceInputs, TrainingInputs
from engine.lowering.kernel import lower
from engine.lowering.training import layout_inputs

__all__ = [
    "KernelInputs",
    "ReliabilityPlan",
    "ServiceInputs",
    "TrainingInputs",
    "layout_inputs",
    "lower",
    "resolve_accelerator",
]

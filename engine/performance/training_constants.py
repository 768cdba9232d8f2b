"""The fitted constants of the training model: looked up by accelerator family, precision and stack."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.arrays import Array
from engine.catalog import Fact
from engine.errors import FlopwiseError, InputError
from engine.text import N_, Message

STACKS = ("megatron", "megatron_2025", "megatron_2024", "megatron_2021", "megatron_deepspeed", "fsdp", "jax")
"""Software stacks the constants are known for; the first, Megatron-Core/NeMo of 2026, is the default."""

DEFAULT_STACK = STACKS[0]
_FAMILY_KEYS = {
    "volta": "v100",
    "ampere": "a100",
    "hopper": "h100",
    "blackwell": "blackwell",
    "cdna": "cdna",
    "tpu": "tpu",
}
_OTHER_FAMILY = "other"
_POWER_LIMITED = frozenset({"v100", "a100", "h100", "blackwell", "cdna", "other"})
"""Families whose parts differ in clock by their power limit; TPU limits are inferred or not published."""
_LOW_PRECISIONS = frozenset({"fp8", "mxfp8", "nvfp4"})
_SIXTEEN_BITS = 2.0


@dataclass(frozen=True, slots=True)
class MemoryConstants:
    """Constants of the memory model; shares and factors are ratios, bytes are bytes, flags are 0 or 1."""

    overhead_factor: Array
    context_bytes: Array
    selective_share: Array
    logits_bytes: Array
    gradient_bytes: Array
    optimizer_bytes: Array
    stage_outputs: Array
    inputs_gathered: Array
    input_bytes: Array
    weight_copy_bytes: Array
    adapter_share: Array
    expert_imbalance: Array
    sequence_parallel: Array
    fused_attention: Array


@dataclass(frozen=True, slots=True)
class TrainingConstants:
    """Constants of the step-time model. Every field may be an array and then broadcasts with the rows."""

    gemm_asymptote: Array
    precision_share: Array
    elementwise_precision_factor: Array
    attention_efficiency: Array
    token_halfpoint: Array
    width_halfpoint: Array
    expert_token_halfpoint: Array
    balance_reference: Array
    small_head_slowdown: Array
    misaligned_gemm_slowdown: Array
    misaligned_expert_slowdown: Array
    elementwise_traffic: Array
    elementwise_moe_factor: Array
    unfused_attention_traffic: Array
    loss_traffic_bytes: Array
    host_layer_time_s: Array
    layer_overhead_s: Array
    moe_layer_overhead_s: Array
    expert_overhead_s: Array
    tensor_bandwidth_efficiency: Array
    tensor_latency_s: Array
    tensor_exposed: Array
    context_exposed: Array
    expert_bandwidth_efficiency: Array
    expert_exposed: Array
    pipeline_exposed: Array
    data_bandwidth_efficiency: Array
    data_exposed: Array
    zero3_bandwidth_efficiency: Array
    zero3_overlap_power: Array
    optimizer_bytes_per_parameter: Array
    optimizer_bandwidth_efficiency: Array
    straggler_per_doubling: Array
    lora_linear_passes: Array
    fused_attention: Array
    memory: MemoryConstants


def family_key(family: str) -> str:
    """The word an accelerator family's constants go by; `other` for one the fit has not seen."""
    word = family.casefold()
    return next((key for name, key in _FAMILY_KEYS.items() if name in word), _OTHER_FAMILY)


class Facts(Protocol):
    """Where constants come from: the catalogue, or a fit's own values."""

    def constants(self, prefix: str) -> Mapping[str, Fact]:
        """Facts by full key whose key begins with a prefix."""


def resolve_training_constants(
    catalog: Facts,
    family: str,
    precision: str,
    *,
    stack: str = DEFAULT_STACK,
    power_w: float | None = None,
    release: float | None = None,
) -> TrainingConstants:
    """Look the constants up for an accelerator family, a GEMM precision and a software stack.

    A family the fit has not seen takes the `other` rows. `power_w` [W] scales the GEMM rate by its ratio to
    the family's reference. `release` [year] dates the stack, which the overhead of expert layers falls with.
    Errors: InputError for an unknown stack; FlopwiseError for a missing row.
    """
    if stack not in STACKS:
        raise InputError("training.stack", stack, ", ".join(STACKS))
    rows = _Rows(catalog.constants("training."))
    part = family_key(family)
    low = precision in _LOW_PRECISIONS
    fused = rows.of_stack("fused_attention", stack)
    vintage = _moe_vintage(rows, stack, release)
    return TrainingConstants(
        gemm_asymptote=_gemm_asymptote(rows, part, stack, power_w),
        precision_share=rows.value(f"precision_share_{precision}") if low else 1.0,
        elementwise_precision_factor=rows.value("elementwise_low_precision_factor") if low else 1.0,
        attention_efficiency=rows.value(f"attention_efficiency_{part}"),
        token_halfpoint=rows.value("gemm_token_halfpoint"),
        width_halfpoint=rows.value("gemm_width_halfpoint"),
        expert_token_halfpoint=rows.value("gemm_token_halfpoint_expert"),
        balance_reference=rows.value("balance_reference"),
        small_head_slowdown=rows.value("attention_small_head_slowdown"),
        misaligned_gemm_slowdown=rows.value("misaligned_gemm_slowdown"),
        misaligned_expert_slowdown=rows.value("misaligned_expert_slowdown"),
        elementwise_traffic=rows.value("elementwise_traffic_factor"),
        elementwise_moe_factor=rows.value("elementwise_traffic_moe"),
        unfused_attention_traffic=rows.value("unfused_attention_traffic"),
        loss_traffic_bytes=rows.value("loss_traffic_bytes"),
        host_layer_time_s=rows.of_stack("host_layer_time", stack),
        layer_overhead_s=rows.of_stack("layer_overhead", stack),
        moe_layer_overhead_s=rows.value("moe_layer_overhead") * vintage,
        expert_overhead_s=rows.value("expert_overhead") * vintage if low else 0.0,
        tensor_bandwidth_efficiency=rows.value("tp_bandwidth_efficiency"),
        tensor_latency_s=rows.value("tp_collective_latency"),
        tensor_exposed=rows.of_stack("tp_exposed", stack),
        context_exposed=rows.value("cp_exposed"),
        expert_bandwidth_efficiency=rows.value("ep_bandwidth_efficiency"),
        expert_exposed=rows.value("ep_exposed"),
        pipeline_exposed=rows.value("pp_exposed"),
        data_bandwidth_efficiency=rows.value("dp_bandwidth_efficiency"),
        data_exposed=rows.of_stack("dp_exposed", stack),
        zero3_bandwidth_efficiency=rows.of_stack("zero3_bandwidth_efficiency", stack),
        zero3_overlap_power=rows.value("zero3_overlap_power"),
        optimizer_bytes_per_parameter=rows.value("optimizer_bytes_per_parameter"),
        optimizer_bandwidth_efficiency=rows.value("optimizer_bandwidth_efficiency"),
        straggler_per_doubling=rows.value("straggler_per_doubling"),
        lora_linear_passes=rows.value("lora_flops_factor"),
        fused_attention=fused,
        memory=_memory_constants(rows, stack, fused, precision),
    )


def resolve_memory_constants(
    catalog: Facts, *, stack: str = DEFAULT_STACK, precision: str = "bf16"
) -> MemoryConstants:
    """Constants of the memory model for a stack and a GEMM precision.

    Errors: as resolve_training_constants.
    """
    if stack not in STACKS:
        raise InputError("training.stack", stack, ", ".join(STACKS))
    rows = _Rows(catalog.constants("training."))
    return _memory_constants(rows, stack, rows.of_stack("fused_attention", stack), precision)


class _Rows:
    """Values of the `training.` facts by key."""

    def __init__(self, facts: Mapping[str, Fact]) -> None:
        self._facts = facts

    def value(self, key: str) -> float:
        fact = self._facts.get(f"training.{key}")
        if fact is None or fact.value is None:
            raise FlopwiseError(Message(N_("the catalogue lacks training.{key}"), {"key": key}))
        return fact.value

    def of_stack(self, key: str, stack: str) -> float:
        return self.value(f"{key}_{stack}")


def _moe_vintage(rows: _Rows, stack: str, release: float | None) -> float:
    """Factor on the overhead of expert layers by the stack's date; 1 at the default stack's own."""
    date = rows.of_stack("release", stack) if release is None else release
    years = date - rows.of_stack("release", DEFAULT_STACK)
    return math.exp(-rows.value("moe_overhead_decline") * years)


def _gemm_asymptote(rows: _Rows, part: str, stack: str, power_w: float | None) -> float:
    asymptote = rows.value(f"gemm_asymptote_{part}") * rows.of_stack("stack", stack)
    if power_w is None or part not in _POWER_LIMITED:
        return asymptote
    ratio = power_w / rows.value(f"reference_power_{part}")
    return float(min(asymptote * ratio ** rows.value("power_exponent"), rows.value("gemm_asymptote_limit")))


def _memory_constants(rows: _Rows, stack: str, fused: float, precision: str) -> MemoryConstants:
    # Only Transformer Engine keeps the inputs of low-precision products, and copies of weights, in them.
    low = precision in _LOW_PRECISIONS and stack.startswith(DEFAULT_STACK)
    return MemoryConstants(
        overhead_factor=rows.value("memory_overhead_factor"),
        context_bytes=rows.of_stack("memory_context_bytes", stack),
        selective_share=rows.of_stack("memory_selective_share", stack),
        logits_bytes=rows.of_stack("memory_logits_bytes", stack),
        gradient_bytes=rows.of_stack("gradient_bytes", stack),
        optimizer_bytes=rows.of_stack("optimizer_bytes", stack),
        stage_outputs=rows.of_stack("stage_outputs", stack),
        inputs_gathered=rows.of_stack("inputs_gathered", stack),
        input_bytes=rows.value(f"memory_input_bytes_{precision}") if low else _SIXTEEN_BITS,
        weight_copy_bytes=rows.value(f"memory_weight_copy_bytes_{precision}") if low else 0.0,
        adapter_share=rows.value("memory_adapter_share"),
        expert_imbalance=rows.value("memory_expert_imbalance"),
        sequence_parallel=rows.of_stack("sequence_parallel", stack),
        fused_attention=fused,
    )

"""Time of one training step by its parts; element-wise on arrays by broadcasting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.performance.collectives import (
    context_parallel_s,
    data_parallel_s,
    expert_parallel_s,
    pipeline_transfer_s,
    tensor_parallel_s,
)
from engine.performance.feasibility import layout_feasibility
from engine.performance.flops import (
    BACKWARD_AND_FORWARD,
    TokenFlops,
    count_moe_layers,
    count_parameters,
    token_flops,
)
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.memory import (
    FULL,
    SELECTIVE,
    ZERO3,
    count_micro_batches,
    data_parallel_size,
    rank_parameters,
)
from engine.performance.training_constants import TrainingConstants

__all__ = ["TrainingStep", "layout_feasibility", "training_step"]

ELEMENT_BYTES = 2.0
SCALE_REFERENCE = 8.0
SMALL_HEAD = 64.0
GEMM_ALIGNMENT = 64.0
EXPERT_ALIGNMENT = 128.0


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One optimizer step. The times with `_s` of its parts add up to `step_time_s`.

    `mfu` = model FLOPs per second and accelerator over the dense bf16 peak, where model FLOPs are three
    forward passes of linear layers, causal attention and logits, recomputation not counted; it may pass
    100 % when GEMMs run in fp8 or fp4. `lower_bound_s` is the time of these FLOPs at the fitted asymptotic
    rates, with nothing else: no layout of the same accelerators and precision is faster.
    """

    step_time_s: Array
    compute_s: Array
    attention_s: Array
    memory_bound_s: Array
    overhead_s: Array
    tensor_comm_s: Array
    context_comm_s: Array
    expert_comm_s: Array
    pipeline_comm_s: Array
    pipeline_bubble_s: Array
    data_comm_s: Array
    optimizer_s: Array
    straggler_s: Array
    tokens_per_s_per_gpu: Array
    mfu: Array
    model_flops_per_token: Array
    data_parallel: Array
    microbatches: Array
    lower_bound_s: Array


@dataclass(frozen=True, slots=True)
class _MicroBatch:
    """What one micro-batch is on the slowest stage, beside the inputs themselves."""

    model: ModelShape
    hardware: Hardware
    layout: LayoutInputs
    run: TrainingRun
    constants: TrainingConstants
    flops: TokenFlops
    tokens: Array
    layers: Array
    share: Array
    moe_layers: Array
    linear_passes: Array
    other_passes: Array
    attention_passes: Array
    seconds_per_flop: Array
    token_scale: Array
    precision_scale: Array

    @property
    def layer_passes(self) -> Array:
        """Token-passes of a rank, as a share of the whole network's layers."""
        return self.tokens * self.share / self.layout.tensor_parallel


def training_step(
    model: ModelShape,
    hardware: Hardware,
    layout: LayoutInputs,
    run: TrainingRun,
    constants: TrainingConstants,
) -> TrainingStep:
    """Step time and its parts for every row of layouts, runs or draws.

    Valid for synchronous training with Megatron-style parallelism; rows that cannot run are priced all
    the same (see layout_feasibility). Parameters as named, broadcastable. Returns TrainingStep.
    Equations: micro-batch time = layers (GEMMs, attention, element-wise, launch floor) + logits + exposed
    communication; step = (micro-batches + (pp-1)/v) * micro-batch time + exposed data-parallel
    communication + optimizer, times 1 + straggler_per_doubling*log2(n/8).
    Source: the constants and their fit are the `training.` rows of the catalogue.
    """
    batch = _micro_batch(model, hardware, layout, run, constants)
    flops = batch.flops
    data_parallel = data_parallel_size(layout, run)
    microbatches = count_micro_batches(layout, run, data_parallel)

    gemm, attention, elementwise = _gemm_s(batch), _attention_s(batch), _elementwise_s(batch)
    overhead = _overhead_s(batch, gemm + attention + elementwise)
    head_gemm, head_traffic = _head_s(batch)
    tensor, context, expert, transfer = _layer_comm_s(batch)
    compute, traffic = gemm + head_gemm, elementwise + head_traffic
    micro = compute + attention + traffic + overhead + tensor + context + expert + transfer
    gathers, exchange, optimizer = _state_s(batch, micro, data_parallel)
    micro_with_gathers = micro + gathers
    bubble = (layout.pipeline_parallel - 1.0) / layout.virtual_pipeline * micro_with_gathers
    steady = microbatches * micro_with_gathers + bubble + exchange + optimizer
    doublings = np.log2(np.maximum(run.accelerator_count / SCALE_REFERENCE, 1.0))
    straggler = steady * (constants.straggler_per_doubling * doublings)
    step_time = steady + straggler
    speed = run.global_batch_tokens / (step_time * run.accelerator_count)
    return TrainingStep(
        step_time_s=step_time,
        compute_s=microbatches * compute,
        attention_s=microbatches * attention,
        memory_bound_s=microbatches * traffic,
        overhead_s=microbatches * overhead,
        tensor_comm_s=microbatches * tensor,
        context_comm_s=microbatches * context,
        expert_comm_s=microbatches * expert,
        pipeline_comm_s=microbatches * transfer,
        pipeline_bubble_s=bubble,
        data_comm_s=microbatches * gathers + exchange,
        optimizer_s=optimizer,
        straggler_s=straggler,
        tokens_per_s_per_gpu=speed,
        mfu=speed * (flops.training / hardware.peak_bf16_flops),
        model_flops_per_token=flops.training,
        data_parallel=data_parallel,
        microbatches=microbatches,
        lower_bound_s=_lower_bound_s(batch),
    )


def _micro_batch(
    model: ModelShape,
    hardware: Hardware,
    layout: LayoutInputs,
    run: TrainingRun,
    constants: TrainingConstants,
) -> _MicroBatch:
    layers = np.ceil(model.num_hidden_layers / layout.pipeline_parallel)
    share = layers / model.num_hidden_layers
    full = np.equal(layout.recompute_code, FULL) * 1.0
    other = BACKWARD_AND_FORWARD + full
    balance = hardware.peak_bf16_flops / hardware.memory_bandwidth_bytes_per_s / constants.balance_reference
    rate = hardware.peak_flops * constants.precision_share
    precision_scale = np.sqrt(rate / hardware.peak_bf16_flops)
    return _MicroBatch(
        model=model,
        hardware=hardware,
        layout=layout,
        run=run,
        constants=constants,
        flops=token_flops(model, run.sequence_length),
        tokens=layout.micro_batch * run.sequence_length / layout.context_parallel,
        layers=layers,
        share=share,
        moe_layers=count_moe_layers(model) * share,
        linear_passes=_linear_passes(run, constants) + full,
        other_passes=other,
        attention_passes=other + np.equal(layout.recompute_code, SELECTIVE),
        seconds_per_flop=1.0 / (rate * constants.gemm_asymptote),
        token_scale=0.5 * balance * precision_scale,
        precision_scale=precision_scale,
    )


def _linear_passes(run: TrainingRun, constants: TrainingConstants) -> Array:
    """Forward-sized passes of the linear layers: three, or fewer when weights need no gradient."""
    saved = BACKWARD_AND_FORWARD - constants.lora_linear_passes
    return BACKWARD_AND_FORWARD - run.weights_frozen * saved


def _dense_loss(batch: _MicroBatch) -> Array:
    """Factor on the time of dense GEMMs for few tokens and narrow weights; 1 at the asymptote."""
    model, constants = batch.model, batch.constants
    inner = np.minimum(model.num_attention_heads * model.head_dim, model.intermediate_size)
    narrowest = np.minimum(inner / batch.layout.tensor_parallel, model.hidden_size)
    token_loss = constants.token_halfpoint * batch.token_scale / batch.tokens
    return 1.0 + token_loss + constants.width_halfpoint * batch.precision_scale / narrowest


def _gemm_s(batch: _MicroBatch) -> Array:
    """Matrix products of a stage's layers for one micro-batch."""
    model, constants = batch.model, batch.constants
    misaligned = np.greater(np.mod(model.hidden_size / batch.layout.tensor_parallel, GEMM_ALIGNMENT), 0)
    slowdown = 1.0 + misaligned * (constants.misaligned_gemm_slowdown - 1.0)
    work = (batch.flops.linear - batch.flops.experts) * _dense_loss(batch) * slowdown
    # Dense networks skip the experts' terms: a scalar test, so that a million layouts do not pay for them.
    if np.any(model.num_experts):
        work = work + batch.flops.experts * _expert_loss(batch)
    return work * (batch.layer_passes * batch.linear_passes * batch.seconds_per_flop)


def _expert_loss(batch: _MicroBatch) -> Array:
    """As _dense_loss for the routed experts, whose GEMMs see few tokens each."""
    model, layout, constants = batch.model, batch.layout, batch.constants
    whole = np.greater(layout.expert_parallel, 1.0)
    tensor = layout.tensor_parallel
    experts = np.maximum(model.num_experts, 1.0)
    routed = batch.tokens * layout.expert_parallel * model.num_experts_per_tok / experts
    tokens = np.maximum(routed / np.where(whole, tensor, 1.0), 1.0)
    width = np.maximum(model.moe_intermediate_size, 1.0) / np.where(whole, 1.0, tensor)
    narrowest = np.minimum(width, model.hidden_size)
    ragged = np.greater(np.mod(model.hidden_size, EXPERT_ALIGNMENT), 0)
    loss = (
        1.0
        + constants.expert_token_halfpoint * batch.token_scale / tokens
        + constants.width_halfpoint * batch.precision_scale / narrowest
    )
    return loss * (1.0 + ragged * (constants.misaligned_expert_slowdown - 1.0))


def _attention_s(batch: _MicroBatch) -> Array:
    """Score and value products, always in 16 bits; unfused kernels compute the masked half as well."""
    constants = batch.constants
    small = np.less_equal(batch.model.head_dim, SMALL_HEAD) * (constants.small_head_slowdown - 1.0)
    computed = batch.flops.attention * (2.0 - constants.fused_attention) * (1.0 + small)
    rate = batch.hardware.peak_bf16_flops * constants.attention_efficiency
    return batch.layer_passes * batch.attention_passes * (computed / rate)


def _elementwise_s(batch: _MicroBatch) -> Array:
    """Norms, activations, residuals, routing, casts: memory traffic of a stage for one micro-batch."""
    model, constants = batch.model, batch.constants
    moe_share = count_moe_layers(model) / model.num_hidden_layers
    expert_width = (
        model.num_experts_per_tok * model.moe_intermediate_size + model.shared_expert_intermediate_size
    )
    width = model.intermediate_size * (1.0 - moe_share) + expert_width * moe_share
    routed = 2.0 * model.num_experts_per_tok * model.hidden_size * constants.elementwise_moe_factor
    # Without sequence parallelism the norms and residuals are repeated on every tensor-parallel rank.
    repeats = 1.0 + (batch.layout.tensor_parallel - 1.0) * (1.0 - constants.memory.sequence_parallel)
    elements = 4.0 * model.hidden_size * repeats + width * (1.0 + 0.5 * model.gated_mlp) + routed * moe_share
    factor = constants.elementwise_traffic / BACKWARD_AND_FORWARD * constants.elementwise_precision_factor
    scores = batch.run.sequence_length * model.num_attention_heads * constants.unfused_attention_traffic
    traffic = ELEMENT_BYTES * (elements * factor + scores * (1.0 - constants.fused_attention))
    passes = batch.tokens * batch.layers * batch.other_passes / batch.layout.tensor_parallel
    return passes * (traffic / batch.hardware.memory_bandwidth_bytes_per_s)


def _overhead_s(batch: _MicroBatch, busy_s: Array) -> Array:
    """Time above the accelerator's own: the host's launch floor, fixed costs of layers and of routing."""
    constants = batch.constants
    fixed = constants.layer_overhead_s * batch.layers
    if np.any(batch.model.num_experts):
        # Routing and permutation once a layer; casts, padding and launches for every expert a rank holds.
        held = batch.model.num_experts / batch.layout.expert_parallel
        each = constants.moe_layer_overhead_s + constants.expert_overhead_s * held
        fixed = fixed + batch.moe_layers * each
    if not np.any(constants.host_layer_time_s):
        return fixed
    busy = busy_s * busy_s
    host = constants.host_layer_time_s * batch.layers
    host = host * host
    return fixed + np.sqrt(np.sqrt(busy * busy + host * host)) - busy_s


def _head_s(batch: _MicroBatch) -> tuple[Array, Array]:
    """Output head and loss on the last stage: GEMM time, less what an uneven split saves it, and traffic."""
    model, layout = batch.model, batch.layout
    missing = batch.layers * layout.pipeline_parallel - model.num_hidden_layers
    spared = batch.linear_passes * batch.flops.linear * (missing / model.num_hidden_layers)
    head = (BACKWARD_AND_FORWARD - batch.run.weights_frozen) * batch.flops.logits
    per_rank = batch.tokens / layout.tensor_parallel
    # The head's GEMM runs in 16 bits whatever the layers run in.
    rate = batch.hardware.peak_bf16_flops * batch.constants.gemm_asymptote
    gemm = per_rank * _dense_loss(batch) * np.maximum(head - spared, 0.0) / rate
    traffic = model.vocab_size * batch.constants.loss_traffic_bytes
    return gemm, per_rank * (traffic / batch.hardware.memory_bandwidth_bytes_per_s)


def _layer_comm_s(batch: _MicroBatch) -> tuple[Array, Array, Array, Array]:
    """Exposed tensor, context, expert and pipeline communication of a stage for one micro-batch."""
    model, hardware, layout, constants = batch.model, batch.hardware, batch.layout, batch.constants
    tensor, context = layout.tensor_parallel, layout.context_parallel
    # Collectives run once forward, once backward, once more when recomputing; key gradients also return.
    directions = batch.other_passes - 1.0
    tensor_s = tensor_parallel_s(
        hardware,
        tokens=batch.tokens,
        hidden_size=model.hidden_size,
        tensor_parallel=tensor,
        efficiency=constants.tensor_bandwidth_efficiency,
        latency_s=constants.tensor_latency_s,
    )
    context_s = context_parallel_s(
        hardware,
        tokens=batch.tokens,
        key_value_dim=2.0 * model.num_key_value_heads * model.head_dim,
        tensor_parallel=tensor,
        context_parallel=context,
    )
    transfer_s = pipeline_transfer_s(
        hardware,
        tokens=batch.tokens,
        hidden_size=model.hidden_size,
        tensor_parallel=tensor,
        pipeline_parallel=layout.pipeline_parallel,
        virtual_pipeline=layout.virtual_pipeline,
        ranks_per_stage=batch.run.accelerator_count / layout.pipeline_parallel,
    )
    return (
        tensor_s * (constants.tensor_exposed * directions * batch.layers),
        context_s * (constants.context_exposed * batch.other_passes * batch.layers),
        _expert_comm_s(batch, directions),
        transfer_s * constants.pipeline_exposed,
    )


def _expert_comm_s(batch: _MicroBatch, directions: Array) -> Array:
    """Exposed dispatch and combine of a stage's expert layers for one micro-batch."""
    if not np.any(batch.model.num_experts):
        return 0.0
    one_layer = expert_parallel_s(
        batch.hardware,
        tokens=batch.tokens,
        hidden_size=batch.model.hidden_size,
        experts_per_token=batch.model.num_experts_per_tok,
        tensor_parallel=batch.layout.tensor_parallel,
        expert_parallel=batch.layout.expert_parallel,
        efficiency=batch.constants.expert_bandwidth_efficiency,
    )
    return one_layer * (batch.constants.expert_exposed * directions * batch.moe_layers)


def _state_s(batch: _MicroBatch, micro_s: Array, data_parallel: Array) -> tuple[Array, Array, Array]:
    """What ZeRO-3 gathers add to a micro-batch; exposed gradient exchange of a step; optimizer time."""
    hardware, layout, run, constants = batch.hardware, batch.layout, batch.run, batch.constants
    rank = rank_parameters(batch.model, layout, count_parameters(batch.model))
    parameters = rank.dense + rank.experts + rank.embedding
    trained = parameters * (1.0 - run.weights_frozen)
    group = data_parallel * layout.context_parallel
    # One volume [s]: a gather or a reduce-scatter of the rank's parameters at full bandwidth.
    volume_s = data_parallel_s(hardware, parameters=parameters, group=group, inner=layout.tensor_parallel)
    zero3 = np.equal(layout.sharding_code, ZERO3)
    exchange = 2.0 * (1.0 - run.weights_frozen) / constants.data_bandwidth_efficiency * volume_s
    gathers: Array = 0.0
    if np.any(zero3):
        power = constants.zero3_overlap_power
        ratio = (3.0 - run.weights_frozen) / constants.zero3_bandwidth_efficiency * volume_s / micro_s
        gathers = zero3 * micro_s * ((1.0 + ratio**power) ** (1.0 / power) - 1.0)
    bandwidth = hardware.memory_bandwidth_bytes_per_s * constants.optimizer_bandwidth_efficiency
    updated = trained / np.where(np.greater(layout.sharding_code, 0.0), group, 1.0)
    optimizer = updated * (constants.optimizer_bytes_per_parameter / bandwidth)
    return gathers, exchange * (constants.data_exposed * (1.0 - zero3)), optimizer


def _lower_bound_s(batch: _MicroBatch) -> Array:
    run, constants, flops = batch.run, batch.constants, batch.flops
    linear = _linear_passes(run, constants) * flops.linear * batch.seconds_per_flop
    rate = batch.hardware.peak_bf16_flops * constants.attention_efficiency
    attention = BACKWARD_AND_FORWARD * flops.attention / rate
    return run.global_batch_tokens / run.accelerator_count * (linear + attention)

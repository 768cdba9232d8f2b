"""Peak memory of one accelerator in training: states by sharding, activations by recomputation and stage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.arrays import Array
from engine.catalog import load_catalog
from engine.codes import RECOMPUTE_MODES, SHARDING_STAGES
from engine.performance.flops import count_moe_layers, count_parameters, head_weights
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, ParameterCounts, TrainingRun
from engine.performance.training_constants import (
    MemoryConstants,
    resolve_memory_constants,
)

ZERO1 = float(SHARDING_STAGES.index("zero1"))
ZERO3 = float(SHARDING_STAGES.index("zero3"))
SELECTIVE = float(RECOMPUTE_MODES.index("selective"))
FULL = float(RECOMPUTE_MODES.index("full"))

WEIGHT_BYTES = 2.0
MASTER_BYTES = 4.0
"""Bytes a parameter of mixed precision: the 16-bit weight and its fp32 master copy."""
ELEMENT_BYTES = 2.0
SCORE_BYTES = 5.0
"""Unfused attention keeps the scores' softmax and dropout input in 16 bits and a one-byte mask."""


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """Peak bytes on one accelerator of the fullest pipeline stage; the parts add up to `total_bytes`."""

    total_bytes: Array
    weights: Array
    gradients: Array
    optimizer: Array
    activations: Array
    logits: Array
    overhead: Array


@dataclass(frozen=True, slots=True)
class RankParameters:
    """Parameters held by one rank before data-parallel sharding [count]: layers, experts, one embedding."""

    dense: Array
    experts: Array
    embedding: Array
    layers: Array


def data_parallel_size(layout: LayoutInputs, run: TrainingRun) -> Array:
    """Data-parallel replicas [count]: accelerators / (tensor * pipeline * context)."""
    return run.accelerator_count / (
        layout.tensor_parallel * layout.pipeline_parallel * layout.context_parallel
    )


def count_micro_batches(layout: LayoutInputs, run: TrainingRun, data_parallel: Array) -> Array:
    """Micro-batches each replica runs in a step [count]."""
    return run.global_batch_tokens / (run.sequence_length * data_parallel * layout.micro_batch)


def rank_parameters(model: ModelShape, layout: LayoutInputs, counts: ParameterCounts) -> RankParameters:
    """Parameters of the fullest stage on one rank.

    Experts are split over expert-parallel ranks only once expert parallelism is on, over the
    tensor-parallel ranks before that. An uneven split gives the fullest stage ceil(L / pp) layers.
    """
    tensor, pipeline = layout.tensor_parallel, layout.pipeline_parallel
    layers = np.ceil(model.num_hidden_layers / pipeline)
    share = layers / model.num_hidden_layers
    blocks = counts.attention + counts.mlp + counts.shared_experts + counts.router + counts.norms
    splits = np.where(np.greater(layout.expert_parallel, 1.0), layout.expert_parallel, tensor)
    return RankParameters(
        dense=blocks * share / tensor,
        experts=counts.experts * share / splits,
        embedding=counts.embedding / tensor,
        layers=layers,
    )


def activation_bytes_per_token(
    model: ModelShape, layout: LayoutInputs, sequence_length: Array, constants: MemoryConstants
) -> tuple[Array, Array]:
    """Activation bytes of a token in one layer: kept until the backward pass, live in the layer at work.

    Parameters: sequence_length [tokens]; constants choose sequence parallelism, fused attention, and the
    bytes b in which inputs of matrix products are kept (2, or 1 in fp8). Returns two [byte/token].
    Equations, t ranks: whole layer ((4 + 2b)*h + attention + MLP)/t, attention 2*(q + k + v + o) of the
    widths (latent attention: its latents too), MLP 2*(g-1)*f + b*f (experts: of every copy of a token, with
    its h-wide input); where attention is not fused dropout masks add 2h and scores 5*s*heads/t. The h terms
    are not divided without sequence parallelism, their 2b part neither where inputs stay gathered. Full
    recomputation keeps 2h, and all of one layer is live.
    GPT gives s*b*h*(34 + 5*a*s/h). Source: arXiv 2205.05198, equations 1 to 4 and table 2.
    """
    tensor, width = layout.tensor_parallel, model.hidden_size
    unfused = 1.0 - constants.fused_attention
    spread = np.where(np.greater(constants.sequence_parallel, 0), tensor, 1.0)
    # Norm inputs in 16 bits; the inputs of the two pairs of products, which some stacks keep as gathered.
    per_width = 2.0 * ELEMENT_BYTES + 2.0 * unfused + 2.0 * constants.input_bytes
    split = _attention_bytes(model, constants.input_bytes) + _mlp_bytes(model, layout, constants)
    body = per_width * width / spread + split / tensor
    if np.any(constants.inputs_gathered):
        body = body + constants.inputs_gathered * 2.0 * constants.input_bytes * width * (1.0 - 1.0 / spread)
    whole = body + unfused * SCORE_BYTES * sequence_length * model.num_attention_heads / tensor
    # Unfused attention: selective recomputation drops exactly the scores. Fused kernels keep none, and
    # today's selective modes drop a share of the rest.
    share = np.where(np.greater(constants.fused_attention, 0), constants.selective_share, 1.0)
    mode = layout.recompute_code
    is_full = np.equal(mode, FULL)
    inputs = ELEMENT_BYTES * width / spread
    kept = np.where(is_full, inputs, np.where(np.equal(mode, SELECTIVE), share * body, whole))
    return kept, whole * is_full


def training_memory(
    model: ModelShape,
    layout: LayoutInputs,
    run: TrainingRun,
    hardware: Hardware,
    constants: MemoryConstants | None = None,
) -> TrainingMemory:
    """Peak memory of the fullest pipeline stage, the first or the last.

    Valid for mixed-precision Adam. `hardware` is taken so that figures of a part can enter; states and
    activations depend on none today. Parameters as named, broadcastable; constants None = the shipped
    ones of the default stack. Returns [byte].
    Equations: with g bytes of gradient and o of sharded optimizer, ZeRO-0 2 + g + o bytes a parameter,
    ZeRO-1 2 + g + o/n, ZeRO-2 2 + (g + o)/n, ZeRO-3 (g + o)/n plus two gathered layers and embeddings (with
    a pipeline 2 + g stay whole); activations of min(micro-batches, pp + (pp-1)/v, or pp when v = 1)
    micro-batches on the first stage, of 1/v + (v-1)*pp/v on the last, which holds the logits.
    Source: arXiv 2205.05198 sections 4 and 5; arXiv 1910.02054 section 3; fitted factors of the catalogue.
    """
    found = constants if constants is not None else _shipped_constants()
    counts = count_parameters(model)
    rank = rank_parameters(model, layout, counts)
    data_parallel = data_parallel_size(layout, run)
    tokens = layout.micro_batch * run.sequence_length / layout.context_parallel
    kept, live = activation_bytes_per_token(model, layout, run.sequence_length, found)
    first_flight, last_flight = _in_flight(layout, count_micro_batches(layout, run, data_parallel))
    one_stage = np.equal(layout.pipeline_parallel, 1.0)
    held = kept * rank.layers * tokens
    if np.any(found.stage_outputs):
        held = held + _stage_output_bytes(model, layout, found) * tokens
    vocabulary = model.vocab_size * np.greater(head_weights(model), 0.0)
    logits = found.logits_bytes * tokens * vocabulary / layout.tensor_parallel
    # The last stage has as large an embedding (the output head) and the logits, but fewer micro-batches.
    on_last = np.greater(logits, held * (first_flight - last_flight)) | one_stage
    activations = held * np.where(on_last, last_flight, first_flight) + live * tokens
    kept_logits = np.where(on_last, logits, 0.0)
    embeddings = rank.embedding * (1.0 + one_stage * (1.0 - model.tie_word_embeddings))
    group = _shard_group(layout, data_parallel)
    weights, gradients, optimizer = _state_bytes(layout, run, rank, embeddings, group, found)
    parts = weights + gradients + optimizer + activations + kept_logits
    working = _working_bytes(model, layout, found) * tokens
    # Frozen weights are allocated once and never move: they leave no gaps.
    overhead = (found.overhead_factor - 1.0) * (parts - run.weights_frozen * weights)
    overhead = overhead + working + found.context_bytes
    return TrainingMemory(
        total_bytes=parts + overhead,
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=activations,
        logits=kept_logits,
        overhead=overhead,
    )


def _attention_bytes(model: ModelShape, input_bytes: Array) -> Array:
    """Bytes a token leaves in one layer's attention, undivided: query, key, value, output, latents."""
    heads = model.num_attention_heads
    plain = ELEMENT_BYTES * model.head_dim * (2.0 * heads + 2.0 * model.num_key_value_heads)
    output = model.head_dim * heads
    if np.any(model.kv_lora_rank):
        latent = np.greater(model.kv_lora_rank, 0)
        widths = 2.0 * heads * (model.qk_nope_head_dim + model.qk_rope_head_dim + model.v_head_dim)
        latents = model.q_lora_rank + model.kv_lora_rank
        # A latent is kept before its norm and, as input of the up-projection, after it.
        narrow = ELEMENT_BYTES * (latents + model.qk_rope_head_dim) + input_bytes * latents
        plain = np.where(latent, ELEMENT_BYTES * widths + narrow, plain)
        output = np.where(latent, heads * model.v_head_dim, output)
    # Fused attention reads its own output in 16 bits; narrower projections keep a copy beside it.
    return plain + np.where(np.less(input_bytes, ELEMENT_BYTES), input_bytes, 0.0) * output


def _mlp_bytes(model: ModelShape, layout: LayoutInputs, constants: MemoryConstants) -> Array:
    """Bytes a token leaves in one layer's MLP before it is split (of a mixture layer where there are any).

    With expert parallelism the busiest rank receives `expert_imbalance` times its share of the copies.
    """
    narrow = constants.input_bytes
    per_wide = ELEMENT_BYTES * (1.0 + model.gated_mlp) + narrow
    dense = model.intermediate_size * per_wide
    if not np.any(model.num_experts):
        return dense
    copy = model.moe_intermediate_size * per_wide + model.hidden_size * narrow
    busiest = np.where(np.greater(layout.expert_parallel, 1.0), constants.expert_imbalance, 1.0)
    expert = model.num_experts_per_tok * copy * busiest + model.shared_expert_intermediate_size * per_wide
    moe_share = count_moe_layers(model) / model.num_hidden_layers
    return dense + (expert - dense) * moe_share


def _stage_output_bytes(model: ModelShape, layout: LayoutInputs, constants: MemoryConstants) -> Array:
    """Bytes of a token that a stage keeps of what it sent on, in schedules that do not free it."""
    spread = np.where(np.greater(constants.sequence_parallel, 0), layout.tensor_parallel, 1.0)
    staged = np.greater(layout.pipeline_parallel, 1.0)
    return constants.stage_outputs * ELEMENT_BYTES * model.hidden_size / spread * staged


def _working_bytes(model: ModelShape, layout: LayoutInputs, constants: MemoryConstants) -> Array:
    """Bytes of a token in the backward pass of one layer, beside what is kept.

    The MLP's gradients, and with sequence parallelism the gathered input and its gradient.
    """
    tensor = layout.tensor_parallel
    gathered = np.greater(tensor, 1.0) * constants.sequence_parallel
    return _mlp_bytes(model, layout, constants) / tensor + gathered * (
        2.0 * ELEMENT_BYTES * model.hidden_size
    )


def _in_flight(layout: LayoutInputs, micro_batches: Array) -> tuple[Array, Array]:
    """Micro-batches whose activations the first and the last stage hold at once."""
    pipeline, virtual = layout.pipeline_parallel, layout.virtual_pipeline
    # Only the interleaved schedule warms up with more than one micro-batch a stage.
    extra = np.greater(virtual, 1.0) * (pipeline - 1.0) / virtual
    first = np.minimum(micro_batches, pipeline + extra)
    last = np.minimum(micro_batches, (1.0 + (virtual - 1.0) * pipeline) / virtual)
    # A stage never holds less than the one micro-batch it is working on.
    return np.maximum(first, 1.0), np.maximum(last, 1.0)


def _shard_group(layout: LayoutInputs, data_parallel: Array) -> Array:
    """Ranks that states are sharded over [count]: all replicas, or those of one hybrid-sharding group."""
    group = data_parallel * layout.context_parallel
    if not np.any(layout.shard_group):
        return group
    given = np.greater(layout.shard_group, 0.0)
    return np.where(given, np.minimum(layout.shard_group, group), group)


def _state_bytes(
    layout: LayoutInputs,
    run: TrainingRun,
    rank: RankParameters,
    embeddings: Array,
    group: Array,
    constants: MemoryConstants,
) -> tuple[Array, Array, Array]:
    """Weights, gradients and optimizer bytes on a rank; experts are sharded over their smaller group."""
    trained = 1.0 - run.weights_frozen * (1.0 - constants.adapter_share)
    code = layout.sharding_code
    zero3 = np.equal(code, ZERO3)
    tensor_ranks = np.where(np.greater(layout.expert_parallel, 1.0), layout.tensor_parallel, 1.0)
    expert_group = np.maximum(group * tensor_ranks / layout.expert_parallel, 1.0)
    dense = rank.dense + embeddings
    sharded = dense / group + rank.experts / expert_group
    whole = dense + rank.experts
    # Gathered for the layer in work and the one prefetched, and the embeddings for the whole step; a pipeline
    # keeps its stage gathered.
    two_layers = 2.0 * (rank.dense + rank.experts) / rank.layers + embeddings
    staged = np.greater(layout.pipeline_parallel, 1.0)
    gathered = np.where(staged, whole, np.minimum(two_layers, whole))
    # ZeRO-3 keeps its shard in fp32, which is the master copy as well.
    weights = (WEIGHT_BYTES + constants.weight_copy_bytes) * np.where(zero3, gathered, whole)
    # From ZeRO-2, whose code is the last, but for pipelines, which add up a step's gradients whole.
    apart = np.greater(code, ZERO1) & ~staged
    gradients = trained * constants.gradient_bytes * np.where(apart, sharded, whole)
    optimizer = constants.optimizer_bytes * np.where(np.equal(code, 0.0), whole, sharded)
    frozen_shard = MASTER_BYTES * sharded * zero3
    return weights, gradients, trained * optimizer + run.weights_frozen * frozen_shard


@lru_cache(maxsize=1)
def _shipped_constants() -> MemoryConstants:
    return resolve_memory_constants(load_catalog())

"""Peak memory of one accelerator in training: states by sharding, activations by recomputation and stage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.arrays import Array
from engine.catalog import load_catalog
from engine.codes import RECOMPUTE_MODES, SHARDING_STAGES
from engine.performance.flops import count_moe_layers, count_parameters
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
OPTIMIZER_BYTES = 12.0
"""Bytes a parameter of mixed-precision Adam: 16-bit weight; fp32 master copy and two fp32 moments."""
MASTER_BYTES = 4.0
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
    """Activation bytes of one token in one layer: kept until the backward pass, and live while recomputing.

    Valid for 16-bit activations. Parameters: sequence_length [tokens]; constants choose sequence
    parallelism and fused attention. Returns ([byte/token], [byte/token]).
    Equations, t ranks: whole layer 2*(5h + (heads + 2*kv_heads)*d + heads*d + g*f)/t, plus 5*s*heads/t
    unfused; the 5h are not divided without sequence parallelism; full recomputation keeps 2h.
    GPT with sequence parallelism gives s*b*h*(34 + 5*a*s/h)/t.
    Source: arXiv 2205.05198, equations 1 to 4 and table 2.
    """
    tensor = layout.tensor_parallel
    width, heads = model.hidden_size, model.num_attention_heads
    spread = np.where(np.greater(constants.sequence_parallel, 0), tensor, 1.0)
    heads_width = (2.0 * heads + 2.0 * model.num_key_value_heads) * model.head_dim
    split_width = heads_width + _mlp_width(model)
    body = 10.0 * width / spread + 2.0 * split_width / tensor
    scores = (1.0 - constants.fused_attention) * SCORE_BYTES * sequence_length * heads / tensor
    whole = body + scores
    # Unfused attention: selective recomputation drops exactly the scores. Fused kernels keep none, and
    # today's selective modes drop a share of the rest.
    selective = body * np.where(np.greater(constants.fused_attention, 0), constants.selective_share, 1.0)
    mode = layout.recompute_code
    is_full = np.equal(mode, FULL)
    kept = np.where(is_full, 2.0 * width / spread, np.where(np.equal(mode, SELECTIVE), selective, whole))
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
    Equations: with g bytes of gradient, ZeRO-0 14 + g bytes a parameter, ZeRO-1 2 + g + 12/n, ZeRO-3
    (12 + g)/n plus two gathered layers (with a pipeline 2 + g stay whole); activations of
    min(micro-batches, pp + (pp-1)/v, or pp when v = 1) micro-batches on the first stage, of
    1/v + (v-1)*pp/v on the last, which holds the logits.
    Source: arXiv 2205.05198 sections 4 and 5; arXiv 1910.02054 section 3; fitted factors of the catalogue.
    """
    found = constants if constants is not None else _shipped_constants()
    counts = count_parameters(model)
    rank = rank_parameters(model, layout, counts)
    data_parallel = data_parallel_size(layout, run)
    tokens = layout.micro_batch * run.sequence_length / layout.context_parallel
    kept, live = activation_bytes_per_token(model, layout, run.sequence_length, found)
    first_flight, last_flight = _in_flight(layout, count_micro_batches(layout, run, data_parallel))
    held = kept * rank.layers * tokens
    logits = found.logits_bytes * tokens * model.vocab_size / layout.tensor_parallel
    one_stage = np.equal(layout.pipeline_parallel, 1.0)
    # The last stage has as large an embedding (the output head) and the logits, but fewer micro-batches.
    on_last = np.greater(logits, held * (first_flight - last_flight)) | one_stage
    activations = held * np.where(on_last, last_flight, first_flight) + live * tokens
    kept_logits = np.where(on_last, logits, 0.0)
    embeddings = rank.embedding * (1.0 + one_stage * (1.0 - model.tie_word_embeddings))
    weights, gradients, optimizer = _state_bytes(
        layout,
        run,
        rank,
        rank.dense + embeddings,
        data_parallel * layout.context_parallel,
        found.gradient_bytes,
    )
    parts = weights + gradients + optimizer + activations + kept_logits
    overhead = (found.overhead_factor - 1.0) * parts + found.context_bytes
    return TrainingMemory(
        total_bytes=parts + overhead,
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=activations,
        logits=kept_logits,
        overhead=overhead,
    )


def _mlp_width(model: ModelShape) -> Array:
    """Intermediate elements a token leaves in one layer (of a mixture layer where there are any)."""
    copies = 2.0 + model.gated_mlp
    expert = (
        model.num_experts_per_tok * (model.moe_intermediate_size * copies + model.hidden_size)
        + model.shared_expert_intermediate_size * copies
    )
    dense = model.intermediate_size * copies
    moe_share = count_moe_layers(model) / model.num_hidden_layers
    return dense + (expert - dense) * moe_share


def _in_flight(layout: LayoutInputs, micro_batches: Array) -> tuple[Array, Array]:
    """Micro-batches whose activations the first and the last stage hold at once."""
    pipeline, virtual = layout.pipeline_parallel, layout.virtual_pipeline
    # Only the interleaved schedule warms up with more than one micro-batch a stage.
    extra = np.greater(virtual, 1.0) * (pipeline - 1.0) / virtual
    first = np.minimum(micro_batches, pipeline + extra)
    last = np.minimum(micro_batches, (1.0 + (virtual - 1.0) * pipeline) / virtual)
    # A stage never holds less than the one micro-batch it is working on.
    return np.maximum(first, 1.0), np.maximum(last, 1.0)


def _state_bytes(
    layout: LayoutInputs,
    run: TrainingRun,
    rank: RankParameters,
    dense: Array,
    group: Array,
    gradient_bytes: Array,
) -> tuple[Array, Array, Array]:
    """Weights, gradients and optimizer bytes on a rank; experts are sharded over their smaller group."""
    trained = 1.0 - run.weights_frozen
    code = layout.sharding_code
    zero3 = np.equal(code, ZERO3)
    tensor_ranks = np.where(np.greater(layout.expert_parallel, 1.0), layout.tensor_parallel, 1.0)
    expert_group = np.maximum(group * tensor_ranks / layout.expert_parallel, 1.0)
    sharded = dense / group + rank.experts / expert_group
    whole = dense + rank.experts
    # Gathered for the layer in work and the one prefetched; a pipeline keeps its stage gathered.
    two_layers = 2.0 * (rank.dense + rank.experts) / rank.layers
    staged = np.greater(layout.pipeline_parallel, 1.0)
    gathered = np.where(staged, whole, np.minimum(two_layers, whole))
    # ZeRO-3 keeps its shard in fp32, which is the master copy as well.
    weights = WEIGHT_BYTES * np.where(zero3, gathered, whole)
    gradients = trained * gradient_bytes * np.where(zero3 & ~staged, sharded, whole)
    optimizer = OPTIMIZER_BYTES * np.where(np.equal(code, 0.0), whole, sharded)
    frozen_shard = MASTER_BYTES * sharded * zero3
    return weights, gradients, trained * optimizer + run.weights_frozen * frozen_shard


@lru_cache(maxsize=1)
def _shipped_constants() -> MemoryConstants:
    return resolve_memory_constants(load_catalog())

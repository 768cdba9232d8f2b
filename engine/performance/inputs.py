"""What the performance kernels take: frozen groups of floats or broadcastable arrays, in SI units.

Choices are coded as integers (see engine.codes); rows of any shape broadcast against each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.arrays import Array


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Parameters [count] of the whole network by component; `active` are those one token meets."""

    total: Array
    active: Array
    embedding: Array
    output_head: Array
    attention: Array
    mlp: Array
    experts: Array
    active_experts: Array
    shared_experts: Array
    router: Array
    norms: Array


@dataclass(frozen=True, slots=True)
class AttentionKind:
    """Layers that attend alike. `layers` [count]; `score_width` = heads * (key + value size), `decode_width`
    the same for one generated token (larger with latent attention, which works on the latent);
    `cached_values` kept a token and layer; `window` [tokens], 0 = the whole context; `causal` 0 or 1.
    """

    layers: Array
    score_width: Array
    decode_width: Array
    cached_values: Array
    window: Array = 0.0
    causal: Array = 1.0


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Shape of a network, with Hugging Face's names. Counts, no unit; flags are 0 or 1.

    `kv_lora_rank` above 0 means multi-head latent attention. `counted` and `attention_kinds` describe
    networks whose layers differ, or whose small parts are known exactly; empty, every layer is as the
    sizes say. `recurrent_layers` mix tokens without attention and keep `state_bytes` a sequence;
    `generates` 0 = an encoder; `head_weights` a token meets in the output head,
    None = as many as the embedding holds, 0 = no logits. `applied` counts weights that layers borrow of each
    other where they work, None where none does.
    """

    hidden_size: Array
    num_hidden_layers: Array
    num_attention_heads: Array
    num_key_value_heads: Array
    head_dim: Array
    intermediate_size: Array
    vocab_size: Array
    gated_mlp: Array = 1.0
    tie_word_embeddings: Array = 0.0
    num_experts: Array = 0.0
    num_experts_per_tok: Array = 0.0
    moe_intermediate_size: Array = 0.0
    shared_expert_intermediate_size: Array = 0.0
    first_k_dense_replace: Array = 0.0
    q_lora_rank: Array = 0.0
    kv_lora_rank: Array = 0.0
    qk_nope_head_dim: Array = 0.0
    qk_rope_head_dim: Array = 0.0
    v_head_dim: Array = 0.0
    recurrent_layers: Array = 0.0
    state_bytes: Array = 0.0
    generates: Array = 1.0
    head_weights: Array | None = None
    counted: ParameterCounts | None = None
    applied: ParameterCounts | None = None
    attention_kinds: tuple[AttentionKind, ...] = ()


@dataclass(frozen=True, slots=True)
class Hardware:
    """One accelerator and its place in the cluster.

    `peak_flops` is the dense peak [FLOP/s] at the precision the GEMMs run in, `peak_bf16_flops` at bf16
    (attention stays there); bandwidths [byte/s] are one direction per accelerator.
    """

    peak_flops: Array
    peak_bf16_flops: Array
    memory_bytes: Array
    memory_bandwidth_bytes_per_s: Array
    scale_up_bandwidth_bytes_per_s: Array
    scale_up_domain: Array
    nic_bandwidth_bytes_per_s: Array
    accelerators_per_node: Array


@dataclass(frozen=True, slots=True)
class LayoutInputs:
    """How a training run is spread: parallel sizes [count], micro-batch [sequences], coded choices.

    `shard_group` [count] bounds the ranks that states are sharded over (hybrid sharding: those of a node);
    0 = all replicas. Only memory goes by it.
    """

    tensor_parallel: Array
    pipeline_parallel: Array
    context_parallel: Array
    expert_parallel: Array
    virtual_pipeline: Array
    micro_batch: Array
    sharding_code: Array
    recompute_code: Array
    shard_group: Array = 0.0


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """What is trained: sequence length [tokens], global batch [tokens a step], precision code, accelerators.

    `weights_frozen` 1 means low-rank adapters (LoRA): no gradients and no optimizer states of the network.
    """

    sequence_length: Array
    global_batch_tokens: Array
    precision_code: Array
    accelerator_count: Array
    weights_frozen: Array = 0.0

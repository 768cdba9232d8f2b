"""Parameters and floating-point operations of a network, by component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.performance.inputs import AttentionKind, ModelShape, ParameterCounts

BACKWARD_AND_FORWARD = 3.0
"""Passes of a training step without recomputation: one forward, two of the same size backward."""


@dataclass(frozen=True, slots=True)
class TokenFlops:
    """Forward FLOPs of one token in all layers, and of a training step per token [FLOP/token]."""

    linear: Array
    experts: Array
    attention: Array
    logits: Array
    training: Array


def count_moe_layers(model: ModelShape) -> Array:
    """Layers whose MLP is a mixture of experts [count]."""
    return np.where(
        np.greater(model.num_experts, 0), model.num_hidden_layers - model.first_k_dense_replace, 0.0
    )


def count_parameters(model: ModelShape) -> ParameterCounts:
    """Parameters of a network by component: those it was `counted` with, else from its sizes.

    From sizes: valid for pre-norm decoders with RMS norms, no biases, ordinary, grouped-query or latent
    attention; biases, LayerNorm or learned positions are up to 0.1 % more.
    Parameters: model shapes [count], broadcastable. Returns counts [parameters].
    Equations: attention h*d*(2*heads + 2*kv_heads); MLP g*h*f, g = 3 gated, 2 plain; experts E*g*h*f_e;
    router h*E; norms h*(2L+1). Meta-Llama-3.1-8B: 8,030,261,248.
    Source: the published network definitions, counted exactly.
    """
    if model.counted is not None:
        return model.counted
    width = model.hidden_size
    moe_layers = count_moe_layers(model)
    matrices = 2.0 + model.gated_mlp
    embedding = model.vocab_size * width
    output_head = embedding * (1.0 - model.tie_word_embeddings)
    attention = model.num_hidden_layers * _attention_layer(model)
    mlp = (model.num_hidden_layers - moe_layers) * matrices * width * model.intermediate_size
    expert = moe_layers * matrices * width * model.moe_intermediate_size
    experts = expert * model.num_experts
    active_experts = expert * model.num_experts_per_tok
    shared = moe_layers * matrices * width * model.shared_expert_intermediate_size
    router = moe_layers * width * model.num_experts
    latent_norms = np.where(_is_latent(model), model.q_lora_rank + model.kv_lora_rank, 0.0)
    norms = width * (2.0 * model.num_hidden_layers + 1.0) + model.num_hidden_layers * latent_norms
    dense = embedding + output_head + attention + mlp + shared + router + norms
    return ParameterCounts(
        total=dense + experts,
        active=dense + active_experts,
        embedding=embedding,
        output_head=output_head,
        attention=attention,
        mlp=mlp,
        experts=experts,
        active_experts=active_experts,
        shared_experts=shared,
        router=router,
        norms=norms,
    )


def token_flops(model: ModelShape, sequence_length: Array) -> TokenFlops:
    """FLOPs of one token, attention counted causally (each token meets half the sequence on average).

    `experts` is the part of `linear` spent in routed experts; the scans of recurrent layers (below 2 %) are
    left out. Parameters: model, sequence_length [tokens]. Returns [FLOP/token].
    Equations: linear 2 FLOP a weight met; attention s*heads*(d_qk + d_v) a layer, (2w - w^2/s) for s with
    a window w; logits 2*h*V; training 3*(linear + attention + logits).
    Source: matches the TFLOP per token ratios that hardware vendors publish within 0.4 %.
    """
    counts = model.applied or count_parameters(model)
    experts = 2.0 * counts.active_experts
    linear = 2.0 * (counts.attention + counts.mlp + counts.shared_experts + counts.router) + experts
    attention: Array = 0.0
    for kind in attention_kinds(model):
        pairs = attended_pairs(kind, sequence_length)
        attention = attention + 2.0 * kind.layers * kind.score_width * pairs / sequence_length
    logits = 2.0 * head_weights(model)
    return TokenFlops(
        linear=linear,
        experts=experts,
        attention=attention,
        logits=logits,
        training=BACKWARD_AND_FORWARD * (linear + attention + logits),
    )


def head_weights(model: ModelShape) -> Array:
    """Weights a token meets in the output head [count]; 0 without one."""
    return count_parameters(model).embedding if model.head_weights is None else model.head_weights


def attention_kinds(model: ModelShape) -> tuple[AttentionKind, ...]:
    """The kinds of attention layers of a network: as given, else one kind by its sizes."""
    if model.attention_kinds or model.counted is not None:
        return model.attention_kinds
    if np.ndim(model.recurrent_layers) == 0 and model.recurrent_layers == model.num_hidden_layers:
        return ()
    key_dim, value_dim = _score_dims(model)
    heads, latent = model.num_attention_heads, _is_latent(model)
    absorbed = heads * (2.0 * model.kv_lora_rank + model.qk_rope_head_dim)
    plain = heads * (key_dim + value_dim)
    cached = np.where(
        latent,
        model.kv_lora_rank + model.qk_rope_head_dim,
        model.num_key_value_heads * (key_dim + value_dim),
    )
    layers = model.num_hidden_layers - np.asarray(model.recurrent_layers)
    return (AttentionKind(layers, plain, np.where(latent, absorbed, plain), cached),)


def attended_pairs(kind: AttentionKind, tokens: Array) -> Array:
    """Pairs of tokens attention forms in one layer over a sequence of `tokens` [count].

    Causal: n^2/2; with a window w: m*n - m^2/2, m = min(n, w); without a causal mask n^2.
    """
    seen = seen_tokens(kind, tokens)
    causal = seen * tokens - np.square(seen) / 2.0
    return np.where(np.greater(kind.causal, 0.0), causal, np.square(tokens))


def seen_tokens(kind: AttentionKind, tokens: Array) -> Array:
    """Tokens of a context that a layer sees and keeps: all, or its window's."""
    return np.where(np.greater(kind.window, 0.0), np.minimum(tokens, kind.window), tokens)


def _is_latent(model: ModelShape) -> Array:
    return np.greater(model.kv_lora_rank, 0) * 1.0


def _score_dims(model: ModelShape) -> tuple[Array, Array]:
    """Width of a head in the score product and in the value product."""
    latent = _is_latent(model)
    key_dim = np.where(latent, model.qk_nope_head_dim + model.qk_rope_head_dim, model.head_dim)
    return key_dim, np.where(latent, model.v_head_dim, model.head_dim)


def _attention_layer(model: ModelShape) -> Array:
    """Projection weights of one attention layer."""
    width, heads = model.hidden_size, model.num_attention_heads
    plain = width * model.head_dim * (2.0 * heads + 2.0 * model.num_key_value_heads)
    query_dim = heads * (model.qk_nope_head_dim + model.qk_rope_head_dim)
    query = np.where(
        np.greater(model.q_lora_rank, 0), (width + query_dim) * model.q_lora_rank, width * query_dim
    )
    key_value = width * (model.kv_lora_rank + model.qk_rope_head_dim) + model.kv_lora_rank * heads * (
        model.qk_nope_head_dim + model.v_head_dim
    )
    latent = query + key_value + heads * model.v_head_dim * width
    return np.where(_is_latent(model), latent, plain)

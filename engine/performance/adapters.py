"""Low-rank adapters that share one network: their weights, and how many of them a step meets."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, FloatArray
from engine.performance.flops import count_moe_layers
from engine.performance.inputs import ModelShape

ADAPTER_BYTES = 2.0
"""Adapters stay in a 16-bit format, whatever the network's weights are stored in."""


def adapter_weights(model: ModelShape, rank: Array) -> FloatArray:
    """Weights of one adapter on every attention projection and dense MLP [count].

    A matrix of in x out takes rank*(in + out); experts have none. Recurrent layers count as attention of the
    same width.
    """
    layers = np.asarray(model.num_hidden_layers)
    mlp = (2.0 + model.gated_mlp) * (model.hidden_size + np.asarray(model.intermediate_size))
    dense = layers - count_moe_layers(model)
    return np.asarray(rank * (layers * _attention_sides(model) + dense * mlp))


def adapters_met(adapters: Array, sequences: Array) -> FloatArray:
    """Expected number of different adapters among sequences that choose alike: N*(1 - (1 - 1/N)^B)."""
    count = np.maximum(adapters, 1.0)
    return np.where(np.greater(adapters, 0.0), count * (1.0 - np.power(1.0 - 1.0 / count, sequences)), 0.0)


def _attention_sides(model: ModelShape) -> FloatArray:
    """Inputs plus outputs of a layer's projections, with latent attention those of its two steps."""
    hidden, heads = np.asarray(model.hidden_size), np.asarray(model.num_attention_heads)
    plain = 4.0 * hidden + 2.0 * heads * model.head_dim + 2.0 * model.num_key_value_heads * model.head_dim
    keys = np.asarray(model.qk_nope_head_dim + np.asarray(model.qk_rope_head_dim))
    queries = np.where(
        np.greater(model.q_lora_rank, 0.0),
        hidden + 2.0 * model.q_lora_rank + heads * keys,
        hidden + heads * keys,
    )
    values = hidden + 2.0 * model.kv_lora_rank + model.qk_rope_head_dim
    values = values + heads * (model.qk_nope_head_dim + np.asarray(model.v_head_dim))
    latent = queries + values + heads * model.v_head_dim + hidden
    return np.where(np.greater(model.kv_lora_rank, 0.0), latent, plain)

"""From a plan's architecture to the shape the performance kernels take."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.architecture.cache import cache_kinds, state_bytes
from engine.architecture.counting import count_parameters
from engine.architecture.layers import LayerKind, layer_kinds
from engine.architecture.operations import head_weights, score_kinds
from engine.performance.inputs import AttentionKind, ModelShape, ParameterCounts
from engine.plan.architecture import Architecture


def model_shape(a: Architecture) -> ModelShape:
    """The architecture as kernel input: exact counts, and mean sizes where layers differ.

    Widths that only steer efficiencies (head size, MLP size) are those of the layers that have them;
    `first_k_dense_replace` is the number of layers without experts, wherever they stand.
    """
    kinds = layer_kinds(a)
    attending = sum(k.count for k in kinds if k.attention)
    heads = max(a.num_attention_heads, 1)
    return ModelShape(
        hidden_size=float(a.hidden_size),
        num_hidden_layers=float(a.num_hidden_layers),
        num_attention_heads=float(heads),
        num_key_value_heads=float(max(_key_value_heads(a, kinds), 1)),
        head_dim=float(a.head_size or max(a.state_space.inner_size, a.hidden_size)),
        intermediate_size=_dense_size(a, kinds),
        vocab_size=float(a.vocab_size),
        gated_mlp=float(a.gated_mlp),
        tie_word_embeddings=float(a.tie_word_embeddings),
        num_experts=float(a.num_experts),
        num_experts_per_tok=float(a.num_experts_per_tok),
        moe_intermediate_size=float(a.moe_intermediate_size or a.intermediate_size),
        shared_expert_intermediate_size=float(a.shared_expert_intermediate_size),
        first_k_dense_replace=float(sum(k.count for k in kinds if k.mlp != "moe")),
        q_lora_rank=float(a.q_lora_rank),
        kv_lora_rank=float(a.kv_lora_rank),
        qk_nope_head_dim=float(a.qk_nope_head_dim),
        qk_rope_head_dim=float(a.qk_rope_head_dim),
        v_head_dim=float(a.v_head_dim or 0),
        recurrent_layers=float(a.num_hidden_layers - attending),
        state_bytes=state_bytes(a),
        generates=float(a.kind != "encoder"),
        head_weights=float(head_weights(a)),
        counted=_counted(a, owned=True),
        applied=_counted(a, owned=False) if any(k.borrows_weights for k in kinds) else None,
        attention_kinds=tuple(_attention_kinds(a)),
    )


def _key_value_heads(a: Architecture, kinds: tuple[LayerKind, ...]) -> int:
    """Key-value heads of the layers that have most of them."""
    return max((part.key_value_heads for k in kinds for part in k.attention), default=a.key_value_heads)


def _dense_size(a: Architecture, kinds: tuple[LayerKind, ...]) -> float:
    """Mean MLP size of the layers with a dense MLP; of the experts when there are none.

    A mean of differing sizes is rounded to their common divisor: a fraction splits over nothing.
    """
    dense = [(k.count, k.intermediate_size) for k in kinds if k.mlp == "dense"]
    layers = sum(count for count, _ in dense)
    if layers:
        mean = sum(count * size for count, size in dense) / layers
        unit = math.gcd(*(size for _, size in dense))
        return float(max(1, round(mean / unit)) * unit) if unit else mean
    return float(a.intermediate_size or a.moe_intermediate_size or a.state_space.inner_size or a.hidden_size)


def _counted(a: Architecture, *, owned: bool) -> ParameterCounts:
    counts = count_parameters(a, owned=owned)
    return ParameterCounts(
        total=float(counts.total),
        active=float(counts.active),
        embedding=float(counts.embedding),
        output_head=float(counts.output_head),
        attention=float(counts.attention),
        mlp=float(counts.mlp),
        experts=float(counts.experts),
        active_experts=float(counts.active_experts),
        shared_experts=float(counts.shared_experts),
        router=float(counts.router),
        norms=float(counts.small + counts.vision),
    )


def _attention_kinds(a: Architecture) -> Iterator[AttentionKind]:
    """What layers compare and what they keep, in one kind where both have the same layers and window."""
    kept = list(cache_kinds(a))
    for score in score_kinds(a):
        alike = (k for k in kept if (k.layers, k.window) == (score.layers, score.window))
        cache = next(alike, None)
        if cache is not None:
            kept.remove(cache)
        yield AttentionKind(
            layers=float(score.layers),
            score_width=float(score.width),
            decode_width=float(score.decode_width),
            cached_values=float(cache.values if cache else 0),
            window=float(score.window),
            causal=float(score.causal),
        )
    for left in kept:
        yield AttentionKind(float(left.layers), 0.0, 0.0, float(left.values), float(left.window))

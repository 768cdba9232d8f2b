"""What a network keeps of a sequence while it generates: keys and values, latents, recurrent states."""

from __future__ import annotations

from dataclasses import dataclass

from engine.architecture.layers import Attention, layer_kinds
from engine.plan.architecture import Architecture

STATE_BYTES = 4.0
"""Recurrent states are kept in fp32 by the engines that publish their layout."""


@dataclass(frozen=True, slots=True)
class CacheKind:
    """Layers that cache alike: layers [count], values cached a token and layer, window [tokens] (0 = all)."""

    layers: int
    values: int
    window: int


def cache_kinds(a: Architecture, *, honour_windows: bool = True) -> tuple[CacheKind, ...]:
    """The layers that keep a cache which grows with the context, one entry a kind."""
    found: dict[tuple[int, int], int] = {}
    for kind in layer_kinds(a):
        for attention in kind.attention:
            for key in _cached(a, attention, honour_windows):
                found[key] = found.get(key, 0) + kind.count
    return tuple(CacheKind(layers, values, window) for (values, window), layers in found.items())


def kv_bytes(
    a: Architecture, tokens: float, *, value_bytes: float = 2.0, honour_windows: bool = True
) -> float:
    """KV cache of one sequence [byte] at a context [tokens].

    Equation: sum over layers of values * min(tokens, window) * value_bytes; values = 2 * kv_heads *
    head_dim, or kv_lora_rank + qk_rope_head_dim with latent attention. `honour_windows` False = an engine
    that keeps the whole context in every layer. Compressed layers keep an entry for every compress_ratio
    tokens beside their window. An indexer's own keys are left out. Llama-3.1-8B, one token in 16 bits:
    131,072.
    """
    kinds = cache_kinds(a, honour_windows=honour_windows)
    return sum(
        k.layers * k.values * value_bytes * (min(tokens, k.window) if k.window else tokens) for k in kinds
    )


def state_bytes(a: Architecture) -> float:
    """Recurrent and convolution states of one sequence [byte], whatever its length."""
    return STATE_BYTES * sum(
        kind.count * _state_values(a, mixer) for kind in layer_kinds(a) for mixer in kind.mixers
    )


def _cached(a: Architecture, attention: Attention, honour_windows: bool) -> list[tuple[int, int]]:
    """(values a token, window) of what a layer keeps; compressed entries stand beside the window."""
    if not attention.cached:
        return []
    whole, window = _cached_values(a, attention), attention.window if honour_windows else 0
    if not attention.compress_ratio:
        return [(whole, window)]
    return [(whole, window), (-(-whole // attention.compress_ratio), 0)]


def _cached_values(a: Architecture, attention: Attention) -> int:
    if attention.latent:
        return a.kv_lora_rank + a.qk_rope_head_dim
    if attention.compress_ratio or (attention.keys_are_values and a.details.o_lora_rank):
        return attention.key_value_heads * attention.head_dim
    return attention.key_value_heads * (attention.head_dim + attention.value_dim)


def _state_values(a: Architecture, mixer: str) -> int:
    """Numbers a recurrent layer keeps of a sequence."""
    s, n = a.state_space, a.linear_attention
    keys, values = n.num_key_heads * n.key_head_dim, n.num_value_heads * n.value_head_dim
    delta = n.num_value_heads * n.key_head_dim * n.value_head_dim
    held = max(s.conv_kernel - 1, 0)
    sizes = {
        "mamba": s.inner_size * (s.state_size + held),
        "mamba2": s.inner_size * s.state_size + (s.inner_size + 2 * s.n_groups * s.state_size) * held,
        "gated_delta_net": delta + (2 * keys + values) * max(n.conv_kernel - 1, 0),
        "kimi_delta_attention": delta + (2 * keys + values) * max(n.conv_kernel - 1, 0),
        "lightning_attention": delta,
        "short_convolution": a.hidden_size * held,
        "recurrent": s.inner_size * (1 + held),
        "matrix_memory": delta + keys + n.num_value_heads,
        "time_mix": 5 * a.hidden_size,
    }
    return sizes.get(mixer, 0)

"""Floating-point operations of one token in any network, forward, by component."""

from __future__ import annotations

from dataclasses import dataclass

from engine.architecture.counting import count_parameters
from engine.architecture.layers import Attention, layer_kinds
from engine.plan.architecture import Architecture


@dataclass(frozen=True, slots=True)
class ScoreKind:
    """Attention layers alike: width = heads * (key + value size), window [tokens] (0 = all).

    `decode_width` is that of one generated token: latent attention then works on the latent itself, scores
    over rank + rope and values over rank.
    """

    layers: int
    width: int
    decode_width: int
    window: int
    causal: bool


@dataclass(frozen=True, slots=True)
class Operations:
    """Forward FLOPs of one token: products with weights, attention scores and values, output head."""

    linear: float
    attention: float
    logits: float

    @property
    def forward(self) -> float:
        """All of a forward pass [FLOP/token]."""
        return self.linear + self.attention + self.logits

    @property
    def training(self) -> float:
        """Forward and backward [FLOP/token]: three forward passes, nothing recomputed."""
        return 3.0 * self.forward


def score_kinds(a: Architecture) -> tuple[ScoreKind, ...]:
    """The layers whose work grows with the context, one entry a kind."""
    found: dict[tuple[int, int, int, bool], int] = {}
    for kind in layer_kinds(a):
        for attention in kind.attention:
            for key in () if attention.crosses else _scores(a, attention):
                found[key] = found.get(key, 0) + kind.count
    return tuple(ScoreKind(layers, *key) for key, layers in found.items())


def _scores(a: Architecture, attention: Attention) -> list[tuple[int, int, int, bool]]:
    """Widths, window and mask of what a layer compares: tokens, compressed entries, keys of an indexer."""
    width, d = _score_width(attention), a.details
    ratio, picked = attention.compress_ratio or 1, d.index_topk if attention.indexed else 0
    indexed = d.index_n_heads * d.index_head_dim // ratio
    index = [(indexed, indexed, 0, True)] if picked else []
    if attention.compress_ratio:
        entry = width // ratio
        return [(width, width, attention.window, True), (entry, entry, picked * ratio, True), *index]
    absorbed = attention.heads * (2 * a.kv_lora_rank + a.qk_rope_head_dim) if attention.latent else width
    return [(width, absorbed, picked or attention.window, attention.causal), *index]


def count_operations(a: Architecture, tokens: float) -> Operations:
    """FLOPs of one token, mean over a sequence of `tokens`, attention counted causally.

    Valid for prefill and training; recurrent scans (below 2 % of the projections) are left out. Equations:
    2 FLOP a weight met; attention 2 * pairs/token * heads * (d_k + d_v) with pairs/token = n/2, windowed
    w - w^2/(2n), or n without a causal mask; logits 2*h*V. Source: [FIT_TRAINING] section 1.
    """
    counts = count_parameters(a, owned=False)
    met = counts.attention + counts.mlp + counts.shared_experts + counts.router + counts.active_experts
    attention = sum(2.0 * k.layers * k.width * _pairs(k, tokens) for k in score_kinds(a))
    return Operations(linear=2.0 * met, attention=attention, logits=2.0 * head_weights(a))


def head_weights(a: Architecture) -> int:
    """Weights a token meets in the output head, through a narrower embedding if there is one; 0 without."""
    if not a.details.has_output_head:
        return 0
    narrow = a.details.embedding_size
    return (a.vocab_size + a.hidden_size) * narrow if narrow else a.vocab_size * a.hidden_size


def _score_width(attention: Attention) -> int:
    return attention.heads * (attention.head_dim + attention.value_dim)


def _pairs(kind: ScoreKind, tokens: float) -> float:
    """Pairs of tokens attention forms, a token of the sequence."""
    if not kind.causal:
        return tokens
    seen = min(tokens, kind.window) if kind.window else tokens
    return seen - seen * seen / (2.0 * max(tokens, 1.0))

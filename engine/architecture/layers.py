"""The layers of a network, one entry a kind, with every empty field filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.plan.architecture import Architecture, LayerGroup


@dataclass(frozen=True, slots=True)
class Attention:
    """One attention layer's sizes [count]; `window` 0 = the whole context; `latent` = MLA."""

    heads: int
    key_value_heads: int
    head_dim: int
    value_dim: int
    window: int
    latent: bool
    cached: bool
    causal: bool
    keys_are_values: bool
    borrows_keys: bool
    crosses: bool
    compress_ratio: int
    indexed: bool

    @property
    def key_dim(self) -> int:
        """Width of a head in the score product."""
        return self.head_dim


@dataclass(frozen=True, slots=True)
class LayerKind:
    """Layers that are alike: how many, their token mixers in order, their MLP."""

    count: int
    mixers: tuple[str, ...]
    attention: tuple[Attention, ...]
    mlp: str
    intermediate_size: int
    norms: int
    other_parameters: int
    is_encoder: bool
    borrows_weights: bool


def layer_kinds(a: Architecture) -> tuple[LayerKind, ...]:
    """Every kind of layer of a network with its count; counts add up to num_hidden_layers."""
    return tuple(_kind(a, group) for group in a.layer_groups or tuple(_uniform(a)))


def _uniform(a: Architecture) -> Iterator[LayerGroup]:
    """The groups the plain fields describe: leading dense layers, then the rest."""
    encoder = a.kind == "encoder"
    dense = a.first_k_dense_replace if a.num_experts else 0
    if dense:
        yield LayerGroup(count=dense, mlp="dense", is_encoder=encoder)
    if a.num_hidden_layers > dense:
        yield LayerGroup(count=a.num_hidden_layers - dense, is_encoder=encoder)


def _kind(a: Architecture, group: LayerGroup) -> LayerKind:
    mixers = tuple(m for m in (group.mixer, group.second_mixer) if m != "none")
    norms = group.norms_per_layer
    return LayerKind(
        count=group.count,
        mixers=mixers,
        attention=tuple(_attention(a, group, m) for m in mixers if m.endswith("attention") and _attends(m)),
        mlp=group.mlp or ("moe" if a.num_experts else "dense"),
        intermediate_size=group.intermediate_size or a.intermediate_size,
        norms=a.details.norms_per_layer if norms is None else norms,
        other_parameters=group.other_parameters,
        is_encoder=group.is_encoder,
        borrows_weights=group.borrows_weights,
    )


def _attends(mixer: str) -> bool:
    return mixer in ("attention", "cross_attention")


def _attention(a: Architecture, group: LayerGroup, mixer: str) -> Attention:
    latent = a.is_latent and mixer == "attention"
    heads = group.num_attention_heads or a.num_attention_heads
    own = group.head_dim or a.head_size
    crosses = mixer == "cross_attention"
    window = a.sliding_window if group.sliding_window is None else group.sliding_window
    return Attention(
        heads=heads,
        key_value_heads=group.num_key_value_heads or min(a.key_value_heads, heads),
        head_dim=a.qk_nope_head_dim + a.qk_rope_head_dim if latent else own,
        value_dim=(a.v_head_dim or own) if latent or group.head_dim is None else own,
        window=0 if crosses else window,
        latent=latent,
        cached=not (group.shares_cache or group.is_encoder or crosses),
        causal=not (group.is_encoder or crosses),
        keys_are_values=group.keys_are_values,
        borrows_keys=group.borrows_keys,
        crosses=crosses,
        compress_ratio=group.compress_ratio,
        indexed=group.indexed or (latent and a.details.index_n_heads > 0),
    )

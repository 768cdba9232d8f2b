"""Random networks of every kind, always valid."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st
from pydantic import BaseModel

from engine.plan.architecture import (
    Architecture,
    Details,
    LayerGroup,
    LinearAttention,
    Mixer,
    MlpKind,
    StateSpace,
)

SMALL_WIDTHS = st.integers(1, 64)


def section(model: type[BaseModel], *, most: int = 64) -> st.SearchStrategy[Any]:
    """A group of fields with random numbers, flags and words."""
    given: dict[str, st.SearchStrategy[Any]] = {}
    for name, info in model.model_fields.items():
        kind = info.annotation
        if kind is bool:
            given[name] = st.booleans()
        elif kind is int:
            highest = min(most, *(item.le for item in info.metadata if hasattr(item, "le")))
            given[name] = st.integers(0, highest)
        else:
            given[name] = st.sampled_from(get_args(kind))
    return st.fixed_dictionaries({}, optional=given).map(lambda values: model(**values))


@st.composite
def layer_groups(draw: st.DrawFn) -> tuple[LayerGroup, ...]:
    """Up to five kinds of layers; dense MLPs have a size of their own."""
    groups = []
    for _ in range(draw(st.integers(0, 5))):
        heads = draw(st.sampled_from([None, 1, 2, 8]))
        groups.append(
            LayerGroup(
                count=draw(st.integers(1, 20)),
                mixer=draw(st.sampled_from(get_args(Mixer))),
                second_mixer=draw(st.sampled_from(["none", "none", "cross_attention", "mamba2"])),
                mlp=draw(st.sampled_from([None, *get_args(MlpKind)])),
                num_attention_heads=heads,
                num_key_value_heads=heads and 1,
                sliding_window=draw(st.sampled_from([None, 0, 1, 128, 4096])),
                intermediate_size=draw(st.integers(1, 512)),
                norms_per_layer=draw(st.sampled_from([None, 0, 2, 4])),
                shares_cache=draw(st.booleans()),
                borrows_weights=draw(st.booleans()),
                compress_ratio=draw(st.sampled_from([0, 0, 4, 128])),
                other_parameters=draw(st.sampled_from([0, 7])),
            )
        )
    return tuple(groups)


@st.composite
def architectures(draw: st.DrawFn) -> Architecture:
    """A network: dense or of experts, plain or latent attention, uniform or of several kinds of layers."""
    groups = draw(layer_groups())
    experts = draw(st.sampled_from([0, 0, 1, 8, 64]))
    kept = draw(st.integers(1, 8))
    latent = draw(st.booleans())
    layers = sum(group.count for group in groups) or draw(st.integers(1, 60))
    ranks = {"kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32}
    return Architecture(
        model_name=draw(st.sampled_from(["", "a network", "网络", "x" * 200])),
        kind=draw(st.sampled_from(["decoder", "encoder", "encoder_decoder"])),
        hidden_size=draw(st.integers(8, 1024)),
        num_hidden_layers=layers,
        num_attention_heads=kept * draw(st.integers(1, 8)),
        num_key_value_heads=draw(st.sampled_from([None, kept])),
        head_dim=draw(st.sampled_from([None, 16, 128])),
        intermediate_size=draw(st.integers(1, 4096)),
        vocab_size=draw(st.integers(2, 300_000)),
        max_position_embeddings=draw(st.sampled_from([None, 1, 8192])),
        gated_mlp=draw(st.booleans()),
        tie_word_embeddings=draw(st.booleans()),
        num_experts=experts,
        num_experts_per_tok=draw(st.integers(1, experts)) if experts else 0,
        moe_intermediate_size=draw(st.sampled_from([None, 64])),
        shared_expert_intermediate_size=draw(st.sampled_from([0, 32])),
        first_k_dense_replace=draw(st.integers(0, layers)),
        q_lora_rank=draw(st.sampled_from([0, 48])),
        sliding_window=draw(st.sampled_from([0, 1, 256])),
        layer_groups=groups,
        state_space=draw(section(StateSpace)),
        linear_attention=draw(section(LinearAttention)),
        details=draw(section(Details)),
        **(ranks if latent else {}),
    )

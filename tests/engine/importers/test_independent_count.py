"""Counts come from the shape: a second counter agrees with any size, whatever the network is called."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.architecture.cache import kv_bytes
from engine.architecture.counting import count_parameters
from engine.importers.hf_config import import_data

SIZES: dict[str, st.SearchStrategy[int]] = {
    "groups": st.sampled_from([1, 2, 4, 8]),
    "key_value_heads": st.integers(1, 16),
    "head": st.sampled_from([16, 64, 80, 128]),
    "width": st.integers(1, 1024),
    "inner": st.integers(1, 4096),
    "layers": st.integers(1, 120),
    "vocabulary": st.integers(2, 300_000),
}
sizes = st.fixed_dictionaries(SIZES)


def _base(s: dict[str, int], *, tied: bool) -> dict[str, Any]:
    return {
        "hidden_size": 16 * s["width"],
        "num_hidden_layers": s["layers"],
        "num_attention_heads": s["groups"] * s["key_value_heads"],
        "num_key_value_heads": s["key_value_heads"],
        "head_dim": s["head"],
        "intermediate_size": s["inner"],
        "vocab_size": s["vocabulary"],
        "tie_word_embeddings": tied,
        "max_position_embeddings": 8192,
        "hidden_act": "silu",
    }


def _outside(s: dict[str, int], *, tied: bool) -> int:
    """Embedding, output head, last norm."""
    return 16 * s["width"] * (s["vocabulary"] * (1 if tied else 2) + 1)


def _grouped_attention(s: dict[str, int]) -> int:
    """Queries and output over all heads, keys and values over the key-value heads."""
    hidden, queries = 16 * s["width"], s["groups"] * s["key_value_heads"] * s["head"]
    return 2 * hidden * queries + 2 * hidden * s["key_value_heads"] * s["head"]


@settings(max_examples=100)
@given(s=sizes, tied=st.booleans(), bias=st.booleans())
def test_dense(s: dict[str, int], tied: bool, bias: bool) -> None:
    hidden = 16 * s["width"]
    kept = s["key_value_heads"] * s["head"]
    biases = bias * (s["groups"] * kept + 2 * kept + hidden)
    layer = _grouped_attention(s) + biases + 3 * hidden * s["inner"] + 2 * hidden
    found = import_data({"model_type": "llama", **_base(s, tied=tied), "attention_bias": bias}).architecture
    assert count_parameters(found).total == s["layers"] * layer + _outside(s, tied=tied)
    assert kv_bytes(found, 1) == s["layers"] * 2 * kept * 2


@settings(max_examples=100)
@given(s=sizes, experts=st.integers(1, 512), picked=st.integers(1, 512), tied=st.booleans())
def test_experts(s: dict[str, int], experts: int, picked: int, tied: bool) -> None:
    picked, hidden = min(picked, experts), 16 * s["width"]
    expert = 3 * hidden * s["inner"]
    rest = _grouped_attention(s) + hidden * experts + 2 * hidden
    data = {**_base(s, tied=tied), "num_local_experts": experts, "num_experts_per_tok": picked}
    counts = count_parameters(import_data({"model_type": "mixtral", **data}).architecture)
    outside = _outside(s, tied=tied)
    assert counts.total == s["layers"] * (rest + experts * expert) + outside
    assert counts.active == s["layers"] * (rest + picked * expert) + outside


@settings(max_examples=100)
@given(
    s=sizes,
    experts=st.integers(1, 300),
    shared=st.integers(0, 4),
    leading=st.integers(0, 10),
    rank=st.integers(1, 1024),
    query_rank=st.one_of(st.none(), st.integers(1, 2048)),
    rope=st.sampled_from([16, 64]),
    routed_inner=st.integers(1, 2048),
)
def test_latent_attention_with_leading_dense_layers(
    s: dict[str, int],
    experts: int,
    shared: int,
    leading: int,
    rank: int,
    query_rank: int | None,
    rope: int,
    routed_inner: int,
) -> None:
    hidden, heads = 16 * s["width"], s["groups"] * s["key_value_heads"]
    leading, picked, keys = min(leading, s["layers"]), 1 + experts // 2, s["head"] + rope
    data = {
        **_base(s, tied=False),
        "num_key_value_heads": heads,
        "q_lora_rank": query_rank,
        "kv_lora_rank": rank,
        "qk_nope_head_dim": s["head"],
        "qk_rope_head_dim": rope,
        "v_head_dim": s["head"],
        "n_routed_experts": experts,
        "num_experts_per_tok": picked,
        "n_shared_experts": shared,
        "moe_intermediate_size": routed_inner,
        "first_k_dense_replace": leading,
    }
    del data["head_dim"]
    queries = (
        hidden * heads * keys if query_rank is None else query_rank * (hidden + heads * keys) + query_rank
    )
    latent = hidden * (rank + rope) + rank + rank * heads * 2 * s["head"]
    attention = queries + latent + heads * s["head"] * hidden + 2 * hidden
    expert = 3 * hidden * routed_inner
    routed = hidden * experts + experts + shared * expert + experts * expert
    total = s["layers"] * attention + leading * 3 * hidden * s["inner"] + (s["layers"] - leading) * routed
    found = import_data({"model_type": "deepseek_v3", **data}).architecture
    assert count_parameters(found).total == total + _outside(s, tied=False)
    assert kv_bytes(found, 1) == s["layers"] * (rank + rope) * 2

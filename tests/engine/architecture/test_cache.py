"""The KV cache: monotone in the context, linear in values and sequences, bounded by windows."""

from __future__ import annotations

import math
from typing import Any

import pytest
from architecture_cases import architectures
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_cases import LLAMA_8B

from engine.architecture.cache import STATE_BYTES, cache_kinds, kv_bytes, state_bytes
from engine.plan.architecture import Architecture, LayerGroup

contexts = st.integers(0, 1_000_000)


@settings(max_examples=200)
@given(a=architectures(), shorter=contexts, longer=contexts, windows=st.booleans())
def test_a_longer_context_never_takes_less(a: Architecture, shorter: int, longer: int, windows: bool) -> None:
    shorter, longer = sorted((shorter, longer))
    less, more = (kv_bytes(a, n, honour_windows=windows) for n in (shorter, longer))
    assert 0 <= less <= more < math.inf


@settings(max_examples=100)
@given(a=architectures(), tokens=contexts, sequences=st.integers(1, 512))
def test_sequences_and_bytes_a_value_multiply(a: Architecture, tokens: int, sequences: int) -> None:
    one = kv_bytes(a, tokens)
    kinds = cache_kinds(a)
    batch = sum(
        2.0 * k.layers * k.values * sequences * (min(tokens, k.window) if k.window else tokens) for k in kinds
    )
    assert batch == pytest.approx(sequences * one)
    assert kv_bytes(a, tokens, value_bytes=1.0) * 2 == one


@settings(max_examples=100)
@given(a=architectures(), tokens=contexts)
def test_windows_only_ever_save(a: Architecture, tokens: int) -> None:
    kept, whole = kv_bytes(a, tokens), kv_bytes(a, tokens, honour_windows=False)
    assert kept <= whole
    assert whole == pytest.approx(tokens * kv_bytes(a, 1, honour_windows=False))
    assert kv_bytes(a, 1) == kv_bytes(a, 1, honour_windows=False)


@settings(max_examples=100)
@given(a=architectures())
def test_encoders_keep_nothing_and_states_are_never_negative(a: Architecture) -> None:
    encoder = a.model_copy(update={"kind": "encoder", "layer_groups": ()})
    assert kv_bytes(encoder, 1000) == 0
    assert 0 <= state_bytes(a) < math.inf


def shape(**changes: Any) -> Architecture:
    return Architecture(**{**LLAMA_8B, **changes})


def test_grouped_heads() -> None:
    assert kv_bytes(shape(), 1) == 32 * 2 * 8 * 128 * 2
    assert kv_bytes(shape(num_key_value_heads=1), 1) == 32 * 2 * 128 * 2
    assert kv_bytes(shape(num_key_value_heads=None), 1) == 32 * 2 * 32 * 128 * 2


def test_layers_of_their_own_heads_windows_and_none() -> None:
    groups = (
        LayerGroup(count=10, num_key_value_heads=2),
        LayerGroup(count=10, sliding_window=512),
        LayerGroup(count=10, mixer="mamba"),
        LayerGroup(count=2, shares_cache=True),
    )
    a = shape(layer_groups=groups, state_space={"inner_size": 100, "state_size": 16, "conv_kernel": 4})
    assert kv_bytes(a, 4096) == 4 * 128 * (10 * 2 * 4096 + 10 * 8 * 512)
    assert state_bytes(a) == STATE_BYTES * 10 * 100 * (16 + 3)


def test_the_state_does_not_grow_with_anything_of_attention() -> None:
    assert state_bytes(shape()) == 0

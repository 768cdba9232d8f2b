"""Operations of a token: two a weight, attention by pairs of tokens, the output head."""

from __future__ import annotations

import math
from typing import Any

import pytest
from architecture_cases import architectures
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_cases import LLAMA_8B

from engine.architecture.operations import count_operations
from engine.plan.architecture import Architecture


def shape(**changes: Any) -> Architecture:
    return Architecture(**{**LLAMA_8B, **changes})


def test_llama_3_1_8b() -> None:
    found = count_operations(shape(), 8192.0)
    assert found.linear == 2 * (8_030_261_248 - 2 * 128_256 * 4096 - 65 * 4096)
    assert found.logits == 2 * 128_256 * 4096
    # Half of all pairs, each 2 FLOP a channel of keys and of values, in every head and layer.
    assert found.attention == 2 * 32 * 32 * (128 + 128) * 8192 / 2
    assert found.training == 3 * found.forward


@settings(max_examples=100)
@given(a=architectures(), shorter=st.integers(1, 10**6), longer=st.integers(1, 10**6))
def test_longer_sequences_never_take_fewer(a: Architecture, shorter: int, longer: int) -> None:
    shorter, longer = sorted((shorter, longer))
    less, more = (count_operations(a, float(n)) for n in (shorter, longer))
    assert 0 <= less.attention <= more.attention * (1 + 1e-12) < math.inf
    assert (less.linear, less.logits) == (more.linear, more.logits)


def test_a_window_bounds_the_pairs() -> None:
    windowed, whole = count_operations(shape(sliding_window=512), 1e6), count_operations(shape(), 1e6)
    assert windowed.attention == pytest.approx(whole.attention * 512 / 5e5, rel=1e-3)
    short = (count_operations(shape(sliding_window=512), 512.0), count_operations(shape(), 512.0))
    assert short[0] == short[1]


def test_encoders_compare_every_pair() -> None:
    found = count_operations(shape(kind="encoder"), 512.0)
    assert found.attention == 2 * count_operations(shape(), 512.0).attention


def test_only_the_experts_a_token_is_routed_to_work() -> None:
    experts = {"num_experts": 8, "moe_intermediate_size": 1024}
    one, two = (count_operations(shape(**experts, num_experts_per_tok=n), 1.0).linear for n in (1, 2))
    assert two - one == 2 * 32 * 3 * 4096 * 1024

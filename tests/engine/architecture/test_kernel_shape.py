"""What the performance kernels see of a network."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from architecture_cases import architectures
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.architecture.cache import kv_bytes
from engine.architecture.counting import count_parameters
from engine.architecture.kernel_shape import model_shape
from engine.architecture.operations import count_operations
from engine.catalog import Preset, load_presets
from engine.performance.flops import seen_tokens, token_flops
from engine.plan.architecture import Architecture


@settings(max_examples=100)
@given(a=architectures())
def test_kernels_get_finite_figures_that_are_not_negative(a: Architecture) -> None:
    shape = model_shape(a)
    for item in fields(shape):
        value = getattr(shape, item.name)
        if isinstance(value, float):
            assert 0 <= value < math.inf, item.name


@pytest.mark.parametrize("preset", load_presets().values(), ids=lambda preset: preset.name)
def test_counts_and_cache_are_those_of_the_network(preset: Preset) -> None:
    a = preset.architecture
    shape, counts = model_shape(a), count_parameters(a)
    assert shape.counted is not None
    assert (shape.counted.total, shape.counted.active) == (counts.total, counts.active)
    cached = sum(kind.layers * kind.cached_values for kind in shape.attention_kinds)
    assert 2 * cached == kv_bytes(a, 1)


@settings(max_examples=300)
@given(a=architectures(), tokens=st.sampled_from([1.0, 100.0, 5000.0, 131072.0]))
def test_kernels_count_what_the_import_shows(a: Architecture, tokens: float) -> None:
    """One formula: FLOPs and KV cache of the kernels are those of the import dialog, for any network."""
    shape, shown = model_shape(a), count_operations(a, tokens)
    counted = token_flops(shape, tokens)
    assert float(counted.linear) == pytest.approx(shown.linear, rel=1e-12)
    assert float(counted.attention) == pytest.approx(shown.attention, rel=1e-9, abs=1e-6)
    assert float(counted.logits) == pytest.approx(shown.logits, rel=1e-12)
    kept = sum(k.layers * k.cached_values * float(seen_tokens(k, tokens)) for k in shape.attention_kinds)
    assert 2.0 * kept == pytest.approx(kv_bytes(a, tokens), rel=1e-12)

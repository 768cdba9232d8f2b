"""Parameter counts and FLOPs against published models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.performance.flops import count_parameters, token_flops
from engine.performance.inputs import ModelShape

LLAMA_8B = ModelShape(4096.0, 32.0, 32.0, 8.0, 128.0, 14336.0, 128256.0)
LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
LLAMA_405B = ModelShape(16384.0, 126.0, 128.0, 8.0, 128.0, 53248.0, 128256.0)
MIXTRAL = ModelShape(
    4096.0,
    32.0,
    32.0,
    8.0,
    128.0,
    14336.0,
    32000.0,
    num_experts=8.0,
    num_experts_per_tok=2.0,
    moe_intermediate_size=14336.0,
)
DEEPSEEK_V3 = ModelShape(
    7168.0,
    61.0,
    128.0,
    128.0,
    128.0,
    18432.0,
    129280.0,
    num_experts=256.0,
    num_experts_per_tok=8.0,
    moe_intermediate_size=2048.0,
    shared_expert_intermediate_size=2048.0,
    first_k_dense_replace=3.0,
    q_lora_rank=1536.0,
    kv_lora_rank=512.0,
    qk_nope_head_dim=128.0,
    qk_rope_head_dim=64.0,
    v_head_dim=128.0,
)


# Sizes of the published checkpoints (their tensors' element counts).
@pytest.mark.parametrize(
    ("model", "total"),
    [
        (LLAMA_8B, 8_030_261_248),
        (LLAMA_70B, 70_553_706_496),
        (LLAMA_405B, 405_853_388_800),
        (MIXTRAL, 46_702_792_704),
    ],
)
def test_totals_are_exact(model: ModelShape, total: int) -> None:
    assert count_parameters(model).total == total


def test_active_parameters_of_mixtures() -> None:
    assert count_parameters(MIXTRAL).active == pytest.approx(12.88e9, rel=1e-3)
    # The DeepSeek-V3 report says 671B in all and 37B active; its 37B leave the input embedding out.
    deepseek = count_parameters(DEEPSEEK_V3)
    assert deepseek.total == pytest.approx(671e9, rel=1e-3)
    assert deepseek.active - deepseek.embedding == pytest.approx(37e9, rel=0.02)


def test_dense_networks_are_all_active() -> None:
    counts = count_parameters(LLAMA_8B)
    assert counts.active == counts.total
    assert counts.experts == counts.router == counts.shared_experts == 0


def test_tied_embeddings_save_one_matrix() -> None:
    tied = count_parameters(replace(LLAMA_8B, tie_word_embeddings=1.0))
    assert count_parameters(LLAMA_8B).total - tied.total == 128256 * 4096
    # The output head is still computed with.
    assert token_flops(replace(LLAMA_8B, tie_word_embeddings=1.0), 8192.0).logits == 2 * 128256 * 4096


def test_training_flops_of_llama_70b() -> None:
    # By hand: 6 FLOP a weight in the 80 layers, causal attention 6*L*h*s, logits 6*h*V.
    layer = 8192 * 8192 * 2 + 8192 * 1024 * 2 + 3 * 8192 * 28672
    by_hand = 6 * 80 * layer + 6 * 80 * 8192 * 8192 + 6 * 8192 * 128256
    assert token_flops(LLAMA_70B, 8192.0).training == pytest.approx(by_hand, rel=1e-12)


def test_flops_of_gpt3_match_the_papers_formula() -> None:
    # arXiv 2104.04473 equation 3, 96*B*s*L*h^2*(1 + s/6h + V/16Lh) with recomputation, so 72 without it,
    # and non-causal: s/6h counts the masked half as well.
    hidden, layers, sequence, vocabulary = 12288, 96, 2048, 51200
    model = ModelShape(
        float(hidden), float(layers), 96.0, 96.0, 128.0, 4.0 * hidden, float(vocabulary), gated_mlp=0.0
    )
    flops = token_flops(model, float(sequence))
    published = 72 * layers * hidden**2 * (1 + sequence / (6 * hidden) + vocabulary / (12 * layers * hidden))
    assert flops.training + 3 * flops.attention == pytest.approx(published, rel=1e-3)


@given(st.integers(1, 64), st.integers(0, 64), st.integers(1, 8))
def test_components_add_up(experts: int, dense_layers: int, active: int) -> None:
    model = replace(
        MIXTRAL,
        num_experts=float(experts),
        num_experts_per_tok=float(min(active, experts)),
        first_k_dense_replace=float(min(dense_layers, 32)),
        shared_expert_intermediate_size=1024.0,
    )
    counts = count_parameters(model)
    parts = (
        counts.embedding
        + counts.output_head
        + counts.attention
        + counts.mlp
        + counts.experts
        + counts.shared_experts
        + counts.router
        + counts.norms
    )
    assert counts.total == pytest.approx(parts, rel=1e-14)
    assert counts.active <= counts.total
    assert counts.total - counts.active == pytest.approx(counts.experts - counts.active_experts)


def test_rows_broadcast() -> None:
    layers = np.array([[16.0], [32.0]])
    width = np.array([2048.0, 4096.0, 8192.0])
    counts = count_parameters(replace(LLAMA_8B, num_hidden_layers=layers, hidden_size=width))
    assert np.shape(counts.total) == (2, 3)
    assert counts.total[1, 1] == 8_030_261_248  # type: ignore[index]

"""Faults other tools had with model configurations, each named by its report, with the right value."""

from __future__ import annotations

from typing import Any

import pytest
from config_cases import config

from engine.architecture.cache import kv_bytes
from engine.architecture.counting import count_parameters
from engine.architecture.kernel_shape import model_shape
from engine.errors import InputError
from engine.importers.hf_config import import_data
from engine.importers.hf_config.summary import summarise
from engine.performance.inputs import Hardware, LayoutInputs, TrainingRun
from engine.performance.memory import training_memory
from engine.plan.architecture import Architecture

GIB = 2**30
H100 = Hardware(989.4e12, 989.4e12, 79.65 * GIB, 3.35e12, 450e9, 8.0, 50e9, 8.0)


def shape(name: str, **changes: Any) -> Architecture:
    return import_data(config(name, **changes)).architecture


def summary(data: dict[str, Any], **options: Any) -> dict[str, Any]:
    return summarise(import_data(data), render=lambda message: message.render(), **options)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", None])
def test_b01_16_bit_weights_do_not_depend_on_the_files_own_type(dtype: str | None) -> None:
    """huggingface/accelerate#3379: the type in the file was applied twice."""
    found = summary(config("meta-llama/Meta-Llama-3.1-70B", torch_dtype=dtype))
    assert found["weight_bytes"]["bf16"] == 141_107_412_992


def test_b03_gated_mlps_have_three_matrices() -> None:
    """EleutherAI/cookbook#36: a network of 72 B was shown as 56 B."""
    gated = count_parameters(shape("Qwen/Qwen1.5-72B"))
    assert gated.total == 72_287_920_128
    plain = shape("Qwen/Qwen1.5-72B").model_copy(update={"gated_mlp": False})
    assert count_parameters(plain).mlp * 3 == gated.mlp * 2
    assert count_parameters(plain).total == pytest.approx(56.19e9, rel=0.001)


@pytest.mark.parametrize("key_value_heads", [1, 8, 128])
def test_b05_latent_attention_caches_the_latent(key_value_heads: int) -> None:
    """unslothai/unsloth#4757: sized by key-value heads, five times too low or far too high."""
    found = shape("deepseek-ai/DeepSeek-V3", num_key_value_heads=key_value_heads)
    assert kv_bytes(found, 1) == 61 * (512 + 64) * 2 == 70_272
    assert kv_bytes(found, 163_840) / GIB == pytest.approx(10.72, abs=0.005)


def test_b07_windowed_layers_cache_too() -> None:
    """alvarobartt/hf-mem#60: sliding layers were left out."""
    found = shape("openai/gpt-oss-120b")
    assert kv_bytes(found, 1) == 36 * 2048 == 73_728
    assert kv_bytes(found, 131_072) == 4_836_556_800


def test_b09_the_files_head_size_counts() -> None:
    """aws-neuron/neuronx-distributed-inference#9: hidden size over heads, whatever the file gave."""
    found = shape("mistralai/Mistral-Nemo-Base-2407")
    assert kv_bytes(found, 1) == 163_840
    assert count_parameters(found).total == 12_247_782_400


def test_b11_routed_experts_are_split_over_expert_ranks() -> None:
    """NVIDIA/Megatron-LM#4050: they were divided by the tensor-parallel size."""
    found = shape("Qwen/Qwen3-30B-A3B")
    counts = count_parameters(found)
    assert (counts.dense, counts.experts) == (1_541_093_376, 28_991_029_248)
    run = TrainingRun(4096.0, 4096.0 * 64, 0.0, 8.0)
    weights = {
        expert: float(
            training_memory(
                model_shape(found), LayoutInputs(1.0, 1.0, 1.0, expert, 1.0, 1.0, 0.0, 0.0), run, H100
            ).weights
        )
        for expert in (1.0, 8.0)
    }
    assert weights == {1.0: 61_064_245_248, 8.0: 10_329_944_064}


def test_b15_layers_of_a_list_are_counted_by_the_list() -> None:
    """tmac1973/llama-toolchest PR#58: hybrid layers read as one number, 40 times over or zero."""
    listed = (["mamba", "moe", "mamba", "attention", "moe", "mamba"] * 18)[:108]
    data = config("nvidia/NVIDIA-Nemotron-Nano-9B-v2", layers_block_type=listed)
    experts = {
        "n_routed_experts": 8,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 512,
        "moe_shared_expert_intermediate_size": 512,
    }
    for key in ("num_hidden_layers", "hybrid_override_pattern"):
        del data[key]
    found = import_data({**data, **experts}).architecture
    assert found.num_hidden_layers == 108
    assert kv_bytes(found, 1) == listed.count("attention") * 2 * 8 * 128 * 2


def test_b15_layers_that_differ_are_counted_one_by_one() -> None:
    """tobocop2/lilbee PR#721: heads and MLP sizes a layer of a pruned network."""
    found = shape("nvidia/Llama-3_3-Nemotron-Super-49B-v1")
    assert found.num_hidden_layers == 80
    assert kv_bytes(found, 1) == 49 * 2 * 8 * 128 * 2


KV_FIGURES = [
    ("meta-llama/Meta-Llama-3.1-8B", 1, True, 131_072),
    ("meta-llama/Meta-Llama-3.1-8B", 1, False, 131_072),
    ("deepseek-ai/DeepSeek-V3", 1, True, 70_272),
    ("google/gemma-3-27b-it", 131_072, True, 11_173_625_856),
    ("google/gemma-3-27b-it", 131_072, False, 62 * GIB),
    ("openai/gpt-oss-120b", 1, True, 73_728),
    ("openai/gpt-oss-120b", 131_072, True, 4_836_556_800),
    ("openai/gpt-oss-120b", 131_072, False, 73_728 * 131_072),
    ("mistralai/Mistral-Nemo-Base-2407", 1, True, 163_840),
]


@pytest.mark.parametrize(("name", "tokens", "windows", "expected"), KV_FIGURES)
def test_cache_of_known_networks(name: str, tokens: int, windows: bool, expected: int) -> None:
    found = summary(config(name), context=tokens, honour_windows=windows)["kv_bytes"]
    assert found["at_context"] == expected
    assert found["context"] == tokens and found["honours_windows"] is windows
    halved = summary(config(name), context=tokens, honour_windows=windows, value_bytes=1.0)
    assert halved["kv_bytes"]["at_context"] == expected // 2


def test_encoders_keep_no_cache() -> None:
    found = shape("BAAI/bge-m3")
    assert found.kind == "encoder"
    assert kv_bytes(found, 8192) == 0


def test_networks_without_attention_keep_a_state_only() -> None:
    found = summary(config("state-spaces/mamba-2.8b-hf"))["kv_bytes"]
    assert found["at_context"] == 0
    assert found["state_bytes"] == 64 * 5120 * (16 + 3) * 4


def test_fields_that_lack_are_named_all_at_once() -> None:
    with pytest.raises(InputError) as caught:
        import_data({"model_type": "unheard-of", "hidden_size": 64})
    for name in ("num_hidden_layers", "vocab_size"):
        assert name in caught.value.field


def test_a_type_nobody_prepared_for_states_what_it_guesses() -> None:
    known = config("meta-llama/Meta-Llama-3.1-8B")
    found = import_data({**known, "model_type": "unheard-of"})
    assert count_parameters(found.architecture).total == 8_030_261_248
    assert any(item.affects_counts for item in found.assumed)
    assert not found.is_exact


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"context": 0}, "--context"),
        ({"context": -5}, "--context"),
        ({"context": 10**10}, "--context"),
        ({"value_bytes": 0.0}, "--kv-bytes"),
        ({"value_bytes": -1.0}, "--kv-bytes"),
        ({"value_bytes": float("nan")}, "--kv-bytes"),
        ({"value_bytes": float("inf")}, "--kv-bytes"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        summary(config("openai-community/gpt2"), **options)
    assert caught.value.field == field

"""Files that are damaged, absurd or no configuration: a clear refusal, never a traceback or a bad count."""

from __future__ import annotations

import copy
import json
import math
import time
from typing import Any

import pytest
from config_cases import config
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.architecture.counting import count_parameters
from engine.errors import InputError
from engine.importers.hf_config import read_config
from engine.importers.hf_config.parsing import MAX_BYTES
from engine.importers.hf_config.summary import COMPONENTS, summarise

BASES = tuple(
    config(name)
    for name in (
        "meta-llama/Meta-Llama-3.1-8B",
        "mistralai/Mixtral-8x7B-v0.1",
        "deepseek-ai/DeepSeek-V3",
        "google/gemma-3-27b-it",
        "openai/gpt-oss-20b",
        "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        "ai21labs/Jamba-v0.1",
        "moonshotai/Kimi-Linear-48B-A3B-Instruct",
        "Qwen/Qwen3-VL-2B-Instruct",
        "databricks/dbrx-base",
        "google/flan-t5-xl",
        "BAAI/bge-m3",
    )
)

numbers = st.one_of(
    st.integers(-3, 9),
    st.sampled_from([-1, 0, 10**6, 10**9, 10**12, 10**18, 2**63, 10**40, -(10**18)]),
    st.sampled_from([0.5, 4096.0, -0.0, 1e-300, 1e18, 1e308, math.nan, math.inf, -math.inf]),
)
words = st.sampled_from(["", "4096", "llama", "mamba", "none", "M", "*-E", "LLLG", "ü", "\x00", "x" * 5000])
plain = st.one_of(st.none(), st.booleans(), numbers, words)
values = st.one_of(
    plain,
    st.lists(plain, max_size=4),
    st.sampled_from([{}, [], [[]], [{}], [None], {"hidden_size": 64}, ["full_attention"] * 10_001]),
    st.integers(33, 60).map(lambda depth: json.loads("[" * depth + "]" * depth)),
)


def _paths(data: dict[str, Any], before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for key, value in data.items():
        found.append((*before, key))
        if isinstance(value, dict):
            found += _paths(value, (*before, key))
    return found


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A known file with one to three keys replaced, removed, moved or nested."""
    data = copy.deepcopy(draw(st.sampled_from(BASES)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(_paths(data) or [("hidden_size",)]))
        inside: Any = data
        for part in path[:-1]:
            inside = inside[part]
        action = draw(st.sampled_from(["set", "set", "set", "remove", "nest", "element", "type"]))
        _damage(draw, inside, path[-1], action)
    return json.dumps(data)


def _damage(draw: st.DrawFn, inside: dict[str, Any], key: str, action: str) -> None:
    value = inside.get(key)
    if action == "remove":
        inside.pop(key, None)
    elif action == "nest":
        inside[key] = draw(st.sampled_from([{key: value}, [value], {"text_config": value}]))
    elif action == "element" and isinstance(value, list) and value:
        inside[key] = [*value[1:], draw(plain)] if draw(st.booleans()) else value[: len(value) // 2]
    elif action == "type":
        inside["model_type"] = draw(
            st.sampled_from(["llama", "mixtral", "t5", "mamba", "bert", "gemma3", "nobody", "", "flopwise"])
        )
    else:
        # A copy: the next change must not reach into what other examples share.
        inside[key] = copy.deepcopy(draw(values))


@settings(max_examples=2000)
@given(text=damaged())
def test_a_damaged_file_is_refused_or_counted_sanely(text: str) -> None:
    try:
        found = read_config(text)
        data = summarise(found, render=lambda message: message.render())
    except InputError:
        return
    counts = count_parameters(found.architecture)
    assert all(getattr(counts, name) >= 0 for name in COMPONENTS)
    assert counts.total > 0 and counts.active >= 0
    assert all(value >= 0 for value in data["flops_per_token"].values())
    assert min(data["kv_bytes"][k] for k in ("per_token", "at_context", "state_bytes")) >= 0
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "null",
        "[]",
        "[{}]",
        "3",
        '"llama"',
        "true",
        "{",
        '{"hidden_size": }',
        "{'a': 1}",
        "\x00",
        "NaN",
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(text)
    assert caught.value.field == "config.json"


def test_an_empty_object_lacks_everything() -> None:
    with pytest.raises(InputError) as caught:
        read_config("{}")
    assert "hidden_size" in caught.value.field and "vocab_size" in caught.value.field


def test_a_key_that_stands_twice_is_named() -> None:
    text = json.dumps(config("meta-llama/Meta-Llama-3.1-8B"))
    with pytest.raises(InputError) as caught:
        read_config(text[:-1] + ', "hidden_size": 8192}')
    assert caught.value.field == "hidden_size"


@pytest.mark.parametrize("depth", [40, 1_000, 100_000])
@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(depth: int, left: str, right: str) -> None:
    inner = left * depth + ("1" if left != "[" else "") + right * depth
    start = time.process_time()
    with pytest.raises(InputError):
        read_config('{"model_type": "llama", "x": ' + inner + "}")
    assert time.process_time() - start < 1.0


def test_a_file_that_is_too_long_is_refused_at_once() -> None:
    text = json.dumps({**config("meta-llama/Meta-Llama-3.1-8B"), "x": "y" * MAX_BYTES})
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        read_config(text)
    assert time.process_time() - start < 0.5
    assert len(str(caught.value)) < 500


def test_the_limit_counts_bytes_not_letters() -> None:
    with pytest.raises(InputError):
        read_config(json.dumps({"x": "语" * (MAX_BYTES // 3 + 1)}, ensure_ascii=False))


BAD = [
    ("hidden_size", "4096"),
    ("hidden_size", -4096),
    ("hidden_size", 0),
    ("hidden_size", 4096.5),
    ("hidden_size", True),
    ("hidden_size", [4096, 8192]),
    ("hidden_size", 10**18),
    ("hidden_size", math.nan),
    ("num_hidden_layers", math.inf),
    ("num_hidden_layers", 0),
    ("num_hidden_layers", 10**9),
    ("num_attention_heads", 0),
    ("num_key_value_heads", 7),
    ("num_key_value_heads", "8"),
    ("vocab_size", 1),
    ("vocab_size", None),
    ("intermediate_size", -1),
    ("tie_word_embeddings", "false"),
]


@pytest.mark.parametrize(("key", "value"), BAD)
def test_a_bad_value_is_refused_by_its_key(key: str, value: Any) -> None:
    text = json.dumps(config("meta-llama/Meta-Llama-3.1-8B", **{key: value}))
    with pytest.raises(InputError) as caught:
        read_config(text)
    assert key in caught.value.field


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**400])
def test_infinity_in_a_key_that_does_not_matter_is_read_past(value: float) -> None:
    text = json.dumps({**config("nvidia/NVIDIA-Nemotron-Nano-9B-v2"), "time_step_limit": [0.0, value]})
    assert count_parameters(read_config(text).architecture).total == 8_888_227_328


def test_a_byte_order_mark_is_read_past() -> None:
    text = json.dumps(config("openai-community/gpt2"))
    assert count_parameters(read_config("\ufeff" + text).architecture).total == 124_439_808


def test_an_integer_of_a_million_digits_is_refused() -> None:
    with pytest.raises(InputError):
        read_config('{"model_type": "llama", "hidden_size": ' + "9" * 1_000_000 + "}")

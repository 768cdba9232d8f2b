"""flopwise import-model: what it prints, in both languages, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gui import cli
from tests.gui.answers import Answer, Run

LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
GEMMA = {
    "model_type": "gemma3_text",
    "hidden_size": 5376,
    "num_hidden_layers": 62,
    "num_attention_heads": 32,
    "num_key_value_heads": 16,
    "head_dim": 128,
    "intermediate_size": 21504,
    "vocab_size": 262208,
    "sliding_window": 1024,
    "sliding_window_pattern": 6,
    "max_position_embeddings": 131072,
}
MAMBA = {
    "model_type": "mamba",
    "hidden_size": 2560,
    "num_hidden_layers": 64,
    "intermediate_size": 5120,
    "state_size": 16,
    "conv_kernel": 4,
    "expand": 2,
    "time_step_rank": 160,
    "use_conv_bias": True,
    "vocab_size": 50280,
    "tie_word_embeddings": True,
}
UNHEARD = {**LLAMA, "model_type": "unheard-of"}
KEYS = {
    "model_type",
    "architecture",
    "parameters_total",
    "parameters_active",
    "parameters_text",
    "parameters",
    "active_convention",
    "flops_per_token",
    "weight_bytes",
    "weight_formats",
    "kv_bytes",
    "read",
    "assumed",
    "unsupported",
}


Ask = Callable[..., Answer]


@pytest.fixture
def ask(run: Run, tmp_path: Path) -> Ask:
    """Run import-model on a config in a file, or on what stands on standard input for "-"."""

    def command(config: Any, *options: str, stdin: bytes = b"") -> Answer:
        source = config if isinstance(config, str) else str(_written(tmp_path, config))
        answer = run("import-model", source, *options, stdin=stdin)
        assert "Traceback" not in answer.err + answer.out
        return answer

    return command


def _written(folder: Path, config: Any) -> Path:
    path = folder / "my-model" / "config.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(config if isinstance(config, bytes) else json.dumps(config).encode())
    return path


def refused(answer: Answer, *words: str) -> None:
    """Exit 2, nothing on standard output, one line that says these words."""
    assert answer.code == 2 and answer.out == ""
    assert answer.err.startswith("flopwise: ") and answer.err.count("\n") == 1 and len(answer.err) < 600
    for word in words:
        assert word in answer.err


def test_json_has_the_keys_scripts_rely_on(ask: Ask) -> None:
    answer = ask(LLAMA, "--json")
    assert answer.code == 0 and answer.err == ""
    data = answer.data
    assert data.keys() >= KEYS
    assert data["parameters_total"] == data["parameters_active"] == 8_030_261_248
    assert data["architecture"]["model_name"] == "my-model"
    assert data["architecture"]["hidden_size"] == 4096
    assert data["weight_bytes"] == {
        "bf16": 16_060_522_496,
        "fp8": 8_030_261_248,
        "as_published": 16_060_522_496,
    }
    assert data["kv_bytes"]["per_token"] == 131_072
    assert data["kv_bytes"]["context"] == 131_072
    assert data["kv_bytes"]["at_context"] == 2**34
    assert data["unsupported"] == []
    assert not any(item["affects_counts"] for item in data["assumed"])
    read = {item["field"]: item["key"] for item in data["read"]}
    assert read["hidden_size"] == "hidden_size"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--context", "131072"), 11_173_625_856),
        ((), 11_173_625_856),
        (("--context", "131072", "--ignore-windows"), 62 * 2**30),
        (("--context", "131072", "--kv-bytes", "1"), 11_173_625_856 // 2),
        (("--context", "1"), 62 * 2 * 16 * 128 * 2),
    ],
)
def test_context_windows_and_bytes_are_chosen(ask: Ask, options: tuple[str, ...], expected: int) -> None:
    assert ask(GEMMA, "--json", *options).data["kv_bytes"]["at_context"] == expected


def test_a_folder_is_read_by_its_config(ask: Ask, tmp_path: Path) -> None:
    path = _written(tmp_path, LLAMA)
    assert ask(str(path.parent), "--json").data == ask(LLAMA, "--json").data


def test_standard_input_is_read(ask: Ask) -> None:
    data = ask("-", "--json", stdin=json.dumps(LLAMA).encode()).data
    assert data["parameters_total"] == 8_030_261_248
    assert data["architecture"]["model_name"] == ""


def test_a_byte_order_mark_is_read_past(ask: Ask) -> None:
    assert ask("-", "--json", stdin=b"\xef\xbb\xbf" + json.dumps(LLAMA).encode()).code == 0


def test_text_for_people(ask: Ask) -> None:
    out = ask(LLAMA).out
    assert "8,030,261,248" in out and "131,072" in out
    assert "counts depend on it" not in out and "Not supported" not in out


def test_text_says_what_was_assumed(ask: Ask) -> None:
    out = ask(UNHEARD).out
    assert "Assumed: Gated MLP = yes" in out and "(counts depend on it)" in out


def test_text_of_a_network_without_attention(ask: Ask) -> None:
    out = ask(MAMBA).out
    assert "Recurrent state of a sequence: 24,903,680 bytes" in out


def test_chinese(ask: Ask) -> None:
    english, chinese = ask(UNHEARD), ask(UNHEARD, "--lang", "zh_CN")
    assert chinese.code == 0
    assert "8,030,261,248" in chinese.out
    for word in ("Parameters:", "Assumed:", "Weights", "KV cache", "counts depend"):
        assert word in english.out
        assert word not in chinese.out
    assert len(chinese.out.splitlines()) == len(english.out.splitlines())
    for line in chinese.out.splitlines()[1:]:
        assert any("\u4e00" <= letter <= "\u9fff" for letter in line), line


def test_chinese_reasons_in_json_and_in_errors(ask: Ask) -> None:
    data = ask(UNHEARD, "--json", "--lang", "zh_CN").data
    assert data["assumed"]
    for item in data["assumed"]:
        assert any("\u4e00" <= letter <= "\u9fff" for letter in item["why"]), item
    answer = ask({**LLAMA, "hidden_size": "4096"}, "--lang", "zh_CN")
    assert answer.code == 2 and "hidden_size" in answer.err
    assert any("\u4e00" <= letter <= "\u9fff" for letter in answer.err)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ("config.json",)),
        (b"not json", ("config.json",)),
        (b"[]", ("config.json",)),
        (b"{}", ("hidden_size", "vocab_size")),
        (b"\xff\xfe\x00", ("UTF-8",)),
        (b'{"hidden_size": 1, "hidden_size": 2}', ("hidden_size",)),
        ({**LLAMA, "hidden_size": "4096"}, ("hidden_size", "4096")),
        ({**LLAMA, "num_hidden_layers": -1}, ("num_hidden_layers", "-1")),
        ({**LLAMA, "num_hidden_layers": 10**9}, ("num_hidden_layers",)),
        (b" " * (8 * 2**20 + 1), ("config.json",)),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, ("config.json",)),
    ],
    ids=range(11),
)
def test_what_cannot_be_read_is_refused(ask: Ask, content: Any, words: tuple[str, ...]) -> None:
    refused(ask(content), *words)
    refused(ask(content, "--json"), *words)


def test_a_file_that_is_not_there_is_refused(ask: Ask, tmp_path: Path) -> None:
    refused(ask(str(tmp_path / "nowhere.json")), "nowhere.json")
    refused(ask(str(tmp_path)), "CONFIG")
    refused(ask("\x00"), "CONFIG")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--context", "0"), "--context"),
        (("--context", "-1"), "--context"),
        (("--context", "many"), "--context"),
        (("--context", "1e3"), "--context"),
        (("--context", "99999999999"), "--context"),
        (("--kv-bytes", "0"), "--kv-bytes"),
        (("--kv-bytes", "-2"), "--kv-bytes"),
        (("--kv-bytes", "nan"), "--kv-bytes"),
        (("--kv-bytes", "inf"), "--kv-bytes"),
        (("--lang", "xx"), "--lang"),
        (("--unheard-of",), "--unheard-of"),
    ],
)
def test_impossible_options_are_refused(ask: Ask, options: tuple[str, ...], word: str) -> None:
    refused(ask(LLAMA, *options), word)


def test_no_file_named_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["import-model"])
    assert stopped.value.code == 2
    assert "config" in capsys.readouterr().err.lower()

"""Spellings in published serving tables."""

from __future__ import annotations

import pytest

from engine.catalog import load_catalog
from engine.performance.serving_constants import ENGINES
from engine.validation.serving_cases import (
    engine_name,
    read_format,
    serving_hardware,
    serving_row,
    serving_source,
)
from engine.validation.tables import DataRow, RowProblem

CATALOG = load_catalog()


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [("FP8", "fp8"), ("fp4", "nvfp4"), ("mxfp4", "mxfp4"), ("AWQ", "int4"), ("fp16", "fp16"), ("", "bf16")],
)
def test_formats(spelling: str, expected: str) -> None:
    assert read_format(spelling, "bf16") == expected


def test_a_format_nobody_knows_is_a_problem_of_the_row() -> None:
    with pytest.raises(RowProblem, match="ternary"):
        read_format("ternary", "bf16")


@pytest.mark.parametrize(
    ("spelling", "expected", "cap"),
    [
        ("vllm-0.18.0", "vllm", 1024.0),
        ("vllm(2024)", "vllm_v0", 256.0),
        ("sglang-nightly-dev", "sglang", 2048.0),
        ("TensorRT-LLM(2024)", "trtllm", 2048.0),
        ("trtllm (mlperf v4.1)", "trtllm", 2048.0),
        ("LMDeploy 0.6", "lmdeploy", 256.0),
        ("homegrown", "other", 2048.0),
    ],
)
def test_engines_and_their_caps(spelling: str, expected: str, cap: float) -> None:
    assert engine_name(spelling.casefold()) == expected
    assert expected in (*ENGINES, "other")
    cells = {"gpu": "h100-sxm", "model": "Llama-3.3-70B", "metric": "tpot_ms", "engine": spelling}
    assert serving_row(DataRow("a", cells), CATALOG).load.max_num_seqs == cap


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("argonne-lcf/LLM-Inference-Bench@4211f5d Plots/All_results.csv", "argonne-lcf/llm-inference-bench"),
        ("TensorRT-LLM v0.20 perf-overview.md (x/TensorRT-LLM@ab)", "tensorrt-llm documentation"),
        ("silicon_sample.csv id=a (InferenceX; sglang 0.5.9)", "inferencex"),
        ("mlcommons/inference_results_v4.1 closed/AMD/x.txt", "mlcommons/inference_results_v4.1"),
        ("Some paper, arXiv 2401.12345 table 2", "arxiv 2401.12345"),
    ],
)
def test_sources(text: str, expected: str) -> None:
    assert serving_source(DataRow("a", {"source": text})) == expected


def test_four_bits_without_tensor_cores_for_them_run_at_half_the_16_bit_rate() -> None:
    part = CATALOG.accelerator("h100-sxm")
    found = serving_hardware(part, "mxfp4", CATALOG)
    assert found.peak_flops == 0.5 * float(found.peak_bf16_flops)
    assert serving_hardware(CATALOG.accelerator("b200"), "nvfp4", CATALOG).peak_flops > found.peak_flops

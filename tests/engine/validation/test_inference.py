"""Published serving measurements: how well they are met, and that nothing measured enters a prediction."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.validation.inference import validate_inference
from engine.validation.results import ErrorSummary, ValidationResult
from tests.engine.validation.tables import write

DATA = Path(__file__).resolve().parents[3] / "engine" / "validation" / "data"
TEXT = (DATA / "inference_runs_dev.csv").read_text(encoding="utf-8")
ROWS = list(csv.DictReader(io.StringIO(TEXT)))
LLAMA_70B = {
    "id": "a",
    "group": "trtllm-v0.20",
    "model": "Llama-3.3-70B",
    "gpu": "H100-SXM",
    "tp": "4",
    "weight_dtype": "fp8",
    "kv_dtype": "fp8",
    "engine": "trtllm-0.20",
    "isl": "1000",
    "osl": "1000",
    "mode": "max_throughput",
    "metric": "output_tokens_per_s_total",
}


@pytest.fixture(scope="module")
def found() -> ValidationResult:
    return validate_inference(TEXT)


def within(group: ErrorSummary, median: float, p90: float) -> bool:
    assert group.median_abs_error is not None and group.p90_abs_error is not None
    return group.median_abs_error <= median and group.p90_abs_error <= p90


def one(**cells: str) -> float:
    return validate_inference(write([LLAMA_70B | cells])).per_row[0].predicted


def predictions(rows: list[dict[str, str]]) -> dict[str, tuple[float, float, float]]:
    return {r.id: (r.predicted, r.low, r.high) for r in validate_inference(write(rows)).per_row}


def test_every_row_of_the_published_tables_is_predicted(found: ValidationResult) -> None:
    assert found.rows == 6388 == found.predicted + len(found.skipped)
    assert found.predicted >= 0.95 * found.rows


def test_default_constants_meet_the_published_figures(found: ValidationResult) -> None:
    assert [found.groups[m].n for m in ("TPOT", "TTFT", "output tokens/s")] == [1713, 1713, 968]
    assert within(found.groups["TPOT"], 0.11, 0.30)
    assert within(found.groups["TTFT"], 0.26, 0.67)
    assert within(found.groups["output tokens/s"], 0.10, 0.33)
    assert within(found.groups["total tokens/s"], 0.11, 0.41)


def test_presets_of_engines_are_no_worse(found: ValidationResult) -> None:
    for metric in ("TPOT", "TTFT", "output tokens/s", "total tokens/s"):
        own, plain = found.calibrated[f"engine presets: {metric}"], found.groups[metric]
        assert own.median_abs_error is not None and plain.median_abs_error is not None
        assert own.n == plain.n and own.median_abs_error <= plain.median_abs_error + 0.002


def test_doubtful_rows_stand_apart(found: ValidationResult) -> None:
    doubtful = {row["id"] for row in ROWS if row["score"] != "yes"}
    assert {row.id for row in found.per_row if not row.scored} == doubtful
    assert found.overall.n == 6388 - len(doubtful)
    assert found.calibrated["score other than yes: TPOT"].n == 223


def test_bands_hold_and_are_sharp(found: ValidationResult) -> None:
    assert all(row.low < row.predicted < row.high for row in found.per_row)
    for metric in ("TPOT", "TTFT", "output tokens/s", "total tokens/s"):
        assert 0.75 <= (found.groups[metric].in_band or 0.0) <= 0.92
    widths = [row.high / row.low for row in found.per_row if "TPOT" in row.groups]
    assert np.median(widths) <= 1.8


def test_blanked_shuffled_and_renamed_rows_predict_the_same() -> None:
    rows = ROWS[::7]
    reference = predictions(rows)
    unmeasured = ("value", "note", "score", "verified")
    assert predictions([row | dict.fromkeys(unmeasured, "") for row in rows]) == reference
    assert predictions(random.Random(5).sample(rows, len(rows))) == reference
    renamed = predictions([row | {"id": f"z{n}"} for n, row in enumerate(rows)])
    assert list(renamed.values()) == list(reference.values())


def test_a_row_alone_predicts_as_among_others(found: ValidationResult) -> None:
    among = {row.id: row.predicted for row in found.per_row}
    for row in ROWS[::997]:
        assert validate_inference(write([row])).per_row[0].predicted == pytest.approx(among[row["id"]])


def test_one_bad_row_costs_only_itself() -> None:
    rows = [
        LLAMA_70B,
        LLAMA_70B | {"id": "b", "isl": "many"},
        LLAMA_70B | {"id": "c", "metric": "watts"},
        LLAMA_70B | {"id": "d", "gpu": "abacus"},
        LLAMA_70B | {"id": "e", "weight_dtype": "ternary"},
        LLAMA_70B | {"id": "f", "model": "secret"},
    ]
    found = validate_inference(write(rows))
    assert [row.id for row in found.per_row] == ["a"]
    reasons = {skip.id: skip.reason.render() for skip in found.skipped}
    words = {"b": "isl", "c": "watts", "d": "abacus", "e": "ternary", "f": "parameters"}
    assert reasons.keys() == words.keys() and all(word in reasons[key] for key, word in words.items())


def test_without_an_accelerator_column_nothing_can_be_said() -> None:
    with pytest.raises(InputError, match="gpu"):
        validate_inference("model,value\nLlama-3.3-70B,1\n")


def test_blanks_are_filled_and_a_known_network_needs_no_sizes() -> None:
    # TensorRT-LLM v0.20 perf-overview.md: 7,435.65 tokens/s on four H100
    assert one() == pytest.approx(7435.65, rel=0.15)
    # Blank lengths are 1,024; no accelerators stated, one.
    assert one(isl="", osl="") == one(isl="1024", osl="1024")
    assert one(tp="", n_gpus_per_instance="4") == one()


def test_replicas_multiply_throughput_and_share_clients() -> None:
    # Four instances share one run of requests, so that each fills its batches a little less evenly.
    assert one(n_gpus_total="16", n_gpus_per_instance="4") == pytest.approx(4.0 * one(), rel=0.2)
    loop = {"mode": "continuous", "concurrency_or_batch": "64", "metric": "tpot_ms"}
    four = {**loop, "n_gpus_total": "16", "n_gpus_per_instance": "4", "concurrency_or_batch": "256"}
    assert one(**four) == one(**loop)


def test_a_request_rate_fills_as_much_as_it_needs() -> None:
    rate = {"mode": "continuous", "metric": "output_tokens_per_s_total"}
    assert one(**rate, request_rate="2") == pytest.approx(2000.0, rel=1e-3)
    slow, fast = (one(request_rate=r, metric="tpot_ms", mode="") for r in ("1", "4"))
    assert slow < fast


def test_a_server_keeps_its_scenarios_limits() -> None:
    cells = {"model": "Llama-2-70B", "isl": "294", "osl": "293", "metric": "tpot_ms"}
    server, interactive = (one(mode=f"mlperf_{name}", **cells) for name in ("server", "interactive"))
    assert interactive < 40.0 < server < 200.0
    served, offline = (
        one(**{**cells, "mode": m, "metric": LLAMA_70B["metric"]}) for m in ("mlperf_server", "")
    )
    assert served <= 1.05 * offline


def test_a_guessed_cache_format_is_what_the_engine_was_told() -> None:
    loop = {"mode": "continuous", "concurrency_or_batch": "256", "metric": "tpot_ms", "kv_dtype": "fp8?"}
    told, silent = {**loop, "group": "inferencex"}, {**loop, "group": "sweep"}
    for engine in ("trtllm-1.0", "vllm-0.11"):
        assert one(**told, engine=engine) == one(**{**told, "kv_dtype": "fp8"}, engine=engine)
        assert one(**silent, engine=engine) == one(**{**silent, "kv_dtype": "bf16"}, engine=engine)
    assert one(**told, engine="sglang-0.5") == one(**{**told, "kv_dtype": "bf16"}, engine="sglang-0.5")
    assert one(**told) < one(**{**told, "kv_dtype": "bf16"})


def test_a_network_named_without_sizes_is_a_shipped_one() -> None:
    loop = {"mode": "continuous", "concurrency_or_batch": "16", "metric": "tpot_ms"}
    for near, name in {
        "moonshotai/Kimi-K2-Thinking": "Kimi-K2",
        "Qwen/Qwen3-32B-FP8": "Qwen3-32B",
        "MiniMax-M2": "MiniMax-M2.5",
        "meta-llama/Llama-3.1-405B-Instruct": "Llama-3.1-405B",
    }.items():
        assert one(**loop, model=near) == one(**loop, model=name)
    assert one(**loop, model="Llama-3.1-405B") > 2.0 * one(**loop, model="Llama-3.1-70B")


def test_split_prefill_and_decode() -> None:
    found = validate_inference((DATA / "inference_runs_disagg_dev.csv").read_text(encoding="utf-8"))
    assert within(found.groups["TPOT"], 0.15, 0.50)
    assert within(found.groups["TTFT"], 0.50, 2.5)
    assert found.groups["TPOT"].n > 230
    assert "workers" in found.skipped[0].reason.render()

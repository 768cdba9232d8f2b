"""Published speeds: how well they are met, and that nothing measured enters a prediction."""

from __future__ import annotations

import numpy as np
import pytest

from engine.validation.results import ValidationResult
from engine.validation.training import validate_training
from tests.engine.validation.tables import LLAMA_8B, blanked, rows_of, shuffled, text_of, write

MEASURED = [
    "measured_metric",
    "measured_value",
    "tokens_per_s_per_gpu",
    "tflops_per_gpu",
    "iter_time_s",
    "mem_gb",
    "mfu_pct",
    "dp",
    "flops_convention",
    "peak_tflops_bf16",
]


@pytest.fixture(scope="module")
def found() -> ValidationResult:
    return validate_training(text_of("runs_dev"))


def test_nearly_every_row_is_predicted(found: ValidationResult) -> None:
    assert found.rows == 632
    assert found.predicted >= 0.95 * found.rows and found.predicted + len(found.skipped) == found.rows
    assert all(skip.reason.render() for skip in found.skipped)


def test_errors_stay_in_bounds(found: ValidationResult) -> None:
    dense, moe = found.groups["dense"], found.groups["moe"]
    assert dense.n > 450 and dense.median_abs_error < 0.05 and dense.p90_abs_error < 0.145  # type: ignore[operator]
    assert moe.n > 35 and moe.median_abs_error < 0.10 and moe.p90_abs_error < 0.30  # type: ignore[operator]
    assert found.calibrated["one factor per framework"].median_abs_error < 0.05  # type: ignore[operator]


def test_iteration_times_of_arxiv_2205_05198() -> None:
    rows = [row for row in rows_of("runs_dev") if row["source"].startswith("arXiv2205.05198 Table 5")]
    errors = [row.error for row in validate_training(write(rows)).per_row]
    assert len(errors) == 8
    # The error of the time is that of the speed's inverse.
    assert np.mean([abs(1.0 / (1.0 + (error or 0.0)) - 1.0) for error in errors]) <= 0.036


def test_bands_hold_and_are_sharp(found: ValidationResult) -> None:
    scored = [row for row in found.per_row if row.scored]
    assert all(row.low < row.predicted < row.high for row in found.per_row)
    for kind, sharpest in (("dense", 1.6), ("moe", 2.2)):
        widths = [row.high / row.low for row in scored if kind in row.groups]
        assert 1.1 < np.median(widths) <= sharpest
    for name, group in found.groups.items():
        if group.n >= 20:
            assert group.in_band is not None and group.in_band >= 0.65, name


def test_blanked_shuffled_and_renamed_rows_predict_the_same(found: ValidationResult) -> None:
    rows = rows_of("runs_dev")
    reference = {row.id: (row.predicted, row.low, row.high) for row in found.per_row}
    for changed in (blanked(rows, MEASURED), shuffled(rows)):
        again = validate_training(write(changed))
        assert {row.id: (row.predicted, row.low, row.high) for row in again.per_row} == reference
    renamed = validate_training(write([row | {"id": f"z{n}"} for n, row in enumerate(rows)]))
    assert [row.predicted for row in renamed.per_row] == [row.predicted for row in found.per_row]


def test_without_measurements_there_are_predictions_and_no_errors() -> None:
    found = validate_training(write(blanked(rows_of("runs_dev")[:5], MEASURED)))
    assert found.predicted == 5 and found.overall.n == 0 and found.overall.median_abs_error is None
    assert all(row.measured is None and row.predicted > 0 for row in found.per_row)


def test_one_bad_row_costs_only_itself() -> None:
    found = validate_training(write([LLAMA_8B, LLAMA_8B | {"id": "b", "hidden": "many"}]))
    assert [row.id for row in found.per_row] == ["a"] and [skip.id for skip in found.skipped] == ["b"]
    assert "hidden" in found.skipped[0].reason.render()


def test_overflowing_inputs_are_left_out() -> None:
    found = validate_training(write([LLAMA_8B, LLAMA_8B | {"id": "b", "hidden": "1e308"}]))
    assert [skip.id for skip in found.skipped] == ["b"]


def speed(**cells: str) -> float:
    return validate_training(write([LLAMA_8B | cells])).per_row[0].predicted


def test_time_goes_with_tokens_exactly_when_nothing_else_changes() -> None:
    # A batch of whole micro-batches without a pipeline: twice the tokens, twice the micro-batches. What is
    # done once a step (exchange, optimizer) makes the larger batch a little faster a token.
    assert 1.0 < speed(global_batch_seqs="1024") / speed(global_batch_seqs="512") < 1.1


def test_more_bandwidth_is_never_slower() -> None:
    speeds = [speed(tp="4", interconnect=f"8x{gigabits}Gb") for gigabits in (50, 100, 200, 400, 800)]
    assert speeds == sorted(speeds)


def test_iteration_time_stands_in_for_a_blank_speed() -> None:
    cells = LLAMA_8B | {"iter_time_s": "8", "n_gpus": "64"}
    assert validate_training(write([cells])).per_row[0].measured == 512 * 8192 / (8 * 64)


def test_doubtful_and_repeated_rows_are_shown_but_not_scored() -> None:
    rows = [
        LLAMA_8B | {"id": name, "tokens_per_s_per_gpu": "9000", "primary": primary, "use_in_fit": use}
        for name, primary, use in (("a", "yes", "yes"), ("b", "no", "yes"), ("c", "yes", "check"))
    ]
    found = validate_training(write(rows))
    assert [row.scored for row in found.per_row] == [True, False, False]
    assert found.overall.n == 1 and found.groups["all rows"].n == 3

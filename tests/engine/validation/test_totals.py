"""GPU-hours of whole trainings against the step model."""

from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.validation.totals import validate_totals
from tests.engine.validation.tables import blanked, rows_of, shuffled, text_of, write

MEASURED = ("gpu_hours", "days", "implied_mfu_6ND_pct", "implied_tokens_per_s_per_gpu")
ROW = {"id": "a", "gpu": "A100-80GB", "params_B": "7", "tokens_B": "1000", "seq_len": "2048", "n_gpus": "256"}


def hours(**cells: str) -> float:
    return validate_totals(write([ROW | cells])).per_row[0].predicted


def test_better_by_15_percent_than_one_utilisation_an_accelerator() -> None:
    found = validate_totals(text_of("totals_dev"))
    assert found.rows == found.predicted == 28
    ours = found.groups["all rows"].median_abs_error
    constant = found.calibrated["constant MFU, row left out (all rows)"].median_abs_error
    assert ours is not None and constant is not None
    assert ours <= 0.85 * constant
    # Even against medians that each row is part of itself.
    inside = found.calibrated["constant MFU (all rows)"].median_abs_error
    assert inside is not None and ours <= 0.85 * inside


def test_nothing_measured_enters_a_prediction() -> None:
    rows = rows_of("totals_dev")
    reference = {row.id: row.predicted for row in validate_totals(write(rows)).per_row}
    for changed in (blanked(rows, MEASURED), shuffled(rows)):
        assert {row.id: row.predicted for row in validate_totals(write(changed)).per_row} == reference


def test_time_scales_exactly_with_tokens() -> None:
    assert hours(tokens_B="2000") == pytest.approx(2 * hours(), rel=1e-12)


def test_larger_networks_take_longer_and_newer_parts_less() -> None:
    sizes = [hours(params_B=size) for size in ("1", "3", "7", "13", "30", "70")]
    assert sizes == sorted(sizes)
    assert hours(gpu="H100-80GB") < hours() < hours(gpu="V100-32GB")


def test_an_unknown_cluster_is_assumed() -> None:
    assert hours(n_gpus="", seq_len="") > 0


def test_only_active_parameters_work() -> None:
    assert hours(params_B="70", active_params_B="7") < hours(params_B="70")


def test_what_a_file_or_row_lacks_is_said() -> None:
    with pytest.raises(InputError) as caught:
        validate_totals("id,gpu,params_B\n1,h100-sxm,7\n")
    assert caught.value.field == "tokens_B"
    found = validate_totals(write([ROW | {"tokens_B": ""}, ROW | {"params_B": "1e300"}]))
    assert found.predicted == 0 and len(found.skipped) == 2

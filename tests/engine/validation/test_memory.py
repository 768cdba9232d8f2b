"""Published memory figures against the memory model."""

from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.validation.memory import validate_memory
from tests.engine.validation.tables import blanked, rows_of, shuffled, text_of, write


def test_errors_stay_in_bounds() -> None:
    found = validate_memory(text_of("memory_points_dev"))
    assert found.rows == found.predicted == 68
    peak = found.groups["component peak"]
    assert peak.n == 56 and peak.median_abs_error <= 0.05 and peak.p90_abs_error <= 0.12  # type: ignore[operator]


def test_parts_of_arxiv_2205_05198_are_within_two_percent() -> None:
    found = validate_memory(text_of("memory_points_dev"))
    errors = [row.error for row in found.per_row if "source arxiv 2205.05198" in row.groups]
    assert len(errors) == 12 and max(abs(error or 0.0) for error in errors) <= 0.02


def test_nothing_measured_enters_a_prediction() -> None:
    rows = rows_of("memory_points_dev")
    reference = {row.id: row.predicted for row in validate_memory(write(rows)).per_row}
    for changed in (blanked(rows, ("measured_gib", "dp")), shuffled(rows)):
        assert {row.id: row.predicted for row in validate_memory(write(changed)).per_row} == reference


def test_what_a_file_or_row_lacks_is_said() -> None:
    with pytest.raises(InputError) as caught:
        validate_memory("id,gpu\n1,h100-sxm\n")
    assert caught.value.field == "component"
    row = rows_of("memory_points_dev")[0] | {"component": "cuda graphs"}
    assert "cudagraphs" in validate_memory(write([row])).skipped[0].reason.render()

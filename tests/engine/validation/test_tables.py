"""Reading measurement files: what is missing or wrong is said, and costs no more than its own row."""

from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.validation.tables import DataRow, RowProblem, read_rows


def row(**cells: str) -> DataRow:
    return DataRow("x", cells)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InputError) as caught:
        read_rows("id,gpu\n1,h100-sxm\n", ("gpu", "tokens_B"))
    assert caught.value.field == "tokens_B"


@pytest.mark.parametrize("text", ["", "\n", "gpu\x00\n"])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_rows(text, ("gpu",))


def test_short_long_and_empty_lines() -> None:
    rows = read_rows("\ufeffid,gpu,tp\nA,h100\n\n,b200,2,more\n", ("gpu",))
    assert [(r.id, r.text("gpu"), r.text("tp")) for r in rows] == [("A", "h100", ""), ("#2", "b200", "2")]


@pytest.mark.parametrize("cell", ["abc", "nan", "inf", "1,5", "#REF!"])
def test_no_number_is_a_problem_of_its_row(cell: str) -> None:
    with pytest.raises(RowProblem, match="hidden"):
        row(hidden=cell).number("hidden")


def test_numbers_by_kind() -> None:
    assert row().number("hidden") is None and row(hidden="-").positive("hidden") is None
    assert row(tp="").count("tp", 1.0) == 1.0 and row(tp="8.0").count("tp", 1.0) == 8.0
    assert row(x="").amount("x") == 0.0
    for cell in ("-1", "0.5", "-0.0001"):
        with pytest.raises(RowProblem):
            row(tp=cell).count("tp", 1.0)
    with pytest.raises(RowProblem):
        row(x="0").positive("x")
    with pytest.raises(RowProblem):
        row(x="-2").amount("x")


@pytest.mark.parametrize("cell", ["", "n/a", "-3", "0", "inf", "1e300"])
def test_a_senseless_measurement_is_none_and_no_problem(cell: str) -> None:
    assert row(measured=cell).measured("measured") is None

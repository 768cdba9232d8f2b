"""The appendix: every input and every formula, with numbers in full."""

from __future__ import annotations

import pytest
from example_review import build_review

from engine.plan import field_specs
from gui.report.appendix import ZERO_WIDTH_SPACE, formulas_section, inputs_section
from gui.report.basis import read_basis
from gui.report.document import Section, Table
from gui.report.words import Writer

EN = Writer("en", "USD")


def rows_of(section: Section) -> list[list[str]]:
    return [
        ["|".join(run.text for run in cell) for cell in row.cells]
        for block in section.blocks
        if isinstance(block, Table)
        for row in block.rows
    ]


def test_every_input_of_the_plan_has_a_row() -> None:
    basis = read_basis(build_review())
    listed = {row[1].replace(ZERO_WIDTH_SPACE, "") for row in rows_of(inputs_section(basis, EN))}
    absent = ("serving.", "batch.", "cluster.accelerator_spec.")
    assert listed - {""} == {path for path in field_specs() if not path.startswith(absent)}


def test_every_line_of_the_ledger_has_its_formula() -> None:
    basis = read_basis(build_review(lines=9, unknown=True))
    rows = [row for row in rows_of(formulas_section(basis, EN)) if row[1]]
    assert len(rows) == len(basis.proposed.lines)
    assert all("tokens = 2,000,000,000,000" in row[1].replace("\u00a0", " ") for row in rows)
    assert [row[2] for row in rows].count("unknown") == 2


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (4_194_304.0, "tokens/step", "4,194,304 tokens/step"),
        (0.0059412, "share", "0.59412 %"),
        (609_228.1234, "GPU-h", "609,228.1 GPU-h"),
        (0.023, "USD/GB-month", "$0.0230/GB-month"),
        (184_000.0, "currency", "$184,000"),
        (14_400.0, "s", "14,400 s"),
        (1.09, "ratio", "1.09"),
        (None, "s", "unknown"),
    ],
)
def test_numbers_are_in_full(value: float | None, unit: str, shown: str) -> None:
    assert EN.exact(value, unit).replace("\u00a0", " ") == shown

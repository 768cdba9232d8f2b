"""Money over categories and time: nothing is lost in spreading, printed parts add up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.results import CostLine, Trace
from gui.report.spending import (
    DAYS_PER_MONTH,
    MOST_PERIODS,
    Scale,
    apportion,
    category_totals,
    money_scale,
    spending_periods,
    spread,
)
from gui.report.words import Writer

WRITER = Writer("en", "USD")


def line(
    amount: float | None, start: float, end: float, category: str = "compute", in_scope: bool = True
) -> CostLine:
    return CostLine(
        category=category,
        item="x",
        phase="run",
        quantity=1.0,
        unit="lot",
        unit_price=amount,
        amount=amount,
        behaviour="fixed",
        commitment="elastic",
        in_scope=in_scope,
        start_day=start,
        end_day=end,
        trace=Trace(formula="x"),
    )


amounts = st.lists(st.floats(-1e8, 1e9), min_size=1, max_size=12)


@given(amounts=amounts, size=st.sampled_from([1.0, 1e3, 1e4]), places=st.integers(0, 2))
def test_printed_parts_add_up_to_the_printed_total(amounts: list[float], size: float, places: int) -> None:
    scale = Scale(size, places, "")
    total = scale.steps(sum(amounts))
    parts = apportion(amounts, scale, total)
    assert sum(parts) == total
    for part, amount in zip(parts, amounts, strict=True):
        assert abs(part - amount / size * 10**places) < 1.0 + 1e-3


@given(
    spans=st.lists(
        st.tuples(st.floats(0, 900), st.floats(0, 2000), st.floats(0, 1e7)), min_size=1, max_size=10
    ),
    start=st.sampled_from([None, "2027-01-04", "2026-12-31", "2028-02-29"]),
)
def test_spreading_loses_nothing(spans: list[tuple[float, float, float]], start: str | None) -> None:
    lines = [line(money, first, first + length) for first, length, money in spans]
    periods = spending_periods(lines, start, WRITER)
    table = spread(lines, periods)
    assert sum(sum(row) for row in table.values()) == pytest.approx(
        sum(money for *_, money in spans), rel=1e-9, abs=1e-6
    )
    assert all(amount >= 0 for row in table.values() for amount in row)
    assert len(periods) <= MOST_PERIODS
    assert all(first.end_day == second.start_day for first, second in zip(periods, periods[1:], strict=False))


def test_quarters_follow_the_calendar() -> None:
    lines = [line(90.0, 0.0, 90.0)]
    periods = spending_periods(lines, "2027-02-15", WRITER)
    assert [period.label for period in periods] == ["Q1 2027", "Q2 2027"]
    # 15 February to 31 March are 45 of the 90 days.
    assert spread(lines, periods)["compute"] == pytest.approx([45.0, 45.0])


def test_many_quarters_write_the_year_once_and_very_many_become_years() -> None:
    five = spending_periods([line(1.0, 0.0, 400.0)], "2027-01-01", WRITER)
    assert [period.label for period in five] == ["Q1\n2027", "Q2", "Q3", "Q4", "Q1\n2028"]
    years = spending_periods([line(1.0, 0.0, 1000.0)], "2027-01-01", WRITER)
    assert [period.label for period in years] == ["2027", "2028", "2029"]


def test_without_a_start_periods_are_months_from_it() -> None:
    periods = spending_periods([line(1.0, 0.0, 3 * DAYS_PER_MONTH)], None, WRITER)
    assert [period.label for period in periods] == ["1", "2", "3"]
    assert [period.label for period in spending_periods([line(1.0, 0.0, 365.0)], None, WRITER)] == [
        "1–3",
        "4–6",
        "7–9",
        "10–12",
    ]


def test_unknown_and_excluded_lines_count_nowhere() -> None:
    lines = [line(None, 0, 10), line(5.0, 0, 10, in_scope=False), line(7.0, 0, 10, "data")]
    assert category_totals(lines) == {"data": 7.0}
    assert spread(lines, spending_periods(lines, None, WRITER)) == {"data": [7.0]}


@pytest.mark.parametrize(
    ("largest", "lang", "label"),
    [
        (5e4, "en", "USD"),
        (5e6, "en", "thousand USD"),
        (5e9, "en", "million USD"),
        (5e6, "zh_CN", "万美元"),
        (5e9, "zh_CN", "亿美元"),
    ],
)
def test_the_unit_of_a_column_follows_its_largest_figure(largest: float, lang: str, label: str) -> None:
    assert money_scale(largest, Writer(lang, "USD")).label == label

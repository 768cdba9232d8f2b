"""Cells, units and sources on their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import load_catalog
from engine.catalog.rows import RowReader, is_ordered, iterate, resolve_source
from engine.catalog.units import currency_of, is_unit

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, numbers, numbers)
def test_sorted_numbers_are_a_range(first: float, second: float, third: float) -> None:
    low, value, high = sorted((first, second, third))
    assert is_ordered(low, value, high)
    assert is_ordered(None, value, None)
    if low < value:
        assert not is_ordered(value, low, high)


def test_a_range_needs_a_value() -> None:
    assert is_ordered(None, None, None)
    assert not is_ordered(1.0, None, 2.0)


@given(numbers)
def test_numbers_survive_a_cell(value: float) -> None:
    assert RowReader({"value": repr(value)}, "row 2").number("value") == value


def test_quoted_line_breaks_stay_in_a_cell() -> None:
    rows = list(iterate('key,value\n"two\nlines",1\nnext,2\n', "file"))
    assert [reader.text("key") for reader in rows] == ["two\nlines", "next"]


@pytest.mark.parametrize("unit", ["USD/GPU-hour", "CNY/GB-month", "EUR/kWh", "share", "1/node-day", "USD"])
def test_known_units(unit: str) -> None:
    assert is_unit(unit)


@pytest.mark.parametrize("unit", ["", "usd/GB", "USD/", "USD/parsec", "GB-month", "dollars", "share/USD"])
def test_unknown_units(unit: str) -> None:
    assert not is_unit(unit)


def test_currency_of_a_unit() -> None:
    assert currency_of("CNY/GPU-hour") == "CNY"
    assert currency_of("FTE") is None
    assert currency_of("byte/s") is None


def test_sources_read_as_title_detail_and_key() -> None:
    sources = load_catalog().sources
    text = resolve_source("[LLAMA3] section 3.3.4", sources)
    assert text == "The Llama 3 Herd of Models: section 3.3.4 [LLAMA3]"
    assert resolve_source("a page", sources) == "a page"
    with pytest.raises(KeyError):
        resolve_source("[NOSUCHKEY]", sources)

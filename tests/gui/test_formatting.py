"""Numbers as people read and type them: both languages, rounding carries, round trips, refusals."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plan import field_specs
from gui import formatting as f
from gui.units import UNIT_WORDS


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.parametrize(
    ("value", "currency", "lang", "shown"),
    [
        (2_658_123, "USD", "en", "$2.66M"),
        (2_658_123, "USD", "zh_CN", "266 万美元"),
        (2_658_123, "CNY", "zh_CN", "¥266 万"),
        (2_658_123, "CNY", "en", "¥2.66M"),
        (2_658_123, "CHF", "en", "CHF 2.66M"),
        (2.5e9, "USD", "zh_CN", "25.0 亿美元"),
        (9_700, "USD", "zh_CN", "9,700 美元"),
        (-62_000, "USD", "en", "−$62.0k"),
        (-62_000, "EUR", "zh_CN", "−6.20 万欧元"),
        (812.4, "USD", "en", "$812"),
        (8, "USD", "en", "$8.00"),
        (0, "USD", "en", "$0"),
        (-0.001, "USD", "en", "−$0.00100"),
        (None, "USD", "en", "unknown"),
        (math.nan, "USD", "en", "unknown"),
    ],
)
def test_money_in_prose(value: float | None, currency: str, lang: str, shown: str) -> None:
    assert plain(f.money_short(value, currency, lang)) == shown


@pytest.mark.parametrize(
    ("value", "lang", "shown"),
    [
        (999_949, "en", "$1.00M"),
        (999_499, "en", "$999k"),
        (999.6, "en", "$1.00k"),
        (99_996_000, "zh_CN", "1.00 亿美元"),
    ],
)
def test_rounding_carries_into_the_next_magnitude(value: float, lang: str, shown: str) -> None:
    assert plain(f.money_short(value, "USD", lang)) == shown


def test_single_savings_take_fewer_digits_but_never_lose_whole_ones() -> None:
    assert f.money_short(63_217, "USD", digits=2) == "$63k"
    assert f.money_short(348_211, "USD", digits=2) == "$348k"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2_339_512.4, "$2,339,512"), (2.6, "$2.60"), (0.00031, "$0.000310"), (999.99, "$999.99"), (0, "$0")],
)
def test_money_in_full(value: float, shown: str) -> None:
    assert f.money_full(value, "USD") == shown


def test_bands_name_the_unit_once_in_chinese() -> None:
    assert plain(f.band(2.39e6, 2.98e6, "USD")) == "$2.39M – $2.98M"
    assert plain(f.band(2.39e6, 2.98e6, "USD", "zh_CN")) == "239 – 298 万美元"
    assert plain(f.band(-2.1e4, 2.98e6, "CNY", "zh_CN")) == "−¥2.10 万 – ¥298 万"
    assert f.band(None, 1.0, "USD") == "unknown"


@pytest.mark.parametrize(
    ("value", "unit", "lang", "shown"),
    [
        (2e12, "tokens", "en", "2 T tokens"),
        (8192, "tokens", "en", "8,192 tokens"),
        (655_357.3, "GPU-h", "en", "655 k GPU-h"),
        (5100, "s", "en", "1 h 25 min"),
        (90, "s", "en", "90 s"),
        (0.35, "s", "en", "350 ms"),
        (599.7, "s", "en", "10 min"),
        (3599.8, "s", "en", "1 h"),
        (172_799, "s", "en", "2 d"),
        (1272, "h", "en", "53 d"),
        (0.335, "share", "en", "33.5 %"),
        (0.335, "share", "zh_CN", "33.5%"),
        (2.49, "currency/GPU-h", "en", "$2.49/GPU-h"),
        (12_345, "GB", "en", "12.3 TB"),
        (1, "GPUs", "en", "1 GPU"),
        (1024, "GPUs", "en", "1,024 GPUs"),
        (3, "x", "en", "3×"),
        (None, "s", "en", "unknown"),
        (math.inf, "s", "en", "unknown"),
    ],
)
def test_quantities(value: float | None, unit: str, lang: str, shown: str) -> None:
    assert plain(f.quantity(value, unit, lang, "USD")) == shown


def test_negative_numbers_use_the_minus_sign_and_zero_has_none() -> None:
    assert f.number(-1234.5) == "−1,234.5"
    assert f.decimals(-0.004, 2) == "0.00"


def test_dates() -> None:
    assert f.date_long("2027-01-15") == "15 January 2027"
    assert f.date_long("2027-01-15", "zh_CN") == "2027年1月15日"
    assert f.month_year("2027-01-15", "zh_CN") == "2027年1月"
    assert f.date_long("soon") == "soon"


def test_unit_labels() -> None:
    assert f.unit_label("currency/GPU-h", "USD", "en") == "USD/GPU-h"
    assert f.unit_label("currency", "EUR", "zh_CN") == "欧元"


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1.4T tokens", "tokens", 1.4e12),
        ("2 h", "s", 7200),
        ("1 h 25 min", "s", 5100),
        ("16k", "tokens", 16_000),
        ("$2.49/GPU-h", "currency/GPU-h", 2.49),
        ("2.49 USD per GPU-hour", "currency/GPU-h", 2.49),
        ("60%", "share", 0.6),
        ("0.6", "share", 0.6),
        ("1,000", "GPUs", 1000),
        ("2 万亿", "tokens", 2e12),
        ("1.5 years", "months", 18),
        ("2 TB", "GB", 2000),
        ("1 TiB", "GiB", 1024),
        ("５０", "GPUs", 50),
        ("−5", "d", -5),
        ("1e12", "tokens", 1e12),
        ("3 小时", "s", 10_800),
        ("5 million", "currency", 5e6),
        ("400 Gbps", "Gbit/s", 400),
    ],
)
def test_reading_what_people_type(text: str, unit: str, value: float) -> None:
    assert f.parse_quantity(text, unit, "USD") == value


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("", "s"),
        ("abc", "s"),
        ("1,5", "s"),
        ("1,00", "GPUs"),
        ("€5", "currency"),
        ("5 EUR", "currency"),
        ("5 m", "s"),
        ("nan", "s"),
        ("inf", "s"),
        ("1e999", "s"),
        ("2 h", "tokens"),
        ("5 5", "GPUs"),
        ("2 mb", "GB"),
        ("1 h -5 min", "s"),
        ("10 GB", "tokens"),
    ],
)
def test_what_is_refused_says_what_is_accepted(text: str, unit: str) -> None:
    with pytest.raises(f.QuantityError) as caught:
        f.parse_quantity(text, unit, "USD")
    assert isinstance(caught.value, ValueError)
    assert caught.value.message.params["example"]
    f.parse_quantity(str(caught.value.message.params["example"]), unit, "USD")


UNITS = sorted({spec.unit for spec in field_specs().values() if spec.kind in ("number", "whole")})


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("unit", UNITS)
@given(value=st.one_of(st.integers(0, 10**13), st.floats(1e-3, 1e9)).map(lambda v: float(f"{v:.10g}")))
def test_a_field_shows_what_was_typed_without_loss(unit: str, lang: str, value: float) -> None:
    assert f.parse_quantity(f.field_text(value, unit, lang), unit) == pytest.approx(value, rel=1e-11)


@given(value=st.floats(1, 1e12), lang=st.sampled_from(["en", "zh_CN"]))
def test_money_in_prose_is_within_its_digits(value: float, lang: str) -> None:
    shown = f.money_short(value, "USD", lang).replace("$", "").replace("美元", "").replace("\u00a0", "")
    assert f.parse_quantity(shown, "tokens") == pytest.approx(value, rel=5.1e-3)


def test_every_unit_of_a_field_can_be_translated() -> None:
    words = set(UNIT_WORDS)
    for unit in UNITS:
        assert unit in words or all(part in words for part in unit.split("/") if part)


def test_formatting_starts_without_babel_and_qt() -> None:
    code = "import sys, gui.formatting; print([m for m in ('babel', 'PySide6') if m in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )

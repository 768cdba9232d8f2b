"""Numbers, money, durations and dates as people read them, in either language. Qt-free.

A number and its unit are joined by a no-break space, minus is U+2212, ranges are an en dash between
narrow no-break spaces.
English counts in k, M, B, T; Chinese in 万, 亿, 万亿.
"""

from __future__ import annotations

import math
from datetime import date
from functools import cache

from engine.text import N_
from gui.i18n import translator
from gui.quantity_text import QuantityError, parse_quantity
from gui.units import SINGULAR

__all__ = [
    "QuantityError",
    "amount_full",
    "band",
    "compact",
    "currency_word",
    "date_long",
    "date_short",
    "decimals",
    "duration_hours",
    "duration_seconds",
    "field_text",
    "money_axis",
    "money_full",
    "money_short",
    "month_year",
    "number",
    "parse_quantity",
    "percent",
    "quantity",
    "unit_label",
]

NBSP = "\u00a0"
MINUS = "\u2212"
RANGE = "\u202f\u2013\u202f"
UNKNOWN = N_("unknown")

_ENGLISH_STEPS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
_CHINESE_STEPS = ((1e12, "万亿"), (1e8, "亿"), (1e4, "万"))
_CHINESE_MONEY_STEPS = ((1e8, "亿"), (1e4, "万"))
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "JP¥", "INR": "₹", "KRW": "₩"}
_SCALED_UNITS = {
    "GB": (1000.0, ("GB", "TB", "PB")),
    "GiB": (1024.0, ("GiB", "TiB")),
    "W": (1000.0, ("W", "kW", "MW")),
    "kWh": (1000.0, ("kWh", "MWh", "GWh")),
}
_EXACT_DIGITS = 12
_WHOLE_LIMIT = 1e6
"""Whole numbers below this are counts and shown in full."""


# Numbers


def number(value: float | None, lang: str = "en", digits: int | None = None) -> str:
    """A plain number with groups of three; `digits` significant ones at least, None for all of them."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    size = abs(value)
    wanted = _EXACT_DIGITS if digits is None else digits
    if size and (size < 1e-4 or size >= 1e15):
        return f"{value:.{wanted - 1}g}".replace("e-0", "e-").replace("e+", "e").replace("-", MINUS)
    text = f"{size:,.{_places(size, wanted)}f}"
    return _signed(value, _strip(text))


def decimals(value: float | None, places: int, lang: str = "en") -> str:
    """A number with a fixed count of decimals, for columns."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    return _signed(value, f"{abs(value):,.{places}f}")


def compact(value: float | None, lang: str = "en", digits: int = 3) -> str:
    """A large count in prose: 2 T, 70.6 B; 2 万亿, 706 亿."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    shown, word = _scaled(value, _CHINESE_STEPS if lang == "zh_CN" else _ENGLISH_STEPS, digits)
    return _signed(value, _strip(shown)) + (f"{NBSP}{word}" if word else "")


def percent(share: float | None, lang: str = "en", digits: int = 3) -> str:
    """A share as per cent: 33.5 % in English, 33.5% in Chinese."""
    if share is None or not math.isfinite(share):
        return translator(lang).tr(UNKNOWN)
    return number(share * 100.0, lang, digits) + ("%" if lang == "zh_CN" else f"{NBSP}%")


# Money


def money_short(value: float | None, currency: str, lang: str = "en", digits: int = 3) -> str:
    """Money in prose with `digits` significant digits: $2.66M; 266 万美元; ¥266 万."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    shown, word = _scaled_money(value, lang, digits)
    return _with_currency(value, shown, word, currency, lang)


def money_axis(value: float, currency: str, lang: str = "en") -> str:
    """A round amount on an axis or over a bar, without idle zeros: $6M, $2.5M, $4k."""
    shown, word = _scaled_money(value, lang, 3)
    return _with_currency(value, _strip(shown), word, currency, lang)


def money_full(value: float | None, currency: str, lang: str = "en") -> str:
    """Money in full: $2,339,512; prices below a thousand keep their cents: $2.60, $0.00031."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    return _with_currency(value, _full_digits(value), "", currency, lang)


def amount_full(value: float | None, lang: str = "en") -> str:
    """As `money_full` without the currency: for columns whose head names it."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    return _signed(value, _full_digits(value))


def band(low: float | None, high: float | None, currency: str, lang: str = "en") -> str:
    """A range of money: $2.39M – $2.98M; 239 – 298 万美元."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return translator(lang).tr(UNKNOWN)
    first, first_word = _scaled_money(low, lang, 3)
    last, last_word = _scaled_money(high, lang, 3)
    if lang == "zh_CN" and first_word == last_word and low >= 0:
        # One unit for both ends: the shorter form Chinese tables use.
        return _with_currency(high, f"{first}{RANGE}{last}", first_word, currency, lang)
    return RANGE.join(money_short(end, currency, lang) for end in (low, high))


def currency_word(currency: str, lang: str = "en") -> str:
    """How a column head or a unit names the currency: USD; 美元."""
    return _currency_name(currency) if lang == "zh_CN" else currency


@cache
def _currency_name(currency: str) -> str:
    if currency == "CNY":
        return "元"
    from babel.numbers import get_currency_name  # late: the window starts without Babel

    return get_currency_name(currency, locale="zh_CN")


@cache
def _symbol(currency: str) -> str:
    if currency in _SYMBOLS:
        return _SYMBOLS[currency]
    from babel.numbers import get_currency_symbol

    symbol = get_currency_symbol(currency, locale="en")
    return symbol if not symbol[-1].isalpha() else f"{symbol}{NBSP}"


def _with_currency(value: float, shown: str, word: str, currency: str, lang: str) -> str:
    sign = MINUS if value < 0 and any(ch in "123456789" for ch in shown) else ""
    if lang != "zh_CN":
        return f"{sign}{_symbol(currency)}{shown}{word}"
    if currency == "CNY":
        return f"{sign}¥{shown}{NBSP}{word}" if word else f"{sign}¥{shown}"
    return f"{sign}{shown}{NBSP}{word}{_currency_name(currency)}"


def _scaled_money(value: float, lang: str, digits: int) -> tuple[str, str]:
    size = abs(value)
    smallest = 1e4 if lang == "zh_CN" else 1e3
    if size < smallest * (1 - 0.5 * 10.0**-digits):
        return _full_digits(size) if 0 < size < 100 else f"{size:,.0f}", ""
    return _scaled(size, _CHINESE_MONEY_STEPS if lang == "zh_CN" else _ENGLISH_STEPS, digits)


def _full_digits(value: float) -> str:
    size = abs(value)
    if size == 0 or size >= 1000:
        return f"{size:,.0f}"
    return f"{size:,.2f}" if size >= 1 else f"{size:.{max(2, _places(size, 3))}f}"


# Quantities


def quantity(value: float | None, unit: str, lang: str = "en", currency: str = "") -> str:
    """A number with its unit, in the prefix people expect: 2 T tokens, 1 h 25 min, 33.5 %, $2.49/GPU-h."""
    if value is None or not math.isfinite(value):
        return translator(lang).tr(UNKNOWN)
    if unit == "share":
        return percent(value, lang)
    if unit in ("s", "h"):
        return duration_seconds(value * (3600.0 if unit == "h" else 1.0), lang)
    if unit == "currency" and currency:
        return money_short(value, currency, lang)
    if unit.startswith("currency/") and currency:
        rest = unit_label(unit.removeprefix("currency/"), currency, lang)
        return f"{money_full(value, currency, lang)}/{rest}"
    value, unit = _rescaled(value, unit)
    shown = _count(value, lang)
    if unit in ("", "ratio", "percentile", "date"):
        return shown
    if unit == "x":
        return f"{shown}×"
    word = SINGULAR.get(unit, unit) if lang == "en" and value == 1 else unit_label(unit, currency, lang)
    return f"{shown}{NBSP}{word}"


def unit_label(unit: str, currency: str, lang: str = "en") -> str:
    """A unit's name in the reader's language: "currency/GPU-h" -> USD/GPU-h."""
    tr = translator(lang).tr
    if "/" in unit and tr(unit) == unit:
        return "/".join(unit_label(part, currency, lang) for part in unit.split("/"))
    if unit == "currency" and currency:
        return currency_word(currency, lang)
    return tr(unit)


def _count(value: float, lang: str) -> str:
    size = abs(value)
    if size >= _WHOLE_LIMIT or (size >= 1e5 and not float(value).is_integer()):
        return compact(value, lang)
    return number(value, lang, None if float(value).is_integer() else 3)


def _rescaled(value: float, unit: str) -> tuple[float, str]:
    if unit not in _SCALED_UNITS:
        return value, unit
    step, names = _SCALED_UNITS[unit]
    for name in names:
        if abs(value) < 10 * step or name == names[-1]:
            return value, name
        value /= step
    return value, unit


# Time


def duration_hours(hours: float | None, lang: str = "en") -> str:
    """A duration given in hours: 53 d, 1 h 25 min."""
    return duration_seconds(None if hours is None else hours * 3600.0, lang)


def duration_seconds(seconds: float | None, lang: str = "en") -> str:
    """A duration as people say it: 350 ms, 45 s, 50 min, 1 h 25 min, 53 d."""
    if seconds is None or not math.isfinite(seconds):
        return translator(lang).tr(UNKNOWN)
    size = abs(seconds)
    if size and size < 1:
        return _signed(seconds, _timed(number(size * 1000.0, lang, 3), "ms", lang))
    if size < 120:
        return _signed(seconds, _timed(number(size, lang, 3), "s", lang))
    if size < 48 * 3600.0 - 30:
        return _signed(seconds, _clock(size, lang))
    days = size / 86400.0
    return _signed(seconds, _timed(number(days, lang, 2) if days < 9.95 else f"{days:,.0f}", "d", lang))


def _clock(size: float, lang: str) -> str:
    # Seconds matter below ten minutes only.
    step = 1 if size < 600 else 60
    minutes, rest = divmod(round(size / step) * step, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return NBSP.join(_timed(str(count), unit, lang) for count, unit in parts if count)


def _timed(shown: str, unit: str, lang: str) -> str:
    return f"{shown}{NBSP}{translator(lang).tr(unit)}"


def date_long(iso: str, lang: str = "en") -> str:
    """15 January 2027; 2027年1月15日. The text itself when it is no date."""
    return _dated(iso, "d MMMM y", lang)


def date_short(iso: str, lang: str = "en") -> str:
    """15 Jan 2027; 2027年1月15日."""
    return _dated(iso, "d MMM y", lang)


def month_year(iso: str, lang: str = "en") -> str:
    """January 2027; 2027年1月."""
    return _dated(iso, "MMMM y", lang, "y年M月")


def weekday(day: int, lang: str = "en") -> str:
    """Short name of a day of the week, Monday 0: Mon; 周一."""
    from babel.dates import get_day_names  # late: the window starts without Babel

    return str(get_day_names("abbreviated", locale=lang)[day])


def _dated(iso: str, english: str, lang: str, chinese: str = "y年M月d日") -> str:
    from babel.dates import format_date  # late: the window starts without Babel

    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    return format_date(day, chinese if lang == "zh_CN" else english, locale=lang)


# What people type; `parse_quantity` reads it back.


def field_text(value: float | None, unit: str, lang: str = "en") -> str:
    """A field's value as it stands in its box, without loss: 2 T, 4 h, 60 %, 4,194,304; empty for None."""
    if value is None:
        return ""
    if unit == "share":
        return number(value * 100.0, "en") + ("%" if lang == "zh_CN" else f"{NBSP}%")
    if unit == "s" and float(value).is_integer() and value >= 120:
        return _exact_clock(int(value))
    # "5 B" of bytes would be read as five bytes; money keeps its digits.
    if unit not in ("currency", "GB", "GiB") and value >= _WHOLE_LIMIT:
        steps = _CHINESE_STEPS if lang == "zh_CN" else _ENGLISH_STEPS
        size, word = next(step for step in steps if value >= step[0])
        if round(value / size, 3) * size == value:
            return f"{number(value / size, lang)}{NBSP}{word}"
    return number(value, lang)


def _exact_clock(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return NBSP.join(f"{count}{NBSP}{unit}" for count, unit in parts if count)


# Digits


def _places(size: float, digits: int) -> int:
    """Decimals that give at least `digits` significant digits after rounding."""
    if size == 0:
        return 0
    exponent = int(f"{size:.{digits - 1}e}".partition("e")[2])
    return max(0, digits - 1 - exponent)


def _scaled(value: float, steps: tuple[tuple[float, str], ...], digits: int) -> tuple[str, str]:
    """Digits and magnitude word; rounding may carry into the next magnitude (999,950 is 1.00 M)."""
    size = abs(value)
    rounded = float(f"{size:.{digits - 1}e}")
    for step, word in steps:
        if rounded >= step:
            part = size / step
            return f"{part:,.{_places(part, digits)}f}", word
    return f"{size:,.{_places(size, digits)}f}", ""


def _strip(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(value: float, text: str) -> str:
    negative = value < 0 and any(ch in "123456789" for ch in text)
    return f"{MINUS}{text}" if negative else text

"""The units a fact may be counted in."""

from __future__ import annotations

import re

_PLAIN = frozenset(
    {
        "ratio", "share", "share/year", "exponent", "count", "runs", "engineers", "FTE", "text",
        "s", "hour", "day", "month", "year",
        "byte", "byte/s", "byte/parameter", "FLOP/byte", "elements", "tokens", "sequences", "rows",
        "GB", "GiB", "GB/s", "Gbit/s", "TFLOP/s", "GPUs", "W", "kW", "gCO2e/kWh",
        "1/node-day", "1/node-hour", "1/1e6 GPU-hours", "1/GPU-year",
        "core-hour/TB", "core-hour/1e9 tokens", "core-hour/1000 video-hours",
        "GPU-hour/TB", "GPU-hour/1e9 tokens", "GPU-hour/1e6 pages",
        "pages/week", "series/node", "GB/node-day", "GB/1e6 requests",
    }
)  # fmt: skip
_PRICED = frozenset(
    {
        "GPU-hour", "GPU-year", "GB", "GiB", "MiB", "TB", "GB-month", "GiB-month",
        "1000 requests", "1000 objects-month", "1000 series-month", "1e6 events", "1e6 tokens", "1e9 tokens",
        "kWh", "kW-month", "core-hour", "host-month", "user-month", "port-month",
        "metric-month", "alarm-metric-month", "FTE-month", "month", "year", "week", "hour",
        "item", "pair", "task", "label", "box", "mask", "audio-minute",
    }
)  # fmt: skip
_CURRENCY = re.compile(r"[A-Z]{3}")


def is_currency(text: str) -> bool:
    """Whether a text looks like an ISO 4217 code."""
    return _CURRENCY.fullmatch(text) is not None


def is_unit(text: str) -> bool:
    """Whether a text is a unit of the catalogue: a plain one, a currency, or a currency per something."""
    if text in _PLAIN:
        return True
    currency, slash, base = text.partition("/")
    return is_currency(currency) and (not slash or base in _PRICED)


def currency_of(unit: str) -> str | None:
    """The currency a unit is counted in, or None."""
    currency = unit.partition("/")[0]
    return None if unit in _PLAIN or not is_currency(currency) else currency

"""Reading what people type into a field: "1.4T tokens", "2 h", "16k", "$2.49/GPU-h", "60%". Qt-free."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping

from engine.text import N_, Message
from gui.units import MAGNITUDES, TIME_UNITS, unit_scales

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")
_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "美元": "USD", "元": "CNY"}
_EXAMPLES = {
    "s": "2 h",
    "h": "36 h",
    "d": "60 d",
    "months": "6",
    "tokens": "1.4T",
    "share": "60%",
    "GB": "20 TB",
}
_LONGEST = 60


class QuantityError(ValueError):
    """The text is no quantity of this unit; `message` says what is."""

    def __init__(self, text: str, unit: str) -> None:
        example = "2.49" if unit.startswith("currency") else _EXAMPLES.get(unit, "1,000")
        shown = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        template = N_("“{text}” is not understood; write a number, for example {example}.")
        self.message = Message(template, {"text": shown, "example": example})
        super().__init__(self.message.render())


def parse_quantity(text: str, unit: str, currency: str = "") -> float:
    """The number in `unit` that `text` means.

    Accepts groups of three, magnitudes (k, M, B, T, 万, 亿), other units of the same kind, per cent for
    shares and several parts of a duration. `currency` is the plan's; another one in the text is an error,
    never converted.
    Errors: QuantityError.
    """
    clean = unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()
    if unit == "currency" or unit.startswith("currency/"):
        clean = _without_currency(clean, currency, text, unit)
    numbers = list(_NUMBER.finditer(clean))
    several = unit in TIME_UNITS or unit == "months"
    if not numbers or numbers[0].start() != 0 or (len(numbers) > 1 and not several):
        raise QuantityError(text, unit)
    ends = [found.start() for found in numbers[1:]] + [len(clean)]
    total = 0.0
    for found, end in zip(numbers, ends, strict=True):
        factor = _factor(clean[found.end() : end].strip(), unit)
        if factor is None or (found is not numbers[0] and found.group()[0] in "+-"):
            raise QuantityError(text, unit)
        total += _times(float(found.group().replace(",", "")), factor)
    if not math.isfinite(total):
        raise QuantityError(text, unit)
    return total


def _times(value: float, factor: float) -> float:
    # Dividing by a whole number keeps 60 % exactly 0.6 and 350 ms exactly 0.35.
    inverse = round(1.0 / factor) if 0 < factor < 1 else 0
    return value / inverse if inverse and abs(inverse * factor - 1.0) < 1e-12 else value * factor


def _factor(rest: str, unit: str) -> float | None:
    """Size in `unit` of what follows a number; None when it is not understood."""
    if not rest:
        return 1.0
    scales = unit_scales(unit)
    found = _scale(rest, scales)
    if found is not None:
        return found
    for name, size in MAGNITUDES.items():
        if rest.startswith(name):
            tail = rest[len(name) :].strip()
            scale = 1.0 if not tail else _scale(tail, scales)
            if scale is not None:
                return size * scale
    return None


def _scale(name: str, scales: Mapping[str, float]) -> float | None:
    if name in scales:
        return scales[name]
    # Words may be in any case; one- and two-letter symbols may not: M is not m, Mb is not MB.
    folded = {known.casefold(): size for known, size in scales.items() if len(known) > 2}
    return folded.get(name.casefold())


def _without_currency(clean: str, currency: str, text: str, unit: str) -> str:
    """The text without the plan's currency; another currency is an error."""
    for symbol, code in _SYMBOLS.items():
        if symbol in clean:
            # $ and ¥ are shared by many currencies; they contradict only the other one of the two.
            shared = symbol in "$¥" and currency not in ("USD", "CNY")
            if currency and code != currency and not shared:
                raise QuantityError(text, unit)
            return clean.replace(symbol, "", 1).strip()
    found = re.search(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z-])", clean)
    if found and found.group() not in ("GPU", "FTE"):
        if currency and found.group() != currency:
            raise QuantityError(text, unit)
        clean = clean.replace(found.group(), "", 1)
    return clean.strip()

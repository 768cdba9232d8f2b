"""A service as people read it: what limits it, its parts of the bill, its availability, a fleet. Qt-free."""

from __future__ import annotations

import math

from engine.plan import Plan
from engine.results import CostPart, FleetOption
from engine.text import N_
from gui.formatting import number, percent
from gui.i18n import translator
from gui.models.layouts import fleet_text
from gui.models.words import CATEGORY_WORDS, word

LIMIT_WORDS = {
    "memory": N_("memory"),
    "engine": N_("the engine's cap"),
    "tpot": N_("the time per output token"),
    "ttft": N_("the time to first token"),
}
PART_WORDS = {
    "prefill": N_("Prefill"),
    "decode": N_("Decode"),
    "headroom": N_("Idle headroom"),
    "unused": N_("Paid, not used"),
}
_MOST_NINES = 5


def limit_word(limit: str, lang: str) -> str:
    """What keeps a batch from growing."""
    return word(LIMIT_WORDS, limit, lang)


def part_word(part: CostPart, lang: str) -> str:
    """What a part of the bill pays for."""
    if part.key in PART_WORDS:
        return word(PART_WORDS, part.key, lang)
    return word(CATEGORY_WORDS, part.category, lang)


def availability_text(share: float, lang: str) -> str:
    """A share near 1 with as many nines as it has, at most five: 99.95 %, > 99.999 %."""
    if 1.0 - share < 10.0**-_MOST_NINES:
        return f"> {percent(1.0 - 10.0**-_MOST_NINES, lang, _MOST_NINES)}"
    nines = math.floor(-math.log10(1.0 - share))
    # Rounded down: nines that are not reached must not show.
    digits = max(3, nines + 2)
    scale = 10.0 ** (digits - 2)
    return percent(math.floor(share * 100.0 * scale + 1e-6) / scale / 100.0, lang, digits)


def spares_text(option: FleetOption, lang: str) -> str:
    """Spare instances and the availability they reach."""
    if option.spare_instances is None or option.availability is None:
        return ""
    return (
        translator(lang)
        .tr("{spares} spare, {availability}")
        .format(
            spares=number(option.spare_instances, lang),
            availability=availability_text(option.availability, lang),
        )
    )


def alternative_text(option: FleetOption, plan: Plan, lang: str) -> str:
    """A fleet in one line, with its accelerator and its spares."""
    parts = [fleet_text(option, plan, lang), spares_text(option, lang)]
    joint = translator(lang).tr(", ")
    return f"{option.name}: {joint.join(part for part in parts if part)}"

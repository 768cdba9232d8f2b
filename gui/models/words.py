"""Words of the program's own keys, and plan fields as people read them. Qt-free."""

from __future__ import annotations

from typing import Any

from engine.plan import find_field
from engine.plan.money import CATEGORIES
from engine.results import Change
from engine.text import N_
from gui.formatting import field_text, number, quantity, unit_label
from gui.forms.tables import CHOICE_WORDS, EMPTY_WORDS
from gui.i18n import translator

ARROW = "\u2192"

CATEGORY_WORDS = {
    "compute": N_("Compute"),
    "people": N_("People"),
    "data": N_("Data"),
    "failures": N_("Failures, retries"),
    "storage": N_("Storage"),
    "network": N_("Network"),
    "energy": N_("Energy"),
    "operations": N_("Operations"),
}
PHASE_WORDS = {
    "prepare": N_("Prepare"),
    "run": N_("Run"),
    "evaluate": N_("Evaluate"),
    "keep": N_("Keep"),
}
BEHAVIOUR_WORDS = {"fixed": N_("fixed"), "variable": N_("variable")}
COMMITMENT_WORDS = {"committed": N_("committed"), "elastic": N_("elastic")}
OBJECTIVE_WORDS = {
    "cost_under_deadline": N_("Cost by deadline"),
    "cost": N_("Cost"),
    "time": N_("Time"),
    "time_under_budget": N_("Time in budget"),
}
PORTFOLIO_WORDS = {"careful": N_("Careful"), "balanced": N_("Balanced"), "bold": N_("Bold")}
STATE_WORDS = {
    "new": N_("new"),
    "accepted": N_("accepted"),
    "dismissed": N_("dismissed"),
    "verifying": N_("verifying"),
    "verified": N_("verified"),
    "rolled_out": N_("rolled out"),
    "realised": N_("realised"),
    "expired": N_("expired"),
}
EFFORT_WORDS = {"S": N_("small"), "M": N_("medium"), "L": N_("large")}
REVERSIBILITY_WORDS = {
    "high": N_("easy to reverse"),
    "medium": N_("hard to reverse"),
    "low": N_("not reversible"),
}

VALIDATION_WORDS = {
    "training": N_("Training speed"),
    "memory": N_("Training memory"),
    "totals": N_("Whole trainings"),
    "inference": N_("Serving"),
}
GROUP_WORDS = {
    "dense": N_("dense networks"),
    "moe": N_("mixtures of experts"),
    "all rows": N_("all rows, doubtful ones too"),
    "below 2e9": N_("networks below 2 B parameters"),
    "from 2e9": N_("networks from 2 B parameters"),
    "one factor per framework": N_("one factor a framework"),
    "constant MFU": N_("one constant MFU an accelerator"),
    "constant MFU (all rows)": N_("one constant MFU, all rows"),
    "constant MFU, row left out": N_("one constant MFU, fitted without the row"),
    "constant MFU, row left out (all rows)": N_("one constant MFU, fitted without the row, all rows"),
}
METRIC_GROUPS = {
    "TPOT": "TPOT",
    "TTFT": "TTFT",
    "output tokens/s": N_("output tokens/s"),
    "total tokens/s": N_("total tokens/s"),
    "engine presets": N_("with engine presets"),
    "score other than yes": N_("rows with a caveat"),
}
"""First parts of groups by metric, and of the other ways the same rows are looked at."""
GROUP_KINDS = {
    "family": N_("accelerators {name}"),
    "framework": N_("framework {name}"),
    "precision": N_("precision {name}"),
    "source": N_("source {name}"),
    "stack": N_("stack {name}"),
    "component": N_("component {name}"),
    "engine": N_("engine {name}"),
    "model": N_("model {name}"),
    "accelerator": N_("accelerator {name}"),
}
"""Groups of validated rows, which the engine names by kind and value."""
METRIC_WORDS = {
    "tpot_ms": N_("Time per output token"),
    "tpot_p99_ms": N_("Time per output token, p99"),
    "ttft_ms": N_("Time to first token"),
    "ttft_p99_ms": N_("Time to first token, p99"),
    "output_tokens_per_s_total": N_("Output tokens/s"),
    "total_tokens_per_s": N_("Total tokens/s"),
}
METRIC_UNITS = {
    "tokens_per_s_per_gpu": "tokens/s/GPU",
    "memory_gb": "GB",
    "memory_gib": "GiB",
    "gpu_hours": "GPU-h",
    "tpot_ms": "ms",
    "tpot_p99_ms": "ms",
    "ttft_ms": "ms",
    "ttft_p99_ms": "ms",
    "output_tokens_per_s_total": "tokens/s",
    "total_tokens_per_s": "tokens/s",
}
"""Units of validated metrics."""


def category_order(key: str) -> int:
    """Position of a category in every list; unknown ones last."""
    return CATEGORIES.index(key) if key in CATEGORIES else len(CATEGORIES)


def group_text(name: str, lang: str) -> str:
    """A group of validated rows as people read it; names of frameworks and sources stay as they are."""
    tr = translator(lang).tr
    kind, _, rest = name.partition(" ")
    if name in GROUP_WORDS or name in METRIC_GROUPS:
        return tr(GROUP_WORDS.get(name) or METRIC_GROUPS[name])
    for mark in (", ", ": "):
        first, found, other = name.partition(mark)
        if found and first in METRIC_GROUPS:
            return tr(mark).join((tr(METRIC_GROUPS[first]), group_text(other, lang)))
    return tr(GROUP_KINDS[kind]).format(name=rest) if kind in GROUP_KINDS and rest else name


def word(table: dict[str, str], key: str, lang: str) -> str:
    """The translated word of `key`; the key itself when the table lacks it."""
    return translator(lang).tr(table.get(key, key))


def field_title(path: str, lang: str) -> str:
    """What a plan field is called on screen."""
    spec = find_field(path)
    return translator(lang).tr(spec.title) if spec is not None else path


def field_value(path: str, value: Any, currency: str, lang: str) -> str:
    """A field's value with its unit, as people read it."""
    words = translator(lang)
    if value is None:
        return words.tr(EMPTY_WORDS.get(path, N_("not set")))
    if isinstance(value, bool):
        return words.tr("yes") if value else words.tr("no")
    if isinstance(value, str):
        return words.tr(CHOICE_WORDS.get(value, value))
    spec = find_field(path)
    if isinstance(value, int | float):
        unit = spec.unit if spec is not None else ""
        if spec is not None and spec.kind == "whole":
            return f"{field_text(value, unit, lang)} {unit_label(unit, currency, lang)}".strip()
        return quantity(value, unit, lang, currency)
    if isinstance(value, list | tuple) and any(not isinstance(part, str) for part in value):
        entries = words.trn("{count} entry", "{count} entries", len(value))
        return entries.format(count=number(len(value), lang))
    if isinstance(value, list | tuple):
        return words.tr(", ").join(words.tr(str(part)) for part in value) or words.tr("none")
    return words.tr("changed")


def change_text(change: Change, currency: str, lang: str) -> str:
    """ "Checkpoint interval 4 h -> 50 min", with an arrow glyph."""
    before = field_value(change.path, change.before, currency, lang)
    after = field_value(change.path, change.after, currency, lang)
    return f"{field_title(change.path, lang)} {before} {ARROW} {after}"


def changes_text(changes: tuple[Change, ...], currency: str, lang: str) -> str:
    """All changes in one line."""
    return translator(lang).tr("; ").join(change_text(change, currency, lang) for change in changes)

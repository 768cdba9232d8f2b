"""Parallel layouts and fleets as people read them. Qt-free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.plan import Plan, get_value
from engine.results import FleetOption
from gui.forms.tables import CHOICE_WORDS
from gui.i18n import translator

SHORT = {
    "layout.tensor_parallel": "TP",
    "layout.pipeline_parallel": "PP",
    "layout.context_parallel": "CP",
    "layout.expert_parallel": "EP",
    "layout.virtual_pipeline": "VPP",
}
"""The field's own abbreviations, the same in every language."""
_ALWAYS = ("layout.tensor_parallel", "layout.pipeline_parallel")


def fleet_text(option: FleetOption, plan: Plan, lang: str) -> str:
    """A fleet in one line: split, precision, batch cap, scaling, purchase."""
    words, after = translator(lang), {change.path: change.after for change in option.changes}

    def value(path: str) -> Any:
        return after.get(path, get_value(plan, path))

    term = value("cluster.commitment_term_months")
    parts = [
        f"TP {value('layout.tensor_parallel')}",
        str(value("serving.weight_precision")),
        words.tr("batch up to {size}").format(size=value("serving.max_num_seqs")),
        words.tr("autoscaled") if value("serving.autoscale") else words.tr("static"),
        words.tr(CHOICE_WORDS[value("cluster.price_mode")]),
    ]
    if term and value("cluster.price_mode") == "reserved":
        parts.append(words.tr("{months} months").format(months=f"{term:g}"))
    return words.tr(", ").join(parts)


def layout_text(settings: Mapping[str, Any], lang: str) -> str:
    """A layout in one line: TP 8, PP 4, micro-batch 1, ZeRO-1, selective recompute."""
    words = translator(lang)
    parts = [
        f"{short} {settings[path]}" for path, short in SHORT.items() if settings[path] != 1 or path in _ALWAYS
    ]
    parts.append(words.tr("micro-batch {size}").format(size=settings["layout.micro_batch"]))
    parts.append(str(settings["layout.sharding"]).replace("zero", "ZeRO-"))
    recompute = {
        "none": words.tr("no recompute"),
        "selective": words.tr("selective recompute"),
        "full": words.tr("full recompute"),
    }
    mode = str(settings["layout.recompute"])
    return words.tr(", ").join([*parts, recompute.get(mode, mode)])

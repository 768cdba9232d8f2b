"""Parallel layouts as people read them. Qt-free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

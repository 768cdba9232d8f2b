"""Vision towers and projectors of networks that see: counted where known exactly, else named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.importers.hf_config import tables
from engine.importers.hf_config.expressions import Unknown
from engine.importers.hf_config.fields import Fields
from engine.importers.hf_config.parts import Parts, family_of
from engine.text import N_, Message

_VISION_KEYS = ("vision_config", "visual", "vision_encoder_config")
_SEES = ("ForConditionalGeneration", "VisionModel", "ForImageTextToText", "VLForCausalLM")


def read_towers(parts: Parts, text: Fields) -> tuple[int, tuple[Message, ...]]:
    """Parameters of the vision tower with its projector, and what is left out of the count."""
    left_out: list[Message] = []
    total = 0
    outer = family_of(parts.outer_type) or {}
    for key, data in parts.towers.items():
        counted = _tower(key, data, parts, outer, text) if key in _VISION_KEYS else None
        total += counted or 0
        if counted is None and data is not parts.text:
            left_out.append(Message(N_("{key}: its parameters are left out"), {"key": key}))
    if outer.get("sees") and not any(key in parts.towers for key in _VISION_KEYS):
        left_out.append(Message(N_("the file does not describe its vision tower: it is left out")))
    return total, tuple(left_out)


def _tower(
    key: str, data: Mapping[str, Any], parts: Parts, outer: Mapping[str, Any], text: Fields
) -> int | None:
    """Parameters of a tower; None when it is of a kind that is not known, or lacks a value."""
    kind = data.get("model_type") if isinstance(data.get("model_type"), str) else ""
    kind = outer.get("vision_type") if outer.get("vision_type") and not tables.tower(kind or "") else kind
    traits = tables.tower(kind or outer.get("vision_type", ""))
    if traits is None or "layer" not in traits:
        return None
    fields = Fields(data, traits, tables.class_defaults(kind or ""), f"{key}.")
    try:
        layers = fields.value(traits["layer"]) * fields.value(traits["layers"])
        tower = layers + fields.value(traits["outside"])
        return int(tower + _projector(parts, outer, fields, text))
    except Unknown:
        return None


def _projector(parts: Parts, outer: Mapping[str, Any], vision: Fields, text: Fields) -> int:
    """What joins the tower to the language part; part of the tower in families that do not say."""
    rule = outer.get("projector")
    if rule is None:
        return 0
    whole = Fields(parts.outer, outer, tables.class_defaults(parts.outer_type))
    given = _Given(whole, vision, text)
    return int(given.value(rule))


class _Given:
    """Names of a projector's rule: vision_*, text_*, else keys of the whole file."""

    def __init__(self, whole: Fields, vision: Fields, text: Fields) -> None:
        self._parts = {"vision_": vision, "text_": text}
        self._whole = whole

    def value(self, rule: str) -> Any:
        from engine.importers.hf_config.expressions import evaluate

        return evaluate(rule, self._lookup)

    def _lookup(self, name: str) -> Any:
        for prefix, fields in self._parts.items():
            if name.startswith(prefix) and fields.get(name.removeprefix(prefix)) is not None:
                return fields.get(name.removeprefix(prefix))
        return self._whole.raw(name)

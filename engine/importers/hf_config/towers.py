"""Vision and audio towers and what joins them to the language part: counted where known, else named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.importers.hf_config import tables
from engine.importers.hf_config.expressions import Unknown, evaluate
from engine.importers.hf_config.fields import Fields
from engine.importers.hf_config.parts import Parts, family_of
from engine.text import N_, Message

_SENSES: Mapping[str, str] = {
    "vision_config": "vision",
    "visual": "vision",
    "vision_encoder_config": "vision",
    "audio_config": "audio",
    "speech_config": "audio",
    "audio_encoder_config": "audio",
}
"""Which prefix a tower's values have in the rules of a family."""


def read_towers(parts: Parts, text: Fields) -> tuple[int, tuple[Message, ...]]:
    """Parameters of the towers with what joins them, and what is left out of the count."""
    left_out: list[Message] = []
    total = 0
    outer = family_of(parts.outer_type) or {}
    covered = outer.get("covers", ())
    for key, data in parts.towers.items():
        if key in covered or data is parts.text:
            continue
        tower = _tower(key, data, outer)
        counted = tower.parameters() if tower else None
        total += counted or 0
        if tower is None or counted is None:
            left_out.append(Message(N_("{key}: its parameters are left out"), {"key": key}))
            continue
        joined = _projector(tower, parts, outer, text)
        total += joined or 0
        if joined is None:
            left_out.append(
                Message(N_("{key}: what joins it to the language part is left out"), {"key": key})
            )
    if outer.get("sees") and not any(_SENSES.get(key) == "vision" for key in parts.towers):
        left_out.append(Message(N_("the file does not describe its vision tower: it is left out")))
    return total, tuple(left_out)


@dataclass(frozen=True, slots=True)
class _Tower:
    """One tower: which sense it serves, its traits and its values."""

    sense: str
    traits: Mapping[str, Any]
    fields: Fields

    def parameters(self) -> int | None:
        """Its count; None when a value it needs is nowhere given."""
        value, traits = self.fields.value, self.traits
        try:
            return int(value(traits["layer"]) * value(traits["layers"]) + value(traits["outside"]))
        except (Unknown, TypeError):
            return None


def _tower(key: str, data: Mapping[str, Any], outer: Mapping[str, Any]) -> _Tower | None:
    """The tower under a key; None when it is of a kind that is not known."""
    sense = _SENSES.get(key)
    if sense is None:
        return None
    usual, own = outer.get(f"{sense}_type", ""), data.get("model_type")
    kind = own if isinstance(own, str) and tables.tower(own) else usual
    traits = tables.tower(kind) if kind else None
    if traits is None or "layer" not in traits:
        return None
    return _Tower(sense, traits, Fields(data, traits, tables.class_defaults(kind), f"{key}."))


def _projector(tower: _Tower, parts: Parts, outer: Mapping[str, Any], text: Fields) -> int | None:
    """Parameters that join a tower to the language part; None where they are not known."""
    rule = outer.get("projector" if tower.sense == "vision" else f"{tower.sense}_projector")
    if not isinstance(rule, str):
        return rule
    whole = Fields(parts.outer, outer, tables.class_defaults(parts.outer_type))
    given = {f"{tower.sense}_": tower.fields, "text_": text}

    def lookup(name: str) -> Any:
        own = outer.get("fields", {}).get(name)
        for prefix, fields in given.items():
            if name.startswith(prefix) and fields.get(name.removeprefix(prefix)) is not None:
                return fields.get(name.removeprefix(prefix))
        return (
            evaluate(own, lambda inner: lookup(inner) if inner != name else whole.raw(name))
            if own
            else whole.raw(name)
        )

    try:
        return int(evaluate(rule, lookup))
    except (Unknown, TypeError):
        return None

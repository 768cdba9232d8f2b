"""Well-known networks to start from: their shapes, with published totals to check them by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from engine.errors import FlopwiseError
from engine.plan.architecture import Architecture
from engine.text import N_, Message

Basis = Literal["verified", "memory"]
"""`verified`: the shape was read in the file `source` names; `memory`: recalled, and in both cases the count
of parameters agrees with the published total."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A published network: `published_parameters` [count] without layers that predict further tokens.

    `checked` holds further known figures by name: kv_bytes_per_token, kv_bytes_at_context and state_bytes
    [byte], the cache in 16 bits and the context the longest; embedding_parameters [count].
    """

    name: str
    publisher: str
    architecture: Architecture
    published_parameters: int
    basis: Basis
    source: str
    checked: Mapping[str, int]
    note: str


@cache
def load_presets() -> Mapping[str, Preset]:
    """The shipped networks by name, in the file's order.

    Errors: FlopwiseError for a name that occurs twice; a shape that is impossible is refused as any plan's.
    """
    text = (files("engine.catalog") / "data" / "architectures.json").read_text(encoding="utf-8")
    found: dict[str, Preset] = {}
    for row in json.loads(text):
        preset = _preset(row)
        if preset.name in found:
            raise FlopwiseError(Message(N_("architectures.json: {name} occurs twice"), {"name": preset.name}))
        found[preset.name] = preset
    return MappingProxyType(found)


def _preset(row: Mapping[str, Any]) -> Preset:
    shape = {"model_name": row["name"], **row["architecture"]}
    return Preset(
        name=row["name"],
        publisher=row["publisher"],
        architecture=Architecture.model_validate(shape),
        published_parameters=row["published_parameters"],
        basis=row["basis"],
        source=row["source"],
        checked=MappingProxyType(row["checked"]),
        note=row.get("note", ""),
    )

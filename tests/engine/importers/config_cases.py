"""Configurations the tests of the reader start from: known networks, and one small config a family."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "data"


@dataclass(frozen=True, slots=True)
class Known:
    """A published network; `active` 0 where none is published."""

    name: str
    total: int
    active: int
    config: Mapping[str, Any]

    @property
    def is_rounded(self) -> bool:
        """Whether the total is published in round numbers only."""
        return self.total % 1_000_000 == 0


@dataclass(frozen=True, slots=True)
class Counted:
    """A small network of one class, with what the class itself comes to."""

    model_type: str
    total: int
    buffers: int
    config: Mapping[str, Any]


def known_networks() -> tuple[Known, ...]:
    return tuple(
        Known(row["name"], row["total"], row.get("active", 0), row["config"])
        for row in _rows("known_networks.json")
    )


def counted_networks() -> tuple[Counted, ...]:
    return tuple(
        Counted(row["config"]["model_type"], row["total"], row.get("buffers", 0), row["config"])
        for row in _rows("architectures.json")
    )


def config(name: str, **changes: Any) -> dict[str, Any]:
    """The config of a known network, a copy with keys changed."""
    found = next(item for item in known_networks() if item.name == name)
    return {**copy.deepcopy(dict(found.config)), **changes}


def _rows(file: str) -> list[dict[str, Any]]:
    text = (DATA / file).read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text, object_hook=_long_list)["rows"]
    return rows


def _long_list(found: dict[str, Any]) -> Any:
    """{kinds, order}: a list written with one letter an element."""
    if found.keys() != {"kinds", "order"}:
        return found
    return [copy.deepcopy(found["kinds"][ord(letter) - ord("a")]) for letter in found["order"]]

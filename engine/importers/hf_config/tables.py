"""The data files of this reader: names of fields, traits of families, defaults of model classes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

_DATA = resources.files(__package__) / "data"
_HEADING = re.compile(r"^\[(?:\"([^\"]+)\"|([\w-]+))(?:\.|\])", re.MULTILINE)


@cache
def names() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Kinds of values ("counts", "flags", "words", "lists") -> name -> keys it goes by in files."""
    found = tomllib.loads((_DATA / "names.toml").read_text(encoding="utf-8"))
    return {
        kind: {name: tuple(keys) or (name,) for name, keys in rows.items()} for kind, rows in found.items()
    }


@cache
def kind_of(name: str) -> str:
    """Kind of value a name stands for; what no table lists is a whole number."""
    return next((kind for kind, rows in names().items() if name in rows), "counts")


@cache
def class_defaults(model_type: str) -> Mapping[str, Any]:
    """Defaults of a model class by key; empty for a type without one."""
    return _all_defaults().get(model_type, {})


@cache
def family(model_type: str) -> Mapping[str, Any] | None:
    """Traits of a family with those of the families it is like; None for an unknown type."""
    return _merged("families.toml", model_type)


@cache
def aliases() -> Mapping[str, Mapping[str, str]]:
    """Families of files that do not name theirs: by pair of names, by class, by a key of their own."""
    found: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (_DATA / "aliases.toml").read_text(encoding="utf-8")
    )
    return found


@cache
def tower(kind: str) -> Mapping[str, Any] | None:
    """How a vision tower is counted; None for an unknown one."""
    return _merged("towers.toml", kind)


def known_types() -> tuple[str, ...]:
    """Every model type with traits of its own."""
    return tuple(name for name in _sections("families.toml") if not name.startswith("generic"))


@cache
def _all_defaults() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = json.loads(
        (_DATA / "class_defaults.json").read_text(encoding="utf-8")
    )["defaults"]
    return found


def _merged(file: str, name: str) -> Mapping[str, Any] | None:
    text = _sections(file).get(name)
    if text is None:
        return None
    own = tomllib.loads(text)[name]
    base = _merged(file, own["like"]) if "like" in own else {}
    return _over(base or {}, own)


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    """One table laid over another, tables inside them too."""
    both = dict(base)
    for key, value in own.items():
        below = both.get(key)
        both[key] = _over(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return both


@cache
def _sections(file: str) -> Mapping[str, str]:
    """Text of each top-level table: reading a whole file of families to use one would take 100 ms."""
    text = (_DATA / file).read_text(encoding="utf-8")
    starts = [(match.start(), match[1] or match[2]) for match in _HEADING.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    found: dict[str, str] = {}
    for (start, name), end in zip(starts, ends, strict=True):
        found[name] = found.get(name, "") + text[start:end]
    return found

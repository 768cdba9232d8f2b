"""One object of a config.json as named values: which key gave each, what the class default is, what lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import InputError
from engine.importers.hf_config import tables
from engine.importers.hf_config.expressions import Unknown, evaluate
from engine.text import N_, Message

LARGEST = 10**12
"""No count of a file is larger; products of several stay far from what a float cannot hold."""

MISSING = object()


@dataclass
class Fields:
    """Values of an object by name. `read` and `defaulted` fill as values are asked for.

    A value comes from the file (under any of the name's keys), else from the model class, else from the
    family's `values`; a family's `fields` say how one is computed from others. A key that is there and null
    is None, whatever the class default.
    """

    data: Mapping[str, Any]
    family: Mapping[str, Any]
    defaults: Mapping[str, Any]
    path: str = ""
    read: dict[str, tuple[Any, str]] = field(default_factory=dict)
    defaulted: dict[str, Any] = field(default_factory=dict)
    _known: dict[str, Any] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    def get(self, name: str) -> Any:
        """A value by name, computed where the family says how; None when nothing gives it."""
        if name in self._known:
            return self._known[name]
        rule = self.family.get("fields", {}).get(name)
        if rule is None or name in self._open:
            return self.raw(name)
        self._open.append(name)
        try:
            found = self.value(rule)
        finally:
            self._open.pop()
        self._known[name] = found
        return found

    def value(self, rule: Any, **given: Any) -> Any:
        """A value a data file states: a literal, or an expression over names and what is given."""
        if not isinstance(rule, str):
            return rule
        return evaluate(rule, lambda name: given[name] if name in given else self.get(name))

    def settle(self, name: str, value: Any) -> None:
        """Fix a value that several keys together gave."""
        self._known[name] = value

    def count(self, name: str) -> int:
        """A whole number; 0 when nothing gives it."""
        found = self.get(name)
        return int(found) if isinstance(found, int | float) else 0

    def whole(self, name: str, value: Any) -> int:
        """A computed value as a whole number. Errors: InputError for anything else."""
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise InputError(self.key(name), value, _CHECKS["counts"][1])
        return int(value)

    def gives(self, name: str) -> bool:
        """Whether the file itself gives a value."""
        return any(_find(self.data, key) not in (MISSING, None) for key in self._keys(name))

    def key(self, name: str) -> str:
        """The key a name is found under, else its own name, for messages."""
        return self.path + next((k for k in self._keys(name) if _find(self.data, k) is not MISSING), name)

    def raw(self, name: str) -> Any:
        """A value as the file, the model class or the family gives it, of the kind its name says."""
        nulls = False
        for key in self._keys(name):
            found = _find(self.data, key)
            if found is MISSING:
                continue
            nulls = nulls or found is None
            if found is not None:
                kind = self._kind(name)
                found = check(self.path + key, _alike(found) if kind == "counts" else found, kind)
                self.read[name] = (found, self.path + key)
                return found
        return None if nulls else self._default(name)

    def _default(self, name: str) -> Any:
        for source in (self.family.get("values", {}), self.defaults):
            for key in (name, *self._keys(name)):
                if source.get(key) is not None:
                    self.defaulted[name] = source[key]
                    return source[key]
        return None

    def _keys(self, name: str) -> tuple[str, ...]:
        own = self.family.get("keys", {}).get(name)
        if own is not None:
            return tuple(own)
        return tables.names().get(tables.kind_of(name), {}).get(name, (name,))

    def _kind(self, name: str) -> str:
        kinds: Mapping[str, str] = self.family.get("kinds_of_values", {})
        return kinds.get(name) or tables.kind_of(name)


def _alike(value: Any) -> Any:
    """The number a list gives for every layer, when it is the same for all."""
    same = isinstance(value, list) and 0 < len(value) <= 10_000 and all(item == value[0] for item in value)
    return value[0] if same else value


def check(key: str, value: Any, kind: str) -> Any:
    """A value of the kind asked for. Errors: InputError naming the key, the value and what is accepted."""
    good, accepted = _CHECKS[kind]
    if not good(value):
        raise InputError(key, value, accepted)
    return int(value) if kind == "counts" else value


def _whole(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and 0 <= value <= LARGEST and float(value).is_integer()


def _list(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) <= 10_000


def _any(value: Any) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return math.isfinite(value) and abs(value) <= LARGEST
    return True


_CHECKS: Mapping[str, tuple[Any, Message]] = {
    "counts": (
        _whole,
        Message(N_("a whole number from 0 to {largest}, not in quotes"), {"largest": LARGEST}),
    ),
    "flags": (lambda value: isinstance(value, bool), Message(N_("true or false"))),
    "words": (lambda value: isinstance(value, str), Message(N_("a text in quotes"))),
    "lists": (_list, Message(N_("a list of at most 10,000 entries"))),
    "any": (_any, Message(N_("a number up to {largest}, a text or a list"), {"largest": LARGEST})),
}


def _find(data: Mapping[str, Any], key: str) -> Any:
    """The value under a key, whose dots go into objects; MISSING when there is none."""
    found: Any = data
    for part in key.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return MISSING
        found = found[part]
    return found


__all__ = ["MISSING", "Fields", "Unknown", "check"]

"""Translatable text without a translator: markers and messages; only the gui translates them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


def N_(text: str) -> str:  # noqa: N802  (the name gettext extraction tools know)
    """Mark a literal for extraction and return it unchanged."""
    return text


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the unit it is counted in; formatted for the reader's language at the edge."""

    value: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the program's own vocabulary used inside a message; translated at the edge."""

    text: str


Param: TypeAlias = "str | int | float | Quantity | Term | Message | None"


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence as template plus typed parameters, so that it renders in any language."""

    template: str
    params: Mapping[str, Param] = field(default_factory=dict)

    def render(self) -> str:
        """English text with plain numbers: for logs and exceptions, never for a page."""
        return self.template.format(**{name: _plain(value) for name, value in self.params.items()})


def _plain(value: Param) -> str:
    if isinstance(value, Quantity):
        return "unknown" if value.value is None else f"{value.value:g} {value.unit}".strip()
    if isinstance(value, Message):
        return value.render()
    if isinstance(value, Term):
        return value.text
    return "unknown" if value is None else str(value)

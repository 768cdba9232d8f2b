"""What an import of a model configuration found: the network, and what was read, assumed and left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.plan.architecture import Architecture
from engine.text import Message


@dataclass(frozen=True, slots=True)
class ReadField:
    """A field and the key of the file that gave it."""

    field: str
    value: Any
    key: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """A field the file does not give. `affects_counts`: another value could change what is counted."""

    field: str
    value: Any
    why: Message
    affects_counts: bool


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """Stored precision of a part of the weights: "rest", or a component of the counts such as "experts"."""

    part: str
    name: str
    bits: float


@dataclass(frozen=True, slots=True)
class ConfigImport:
    """A network read from a config.json, with its provenance."""

    architecture: Architecture
    model_type: str
    dtype: str
    read: tuple[ReadField, ...]
    assumed: tuple[Assumption, ...]
    unsupported: tuple[Message, ...]
    weight_formats: tuple[WeightFormat, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the counts rest on nothing guessed or left out."""
        return not self.unsupported and not any(item.affects_counts for item in self.assumed)

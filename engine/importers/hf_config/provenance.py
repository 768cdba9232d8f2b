"""Where each field of an imported network comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.importers.hf_config.fields import Fields
from engine.importers.hf_config.records import Assumption, ReadField
from engine.plan.architecture import Architecture
from engine.text import N_, Message

_CLASS = Message(N_("default of the model class"))
_COMPUTED = Message(N_("follows from other fields as in the model class"))
_GUESSED = Message(N_("the model type is not known and the file does not say: the usual case"))
_SUPPLIED = Message(N_("the model type is not known: read from other keys by the usual rule"))

_SHOWN = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "gated_mlp",
    "tie_word_embeddings",
    "num_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "shared_expert_intermediate_size",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
    "sliding_window",
)

_OPEN_TRAITS = ("attention_bias", "mlp_bias", "qk_norm", "norms_per_layer", "norm_weights")
"""What the keys of an unknown type rarely say and its counts depend on."""


def readings(fields: Fields) -> tuple[ReadField, ...]:
    """Every value that was asked for and found in the file, with its key."""
    return tuple(ReadField(name, value, key) for name, (value, key) in fields.read.items())


def assumptions(fields: Fields, architecture: Architecture, *, known: bool) -> tuple[Assumption, ...]:
    """Every value that the file does not give: defaults of the class, what follows, and what is guessed."""
    found = {item.field: item for item in _of_class(fields)}
    guessed = () if known else _guessed(fields, architecture)
    for item in (*_followed(fields, architecture, known=known), *guessed):
        found.setdefault(item.field, item)
    return tuple(found.values())


def _of_class(fields: Fields) -> Iterator[Assumption]:
    for name, value in fields.defaulted.items():
        if name not in fields.read:
            yield Assumption(name, value, _CLASS, affects_counts=False)


def _followed(fields: Fields, architecture: Architecture, *, known: bool) -> Iterator[Assumption]:
    """Fields of the form that are set although no key gives them."""
    for name in _SHOWN:
        value = getattr(architecture, name)
        default = Architecture.model_fields[name].default
        if name not in fields.read and value != default and value is not None:
            # Heads' size and key-value heads follow by a rule every family shares.
            plain = known or name in ("head_dim", "num_key_value_heads")
            yield Assumption(name, value, _COMPUTED if plain else _SUPPLIED, affects_counts=not plain)


def _guessed(fields: Fields, architecture: Architecture) -> Iterator[Assumption]:
    for name in ("gated_mlp", "tie_word_embeddings"):
        if name not in fields.read:
            yield Assumption(name, getattr(architecture, name), _GUESSED, affects_counts=True)
    for name in _OPEN_TRAITS:
        if name not in fields.read:
            value: Any = getattr(architecture.details, name)
            yield Assumption(f"details.{name}", value, _GUESSED, affects_counts=True)

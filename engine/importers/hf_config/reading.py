"""A config.json as an Architecture with its provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import InputError
from engine.importers.hf_config import tables
from engine.importers.hf_config.expressions import Unknown
from engine.importers.hf_config.fields import Fields
from engine.importers.hf_config.formats import read_dtype, read_formats
from engine.importers.hf_config.layers import plain_form, read_layers
from engine.importers.hf_config.parsing import check_config, parse_config
from engine.importers.hf_config.parts import Parts, family_of, fields_of, split
from engine.importers.hf_config.patterns import listed_layers
from engine.importers.hf_config.provenance import assumptions, readings
from engine.importers.hf_config.records import Assumption, ConfigImport
from engine.importers.hf_config.stacks import read_stacks
from engine.importers.hf_config.towers import read_towers
from engine.importers.hf_config.validation import validated
from engine.importers.hf_config.writing import OWN_TYPE, read_own
from engine.plan.architecture import Details, LinearAttention, StateSpace
from engine.plan.base import Section
from engine.plan.fields import field_specs
from engine.text import N_, Message

COUNTS = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "num_experts",
    "num_experts_per_tok",
    "shared_expert_intermediate_size",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
)
"""Fields of an Architecture that are 0 when nothing gives them."""

OPTIONAL = (
    "num_key_value_heads",
    "head_dim",
    "max_position_embeddings",
    "moe_intermediate_size",
    "v_head_dim",
)
"""Fields of an Architecture that are empty when nothing gives them."""

NEEDED = ("hidden_size", "num_hidden_layers", "vocab_size")


def read_config(text: str, *, name: str = "") -> ConfigImport:
    """Read the text of a config.json.

    Errors: InputError naming the key, the value and what is accepted; fields that are missing are named all
    at once. A type that is not known is read by its keys, and what is guessed is in `assumed`.
    """
    return import_data(parse_config(text), name)


def import_data(data: Mapping[str, Any], name: str = "") -> ConfigImport:
    """Read a config.json that is parsed already. Errors: as read_config."""
    checked = check_config(data)
    if checked.get("model_type") == OWN_TYPE:
        return read_own(checked, name)
    parts = split(checked)
    fields = fields_of(parts.text, parts.text_type, parts.path)
    values = _guarded(fields, lambda: _values(fields, parts, name))
    vision, left_out = read_towers(parts, fields)
    values["details"]["vision_parameters"] = vision
    architecture = validated(values, fields.key)
    known = family_of(parts.text_type) is not None
    return ConfigImport(
        architecture=architecture,
        model_type=parts.outer_type,
        dtype=read_dtype(checked, parts.text),
        read=readings(fields),
        assumed=(*_told_type(checked, parts), *assumptions(fields, architecture, known=known)),
        unsupported=(*left_out, *_guarded(fields, lambda: _unsupported(fields))),
        weight_formats=read_formats(checked, parts.text, fields),
    )


def _told_type(data: Mapping[str, Any], parts: Parts) -> tuple[Assumption, ...]:
    """The model type of a file that names none, told by its class or by a key of its own."""
    if not parts.outer_type or parts.outer_type == data.get("model_type"):
        return ()
    why = Message(N_("told by the file's class or by a key only its family has"))
    return (Assumption("model_type", parts.outer_type, why, affects_counts=False),)


def _values(fields: Fields, parts: Parts, name: str) -> dict[str, Any]:
    """Every field of the Architecture as plain data."""
    kind = str(fields.value(fields.family.get("kind", "'decoder'")))
    if kind == "encoder_decoder":
        layers, groups = read_stacks(fields)
    else:
        layers = fields.count("num_hidden_layers") or listed_layers(fields) or 0
        fields.settle("num_hidden_layers", layers)
        _need(fields, [item for item in NEEDED if not fields.count(item)])
        _few_enough(fields, layers)
        groups = read_layers(fields)
    _need(fields, [item for item in NEEDED if item != "num_hidden_layers" and not fields.count(item)])
    plain, listed = plain_form(groups, has_experts=fields.count("num_experts") > 0)
    return {
        "model_name": name[:200],
        "kind": kind,
        **{item: fields.count(item) for item in COUNTS if item != "num_hidden_layers"},
        **{item: fields.count(item) or None for item in OPTIONAL},
        "num_hidden_layers": layers,
        "gated_mlp": bool(fields.get("gated_mlp")),
        "tie_word_embeddings": bool(fields.get("tie_word_embeddings")),
        **plain,
        "layer_groups": listed,
        "state_space": _section(fields, StateSpace, "state_space"),
        "linear_attention": _section(fields, LinearAttention, "linear_attention"),
        "details": _section(fields, Details, "details"),
    }


def _few_enough(fields: Fields, layers: int) -> None:
    """Refuse more layers than a network may have before any list with one entry a layer is made."""
    spec = field_specs()["architecture.num_hidden_layers"]
    if layers and not spec.holds(layers):
        raise InputError(fields.key("num_hidden_layers"), layers, spec.accepted())


def _section(fields: Fields, section: type[Section], name: str) -> dict[str, Any]:
    """Values of a group of fields by the family's rules, where it has any."""
    found: dict[str, Any] = {}
    for field, rule in fields.family.get(name, {}).items():
        value = fields.value(rule)
        kind = section.model_fields[field].annotation
        if value is not None:
            plain = isinstance(value, str) and kind is not bool
            found[field] = value if plain else bool(value) if kind is bool else fields.whole(field, value)
    return found


def _guarded(fields: Fields, read: Any) -> Any:
    """What a rule gives. Errors: InputError naming the values it needs and does not find."""
    try:
        return read()
    except Unknown as error:
        _need(fields, sorted(error.names))
        raise


def _need(fields: Fields, missing: list[str]) -> None:
    if missing:
        keys = [" / ".join(_keys(fields, name)[:3]) for name in missing]
        accepted = Message(N_("a whole number for each of: {names}"), {"names": ", ".join(keys)})
        raise InputError(", ".join(fields.path + name for name in missing), None, accepted)


def _keys(fields: Fields, name: str) -> tuple[str, ...]:
    return tables.names().get(tables.kind_of(name), {}).get(name, (name,))


def _unsupported(fields: Fields) -> tuple[Message, ...]:
    return tuple(
        _LEFT_OUT[code] for code, rule in fields.family.get("unsupported", {}).items() if fields.value(rule)
    )


_LEFT_OUT: Mapping[str, Message] = {
    "inner": Message(N_("the inside of some layers is not known exactly: their counts are estimates")),
    "experts": Message(N_("experts of differing kinds are not counted apart")),
    "unequal_stacks": Message(
        N_("the stacks differ in width: the encoder is counted as wide as the decoder")
    ),
    "picture_experts": Message(N_("experts for pictures all count as active: active counts are too high")),
    "attention_experts": Message(
        N_("experts of the attention all count as active: active counts are too high")
    ),
}

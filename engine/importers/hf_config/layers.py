"""The layers of a network as groups, from the kinds its file lists and what its family says of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import InputError
from engine.importers.hf_config.expressions import names_in
from engine.importers.hf_config.fields import Fields
from engine.importers.hf_config.patterns import mixer_kinds, mlp_kinds
from engine.text import N_, Message

Group = Mapping[str, Any]

_FLAGS = frozenset(
    {"keys_are_values", "shares_cache", "is_encoder", "borrows_weights", "borrows_keys", "indexed"}
)
_WORDS = frozenset({"mixer", "second_mixer", "mlp"})


def read_layers(fields: Fields) -> list[tuple[Group, int]]:
    """Distinct layers as fields of a LayerGroup, with how many there are, in order of first appearance.

    Errors: InputError for lists that do not fit and kinds the family does not know.
    """
    traits = fields.family.get("layers", {})
    mixers = mixer_kinds(fields, traits.get("mixers"))
    mlps = mlp_kinds(fields, traits.get("mlps"), len(mixers))
    found: Counter[tuple[tuple[str, Any], ...]] = Counter()
    made: dict[tuple[str, str], Group] = {}
    for index, key in enumerate(zip(mixers, mlps, strict=True)):
        if key not in made or _varies(fields, key[0]):
            made[key] = _layer(fields, *key, index)
        found[tuple(made[key].items())] += 1
    return [(dict(items), count) for items, count in found.items()]


def plain_form(
    groups: Sequence[tuple[Group, int]], *, has_experts: bool
) -> tuple[dict[str, Any], tuple[Group, ...]]:
    """Fields of an Architecture that say the same with as few groups as possible, and the groups left."""
    simple = {"mixer", "mlp", "sliding_window"}
    uniform = all(set(group) <= simple and group["mixer"] == "attention" for group, _ in groups)
    windows = {group.get("sliding_window", 0) for group, _ in groups}
    mlps = [group["mlp"] for group, _ in groups]
    if uniform and len(windows) == 1 and mlps in (["dense"], ["moe"], ["dense", "moe"]):
        # Of a network whose every layer is dense although it names experts, all layers lead.
        dense = groups[0][1] if has_experts and mlps[0] == "dense" else 0
        return {"sliding_window": windows.pop(), "first_k_dense_replace": dense}, ()
    return {}, tuple({**group, "count": count} for group, count in groups)


def _kind(fields: Fields, mixer: str) -> Mapping[str, Any]:
    kinds: Mapping[str, Mapping[str, Any]] = fields.family["layers"]["kinds"]
    if mixer not in kinds:
        accepted = Message(N_("one of {names}"), {"names": ", ".join(sorted(kinds))})
        raise InputError(fields.key("layer_types"), mixer, accepted)
    return kinds[mixer]


def _varies(fields: Fields, mixer: str) -> bool:
    """Whether layers of a kind differ by their place."""
    rules = (*_kind(fields, mixer).items(), *fields.family["layers"].get("every", {}).items())
    return any(
        name not in _WORDS and isinstance(rule, str) and "layer" in names_in(rule) for name, rule in rules
    )


def _layer(fields: Fields, mixer: str, mlp: str, index: int) -> Group:
    """One layer: what its family says of every layer, then of its kind."""
    rules = {**fields.family["layers"].get("every", {}), **_kind(fields, mixer)}
    given = {"layer": index, "mlp": mlp, "kind": mixer}
    found: dict[str, Any] = {"mixer": "attention", "mlp": mlp}
    for name, rule in rules.items():
        value = rule if name in _WORDS else fields.value(rule, **given)
        if value is None:
            continue
        if name in _WORDS:
            found[name] = value
        elif name in _FLAGS:
            if value:
                found[name] = True
        elif value or name in ("sliding_window", "norms_per_layer"):
            found[name] = fields.whole(name, value)
    if found["mlp"] == "dense" and found.get("intermediate_size") == 0:
        found.pop("intermediate_size")
    return found

"""The two stacks of encoder-decoder networks as layer groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.importers.hf_config.fields import Fields

Group = dict[str, Any]


def read_stacks(fields: Fields) -> tuple[int, list[tuple[Mapping[str, Any], int]]]:
    """Layers of both stacks, and their groups: encoder layers, then decoder layers that look at them."""
    encoder, decoder = fields.count("num_encoder_layers"), fields.count("num_decoder_layers")
    decoder = decoder or encoder
    fields.settle("num_hidden_layers", encoder + decoder)
    groups: list[tuple[Mapping[str, Any], int]] = []
    for stack, count in (("encoder", encoder), ("decoder", decoder)):
        if count:
            groups += _stack(fields, stack, count)
    return encoder + decoder, groups


def _stack(fields: Fields, stack: str, count: int) -> list[tuple[Group, int]]:
    """Layers of one stack; with experts in every n-th layer of it where the family has them."""
    group = _group(fields, stack)
    step = fields.value(fields.family["stacks"].get(f"{stack}_sparse_step", 0)) or 0
    sparse = count // step if step and fields.count("num_experts") else 0
    groups = [({**group, "mlp": "dense"}, count - sparse), ({**group, "mlp": "moe"}, sparse)]
    return [(found, layers) for found, layers in groups if layers]


def _group(fields: Fields, stack: str) -> Group:
    group: Group = {"mixer": "attention", "is_encoder": stack == "encoder"}
    if stack == "decoder":
        group["second_mixer"] = "cross_attention"
    for name, rule in fields.family["stacks"].get(stack, {}).items():
        value = fields.value(rule)
        if value is not None:
            group[name] = fields.whole(name, value)
    return group

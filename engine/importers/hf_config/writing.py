"""A network written as a config.json that reads back to the same network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.importers.hf_config.records import ConfigImport, ReadField
from engine.importers.hf_config.validation import validated
from engine.plan.architecture import Architecture

OWN_TYPE = "flopwise"
"""model_type of files this program writes: their keys are the fields of an Architecture."""


def write_config(architecture: Architecture) -> dict[str, Any]:
    """Plain data of a config.json. Reading it gives the same Architecture, name and all."""
    return {"model_type": OWN_TYPE, **architecture.model_dump(mode="json", exclude_defaults=True)}


def read_own(data: Mapping[str, Any], name: str) -> ConfigImport:
    """Read what write_config wrote. Errors: InputError naming the field."""
    values = {key: value for key, value in data.items() if key != "model_type"}
    if name:
        values["model_name"] = name[:200]
    architecture = validated(_tuples(values), lambda field: field)
    return ConfigImport(
        architecture=architecture,
        model_type=OWN_TYPE,
        dtype="",
        read=tuple(ReadField(key, value, key) for key, value in values.items()),
        assumed=(),
        unsupported=(),
        weight_formats=(),
    )


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows lists only, the strict model wants a tuple."""
    groups = values.get("layer_groups")
    return {**values, "layer_groups": tuple(groups)} if isinstance(groups, list) else dict(values)

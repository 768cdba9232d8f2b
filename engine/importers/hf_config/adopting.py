"""An imported network put into a plan, every field marked with where it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.catalog.presets import Preset
from engine.importers.hf_config.records import ConfigImport
from engine.plan import Plan, Provenance, field_specs, plan_from_data
from engine.plan.architecture import Architecture
from engine.text import N_, Message

PREFIX = "architecture."
FROM_FAMILY = N_("follows from the model type {model_type}")


def adopt_import(
    plan: Plan, found: ConfigImport, *, source: str, date: str, render: Callable[[Message], str]
) -> Plan:
    """The plan with the network of an import in place of its own.

    Fields the file gives are marked imported with `source` and key, fields the file leaves open are marked
    assumed with the reason. Errors: PlanErrors when the rest of the plan contradicts the network.
    """
    read = {item.field: f"{source}: {item.key}" for item in found.read}
    assumed = {item.field: render(item.why) for item in found.assumed}
    family = render(Message(FROM_FAMILY, {"model_type": found.model_type}))
    marks = {}
    for path in architecture_paths():
        name = path.rpartition(".")[2]
        if name in assumed:
            marks[path] = Provenance(kind="assumed", source=assumed[name], date=date)
        elif name in read:
            marks[path] = Provenance(kind="imported", source=read[name], date=date)
        elif _differs(found.architecture, path):
            marks[path] = Provenance(kind="imported", source=f"{source}: {family}", date=date)
    return adopt_architecture(plan, found.architecture, marks)


def adopt_preset(plan: Plan, preset: Preset, *, date: str) -> Plan:
    """The plan with a well-known network, its fields marked as from the catalogue. Errors: PlanErrors."""
    mark = Provenance(kind="catalogue", source=preset.source[:500], date=date)
    paths = (path for path in architecture_paths() if _differs(preset.architecture, path))
    return adopt_architecture(plan, preset.architecture, dict.fromkeys(paths, mark))


def adopt_architecture(plan: Plan, architecture: Architecture, marks: Mapping[str, Provenance]) -> Plan:
    """The plan with another network; marks, ranges and measured runs of the old one are dropped.

    Errors: PlanErrors.
    """
    data = plan.model_dump()
    if data["training"] is not None:
        data["training"]["measured_runs"] = ()
    data["architecture"] = architecture.model_dump()
    for table in ("provenance", "ranges"):
        data[table] = {path: entry for path, entry in data[table].items() if not path.startswith(PREFIX)}
    data["provenance"] |= {path: mark.model_dump() for path, mark in marks.items()}
    return plan_from_data(data)


def architecture_paths() -> Iterator[str]:
    """Path of every field of the network."""
    return (path for path in field_specs() if path.startswith(PREFIX))


def _differs(architecture: Architecture, path: str) -> bool:
    value: Any = architecture
    for part in path.removeprefix(PREFIX).split("."):
        value = getattr(value, part)
    return bool(value != field_specs()[path].default)

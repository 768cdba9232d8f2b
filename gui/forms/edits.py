"""Whole-plan edits beside a patch: ranges, and going back to the default. Qt-free."""

from __future__ import annotations

from typing import Any

from engine.plan import Plan, Provenance, field_specs, find_field, plan_from_data
from engine.plan.patches import plan_data


def with_range(plan: Plan, path: str, low: float, central: float, high: float) -> Plan:
    """The plan with `path` at `central` and its range from low to high. Errors: PlanErrors."""
    data = plan_data(plan)
    _set(data, path, central)
    data["ranges"][path] = {"low": low, "high": high}
    data["provenance"][path] = Provenance(kind="entered").model_dump()
    return plan_from_data(data)


def without_range(plan: Plan, path: str) -> Plan:
    """The plan with `path` as one certain value again."""
    data = plan_data(plan)
    data["ranges"].pop(path, None)
    return plan_from_data(data)


def reset_field(plan: Plan, path: str) -> Plan:
    """The plan with `path` at its default, without range and provenance. Fields without default stay."""
    spec = field_specs()[path]
    if spec.required:
        return plan
    data = plan_data(plan)
    _set(data, path, spec.default)
    data["ranges"].pop(path, None)
    data["provenance"].pop(path, None)
    return plan_from_data(data)


def without_own_accelerator(plan: Plan, accelerator: str) -> Plan:
    """The plan on a catalogue accelerator, the figures of its own one dropped."""
    data = plan_data(plan)
    data["cluster"]["accelerator"] = accelerator
    data["cluster"]["accelerator_spec"] = None
    for path in [path for path in data["provenance"] if path.startswith("cluster.accelerator_spec.")]:
        del data["provenance"][path]
    data["provenance"]["cluster.accelerator"] = Provenance(kind="entered").model_dump()
    return plan_from_data(data)


def section_of(path: str) -> str:
    """Path of the section that holds the field at `path`."""
    spec = find_field(path)
    return (spec.path if spec is not None else path).rpartition(".")[0]


def _set(data: dict[str, Any], path: str, value: Any) -> None:
    *parents, leaf = path.split(".")
    for part in parents:
        data = data[part]
    data[leaf] = value

"""Changes to a plan by field path. A patched plan is validated again, so it is always possible."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from engine.errors import InputError
from engine.plan.fields import field_specs, find_field
from engine.plan.plan import Plan, Provenance
from engine.plan.reading import plan_from_data
from engine.text import N_, Message

Patch = Mapping[str, Any]
"""Field path -> new value (plain data, as in a plan file)."""


def get_value(plan: Plan, path: str) -> Any:
    """The value at `path`; None where its section is absent. Unknown paths raise InputError."""
    _check_path(path)
    value: Any = plan
    for part in path.split("."):
        if value is None:
            return None
        value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value


def apply_patch(plan: Plan, patch: Patch, provenance: Provenance | None = None) -> Plan:
    """The plan with every value of `patch` set; with `provenance`, the changed fields are marked by it.

    Errors: InputError for an unknown path, PlanErrors for values that are not accepted.
    """
    data = plan.model_dump()
    for path, value in patch.items():
        _check_path(path)
        _set(data, path, value)
        if provenance is not None:
            data["provenance"][path] = provenance.model_dump()
    return plan_from_data(data)


def changed_values(before: Plan, after: Plan) -> dict[str, tuple[Any, Any]]:
    """Every leaf that differs, as path -> (before, after)."""
    pairs = ((path, get_value(before, path), get_value(after, path)) for path in field_specs())
    return {path: (old, new) for path, old, new in pairs if old != new}


def _check_path(path: str) -> None:
    if find_field(path) is not None or path.partition(".")[0] in ("ranges", "provenance"):
        return
    if any(known.startswith(f"{path}.") for known in field_specs()):
        return
    close = difflib.get_close_matches(path, list(field_specs()), n=3, cutoff=0.4)
    raise InputError(
        path, "…", Message(N_("no such field; nearest: {names}"), {"names": ", ".join(close) or "-"})
    )


def _set(data: dict[str, Any], path: str, value: Any) -> None:
    *parents, leaf = path.split(".")
    if parents and parents[0] == "ranges":
        parents, leaf = ["ranges"], path.partition(".")[2]
    here: Any = data
    for part in parents:
        if here.get(part) is None:
            here[part] = {}
        here = here[part]
        if not isinstance(here, dict):
            raise InputError(path, value, Message(N_("a field inside a table")))
    here[leaf] = value

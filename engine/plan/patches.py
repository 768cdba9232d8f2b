"""Changes to a plan by field path. A patched plan is validated again, so it is always possible."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from engine.errors import InputError
from engine.plan.base import Section
from engine.plan.fields import field_specs, find_field
from engine.plan.plan import Plan, Provenance
from engine.plan.reading import plan_from_data
from engine.plan.workload import MEASURED_AS
from engine.text import N_, Message

Patch = Mapping[str, Any]
"""Field path -> new value (plain data, as in a plan file)."""


KEYED_BY_PATH = ("ranges", "provenance")


def get_value(plan: Plan, path: str) -> Any:
    """The value at `path`; None where its section or entry is absent. Unknown paths raise InputError."""
    _check_path(path)
    value: Any = plan
    for part in _parts(path):
        if value is None:
            return None
        value = _step(value, part, path)
    return value


def _parts(path: str) -> list[str]:
    """A path's steps; the tables of ranges and provenance are keyed by whole paths."""
    first, _, rest = path.partition(".")
    return [first, rest] if rest and first in KEYED_BY_PATH else path.split(".")


def _step(value: Any, part: str, path: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, tuple) and part.isdecimal():
        return value[int(part)] if int(part) < len(value) else None
    if isinstance(value, Section) and part in type(value).model_fields:
        return getattr(value, part)
    raise InputError(path, part, Message(N_("a field inside a table")))


def apply_patch(plan: Plan, patch: Patch, provenance: Provenance | None = None) -> Plan:
    """The plan with every value of `patch` set; with `provenance`, the changed fields are marked by it.

    Errors: InputError for an unknown path, PlanErrors for values that are not accepted.
    """
    data = plan_data(plan)
    if provenance is not None:
        marked = [path for path in patch if path.partition(".")[0] not in KEYED_BY_PATH]
        data["provenance"] |= {path: provenance.model_dump() for path in marked}
    for path, value in patch.items():
        _check_path(path, value)
        _set(data, path, value)
    return plan_from_data(data)


def plan_data(plan: Plan) -> dict[str, Any]:
    """Plain data of a plan to be changed: what measured runs leave to the plan is filled in as it stands.

    No change of the plan may change what was measured.
    """
    data = plan.model_dump()
    for run in (data["training"] or {}).get("measured_runs", ()):
        for name, path in MEASURED_AS.items():
            section, _, field = path.partition(".")
            if run[name] is None and data[section][field] != "auto":
                run[name] = data[section][field]
    return data


def changed_values(before: Plan, after: Plan) -> dict[str, tuple[Any, Any]]:
    """Every leaf that differs, as path -> (before, after)."""
    pairs = ((path, get_value(before, path), get_value(after, path)) for path in field_specs())
    return {path: (old, new) for path, old, new in pairs if old != new}


def _check_path(path: str, value: Any = "…") -> None:
    if find_field(path) is not None or path.partition(".")[0] in KEYED_BY_PATH:
        return
    if any(known.startswith(f"{path}.") for known in field_specs()):
        return
    close = difflib.get_close_matches(path, list(field_specs()), n=3, cutoff=0.4)
    raise InputError(
        path, value, Message(N_("no such field; nearest: {names}"), {"names": ", ".join(close) or "-"})
    )


def _set(data: dict[str, Any], path: str, value: Any) -> None:
    *parents, leaf = _parts(path)
    here: Any = data
    for part in parents:
        if here.get(part) is None:
            here[part] = {}
        here = here[part]
        if not isinstance(here, dict):
            raise InputError(path, value, Message(N_("a field inside a table")))
    here[leaf] = value

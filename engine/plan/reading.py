"""Plans as JSON: reading with clear errors, schema upgrades, writing with a stable order."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from engine.errors import FlopwiseError, InputError
from engine.plan.base import Contradiction
from engine.plan.fields import field_specs, find_field
from engine.plan.plan import SCHEMA_VERSION, Plan, Range
from engine.text import N_, Message

UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""For each old schema version, the function that turns its data into the next version's."""

MAX_BYTES = 16 * 1024 * 1024
MAX_ERRORS = 100
"""So many wrong fields are named; nobody reads more, and looking for near names takes time."""


class PlanErrors(FlopwiseError):
    """One or more fields of a plan are impossible; `errors` has one InputError a field."""

    def __init__(self, errors: Sequence[InputError]) -> None:
        super().__init__(errors[0].message)
        self.errors = tuple(errors)


def plan_from_json(text: str) -> Plan:
    """Read a plan file's text. Errors: PlanErrors for fields, InputError for broken JSON."""
    if len(text) > MAX_BYTES:
        raise InputError("plan", f"{len(text)} characters", Message(N_("a plan file of at most 16 MiB")))
    try:
        # Editors on Windows put a byte-order mark in front.
        data = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_table)
    except (ValueError, RecursionError) as error:
        where = getattr(error, "lineno", None)
        shown = "nested too deeply" if isinstance(error, RecursionError) else str(error)[:80]
        shown = str(getattr(error, "msg", shown))
        raise InputError(
            "plan",
            shown if where is None else f"{shown}, line {where}",
            Message(N_("a plan file in JSON, as written by the template command")),
        ) from error
    if not isinstance(data, dict):
        raise InputError("plan", type(data).__name__, Message(N_("a JSON object with the plan's sections")))
    return plan_from_data(data)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names are all different: of two values for one field neither is meant."""
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        values = [value for name, value in pairs if name == twice]
        raise InputError(twice, values, Message(N_("one value: the name stands twice in its object")))
    return table


def plan_from_data(data: Mapping[str, Any]) -> Plan:
    """Validate plain data as a plan. Errors: PlanErrors naming every impossible field."""
    current = _upgrade(dict(data))
    try:
        plan = Plan.model_validate(current)
    except ValidationError as error:
        raise PlanErrors(_explain(error)) from error
    problems = [problem for path in plan.ranges if (problem := _range_problem(plan, path)) is not None]
    if problems:
        raise PlanErrors(problems)
    return plan


def _range_problem(plan: Plan, path: str) -> InputError | None:
    """What is wrong with the range of a field: it is no number of this plan, or it leaves the bounds."""
    entry, bounds = f"ranges.{path}", plan.ranges[path]
    spec = find_field(path)
    if spec is None:
        return InputError(entry, bounds.model_dump(), _nearest(path))
    if spec.path != path:
        costs = [f"people.roles.{index}.monthly_cost" for index in range(len(plan.people.roles))]
        if path not in costs:
            return _not_a_number(entry, bounds)
        return InputError(entry, bounds.low, Message(N_("a number from 0"))) if bounds.low < 0 else None
    if spec.kind not in ("number", "whole"):
        return _not_a_number(entry, bounds)
    outside = next((end for end in (bounds.low, bounds.high) if not spec.holds(end)), None)
    return None if outside is None else InputError(entry, outside, spec.accepted())


def _not_a_number(entry: str, bounds: Range) -> InputError:
    return InputError(entry, bounds.model_dump(), Message(N_("a field that is a number")))


def plan_to_json(plan: Plan) -> str:
    """The plan file's text: stable key order, so that it can live in version control."""
    return json.dumps(plan.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"


def _upgrade(data: dict[str, Any]) -> dict[str, Any]:
    version = data.get("schema_version", SCHEMA_VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1 or version > SCHEMA_VERSION:
        raise InputError(
            "schema_version",
            version,
            Message(
                N_("a whole number from 1 to {newest}; newer files need a newer program"),
                {"newest": SCHEMA_VERSION},
            ),
        )
    while version < SCHEMA_VERSION:
        data = UPGRADES[version](data)
        version += 1
    return data


def _explain(error: ValidationError) -> list[InputError]:
    """One InputError a field: alternatives of a union report one by one and are merged here."""
    found: dict[str, InputError] = {}
    for item in error.errors(include_url=False, include_context=True)[:MAX_ERRORS]:
        cause = item.get("ctx", {}).get("error")
        if isinstance(cause, Contradiction):
            problem = _contradiction(item["loc"], item.get("input"), cause)
        else:
            problem = _explain_one(item["loc"], item["type"], item.get("input"), item["msg"])
        found.setdefault(problem.field, problem)
    return list(found.values())


def _contradiction(loc: tuple[int | str, ...], value: Any, cause: Contradiction) -> InputError:
    """The field to change and its own value; the validator reports the whole section."""
    if not cause.field:
        return InputError(_path(loc), value, cause.accepted)
    own = value.get(cause.field) if isinstance(value, Mapping) else getattr(value, cause.field, None)
    return InputError(_path((*loc, cause.field)), own, cause.accepted)


def _path(loc: tuple[int | str, ...]) -> str:
    """The field path of a place in the data; a bad name in a table is reported as its own place."""
    return ".".join(str(part) for part in loc if part != "[key]")


def _explain_one(loc: tuple[int | str, ...], kind: str, value: Any, message: str) -> InputError:
    path = _path(loc)
    if kind == "extra_forbidden":
        return InputError(path, value, _nearest(path))
    # The validator's own words may hold braces (a pattern), so they are a value and not a template.
    told = Message("{problem}", {"problem": message})
    spec = find_field(path)
    if kind == "missing":
        accepted = spec.accepted() if spec else Message(N_("the section with its required fields"))
        return InputError(path, None, Message(N_("a value is required: {accepted}"), {"accepted": accepted}))
    if spec is None:
        return InputError(path, value, told)
    # Positions inside lists and tables keep their place; alternatives of a union are not part of the path.
    shown = path if spec.kind == "structure" else spec.path
    accepted = told if spec.kind == "structure" and path != spec.path else spec.accepted()
    if kind == "string_pattern_mismatch" and spec.help:
        accepted = Message(spec.help)
    elif kind in ("string_too_long", "string_too_short"):
        accepted = told
    return InputError(shown, value, accepted)


def _nearest(path: str) -> Message:
    section = path.rpartition(".")[0]
    known = [p for p in field_specs() if p.startswith(f"{section}." if section else "")]
    close = difflib.get_close_matches(path, list(field_specs()), n=3, cutoff=0.5) or known[:6]
    return Message(N_("no such field; nearest: {names}"), {"names": ", ".join(close) or "-"})

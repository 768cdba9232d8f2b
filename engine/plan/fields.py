"""Every leaf field of the plan as data: kind, unit, bounds, choices; for forms and error texts."""

from __future__ import annotations

import math
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engine.plan.plan import Plan
from engine.text import N_, Message, Term


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One leaf of the plan. `kind` is number, whole, boolean, choice, text, or structure (lists, tables)."""

    path: str
    title: str
    help: str
    unit: str
    kind: str
    choices: tuple[str, ...]
    words: tuple[str, ...]
    nullable: bool
    advanced: bool
    required: bool
    default: Any
    minimum: float | None
    maximum: float | None
    exclusive_minimum: bool
    exclusive_maximum: bool

    def holds(self, number: float) -> bool:
        """Whether a number lies within this field's bounds."""
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        above = number > low if self.exclusive_minimum else number >= low
        return above and (number < high if self.exclusive_maximum else number <= high)

    def accepted(self) -> Message:
        """What this field takes, as a translatable sentence fragment."""
        parts = self._accepted_base()
        for word in self.words:
            parts = Message(N_("{first}, or {second}"), {"first": parts, "second": f'"{word}"'})
        if self.nullable:
            parts = Message(N_("{first}, or empty"), {"first": parts})
        return parts

    def _accepted_base(self) -> Message:
        if self.kind == "choice":
            return Message(N_("one of {choices}"), {"choices": ", ".join(self.choices)})
        if self.kind == "boolean":
            return Message(N_("true or false"))
        if self.kind == "text":
            return Message(N_("text"))
        if self.kind == "structure":
            return Message(N_("a list or table as in the schema"))
        kind = Message(N_("a whole number")) if self.kind == "whole" else Message(N_("a number"))
        low = Message(
            N_("above {low}") if self.exclusive_minimum else N_("from {low}"), {"low": _bound(self.minimum)}
        )
        high = Message(
            N_("below {high}") if self.exclusive_maximum else N_("to {high}"), {"high": _bound(self.maximum)}
        )
        return Message(
            N_("{kind} {low} {high} {unit}") if self.unit else N_("{kind} {low} {high}"),
            {"kind": kind, "low": low, "high": high, "unit": Term(self.unit)},
        )


def _bound(value: float | None) -> str:
    return "?" if value is None else f"{value:g}"


@cache
def field_specs() -> Mapping[str, FieldSpec]:
    """All leaf fields by dotted path, in the order of the models."""
    return types.MappingProxyType({spec.path: spec for spec in _walk(Plan, "")})


def find_field(path: str) -> FieldSpec | None:
    """The field at `path`, or the structure field that contains it; None when there is none."""
    specs = field_specs()
    while path:
        if path in specs:
            return specs[path]
        path = path.rpartition(".")[0]
    return None


def _walk(model: type[BaseModel], prefix: str) -> Iterator[FieldSpec]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        members = _members(info.annotation)
        section = next((m for m in members if isinstance(m, type) and issubclass(m, BaseModel)), None)
        if section is not None and get_origin(section) is None:
            yield from _walk(section, f"{path}.")
        elif path not in ("schema_version", "ranges", "provenance"):
            yield _spec(path, info, members)


def _members(annotation: Any) -> list[Any]:
    """The alternatives of a union with Annotated wrappers taken off; one element when it is no union."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        return [m for part in get_args(annotation) for m in _members(part)]
    return [annotation]


def _spec(path: str, info: FieldInfo, members: list[Any]) -> FieldSpec:
    literals = tuple(str(v) for m in members if get_origin(m) is Literal for v in get_args(m))
    kinds = {float: "number", int: "whole", bool: "boolean", str: "text"}
    kind = next((kinds[m] for m in members if m in kinds), None)
    if kind is None:
        structured = any(get_origin(m) in (tuple, dict) for m in members)
        kind = "choice" if literals else "structure"
        if structured and not literals:
            kind = "structure"
    bounds = _bounds([*info.metadata, *_inner_metadata(info.annotation)])
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    return FieldSpec(
        path=path,
        title=info.title or path,
        help=info.description or "",
        unit=str(extra.get("unit", "")),
        kind=kind,
        choices=literals if kind == "choice" else (),
        words=literals if kind != "choice" else (),
        nullable=type(None) in members,
        advanced=bool(extra.get("advanced", False)),
        required=info.is_required(),
        default=None if info.is_required() else info.get_default(call_default_factory=True),
        **bounds,
    )


def _inner_metadata(annotation: Any) -> Iterator[Any]:
    """Marks that sit on one alternative of a union, as the bounds of a number beside a word do."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        yield from marks
        yield from _inner_metadata(inner)
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _inner_metadata(part)


def _bounds(marks: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "minimum": None,
        "maximum": None,
        "exclusive_minimum": False,
        "exclusive_maximum": False,
    }
    for mark in marks:
        if isinstance(mark, Ge):
            found["minimum"] = mark.ge
        elif isinstance(mark, Gt):
            found.update(minimum=mark.gt, exclusive_minimum=True)
        elif isinstance(mark, Le):
            found["maximum"] = mark.le
        elif isinstance(mark, Lt):
            found.update(maximum=mark.lt, exclusive_maximum=True)
    return found

"""Plain values as a validated Architecture, with errors that name the key of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from engine.errors import InputError
from engine.plan.architecture import Architecture
from engine.plan.base import Contradiction
from engine.plan.fields import find_field
from engine.text import N_, Message


def validated(values: Mapping[str, Any], key_of: Callable[[str], str]) -> Architecture:
    """The network. Errors: InputError with the key, the value and what is accepted."""
    try:
        return Architecture.model_validate(values)
    except ValidationError as error:
        raise _explained(error, key_of) from error


def _explained(error: ValidationError, key_of: Callable[[str], str]) -> InputError:
    first = error.errors(include_url=False, include_context=True)[0]
    path = ".".join(str(part) for part in first["loc"])
    path = str(first["loc"][-1]) if path.startswith("layer_groups.") else path
    cause, value = first.get("ctx", {}).get("error"), first.get("input")
    if isinstance(cause, Contradiction):
        path = ".".join(part for part in (path, cause.field) if part)
        value = value.get(cause.field) if isinstance(value, Mapping) else getattr(value, cause.field, None)
        return InputError(key_of(path), value, cause.accepted)
    spec = find_field(f"architecture.{path}")
    accepted = spec.accepted() if spec else Message("{problem}", {"problem": first["msg"]})
    if first["type"] == "missing":
        value, accepted = None, Message(N_("a value is required: {accepted}"), {"accepted": accepted})
    return InputError(key_of(path) or "config.json", value, accepted)

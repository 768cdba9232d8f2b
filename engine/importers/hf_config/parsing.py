"""The text of a config.json as plain data, within limits and without silent readings."""

from __future__ import annotations

import json
from typing import Any

from engine.errors import InputError
from engine.text import N_, Message

MAX_BYTES = 8 * 1024 * 1024
"""A real file has a few kilobytes; those that list every layer stay below one megabyte."""

MAX_DEPTH = 32


def parse_config(text: str) -> dict[str, Any]:
    """The JSON object of a config.json.

    Infinity and NaN are read (Nemotron-H files hold them in keys that do not matter) and refused where a
    number is used. Errors: InputError for text that is too long, no JSON, no object, nested too deeply, or
    has one key twice.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "replace")) > MAX_BYTES:
        accepted = Message(N_("a model configuration of at most {limit} MiB"), {"limit": MAX_BYTES // 2**20})
        raise InputError("config.json", f"{len(text)} characters", accepted)
    try:
        data = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        accepted = Message(N_("a JSON object as in a model's config.json"))
        raise InputError("config.json", _beginning(text), accepted) from error
    return check_config(data)


def check_config(data: object) -> dict[str, Any]:
    """Refuse data that is no object or is nested too deeply, before anything reads it."""
    if not isinstance(data, dict):
        raise InputError("config.json", data, Message(N_("a JSON object as in a model's config.json")))
    level: list[object] = [data]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in _children(item)]
        if not level:
            return data
    accepted = Message(N_("a JSON object nested at most {depth} deep"), {"depth": MAX_DEPTH})
    raise InputError("config.json", "...", accepted)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(twice, [value for key, value in pairs if key == twice], Message(N_("the key once")))
    return found


def _children(item: object) -> list[object]:
    if isinstance(item, dict):
        return list(item.values())
    return list(item) if isinstance(item, list | tuple) else []


def _beginning(text: str) -> str:
    return text[:60].strip()

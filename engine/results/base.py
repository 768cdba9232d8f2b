"""The base of all results: frozen, JSON-able, unknown numbers are None."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Result(BaseModel):
    """Base of all results: frozen, and unknown numbers are None, never NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class Change(Result):
    """A field before and after."""

    path: str
    before: Any
    after: Any

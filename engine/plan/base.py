"""Building blocks of the plan's models: strict frozen base, field declarations, number types."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticUndefined


class Section(BaseModel):
    """Base of every group of fields: frozen, strict, no unknown names, no infinities."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants"
    )


def declare(
    title: str,
    *,
    unit: str = "",
    default: Any = PydanticUndefined,
    help: str = "",  # noqa: A002  (reads as what it is at every declaration)
    advanced: bool = False,
    **bounds: Any,
) -> Any:
    """Declare a plan field: its title, unit, bounds, default and a help sentence.

    `unit` is a plain unit name ("s", "tokens", "currency/GPU-h"); `bounds` are pydantic's ge, gt, le, lt,
    min_length, max_length. A field without default must be given.
    """
    extra: dict[str, Any] = {"unit": unit, "advanced": advanced}
    return Field(default=default, title=title, description=help, json_schema_extra=extra, **bounds)


def _whole(value: Any) -> Any:
    """Accept 64.0 where 64 is meant: JSON writers differ; anything else goes to the strict check."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


Whole: TypeAlias = Annotated[int, BeforeValidator(_whole)]
Auto: TypeAlias = Literal["auto"]

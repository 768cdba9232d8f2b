"""Building blocks of the plan's models: strict frozen base, field declarations, number types."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticUndefined

from engine.text import N_, Message

SMALLEST = 1e-12
"""Numbers that divide others count as 0 below this."""


class Contradiction(ValueError):
    """A value that its type alone cannot refuse: names the field of its section ("" = itself) to change."""

    def __init__(self, field: str, accepted: Message) -> None:
        super().__init__(field)
        self.field = field
        self.accepted = accepted


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


def _calendar_day(text: str) -> str:
    """Refuse what looks like a date and is none, such as 2027-02-31."""
    try:
        date.fromisoformat(text)
    except ValueError:
        raise Contradiction("", Message(N_("a day of the calendar as YYYY-MM-DD"))) from None
    return text


CalendarDay: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_calendar_day)]


def _no_dust(value: Any) -> Any:
    """Take what is too small to mean anything as 0: its reciprocal would overflow."""
    return 0.0 if isinstance(value, float) and abs(value) < SMALLEST else value


Divisor: TypeAlias = Annotated[float, BeforeValidator(_no_dust)]
Whole: TypeAlias = Annotated[int, BeforeValidator(_whole)]
Auto: TypeAlias = Literal["auto"]

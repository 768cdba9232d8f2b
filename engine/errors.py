"""Errors of the engine. Each names the field, the value found and what would be accepted."""

from __future__ import annotations

from engine.text import N_, Message


class FlopwiseError(Exception):
    """Base of every error the program raises on purpose; carries a translatable message."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.render())
        self.message = message


class Cancelled(Exception):
    """Work was stopped on request. No FlopwiseError: a variant that cannot be priced is another thing."""


class InputError(FlopwiseError):
    """An input is impossible: names the field path, the value and what is accepted."""

    def __init__(self, field: str, value: object, accepted: Message | str) -> None:
        self.field = field
        self.value = value
        self.accepted = accepted if isinstance(accepted, Message) else Message(accepted)
        super().__init__(
            Message(
                N_("{field}: {value} is not accepted; accepted: {accepted}"),
                {"field": _clipped(field), "value": _shown(value), "accepted": self.accepted},
            )
        )


def _shown(value: object) -> str:
    """A short, quoted-if-text form of any value, so that a huge paste cannot fill the screen."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"{type(value).__name__} nested too deeply"
    return _clipped(text)


def _clipped(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."

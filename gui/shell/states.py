"""Small facts the session tells its pages. Qt-free."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.plan import Plan
from engine.text import Message


@dataclass(frozen=True, slots=True)
class SavedState:
    """Whether the last edit is on disk: `time` is HH:MM of the last save, `problem` says why it is not."""

    kind: Literal["saved", "failed"]
    time: str = ""
    problem: Message | None = None


@dataclass(frozen=True, slots=True)
class LastChange:
    """What the last edit did; the effect is None until the estimate is there."""

    text: str
    path: str | None
    before: Any
    after: Any
    total_before: float | None = None
    duration_before_h: float | None = None
    total_after: float | None = None
    duration_after_h: float | None = None

    @property
    def cost_effect(self) -> float | None:
        """Plan currency the edit added to the total."""
        if self.total_before is None or self.total_after is None:
            return None
        return self.total_after - self.total_before

    @property
    def time_effect_h(self) -> float | None:
        """Hours the edit added to the duration."""
        if self.duration_before_h is None or self.duration_after_h is None:
            return None
        return self.duration_after_h - self.duration_before_h


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the status bar; `undo` is offered beside it for ten seconds."""

    text: str
    undo: Callable[[], object] | None = None
    tone: str = "text"


@dataclass(frozen=True, slots=True)
class Rejected:
    """An entry the plan did not take: what was wanted, what the field shows, and why not."""

    value: Any
    message: Message
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Swap:
    """One step of the plan's history."""

    before: Plan
    after: Plan
    text: str
    path: str | None = None
    merge: str | None = None
    total_before: float | None = None
    duration_before_h: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)

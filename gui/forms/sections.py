"""What a form is made of: fields with a condition, in titled sections. Qt-free."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.plan import Plan

Condition = Callable[[Plan], bool]


def always(plan: Plan) -> bool:
    """For every plan."""
    return True


@dataclass(frozen=True, slots=True)
class Entry:
    """One field in a section and when it is shown."""

    path: str
    when: Condition = always


@dataclass(frozen=True, slots=True)
class FormSection:
    """A titled group of fields."""

    key: str
    title: str
    entries: tuple[Entry, ...]
    when: Condition = always

    def shown(self, plan: Plan) -> tuple[str, ...]:
        """Paths of the fields this plan shows, advanced ones included."""
        return tuple(e.path for e in self.entries if e.when(plan)) if self.when(plan) else ()


def entries(prefix: str, *names: str, when: Condition = always) -> tuple[Entry, ...]:
    """Fields of one part of the plan, under one condition."""
    return tuple(Entry(f"{prefix}.{name}", when) for name in names)

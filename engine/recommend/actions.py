"""What a rule proposes: a change to the plan with its risks, effort, verification and way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.results import Risk
from engine.text import Message

CONDITIONAL_RISK = 2
"""Effect or stability risk from which an action stays out of the committed total until it is verified."""


@dataclass(frozen=True, slots=True)
class Action:
    """A change to the plan (patch of field paths) and everything its card must say.

    `stage` orders the sequential shares: 1 stop waste, 2 efficiency, 3 right-size, 4 buy cheaper.
    `conditions` are what must hold before it may be chosen by default; `vetoed` keeps it out altogether.
    """

    id: str
    title: str
    kind: str
    family: str
    stage: int
    patch: Mapping[str, Any]
    finding: Message
    why: tuple[Message, ...]
    risk: Risk
    effort: Literal["S", "M", "L"]
    confidence: Literal["A", "B", "C"]
    reversibility: str
    verify: str
    rollback: str
    evidence: tuple[tuple[str, str], ...] = ()
    excludes: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    do_before: tuple[str, ...] = ()
    conditions: tuple[Message, ...] = ()
    vetoed: bool = False
    extra_one_off: float = field(default=0.0)

    @property
    def is_conditional(self) -> bool:
        """Whether it must be verified (or something settled) before it may count as committed."""
        risky = max(self.risk.effect, self.risk.stability) >= CONDITIONAL_RISK
        return risky or self.vetoed or bool(self.conditions)


def conflicts(one: Action, other: Action) -> bool:
    """Whether two actions exclude each other: declared so, or they write one field differently."""
    if other.id in one.excludes or one.id in other.excludes:
        return True
    shared = one.patch.keys() & other.patch.keys()
    return any(one.patch[path] != other.patch[path] for path in shared)

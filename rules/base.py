"""What a rule is, what it sees, and its three outcomes: fired, passed, not evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.catalog import Catalog
from engine.plan import Plan, get_value
from engine.recommend.actions import Action
from engine.recommend.pricing import Priced, Pricer
from engine.results import Risk
from engine.text import Message, Param

TRAINING = frozenset({"pretraining", "continued_pretraining", "finetuning", "multimodal_training"})
PRETRAINING = frozenset({"pretraining", "continued_pretraining", "multimodal_training"})
SERVING = frozenset({"online_inference", "batch_inference"})
INTERRUPTIBLE = TRAINING | {"batch_inference"}
EVERYTHING = TRAINING | SERVING


@dataclass(frozen=True, slots=True)
class Rule:
    """Metadata of one check and its pure function. Texts are source strings marked for translation."""

    id: str
    title: str
    family: str
    kind: Literal["lever", "waste", "governance", "risk"]
    stage: int
    applies_to: frozenset[str]
    check: Callable[[Context], Outcome]
    risk: Risk
    effort: Literal["S", "M", "L"] = "S"
    confidence: Literal["A", "B", "C"] = "A"
    reversibility: str = "high"
    verify: str = ""
    rollback: str = ""
    requires: tuple[str, ...] = ()
    excludes: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    do_before: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule may look at: the plan as entered and settled, pricing, thresholds, other proposals."""

    pricer: Pricer
    thresholds: Mapping[str, float]
    proposed: Sequence[Action] = ()

    @property
    def plan(self) -> Plan:
        """The plan as entered."""
        return self.pricer.plan

    @property
    def base(self) -> Priced:
        """The plan priced as it stands, with every "auto" settled."""
        return self.pricer.base

    @property
    def catalog(self) -> Catalog:
        """The facts."""
        return self.pricer.catalog

    def value(self, path: str) -> Any:
        """A field of the settled plan."""
        return get_value(self.base.plan, path)


@dataclass(frozen=True, slots=True)
class Fired:
    """The rule saw something. `patch` is the change it proposes, empty for advice only."""

    finding: Message
    why: tuple[Message, ...] = ()
    patch: Mapping[str, Any] = field(default_factory=dict)
    conditions: tuple[Message, ...] = ()
    extra_one_off: float = 0.0
    risk: Risk | None = None
    gates: tuple[Gate, ...] = ()


@dataclass(frozen=True, slots=True)
class Passed:
    """The rule looked and found nothing to do."""

    finding: Message


@dataclass(frozen=True, slots=True)
class NotEvaluable:
    """The rule could not look: the inputs it misses, by field path."""

    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """What a risk check says of another action: a condition on it, or a veto."""

    action_id: str
    message: Message
    veto: bool = False


Outcome = Fired | Passed | NotEvaluable

Seen = dict[str, Param]
"""Values a finding names, by placeholder."""


def no_risk(**levels: Any) -> Risk:
    """A risk record with every dimension 0 unless given, for example stability=1, stability_reason=..."""
    empty: dict[str, Any] = {
        "effect": 0,
        "effect_reason": "",
        "stability": 0,
        "stability_reason": "",
        "governance": 0,
        "governance_reason": "",
    }
    return Risk(**{**empty, **levels})

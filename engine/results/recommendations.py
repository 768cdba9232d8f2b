"""What the rules propose, priced and ranked."""

from __future__ import annotations

from typing import Literal

from engine.results.base import Change, Result
from engine.text import Message


class Risk(Result):
    """Effect, stability and governance risk of an action, 0 to 3, each with its reason."""

    effect: int
    effect_reason: str
    stability: int
    stability_reason: str
    governance: int
    governance_reason: str

    @property
    def worst(self) -> int:
        """The dimension that rules: risk is never averaged away."""
        return max(self.effect, self.stability, self.governance)


class Evidence(Result):
    """A published figure behind a rule."""

    key: str
    title: str
    where: str
    figure: str
    verified: str


class Saving(Result):
    """Savings of one action: alone, in the chosen set, and its band; plan currency.

    gross = cost(plan) - cost(plan with this change) at central values; net = gross - one_off;
    in_plan = its sequential share of the chosen set (or what it would add to the set when not chosen);
    p10, p50, p90 are of the gross saving.
    """

    gross: float
    one_off: float
    net: float
    in_plan: float | None
    p10: float
    p50: float
    p90: float


class Recommendation(Result):
    """An action priced by re-estimating, in the context of the others."""

    id: str
    kind: str
    title: str
    family: str
    rank: int
    finding: Message
    why: tuple[Message, ...]
    changes: tuple[Change, ...]
    saving: Saving
    risk: Risk
    effort: Literal["S", "M", "L"]
    confidence: Literal["A", "B", "C"]
    reversibility: str
    risk_adjusted: float
    success_probability: float
    expected_loss: float
    duration_change_h: float | None
    chosen: bool
    conditional: tuple[Message, ...] = ()
    excludes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    replaced_by: str | None = None
    verify: str = ""
    rollback: str = ""
    evidence: tuple[Evidence, ...] = ()
    state: str = "new"


class Advice(Result):
    """A governance prerequisite or risk warning: saves nothing itself, the figures rest on it.

    `about` names the actions a risk check speaks of; empty when it speaks of the plan itself.
    """

    id: str
    kind: str
    title: str
    finding: Message
    why: tuple[Message, ...]
    changes: tuple[Change, ...] = ()
    verify: str = ""
    rollback: str = ""
    risk: Risk | None = None
    about: tuple[str, ...] = ()


class NotEvaluated(Result):
    """A rule that could not run and the inputs it needs."""

    id: str
    title: str
    needs: tuple[str, ...]


class PassedCheck(Result):
    """A rule that looked and found nothing to do, with what it saw."""

    id: str
    title: str
    finding: Message


class JointSaving(Result):
    """Saving of the chosen set by one joint re-estimate; percentiles by common random numbers."""

    ids: tuple[str, ...]
    gross: float
    one_off: float
    net: float
    p10: float
    p50: float
    p90: float
    total_after: float
    duration_after_h: float | None


class Portfolio(Result):
    """A named choice of actions: careful, balanced or bold."""

    key: str
    ids: tuple[str, ...]
    gross: float
    net: float


class RecommendationSet(Result):
    """Everything the recommendations page shows."""

    baseline_total: float
    joint_saving: JointSaving
    recommendations: tuple[Recommendation, ...]
    governance: tuple[Advice, ...]
    warnings: tuple[Advice, ...]
    passed: tuple[PassedCheck, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    portfolios: tuple[Portfolio, ...]
    seed: int
    draws: int

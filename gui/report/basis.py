"""The few figures a proposal rests on, read once from a Review: plan today, plan proposed, ask."""

from __future__ import annotations

from dataclasses import dataclass

from engine.plan import Plan
from engine.results import Estimate, Recommendation
from gui.services.review import Review


@dataclass(frozen=True, slots=True)
class Basis:
    """Today's and the proposed estimate, and what is asked for; money in plan currency."""

    review: Review
    today: Estimate
    proposed: Estimate
    chosen: tuple[Recommendation, ...]
    one_off: float

    @property
    def plan(self) -> Plan:
        """The plan as entered."""
        return self.review.plan

    @property
    def likely(self) -> float:
        """Most likely cost of the proposal, the one-off cost of acting included."""
        return self.proposed.total + self.one_off

    @property
    def ask(self) -> float:
        """What is asked for: the stated percentile with the one-off cost; the likely cost without draws."""
        return self.likely if self.proposed.ask is None else self.proposed.ask + self.one_off

    @property
    def band(self) -> tuple[float, float] | None:
        """P10 and P90 of the proposal, the one-off cost included."""
        return shifted_band(self.proposed, self.one_off)

    @property
    def late_days(self) -> float:
        """Days after the deadline; 0 when it is met or there is none."""
        deadline = self.plan.deadline_days
        return 0.0 if deadline is None else max(0.0, end_day(self.plan, self.proposed) - deadline)

    @property
    def is_late(self) -> bool:
        """Whether the deadline is missed by enough to tell: half a day, or any time of a batch job."""
        return self.late_days > (1e-6 if self.plan.is_batch else 0.5)

    @property
    def over_budget(self) -> float:
        """How much the ask exceeds the budget; 0 when it does not or there is none."""
        budget = self.plan.governance.budget
        return 0.0 if budget is None else max(0.0, self.ask - budget)


def read_basis(review: Review) -> Basis:
    """The basis of a review's proposal: the chosen actions applied, or the plan as it stands."""
    joint = review.recommendations.joint_saving
    chosen = tuple(item for item in review.recommendations.recommendations if item.chosen)
    order = {name: position for position, name in enumerate(joint.ids)}
    return Basis(
        review=review,
        today=review.estimate,
        proposed=review.proposed or review.estimate,
        chosen=tuple(sorted(chosen, key=lambda item: order.get(item.id, len(order)))),
        one_off=joint.one_off if chosen else 0.0,
    )


def shifted_band(found: Estimate, by: float = 0.0) -> tuple[float, float] | None:
    """P10 and P90 of an estimate plus a fixed amount; None where nothing was drawn."""
    return None if found.p10 is None or found.p90 is None else (found.p10 + by, found.p90 + by)


def end_day(plan: Plan, found: Estimate) -> float:
    """Day of the result, from the start: preparation and run of a training, else the whole period."""
    run = (found.metric("duration_h") or 0.0) / 24.0
    return run + (found.metric("preparation_days") or 0.0) if plan.is_training else run

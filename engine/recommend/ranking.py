"""Risk-adjusted saving: what an action is worth after its chance of working, its risks and its effort."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import isnan
from typing import Any

from engine.recommend.actions import Action
from engine.recommend.pricing import Pricer
from engine.values import PlanValues


@cache
def ranking_settings() -> dict[str, Any]:
    """The weights of ranking.toml."""
    return tomllib.loads(files("engine.recommend").joinpath("ranking.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Weight:
    """The parts of a risk-adjusted saving [plan currency]: p_success x P50 - expected loss - one-off."""

    success_probability: float
    expected_loss: float
    one_off: float

    def risk_adjusted(self, p50: float) -> float:
        """Risk-adjusted saving of an action whose median gross saving is `p50` [plan currency]."""
        return self.success_probability * p50 - self.expected_loss - self.one_off


def weigh(action: Action, pricer: Pricer, *, shortfall: float) -> Weight:
    """Chance of success, expected loss and one-off cost of an action in this plan.

    `shortfall` is the median saving minus its P10 [plan currency]: what a bad draw takes away.
    """
    settings = ranking_settings()
    # What still waits for a condition (a rehearsal, an evaluation set) may turn out not to be possible.
    unsettled = settings["unsettled_factor"]["value"] if action.conditions else 1.0
    return Weight(
        success_probability=settings["success_probability"][action.confidence] * unsettled,
        expected_loss=_expected_loss(action, pricer, shortfall),
        one_off=one_off_cost(action, pricer),
    )


def one_off_cost(action: Action, pricer: Pricer) -> float:
    """Cost of acting [plan currency]: person-days at the engineer's rate, plus what the action names."""
    settings = ranking_settings()
    days = float(settings["effort_days"][action.effort])
    fact = pricer.catalog.fact("people", "ml_engineer_month")
    rates = [role.monthly_cost for role in pricer.base.inputs.money.roles if role.role == "ml_engineer"]
    entered = float(rates[0]) if rates else float("nan")
    # Without an exchange rate the cost of people is unknown: the estimate says so, the order must still hold.
    monthly = _in_plan_currency(fact.value or 0.0, fact.currency, pricer) if isnan(entered) else entered
    return days * monthly / float(settings["selection"]["working_days_per_month"]) + action.extra_one_off


def _in_plan_currency(amount: float, currency: str | None, pricer: Pricer) -> float:
    rate = PlanValues(pricer.plan, pricer.catalog).exchange_rate(currency)
    return 0.0 if isnan(rate) else amount * rate


def _expected_loss(action: Action, pricer: Pricer, shortfall: float) -> float:
    """P(bad) of the worst dimension times what that dimension costs here."""
    settings = ranking_settings()
    loss, base = settings["loss"], pricer.base
    paid = [float(line.amount) for line in base.outcome.lines if line.spec.unit == "GPU-h"]
    accelerators = sum(amount for amount in paid if not isnan(amount))
    hours = max(base.duration_h, 1.0)
    costs = {
        "effect": accelerators * loss["effect_share_of_accelerators"],
        "stability": max(accelerators / hours * loss["stability_cluster_hours"], min(shortfall, base.total)),
        "governance": base.total * loss["governance_share_of_total"],
    }
    scores = {
        "effect": action.risk.effect,
        "stability": action.risk.stability,
        "governance": action.risk.governance,
    }
    probability = settings["bad_probability"]
    worst = max(probability[str(score)] * costs[name] for name, score in scores.items())
    return float(worst) * float(settings["reversibility_factor"].get(action.reversibility, 1.0))

"""Three ready choices of actions: careful, balanced, bold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.recommend.actions import Action
from engine.recommend.combination import combine, select
from engine.recommend.pricing import Pricer
from engine.recommend.ranking import Weight
from engine.results import Portfolio


def allowed(action: Action, portfolio: str) -> bool:
    """Whether a portfolio may contain an action at all."""
    if action.vetoed:
        return False
    if portfolio == "careful":
        return (
            max(action.risk.effect, action.risk.stability) <= 1
            and action.confidence == "A"
            and not action.is_conditional
        )
    if portfolio == "balanced":
        return action.risk.worst <= 2 and action.confidence in ("A", "B") and not action.conditions
    return True


def build_portfolios(
    pricer: Pricer, actions: Sequence[Action], worth: Mapping[str, float], weights: Mapping[str, Weight]
) -> tuple[Portfolio, ...]:
    """Each portfolio's best set and its joint saving by re-estimating [plan currency]."""
    portfolios = []
    for key in ("careful", "balanced", "bold"):
        chosen = select(pricer, [a for a in actions if allowed(a, key)], worth)
        combination = combine(pricer, chosen, worth)
        one_off = sum(weights[action.id].one_off for action in chosen)
        portfolios.append(
            Portfolio(
                key=key, ids=combination.order, gross=combination.gross, net=combination.gross - one_off
            )
        )
    return tuple(portfolios)

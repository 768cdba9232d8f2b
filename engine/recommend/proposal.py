"""From actions to the ranked, combined and priced set the recommendations page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.catalog import Catalog
from engine.plan import get_value
from engine.recommend.actions import Action, conflicts
from engine.recommend.combination import (
    Combination,
    combine,
    is_possible,
    marginal,
    select,
)
from engine.recommend.portfolios import build_portfolios
from engine.recommend.pricing import Priced, Pricer
from engine.recommend.ranking import Weight, ranking_settings, weigh
from engine.results import (
    Change,
    Evidence,
    JointSaving,
    Portfolio,
    Recommendation,
    Saving,
)


@dataclass(frozen=True, slots=True)
class PricedAction:
    """An action priced alone: the variant, its draws' percentiles of gross saving, and its weight."""

    action: Action
    priced: Priced
    gross: float
    p10: float
    p50: float
    p90: float
    weight: Weight

    @property
    def risk_adjusted(self) -> float:
        """p_success x P50 - expected loss - one-off [plan currency]."""
        return self.weight.risk_adjusted(self.p50)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The ranked recommendations, their joint saving, the portfolios, and the actions not worth a card."""

    recommendations: tuple[Recommendation, ...]
    joint: JointSaving
    portfolios: tuple[Portfolio, ...]
    too_small: tuple[PricedAction, ...]
    impossible: tuple[Action, ...]


def propose(
    pricer: Pricer, actions: Sequence[Action], *, chosen: frozenset[str] | None, dismissed: frozenset[str]
) -> Proposal:
    """Price, choose, combine and rank. `chosen` None lets the engine choose; dismissed stay listed."""
    priced = [item for action in actions if (item := price_alone(pricer, action)) is not None]
    impossible = tuple(a for a in actions if a.id not in {item.action.id for item in priced})
    smallest = ranking_settings()["selection"]["smallest_share_of_total"] * pricer.base.total
    # What makes an impossible plan fit is worth a card whatever it saves.
    cards = [item for item in priced if abs(item.p50) >= smallest or _mends(pricer, item)]
    worth = {item.action.id: item.risk_adjusted for item in cards}
    available = [item.action for item in cards if item.action.id not in dismissed]
    if chosen is None:
        committed = [action for action in available if not action.is_conditional]
        chosen_actions = select(pricer, committed, worth)
    else:
        chosen_actions = _as_asked(pricer, available, chosen, worth)
    combination = combine(pricer, chosen_actions, worth)
    weights = {item.action.id: item.weight for item in cards}
    return Proposal(
        recommendations=_cards(pricer, cards, chosen_actions, combination, dismissed),
        joint=_joint(pricer, combination, weights),
        portfolios=build_portfolios(pricer, available, worth, weights),
        too_small=tuple(item for item in priced if not any(item is card for card in cards)),
        impossible=impossible,
    )


def _mends(pricer: Pricer, item: PricedAction) -> bool:
    return item.priced.feasible and not pricer.base.feasible


def price_alone(pricer: Pricer, action: Action) -> PricedAction | None:
    """Price one action by itself; None when the changed plan is impossible or does not fit."""
    priced = pricer.usable(action.patch)
    if priced is None:
        return None
    p10, p50, p90 = saving_percentiles(pricer, action.patch)
    gross = pricer.base.total - priced.total
    return PricedAction(action, priced, gross, p10, p50, p90, weigh(action, pricer, shortfall=p50 - p10))


def saving_percentiles(pricer: Pricer, patch: Mapping[str, object]) -> tuple[float, float, float]:
    """P10, P50, P90 of the gross saving over paired draws [plan currency]."""
    differences = pricer.totals({}) - pricer.totals(patch)
    low, middle, high = np.percentile(differences, (10, 50, 90))
    return float(low), float(middle), float(high)


def _as_asked(
    pricer: Pricer, available: Sequence[Action], chosen: frozenset[str], worth: Mapping[str, float]
) -> list[Action]:
    """Exactly the planner's ticks, except that of two exclusive ones the better stays."""
    kept: list[Action] = []
    for action in sorted((a for a in available if a.id in chosen), key=lambda a: -worth[a.id]):
        if not any(conflicts(action, other) for other in kept) and is_possible(pricer, [*kept, action]):
            kept.append(action)
    return kept


def _cards(
    pricer: Pricer,
    cards: Sequence[PricedAction],
    chosen: Sequence[Action],
    combination: Combination,
    dismissed: frozenset[str],
) -> tuple[Recommendation, ...]:
    ranked = sorted(cards, key=lambda item: (-item.risk_adjusted, item.action.id))
    actions = [item.action for item in cards]
    return tuple(
        _card(pricer, rank, item, actions, chosen, combination, dismissed)
        for rank, item in enumerate(ranked, 1)
    )


def _card(
    pricer: Pricer,
    rank: int,
    item: PricedAction,
    actions: Sequence[Action],
    chosen: Sequence[Action],
    combination: Combination,
    dismissed: frozenset[str],
) -> Recommendation:
    action, weight = item.action, item.weight
    is_chosen = action.id in combination.shares
    in_plan = combination.shares[action.id] if is_chosen else marginal(pricer, chosen, action)
    rivals = [other.id for other in actions if other.id != action.id and conflicts(action, other)]
    state = "dismissed" if action.id in dismissed else "accepted" if is_chosen else "new"
    return Recommendation(
        id=action.id,
        kind=action.kind,
        title=action.title,
        family=action.family,
        rank=rank,
        finding=action.finding,
        why=action.why,
        changes=changes_of(pricer, action.patch),
        saving=Saving(
            gross=item.gross,
            one_off=weight.one_off,
            net=item.gross - weight.one_off,
            in_plan=in_plan,
            p10=item.p10,
            p50=item.p50,
            p90=item.p90,
        ),
        risk=action.risk,
        effort=action.effort,
        confidence=action.confidence,
        reversibility=action.reversibility,
        risk_adjusted=item.risk_adjusted,
        success_probability=weight.success_probability,
        expected_loss=weight.expected_loss,
        duration_change_h=item.priced.duration_h - pricer.base.duration_h,
        chosen=is_chosen,
        conditional=action.conditions,
        excludes=tuple(rivals),
        needs=action.needs,
        replaced_by=next((r for r in rivals if r in combination.shares and not is_chosen), None),
        verify=action.verify,
        rollback=action.rollback,
        evidence=evidence_of(pricer.catalog, action),
        state=state,
    )


def changes_of(pricer: Pricer, patch: Mapping[str, object]) -> tuple[Change, ...]:
    """Fields before and after, with the settled value of a field that was left to the engine."""
    return tuple(
        Change(path=path, before=get_value(pricer.plan, path), after=after) for path, after in patch.items()
    )


def evidence_of(catalog: Catalog, action: Action) -> tuple[Evidence, ...]:
    """Published figures behind an action. Recalled ones (mark memory) are never shown as evidence."""
    found = []
    for key, figure in action.evidence:
        source = catalog.sources.get(key)
        if source is not None and source.verified not in ("memory", "no", "assumption"):
            found.append(
                Evidence(
                    key=key, title=source.title, where=source.where, figure=figure, verified=source.verified
                )
            )
    return tuple(found)


def _joint(pricer: Pricer, combination: Combination, weights: Mapping[str, Weight]) -> JointSaving:
    priced = pricer.central(combination.patch)
    assert priced is not None
    p10, p50, p90 = saving_percentiles(pricer, combination.patch)
    one_off = sum(weights[name].one_off for name in combination.order)
    return JointSaving(
        ids=combination.order,
        gross=combination.gross,
        one_off=one_off,
        net=combination.gross - one_off,
        p10=p10,
        p50=p50,
        p90=p90,
        total_after=priced.total,
        duration_after_h=priced.duration_h,
    )

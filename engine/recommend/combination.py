"""Combining actions: which stand together, in which order they are counted, what each adds to the whole.

The joint saving is one re-estimate with every chosen change; the shares are differences along the fixed
order, so they add up to it exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.recommend.actions import Action, conflicts
from engine.recommend.pricing import Pricer


@dataclass(frozen=True, slots=True)
class Combination:
    """A set of actions counted together: ids in order, each one's share, and the joint gross saving."""

    order: tuple[str, ...]
    shares: Mapping[str, float]
    patch: Mapping[str, Any]
    gross: float


def merge(actions: Iterable[Action]) -> dict[str, Any]:
    """All changes of the actions as one patch."""
    merged: dict[str, Any] = {}
    for action in actions:
        merged.update(action.patch)
    return merged


def in_order(actions: Iterable[Action], worth: Mapping[str, float]) -> list[Action]:
    """Counting order: prerequisites first, then the stage, then the larger risk-adjusted saving."""
    left = sorted(actions, key=lambda action: (action.stage, -worth.get(action.id, 0.0), action.id))
    ordered: list[Action] = []
    while left:
        nxt = next((a for a in left if not any(_precedes(b, a) for b in left if b is not a)), left[0])
        ordered.append(nxt)
        left.remove(nxt)
    return ordered


def _precedes(one: Action, other: Action) -> bool:
    return other.id in one.do_before or one.id in other.needs


def combine(pricer: Pricer, actions: Sequence[Action], worth: Mapping[str, float]) -> Combination:
    """Count a set of compatible actions along the fixed order."""
    ordered = in_order(actions, worth)
    shares: dict[str, float] = {}
    before, taken = pricer.base.total, list[Action]()
    for action in ordered:
        taken.append(action)
        priced = pricer.central(merge(taken))
        after = before if priced is None else priced.total
        shares[action.id] = before - after
        before = after
    return Combination(
        tuple(action.id for action in ordered), shares, merge(ordered), pricer.base.total - before
    )


def select(pricer: Pricer, actions: Sequence[Action], worth: Mapping[str, float]) -> list[Action]:
    """The set that saves: greedy by worth under exclusions and feasibility, without what no longer pays.

    An action stays only while taking it out of the set would cost more than its one-off cost is worth
    (`worth` is the risk-adjusted saving, so an action of negative worth never enters).
    """
    chosen: list[Action] = []
    for action in sorted(actions, key=lambda a: (-worth[a.id], a.id)):
        if worth[action.id] <= 0 or any(conflicts(action, other) for other in chosen):
            continue
        if is_possible(pricer, [*chosen, action]):
            chosen.append(action)
    return _without_losers(pricer, chosen)


def is_possible(pricer: Pricer, actions: Sequence[Action]) -> bool:
    """Whether the actions fit together: the joint plan exists, fits, and has no new unknown price."""
    return pricer.usable(merge(in_order(actions, {}))) is not None


def _without_losers(pricer: Pricer, chosen: list[Action]) -> list[Action]:
    """Drop, one by one, the action whose removal lowers the joint total most, while there is one."""
    while chosen:
        gains = {action.id: marginal(pricer, chosen, action) or 0.0 for action in chosen}
        worst = min(gains, key=lambda name: gains[name])
        if gains[worst] > 0:
            break
        chosen = [action for action in chosen if action.id != worst]
    return chosen


def marginal(pricer: Pricer, chosen: Sequence[Action], action: Action) -> float | None:
    """What an action adds to the others of the set: last-in saving [plan currency].

    For an action outside the set, those it conflicts with step aside first. None when that set cannot be
    priced: it does not fit, or a price in it is unknown.
    """
    others = [other for other in chosen if other.id != action.id and not conflicts(other, action)]
    without = pricer.usable(merge(in_order(others, {})))
    with_it = pricer.usable(merge(in_order([*others, action], {})))
    if without is None or with_it is None:
        return None
    return without.total - with_it.total

"""Counting actions together."""

from __future__ import annotations

import itertools
import math

import pytest
from action_cases import make_action
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.recommend.actions import Action
from engine.recommend.combination import combine, in_order, is_possible, marginal, merge, select
from engine.recommend.pricing import Pricer

IDLE = make_action("IDLE", {"cluster.busy_share": 0.95}, stage=1)
LIGHT = make_action("LIGHT", {"layout.recompute": "none"})
EIGHT = make_action("EIGHT", {"training.precision": "fp8"})
CHEAP = make_action("CHEAP", {"cluster.price_per_gpu_hour": 1.0}, stage=4)
DEAR = make_action("DEAR", {"cluster.price_per_gpu_hour": 1.5}, stage=4)
NOTHING = make_action("NOTHING", {"meta.name": "renamed"})
WORSE = make_action("WORSE", {"cluster.accelerator_count": 2048})
TOO_BIG = make_action("TOO_BIG", {"layout.micro_batch": 16})
LEVERS = [IDLE, LIGHT, EIGHT, CHEAP]


@pytest.fixture(scope="module")
def pricer(catalog: Catalog) -> Pricer:
    wasteful = {
        "cluster.busy_share": 0.6,
        "layout.recompute": "full",
        "training.precision": "bf16",
        "cluster.price_per_gpu_hour": 2.0,
    }
    return Pricer(training_plan(wasteful), catalog, draws=0)


def worth_of(pricer: Pricer, actions: list[Action]) -> dict[str, float]:
    found = {}
    for action in actions:
        priced = pricer.central(action.patch)
        found[action.id] = 0.0 if priced is None else pricer.base.total - priced.total
    return found


def ids(actions: list[Action]) -> list[str]:
    return [action.id for action in actions]


def test_shares_add_up_to_one_joint_estimate(pricer: Pricer) -> None:
    combination = combine(pricer, LEVERS, worth_of(pricer, LEVERS))
    joint = pricer.central(merge(LEVERS))
    assert joint is not None
    assert combination.gross == pytest.approx(pricer.base.total - joint.total, rel=1e-12)
    assert math.fsum(combination.shares.values()) == pytest.approx(combination.gross, rel=1e-12)
    assert combination.order == ("IDLE", "LIGHT", "EIGHT", "CHEAP") or combination.order[0] == "IDLE"


def test_the_joint_saving_does_not_depend_on_the_order_given(pricer: Pricer) -> None:
    worth = worth_of(pricer, LEVERS)
    found = {combine(pricer, order, worth).gross for order in itertools.permutations(LEVERS)}
    orders = {combine(pricer, order, worth).order for order in itertools.permutations(LEVERS)}
    assert len(found) == 1 and len(orders) == 1


def test_overlapping_levers_save_less_than_their_sum_but_never_more_than_the_bill(pricer: Pricer) -> None:
    worth = worth_of(pricer, LEVERS)
    gross = combine(pricer, LEVERS, worth).gross
    assert max(worth.values()) < gross < sum(worth.values())
    assert gross < pricer.base.total


def test_factors_multiply(pricer: Pricer) -> None:
    """Price and idle share are pure factors of the accelerator bill: 1 - product(1 - x)."""
    bill = sum(float(line.amount) for line in pricer.base.outcome.lines if line.spec.unit == "GPU-h")
    shares = [worth_of(pricer, [action])[action.id] / bill for action in (IDLE, CHEAP)]
    joint = combine(pricer, [IDLE, CHEAP], {}).gross / bill
    assert joint == pytest.approx(1 - (1 - shares[0]) * (1 - shares[1]), rel=1e-9)


def test_nothing_chosen_saves_nothing(pricer: Pricer) -> None:
    combination = combine(pricer, [], {})
    assert (combination.order, combination.gross, combination.patch) == ((), 0.0, {})


def test_counting_order_is_prerequisites_then_stage_then_worth() -> None:
    late = make_action("LATE", {"a": 1}, stage=4)
    early = make_action("EARLY", {"b": 1}, stage=1)
    small, large = make_action("SMALL", {"c": 1}), make_action("LARGE", {"d": 1})
    worth = {"LATE": 100.0, "EARLY": 1.0, "SMALL": 2.0, "LARGE": 3.0}
    assert ids(in_order([late, small, large, early], worth)) == ["EARLY", "LARGE", "SMALL", "LATE"]
    first = make_action("FIRST", {"e": 1}, stage=4, do_before=("EARLY",))
    assert ids(in_order([early, first], {})) == ["FIRST", "EARLY"]
    needy = make_action("NEEDY", {"f": 1}, stage=1, needs=("LATE",))
    assert ids(in_order([needy, late], {})) == ["LATE", "NEEDY"]


def test_a_circle_of_prerequisites_does_not_hang() -> None:
    one = make_action("ONE", {"a": 1}, do_before=("TWO",))
    two = make_action("TWO", {"b": 1}, do_before=("ONE",))
    assert sorted(ids(in_order([one, two], {}))) == ["ONE", "TWO"]


def test_selection_takes_what_saves(pricer: Pricer) -> None:
    actions = [*LEVERS, NOTHING, WORSE]
    chosen = select(pricer, actions, worth_of(pricer, actions))
    assert set(ids(chosen)) == {"IDLE", "LIGHT", "EIGHT", "CHEAP"}


def test_of_two_that_exclude_each_other_the_better_stays(pricer: Pricer) -> None:
    actions = [DEAR, CHEAP, IDLE]
    chosen = select(pricer, actions, worth_of(pricer, actions))
    assert set(ids(chosen)) == {"CHEAP", "IDLE"}


def test_what_does_not_fit_is_not_chosen(pricer: Pricer) -> None:
    both = [LIGHT, TOO_BIG]
    assert is_possible(pricer, [LIGHT]) and not is_possible(pricer, both)
    assert "TOO_BIG" not in ids(select(pricer, both, {"LIGHT": 1.0, "TOO_BIG": 2.0})) or "LIGHT" not in ids(
        select(pricer, both, {"LIGHT": 1.0, "TOO_BIG": 2.0})
    )


def test_an_action_that_no_longer_pays_beside_the_others_is_dropped(pricer: Pricer) -> None:
    """Alone it looks good (its worth says so); in the set it costs money."""
    spoiler = make_action("SPOILER", {"experiments.runs": 3, "experiments.run_share": 0.1})
    chosen = select(pricer, [IDLE, spoiler], {"IDLE": 1.0, "SPOILER": 5.0})
    assert ids(chosen) == ["IDLE"]


def test_last_in_saving_is_what_refusing_it_would_cost(pricer: Pricer) -> None:
    worth = worth_of(pricer, LEVERS)
    whole = combine(pricer, LEVERS, worth).gross
    for action in LEVERS:
        rest = combine(pricer, [a for a in LEVERS if a is not action], worth).gross
        assert marginal(pricer, LEVERS, action) == pytest.approx(whole - rest, rel=1e-9)


def test_rivals_step_aside_for_the_last_in_saving(pricer: Pricer) -> None:
    assert marginal(pricer, [IDLE, CHEAP], DEAR) == pytest.approx(marginal(pricer, [IDLE], DEAR) or 0.0)
    assert marginal(pricer, [LIGHT], TOO_BIG) is None


def test_merging_takes_every_change() -> None:
    assert merge([IDLE, CHEAP]) == {"cluster.busy_share": 0.95, "cluster.price_per_gpu_hour": 1.0}

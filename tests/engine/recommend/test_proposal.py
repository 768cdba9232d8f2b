"""Cards: what is priced, what is too small, what cannot be."""

from __future__ import annotations

import pytest
from action_cases import make_action
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.recommend.pricing import Pricer
from engine.recommend.proposal import propose

IDLE = make_action("IDLE", {"cluster.busy_share": 0.95}, stage=1)
CHEAP = make_action("CHEAP", {"cluster.price_per_gpu_hour": 1.0}, stage=4, effort="M")
DEAR = make_action("DEAR", {"cluster.price_per_gpu_hour": 1.5}, stage=4)
TINY = make_action("TINY", {"storage.months_after_run": 5.99})
COSTLY = make_action("COSTLY", {"experiments.runs": 10})
IMPOSSIBLE = make_action("IMPOSSIBLE", {"layout.tensor_parallel": 3})
RISKY = make_action("RISKY", {"training.tokens": 2e12}, effect=2)
VETOED = make_action("VETOED", {"training.tokens": 1.9e12}, vetoed=True)
ALL = [IDLE, CHEAP, DEAR, TINY, COSTLY, IMPOSSIBLE, RISKY, VETOED]


@pytest.fixture(scope="module")
def pricer(catalog: Catalog) -> Pricer:
    plan = training_plan({"cluster.busy_share": 0.6, "cluster.price_per_gpu_hour": 2.0})
    return Pricer(plan, catalog, draws=200)


def test_cards_and_what_is_left_out(pricer: Pricer) -> None:
    found = propose(pricer, ALL, chosen=None, dismissed=frozenset())
    assert {card.id for card in found.recommendations} == {
        "IDLE",
        "CHEAP",
        "DEAR",
        "COSTLY",
        "RISKY",
        "VETOED",
    }
    assert [item.action.id for item in found.too_small] == ["TINY"]
    assert [action.id for action in found.impossible] == ["IMPOSSIBLE"]


def test_the_programs_own_choice(pricer: Pricer) -> None:
    found = propose(pricer, ALL, chosen=None, dismissed=frozenset())
    assert set(found.joint.ids) == {"IDLE", "CHEAP"}  # DEAR is excluded, COSTLY costs, the others wait
    states = {card.id: card.state for card in found.recommendations}
    assert states["IDLE"] == states["CHEAP"] == "accepted"
    assert states["DEAR"] == states["RISKY"] == "new"
    dear = next(card for card in found.recommendations if card.id == "DEAR")
    assert dear.replaced_by == "CHEAP" and dear.excludes == ("CHEAP",)


def test_of_two_ticked_rivals_the_better_stays(pricer: Pricer) -> None:
    found = propose(pricer, ALL, chosen=frozenset({"CHEAP", "DEAR", "RISKY"}), dismissed=frozenset())
    assert set(found.joint.ids) == {"CHEAP", "RISKY"}


def test_unknown_ticks_are_ignored(pricer: Pricer) -> None:
    assert propose(pricer, ALL, chosen=frozenset({"NO-SUCH"}), dismissed=frozenset()).joint.ids == ()


def test_before_and_after_are_shown(pricer: Pricer) -> None:
    card = next(
        c
        for c in propose(pricer, [IDLE], chosen=None, dismissed=frozenset()).recommendations
        if c.id == "IDLE"
    )
    (change,) = card.changes
    assert (change.path, change.before, change.after) == ("cluster.busy_share", 0.6, 0.95)


def test_no_actions_no_saving(pricer: Pricer) -> None:
    found = propose(pricer, [], chosen=None, dismissed=frozenset())
    assert found.recommendations == () and found.joint.gross == 0.0 == found.joint.p10 == found.joint.p90
    assert found.joint.total_after == pricer.base.total


def test_the_band_is_that_of_the_differences(pricer: Pricer) -> None:
    """Each draw prices before and after with the same numbers; percentiles are of the difference."""
    found = propose(pricer, [IDLE], chosen=None, dismissed=frozenset())
    saving = found.recommendations[0].saving
    assert saving.p10 < saving.p50 < saving.p90
    assert saving.p10 < saving.gross < saving.p90
    differences = pricer.totals({}) - pricer.totals(IDLE.patch)
    below = (differences < saving.p10).mean(), (differences > saving.p90).mean()
    assert below == pytest.approx((0.1, 0.1), abs=0.01)

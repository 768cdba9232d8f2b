"""Decisions about recommendations, and the difference between 'not chosen yet' and 'none chosen'."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InputError
from engine.plan import Plan
from engine.storage import (
    STATES,
    Database,
    PlanRepository,
    RecommendationState,
    StateRepository,
    StorageError,
)


@pytest.fixture
def plan_id(database: Database, plan: Plan) -> str:
    return PlanRepository(database).create(plan)


@pytest.fixture
def states(database: Database) -> StateRepository:
    return StateRepository(database)


@pytest.mark.parametrize("name", STATES)
def test_every_state_comes_back_equal(states: StateRepository, plan_id: str, name: str) -> None:
    state = RecommendationState("CKPT-INTERVAL", name, reason="太贵", owner="李", due="2027-02-28")
    states.set(plan_id, state)
    assert states.get(plan_id) == {"CKPT-INTERVAL": state}


def test_the_last_word_counts_and_plans_are_apart(
    database: Database, states: StateRepository, plan_id: str, plan: Plan
) -> None:
    other = PlanRepository(database).create(plan)
    states.set(plan_id, RecommendationState("A", "accepted", owner="Wu"))
    states.set(plan_id, RecommendationState("A", "dismissed", reason="done elsewhere"))
    states.set(plan_id, RecommendationState("B"))
    assert {key: state.state for key, state in states.get(plan_id).items()} == {"A": "dismissed", "B": "new"}
    assert states.get(plan_id)["A"].owner == ""
    assert states.get(other) == {}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"state": "maybe"}, "state"),
        ({"state": "dismissed"}, "reason"),
        ({"state": "dismissed", "reason": "  "}, "reason"),
        ({"due": "tomorrow"}, "due"),
        ({"due": "2027-02-30"}, "due"),
        ({"due": "20270228"}, "due"),
    ],
)
def test_impossible_states_are_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        RecommendationState("A", **fields)
    assert caught.value.field == field


def test_no_choice_differs_from_an_empty_choice(states: StateRepository, plan_id: str) -> None:
    assert states.chosen(plan_id) is None
    for ids in (frozenset({"A", "B"}), frozenset[str]()):
        states.set_chosen(plan_id, ids)
        assert states.chosen(plan_id) == ids
    states.set_chosen(plan_id, None)
    assert states.chosen(plan_id) is None


def test_the_choice_survives_a_new_revision(
    database: Database, states: StateRepository, plan_id: str, plan: Plan
) -> None:
    states.set_chosen(plan_id, ["A"])
    PlanRepository(database).save_revision(plan_id, plan)
    assert states.chosen(plan_id) == frozenset({"A"})


def test_unknown_plans_are_refused(states: StateRepository) -> None:
    with pytest.raises(StorageError, match="no plan nowhere"):
        states.set("nowhere", RecommendationState("A"))
    with pytest.raises(StorageError, match="no plan nowhere"):
        states.get("nowhere")
    with pytest.raises(StorageError, match="no plan nowhere"):
        states.set_chosen("nowhere", None)

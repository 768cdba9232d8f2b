"""Exclusions and conditions of actions."""

from __future__ import annotations

from typing import Any

import pytest
from action_cases import make_action

from engine.recommend.actions import conflicts
from engine.text import Message


def test_declared_exclusions_hold_in_both_directions() -> None:
    spot, commit = make_action("A", {"x": 1}, excludes=frozenset({"B"})), make_action("B", {"y": 1})
    assert conflicts(spot, commit) and conflicts(commit, spot)


def test_one_field_written_twice_conflicts_unless_it_is_the_same_change() -> None:
    assert conflicts(make_action("A", {"x": 1}), make_action("B", {"x": 2, "y": 1}))
    assert not conflicts(make_action("A", {"x": 1}), make_action("B", {"x": 1}))
    assert not conflicts(make_action("A", {"x": 1}), make_action("B", {"y": 1}))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, False),
        ({"effect": 1, "stability": 1, "governance": 3}, False),
        ({"effect": 2}, True),
        ({"stability": 2}, True),
        ({"vetoed": True}, True),
        ({"conditions": (Message("rehearse first"),)}, True),
    ],
)
def test_what_must_be_verified_first_is_conditional(fields: dict[str, Any], expected: bool) -> None:
    assert make_action("A", {"x": 1}, **fields).is_conditional == expected

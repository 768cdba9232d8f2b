"""Careful, balanced, bold."""

from __future__ import annotations

from typing import Any

import pytest
from action_cases import make_action

from engine.recommend.portfolios import allowed
from engine.text import Message


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({}, {"careful", "balanced", "bold"}),
        ({"effect": 1, "stability": 1}, {"careful", "balanced", "bold"}),
        ({"confidence": "B"}, {"balanced", "bold"}),
        ({"confidence": "C"}, {"bold"}),
        ({"effect": 2}, {"balanced", "bold"}),
        ({"stability": 3}, {"bold"}),
        ({"governance": 3}, {"careful", "bold"}),
        ({"conditions": (Message("first"),)}, {"bold"}),
        ({"vetoed": True}, set()),
    ],
)
def test_what_each_may_hold(fields: dict[str, Any], where: set[str]) -> None:
    action = make_action("A", {"x": 1}, **fields)
    assert {name for name in ("careful", "balanced", "bold") if allowed(action, name)} == where

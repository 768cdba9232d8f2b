"""Actions made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.recommend.actions import Action
from engine.results import Risk
from engine.text import Message


def make_action(
    name: str,
    patch: Mapping[str, Any],
    *,
    effect: int = 0,
    stability: int = 0,
    governance: int = 0,
    **fields: Any,
) -> Action:
    """An action of no risk, small effort and best confidence, unless said otherwise."""
    risk = Risk(
        effect=effect,
        effect_reason="",
        stability=stability,
        stability_reason="",
        governance=governance,
        governance_reason="",
    )
    base: dict[str, Any] = {
        "title": name,
        "kind": "lever",
        "family": "training",
        "stage": 2,
        "finding": Message("found"),
        "why": (),
        "effort": "S",
        "confidence": "A",
        "reversibility": "high",
        "verify": "test",
        "rollback": "undo",
    }
    return Action(id=name, patch=patch, risk=risk, **{**base, **fields})

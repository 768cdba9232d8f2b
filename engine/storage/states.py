"""What the planner decided about each recommendation, and which ones are ticked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from engine.errors import InputError
from engine.storage.clock import now_text
from engine.storage.database import Database
from engine.storage.plans import last_revision
from engine.text import N_, Message

STATES = ("new", "accepted", "verifying", "verified", "rolled_out", "realised", "dismissed", "expired")


@dataclass(frozen=True, slots=True)
class RecommendationState:
    """Where a recommendation stands, who follows it up and until when (YYYY-MM-DD).

    Errors: InputError for an unknown state, a dismissal without reason, a date that is none.
    """

    recommendation_id: str
    state: str = "new"
    reason: str = ""
    owner: str = ""
    due: str | None = None

    def __post_init__(self) -> None:
        if self.state not in STATES:
            accepted = Message(N_("one of {choices}"), {"choices": ", ".join(STATES)})
            raise InputError("state", self.state, accepted)
        if self.state == "dismissed" and not self.reason.strip():
            raise InputError("reason", self.reason, Message(N_("a reason for dismissing it")))
        if self.due is not None and not _is_date(self.due):
            raise InputError("due", self.due, Message(N_("a date as YYYY-MM-DD, or empty")))


class StateRepository:
    """Stores recommendation states and the chosen set, per plan."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, plan_id: str, state: RecommendationState) -> None:
        """Store the state of one recommendation. Errors: StorageError for an unknown plan."""
        with self._database.write() as db:
            last_revision(db, plan_id)
            db.table("recommendation_states").insert(
                {
                    "plan_id": plan_id,
                    "recommendation_id": state.recommendation_id,
                    "state": state.state,
                    "reason": state.reason,
                    "owner": state.owner,
                    "due": state.due,
                    "updated": now_text(),
                },
                replace=True,
            )

    def get(self, plan_id: str) -> dict[str, RecommendationState]:
        """All stored states of a plan by recommendation id; those absent are new.

        Errors: StorageError for an unknown plan.
        """
        with self._database.read() as db:
            last_revision(db, plan_id)
            rows = db.query(
                "SELECT * FROM recommendation_states WHERE plan_id = ? ORDER BY recommendation_id", [plan_id]
            )
            return {row["recommendation_id"]: _state(row) for row in rows}

    def set_chosen(self, plan_id: str, ids: Iterable[str] | None) -> None:
        """Store which recommendations are ticked; None = leave it to the default choice, empty = none.

        Errors: StorageError for an unknown plan.
        """
        text = None if ids is None else json.dumps(sorted(ids))
        with self._database.write() as db:
            last_revision(db, plan_id)
            db.table("plans").update(plan_id, {"chosen": text})

    def chosen(self, plan_id: str) -> frozenset[str] | None:
        """The ticked recommendations, None when the planner has not chosen. Errors: StorageError."""
        with self._database.read() as db:
            last_revision(db, plan_id)
            text = db.execute("SELECT chosen FROM plans WHERE id = ?", [plan_id]).fetchone()[0]
        return None if text is None else frozenset(json.loads(text))


def _state(row: dict[str, Any]) -> RecommendationState:
    names = ("recommendation_id", "state", "reason", "owner", "due")
    return RecommendationState(**{name: row[name] for name in names})


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False

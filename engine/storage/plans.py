"""Plans and their revisions. A revision never changes; a deleted plan can be restored."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlite_utils

from engine.plan import Plan, apply_patch, plan_from_json, plan_to_json
from engine.storage.clock import now_text, read_time
from engine.storage.database import Database
from engine.storage.problems import StorageError
from engine.text import N_, Message


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """One plan of the library; money is of the newest reviewed revision, None when there is none."""

    id: str
    name: str
    kind: str
    revision: int
    updated: datetime
    deleted: datetime | None
    total: float | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class RevisionSummary:
    """One saved state of a plan; money is of its review, None when it was never reviewed."""

    revision: int
    created: datetime
    total: float | None
    currency: str | None


_SUMMARIES = """
    SELECT id, name, kind, plans.revision AS revision, updated, deleted, total, currency
    FROM plans LEFT JOIN reviews ON reviews.plan_id = plans.id AND reviews.revision = (
        SELECT max(revision) FROM reviews WHERE plan_id = plans.id
    )
    WHERE (deleted IS NOT NULL) = ? ORDER BY updated DESC, plans.rowid DESC
"""


class PlanRepository:
    """Stores plans in a database; gives and takes Plans, never rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, plan: Plan) -> str:
        """Store a new plan as revision 1 and return its id."""
        plan_id, now = uuid.uuid4().hex, now_text()
        with self._database.write() as db:
            db.table("plans").insert(
                {"id": plan_id, "revision": 0, "created": now, "updated": now, **_scalars(plan)}
            )
            self._add_revision(db, plan_id, 1, plan)
        return plan_id

    def save_revision(self, plan_id: str, plan: Plan) -> int:
        """Store the plan's next revision and return its number.

        What this window had journalled for the plan is dropped: the revision holds it now.
        Errors: StorageError for an unknown plan.
        """
        with self._database.write() as db:
            revision = last_revision(db, plan_id) + 1
            self._add_revision(db, plan_id, revision, plan)
            db.execute(
                "DELETE FROM journal WHERE plan_id = ? AND session = ?", [plan_id, self._database.session]
            )
        return revision

    def newest(self, plan_id: str) -> int:
        """Number of the plan's newest revision. Errors: StorageError for an unknown plan."""
        with self._database.read() as db:
            return last_revision(db, plan_id)

    def load(self, plan_id: str, revision: int | None = None) -> Plan:
        """The plan at `revision`, None = the newest.

        Errors: StorageError when there is no such plan or revision, PlanErrors when it is not valid any more.
        """
        with self._database.read() as db:
            wanted = last_revision(db, plan_id) if revision is None else revision
            row = db.execute(
                "SELECT plan FROM revisions WHERE plan_id = ? AND revision = ?", [plan_id, wanted]
            ).fetchone()
        if row is None:
            raise StorageError(
                Message(
                    N_("plan {plan_id} has no revision {revision}"), {"plan_id": plan_id, "revision": wanted}
                )
            )
        return plan_from_json(row[0])

    def list(self, *, deleted: bool = False) -> tuple[PlanSummary, ...]:
        """Summaries of all plans, or of the deleted ones; last changed first."""
        with self._database.read() as db:
            return tuple(_plan_summary(row) for row in db.query(_SUMMARIES, [deleted]))

    def revisions(self, plan_id: str) -> tuple[RevisionSummary, ...]:
        """All revisions of a plan, newest first. Errors: StorageError for an unknown plan."""
        with self._database.read() as db:
            last_revision(db, plan_id)
            rows = db.query(
                "SELECT revision, revisions.created AS created, total, currency"
                " FROM revisions LEFT JOIN reviews USING (plan_id, revision)"
                " WHERE plan_id = ? ORDER BY revision DESC",
                [plan_id],
            )
            return tuple(
                RevisionSummary(row["revision"], read_time(row["created"]), row["total"], row["currency"])
                for row in rows
            )

    def duplicate(self, plan_id: str, name: str) -> str:
        """Store a copy of the newest revision under a new name and return its id.

        Errors: StorageError for an unknown plan, PlanErrors for an impossible name.
        """
        return self.create(apply_patch(self.load(plan_id), {"meta.name": name}))

    def delete(self, plan_id: str) -> None:
        """Take the plan out of the library; nothing is erased. Errors: StorageError for an unknown plan."""
        self._mark(plan_id, now_text())

    def restore(self, plan_id: str) -> None:
        """Put a deleted plan back. Errors: StorageError for an unknown plan."""
        self._mark(plan_id, None)

    def _mark(self, plan_id: str, deleted: str | None) -> None:
        with self._database.write() as db:
            last_revision(db, plan_id)
            db.table("plans").update(plan_id, {"deleted": deleted})

    def _add_revision(self, db: sqlite_utils.Database, plan_id: str, revision: int, plan: Plan) -> None:
        now = now_text()
        db.table("revisions").insert(
            {"plan_id": plan_id, "revision": revision, "plan": plan_to_json(plan), "created": now}
        )
        db.table("plans").update(plan_id, {"revision": revision, "updated": now, **_scalars(plan)})


def last_revision(db: sqlite_utils.Database, plan_id: str) -> int:
    """Number of the plan's newest revision. Errors: StorageError for an unknown plan."""
    row = db.execute("SELECT revision FROM plans WHERE id = ?", [plan_id]).fetchone()
    if row is None:
        raise StorageError(Message(N_("there is no plan {plan_id}"), {"plan_id": plan_id}))
    return int(row[0])


def _scalars(plan: Plan) -> dict[str, str]:
    return {"name": plan.meta.name, "kind": plan.workload.kind}


def _plan_summary(row: dict[str, Any]) -> PlanSummary:
    times = {key: None if row[key] is None else read_time(row[key]) for key in ("updated", "deleted")}
    return PlanSummary(**{**row, **times})

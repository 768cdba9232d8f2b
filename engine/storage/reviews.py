"""Reviews as they were computed, one a revision, with the figures the library shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.results import Estimate
from engine.storage.clock import now_text, read_time
from engine.storage.database import Database
from engine.storage.plans import last_revision
from engine.storage.problems import StorageError
from engine.text import N_, Message


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review's JSON with the revision it belongs to; money in `currency`, None = unknown."""

    plan_id: str
    revision: int
    review_json: str
    currency: str
    total: float | None
    p10: float | None
    p90: float | None
    complete: bool
    created: datetime


class ReviewRepository:
    """Stores reviews in a database; the review itself is opaque JSON to it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_review(self, plan_id: str, revision: int, review_json: str, estimate: Estimate) -> None:
        """Store the review of one revision; a later one of the same revision takes its place.

        The figures the library shows are taken from `estimate`.
        Errors: StorageError when there is no such plan or revision.
        """
        with self._database.write() as db:
            known = db.execute(
                "SELECT 1 FROM revisions WHERE plan_id = ? AND revision = ?", [plan_id, revision]
            ).fetchone()
            if known is None:
                raise StorageError(
                    Message(
                        N_("plan {plan_id} has no revision {revision}"),
                        {"plan_id": plan_id, "revision": revision},
                    )
                )
            db.table("reviews").insert(
                {
                    "plan_id": plan_id,
                    "revision": revision,
                    "review": review_json,
                    "currency": estimate.currency,
                    "total": estimate.total,
                    "p10": estimate.p10,
                    "p90": estimate.p90,
                    "complete": estimate.complete,
                    "created": now_text(),
                },
                replace=True,
            )

    def latest(self, plan_id: str, revision: int | None = None) -> StoredReview | None:
        """The review of `revision`, None = of the newest reviewed one; None when there is none.

        Errors: StorageError for an unknown plan.
        """
        with self._database.read() as db:
            last_revision(db, plan_id)
            rows = db.query(
                "SELECT * FROM reviews WHERE plan_id = :plan AND revision = coalesce(:revision,"
                " (SELECT max(revision) FROM reviews WHERE plan_id = :plan))",
                {"plan": plan_id, "revision": revision},
            )
            return next((_stored_review(row) for row in list(rows)), None)


def _stored_review(row: dict[str, Any]) -> StoredReview:
    fields = {**row, "complete": bool(row["complete"]), "created": read_time(row["created"])}
    return StoredReview(review_json=fields.pop("review"), **fields)

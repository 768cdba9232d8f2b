"""Autosave: the newest unsaved state of every plan, so that a killed window loses nothing accepted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.errors import FlopwiseError
from engine.plan import Plan, plan_from_json, plan_to_json
from engine.storage.clock import now_text, read_time
from engine.storage.database import Database
from engine.storage.plans import last_revision

_DROP_SAVED = """
    DELETE FROM journal WHERE session <> ? AND EXISTS (
        SELECT 1 FROM revisions
        WHERE revisions.plan_id = journal.plan_id AND revision >= base_revision
            AND revisions.plan = journal.plan
    )
"""
_UNSAVED = """
    SELECT journal.id AS id, plan_id, base_revision, plan, journal.created AS created,
        base_revision < plans.revision AS superseded
    FROM journal JOIN plans ON plans.id = plan_id
    WHERE deleted IS NULL AND session <> ? ORDER BY journal.id DESC
"""
_DROP_OWN = "DELETE FROM journal WHERE plan_id = ? AND session = ?"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An unsaved state of a plan; `base_revision` was the newest revision when it was written."""

    id: int
    plan_id: str
    base_revision: int
    plan: Plan
    created: datetime


@dataclass(frozen=True, slots=True)
class Recovery:
    """What other windows left unsaved.

    `entries`: the newest state of each plan, newer than its last revision. `superseded`: states that a
    later revision or a later state of another window has passed by. `unreadable`: plans whose journalled
    state this program cannot read; it stays in the journal.
    """

    entries: tuple[JournalEntry, ...] = ()
    superseded: tuple[JournalEntry, ...] = ()
    unreadable: tuple[str, ...] = ()


class Journal:
    """Keeps one unsaved state a plan and window; saving a revision drops this window's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, plan_id: str, plan: Plan) -> None:
        """Keep the plan's unsaved state; on the disk when this returns.

        A state equal to the last revision is not kept: there is nothing unsaved.
        Errors: StorageError for an unknown plan, or when it cannot be written (the state before stays).
        """
        text, session = plan_to_json(plan), self._database.session
        with self._database.write() as db:
            revision = last_revision(db, plan_id)
            # A new row takes a new, highest id: which state is newest never depends on the clock.
            db.execute(_DROP_OWN, [plan_id, session])
            db.execute(
                "INSERT INTO journal (plan_id, session, base_revision, plan, created)"
                " SELECT plan_id, ?, revision, ?, ? FROM revisions"
                " WHERE plan_id = ? AND revision = ? AND plan <> ?",
                [session, text, now_text(), plan_id, revision, text],
            )

    def latest(self, plan_id: str) -> Plan | None:
        """This window's unsaved state of the plan; None when its last revision holds everything."""
        with self._database.read() as db:
            row = db.execute(
                "SELECT plan FROM journal WHERE plan_id = ? AND session = ?",
                [plan_id, self._database.session],
            ).fetchone()
        return None if row is None else plan_from_json(row[0])

    def recover(self) -> Recovery:
        """What other windows left unsaved; the newest entry of each plan becomes this window's own.

        A window that is still open simply journals again at its next edit. Deleted plans are left alone.
        """
        session = self._database.session
        entries: dict[str, JournalEntry] = {}
        superseded: list[JournalEntry] = []
        unreadable: list[str] = []
        with self._database.write() as db:
            db.execute(_DROP_SAVED, [session])
            for row in list(db.query(_UNSAVED, [session])):
                entry = _entry(row)
                if entry is None:
                    unreadable.append(row["plan_id"])
                elif row["superseded"] or entry.plan_id in entries:
                    superseded.append(entry)
                else:
                    entries[entry.plan_id] = entry
            for entry in entries.values():
                db.execute(_DROP_OWN, [entry.plan_id, session])
                db.execute("UPDATE journal SET session = ? WHERE id = ?", [session, entry.id])
        return Recovery(tuple(entries.values()), tuple(superseded), tuple(unreadable))

    def discard(self, entry_id: int) -> None:
        """Drop an entry that has been stored elsewhere or that the planner does not want."""
        with self._database.write() as db:
            db.execute("DELETE FROM journal WHERE id = ?", [entry_id])


def _entry(row: dict[str, Any]) -> JournalEntry | None:
    """The entry of a row; None when this program cannot read its plan."""
    try:
        plan = plan_from_json(row["plan"])
    except FlopwiseError:
        return None
    return JournalEntry(row["id"], row["plan_id"], row["base_revision"], plan, read_time(row["created"]))

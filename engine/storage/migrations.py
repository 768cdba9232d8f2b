"""The database's schema as ordered, named steps; an older file is copied before it is changed."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import sqlite_utils
from sqlite_utils.migrations import Migrations

from engine.storage.problems import StorageError, explained
from engine.text import N_, Message

APPLICATION_ID = 0x466C7077
"""Marks a SQLite file as Flopwise's ("Flpw"), so that another program's file is never altered."""

Step: TypeAlias = Callable[[sqlite_utils.Database], None]


def step_001_plans(db: sqlite_utils.Database) -> None:
    """Plans with their revisions, the journal, reviews and recommendation states."""
    for statement in _STEP_001:
        db.execute(statement)


_STEP_001 = (
    """CREATE TABLE plans (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        revision INTEGER NOT NULL,
        chosen TEXT,
        created TEXT NOT NULL,
        updated TEXT NOT NULL,
        deleted TEXT
    ) STRICT""",
    """CREATE TABLE revisions (
        plan_id TEXT NOT NULL REFERENCES plans(id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        plan TEXT NOT NULL,
        created TEXT NOT NULL,
        PRIMARY KEY (plan_id, revision)
    ) STRICT""",
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        plan_id TEXT NOT NULL REFERENCES plans(id) ON DELETE CASCADE,
        session TEXT NOT NULL,
        base_revision INTEGER NOT NULL,
        plan TEXT NOT NULL,
        created TEXT NOT NULL,
        UNIQUE (plan_id, session)
    ) STRICT""",
    """CREATE TABLE reviews (
        plan_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        review TEXT NOT NULL,
        currency TEXT NOT NULL,
        total REAL,
        p10 REAL,
        p90 REAL,
        complete INTEGER NOT NULL,
        created TEXT NOT NULL,
        PRIMARY KEY (plan_id, revision),
        FOREIGN KEY (plan_id, revision) REFERENCES revisions(plan_id, revision) ON DELETE CASCADE
    ) STRICT""",
    """CREATE TABLE recommendation_states (
        plan_id TEXT NOT NULL REFERENCES plans(id) ON DELETE CASCADE,
        recommendation_id TEXT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL,
        owner TEXT NOT NULL,
        due TEXT,
        updated TEXT NOT NULL,
        PRIMARY KEY (plan_id, recommendation_id)
    ) STRICT""",
)

STEPS: tuple[Step, ...] = (step_001_plans,)
"""In order, oldest first. A released step is never edited, renamed or moved: add a new one."""


def schema_version(db: sqlite_utils.Database, path: Path, *, newest: int) -> int:
    """Steps already applied to the file; 0 = empty.

    Errors: StorageError when the file is another program's, or from a newer program.
    """
    with db.atomic():  # one snapshot: another window may be creating the tables right now
        version, application = (_pragma(db, name) for name in ("user_version", "application_id"))
        empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and not (empty and application == 0 and version == 0):
        raise StorageError(
            Message(
                N_("{path}: this is another program's database; nothing was changed"), {"path": str(path)}
            )
        )
    if version > newest:
        raise StorageError(
            Message(
                N_(
                    "{path}: written by a newer Flopwise (schema {found}, this program knows up to "
                    "{newest}); please update the program. Nothing was changed"
                ),
                {"path": str(path), "found": version, "newest": newest},
            )
        )
    return version


def migrate(db: sqlite_utils.Database, path: Path, steps: Sequence[Step] = STEPS) -> None:
    """Apply the missing steps inside the caller's transaction: all of them or none.

    The caller holds the write lock, so a second window waits and then finds nothing to do.
    Errors: StorageError when the copy cannot be made or a step leaves dangling references.
    """
    version = schema_version(db, path, newest=len(steps))
    if version == len(steps):
        return
    if version:
        back_up(path, version)
    migrations = Migrations("flopwise")
    for step in steps:
        migrations(name=step.__name__)(step)
    migrations.apply(db)
    dangling = db.execute("PRAGMA foreign_key_check").fetchone()
    if dangling is not None:
        raise StorageError(
            Message(
                N_("{path}: the upgrade would leave dangling rows in {table}; nothing was changed"),
                {"path": str(path), "table": str(dangling[0])},
            )
        )
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {len(steps)}")


def back_up(path: Path, version: int) -> Path:
    """Copy the committed content of the database beside it and return the copy's path.

    The copy appears under its name only when complete, is private, and replaces no earlier copy.
    Errors: StorageError.
    """
    with explained(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        os.close(handle)
        partial = Path(name)
        try:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(partial)) as copy:
                source.backup(copy)
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            target = _free_name(path, version)
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
    return target


def _free_name(path: Path, version: int) -> Path:
    target = path.with_name(f"{path.name}.schema-{version}.backup")
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"{path.name}.schema-{version}.backup-{count}")
    return target


def _pragma(db: sqlite_utils.Database, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])

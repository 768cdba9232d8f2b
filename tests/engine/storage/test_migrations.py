"""Upgrades: an older file is copied and raised, a newer one refused, a failed step leaves everything."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from engine.plan import Plan
from engine.storage import Journal, PlanRepository, StateRepository, StorageError, open_database
from engine.storage.migrations import STEPS

SCHEMA_1 = Path(__file__).parent / "data" / "schema_1.sql"


def step_002_colour(db: sqlite_utils.Database) -> None:
    db.execute("ALTER TABLE plans ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'")


def step_002_failing(db: sqlite_utils.Database) -> None:
    db.execute("ALTER TABLE plans ADD COLUMN colour TEXT")
    raise sqlite3.OperationalError("no such function: paint")


def step_002_dangling(db: sqlite_utils.Database) -> None:
    db.execute("PRAGMA defer_foreign_keys = ON")
    db.execute("DELETE FROM revisions")
    db.execute("UPDATE journal SET plan_id = 'gone'")


TOMORROW = (*STEPS, step_002_colour)


@pytest.fixture
def old_file(path: Path) -> Path:
    """A database as the first released schema left it."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA_1.read_text(encoding="utf-8"))
    return path


def read_back(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def backups(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if "backup" in file.name)


def test_a_file_of_the_first_schema_opens_with_all_it_holds(old_file: Path) -> None:
    database = open_database(old_file)
    (summary,) = PlanRepository(database).list()
    assert (summary.name, summary.kind, summary.revision) == ("旧计划", "pretraining", 2)
    assert PlanRepository(database).load(summary.id, 1).meta.name == "old plan"
    assert StateRepository(database).get(summary.id)["CKPT-INTERVAL"].state == "accepted"
    assert StateRepository(database).chosen(summary.id) == frozenset({"CKPT-INTERVAL"})
    (entry,) = Journal(database).recover().entries
    assert entry.plan.meta.name == "unsaved"
    database.close()


def test_an_upgrade_keeps_a_copy_of_the_file_before(old_file: Path) -> None:
    database = open_database(old_file, steps=TOMORROW)
    (summary,) = PlanRepository(database).list()
    database.close()
    assert read_back(old_file, "SELECT colour FROM plans") == [("none",)]
    assert read_back(old_file, "PRAGMA user_version") == [(2,)]
    names = read_back(old_file, "SELECT name FROM _sqlite_migrations ORDER BY id")
    assert names == [("step_001_plans",), ("step_002_colour",)]
    copy = old_file.with_name(f"{old_file.name}.schema-1.backup")
    assert backups(old_file) == [copy.name]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    reopened = open_database(copy)
    assert PlanRepository(reopened).list() == (summary,)
    reopened.close()


def test_the_copy_holds_what_is_still_in_the_write_ahead_log(path: Path, plan: Plan) -> None:
    window = open_database(path)
    plan_id = PlanRepository(window).create(plan)
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0
    open_database(path, steps=TOMORROW).close()
    window.close()
    copy = open_database(path.with_name(f"{path.name}.schema-1.backup"))
    assert PlanRepository(copy).load(plan_id) == plan
    copy.close()


def test_opening_twice_upgrades_once_and_never_replaces_a_copy(old_file: Path) -> None:
    earlier = old_file.with_name(f"{old_file.name}.schema-1.backup")
    earlier.write_text("an earlier copy")
    for _ in range(2):
        open_database(old_file, steps=TOMORROW).close()
    assert earlier.read_text() == "an earlier copy"
    assert backups(old_file) == [earlier.name, f"{earlier.name}-2"]


def test_a_new_file_needs_no_copy(path: Path) -> None:
    open_database(path, steps=TOMORROW).close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("step", [step_002_failing, step_002_dangling])
def test_a_failing_step_leaves_the_old_schema(
    old_file: Path, step: Callable[[sqlite_utils.Database], None]
) -> None:
    with pytest.raises(StorageError):
        open_database(old_file, steps=(*STEPS, step))
    assert read_back(old_file, "PRAGMA user_version") == [(1,)]
    assert read_back(old_file, "SELECT name FROM _sqlite_migrations") == [("step_001_plans",)]
    database = open_database(old_file)
    (summary,) = PlanRepository(database).list()
    assert PlanRepository(database).load(summary.id).meta.name == "旧计划"
    database.close()


def test_a_newer_file_is_refused_and_unchanged(old_file: Path) -> None:
    open_database(old_file, steps=TOMORROW).close()
    before = hashlib.sha256(old_file.read_bytes()).hexdigest()
    with pytest.raises(StorageError, match=r"newer Flopwise \(schema 2, this program knows up to 1\)"):
        open_database(old_file)
    assert hashlib.sha256(old_file.read_bytes()).hexdigest() == before
    assert backups(old_file) == [f"{old_file.name}.schema-1.backup"]


def test_no_upgrade_without_a_copy(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("engine.storage.migrations.os.replace", refuse)
    with pytest.raises(StorageError, match="disk is full"):
        open_database(old_file, steps=TOMORROW)
    assert read_back(old_file, "PRAGMA user_version") == [(1,)]
    assert sorted(file.name for file in old_file.parent.iterdir()) == [old_file.name]


def test_two_windows_upgrade_at_once(old_file: Path, run_forked: Callable[[Callable[[], None]], int]) -> None:
    def work() -> None:
        open_database(old_file, steps=TOMORROW).close()

    children = [run_forked(work) for _ in range(4)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert read_back(old_file, "SELECT count(*) FROM _sqlite_migrations") == [(2,)]
    assert len(backups(old_file)) == 1

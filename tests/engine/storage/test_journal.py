"""Autosave: nothing acknowledged is lost, nothing saved comes back, two windows do not collide."""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engine.plan import Plan
from engine.storage import Database, Journal, PlanRepository, StorageError, open_database

KILLS = 20


@pytest.fixture
def plan_id(database: Database, plan: Plan) -> str:
    return PlanRepository(database).create(plan)


def rows(database: Database) -> int:
    with database.read() as db:
        return int(db.execute("SELECT count(*) FROM journal").fetchone()[0])


def test_the_newest_state_is_recovered_by_another_window(
    database: Database, other_window: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    for count in range(5):
        Journal(database).append(plan_id, make_plan(f"edit {count}"))
    assert rows(database) == 1
    (entry,) = Journal(other_window).recover().entries
    assert (entry.plan_id, entry.base_revision, entry.plan) == (plan_id, 1, make_plan("edit 4"))
    assert Journal(other_window).latest(plan_id) == make_plan("edit 4")


def test_a_saved_revision_prunes_the_journal(
    database: Database, other_window: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    Journal(database).append(plan_id, make_plan("edit"))
    PlanRepository(database).save_revision(plan_id, make_plan("edit"))
    assert rows(database) == 0
    assert Journal(database).latest(plan_id) is None
    assert Journal(other_window).recover().entries == ()


def test_going_back_to_the_saved_state_leaves_nothing_unsaved(
    database: Database, plan_id: str, plan: Plan, make_plan: Callable[..., Plan]
) -> None:
    Journal(database).append(plan_id, make_plan("edit"))
    Journal(database).append(plan_id, plan)
    assert rows(database) == 0


def test_what_was_recovered_is_recovered_again_until_it_is_saved(
    path: Path, database: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    Journal(database).append(plan_id, make_plan("edit"))
    for _ in range(3):
        window = open_database(path)
        (entry,) = Journal(window).recover().entries
        assert entry.plan.meta.name == "edit"
        window.close()
    window = open_database(path)
    Journal(window).recover()
    PlanRepository(window).save_revision(plan_id, make_plan("edit"))
    window.close()
    window = open_database(path)
    assert Journal(window).recover().entries == ()
    window.close()


def test_the_newest_of_several_windows_wins_and_the_others_are_reported(
    path: Path, database: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    windows = [open_database(path) for _ in range(3)]
    for count in (0, 2, 1):
        Journal(windows[count]).append(plan_id, make_plan(f"window {count}"))
    found = Journal(database).recover()
    assert [entry.plan.meta.name for entry in found.entries] == ["window 1"]
    assert [entry.plan.meta.name for entry in found.superseded] == ["window 2", "window 0"]
    for window in windows:
        window.close()


def test_saving_in_one_window_keeps_the_others_unsaved_work(
    path: Path, database: Database, other_window: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    Journal(other_window).append(plan_id, make_plan("theirs"))
    Journal(database).append(plan_id, make_plan("mine"))
    PlanRepository(database).save_revision(plan_id, make_plan("mine"))
    later = open_database(path)
    found = Journal(later).recover()
    assert found.entries == ()
    assert [entry.plan.meta.name for entry in found.superseded] == ["theirs"]
    Journal(later).discard(found.superseded[0].id)
    assert Journal(later).recover().superseded == ()
    later.close()


def test_a_state_that_another_window_has_saved_is_not_reported(
    database: Database, other_window: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    Journal(other_window).append(plan_id, make_plan("same"))
    PlanRepository(database).save_revision(plan_id, make_plan("same"))
    PlanRepository(database).save_revision(plan_id, make_plan("later"))
    found = Journal(database).recover()
    assert (found.entries, found.superseded) == ((), ())
    assert rows(database) == 0


def test_deleted_plans_come_back_only_when_restored(
    database: Database, other_window: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    Journal(database).append(plan_id, make_plan("edit"))
    PlanRepository(database).delete(plan_id)
    assert Journal(other_window).recover().entries == ()
    PlanRepository(database).restore(plan_id)
    assert len(Journal(other_window).recover().entries) == 1


def test_a_state_that_cannot_be_read_stays_and_is_named(
    database: Database, other_window: Database, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    healthy = PlanRepository(database).create(make_plan("healthy"))
    for target in (plan_id, healthy):
        Journal(database).append(target, make_plan("edit"))
    with database.write() as db:
        db.execute("UPDATE journal SET plan = '{\"schema_version\": 99}' WHERE plan_id = ?", [plan_id])
    found = Journal(other_window).recover()
    assert found.unreadable == (plan_id,)
    assert [entry.plan_id for entry in found.entries] == [healthy]
    assert rows(database) == 2


def test_unknown_plans_are_refused(database: Database, plan: Plan) -> None:
    with pytest.raises(StorageError, match="no plan nowhere"):
        Journal(database).append("nowhere", plan)


def write_until_killed(
    path: Path, plan_id: str, pipe: int, make_plan: Callable[..., Plan], first: int
) -> None:
    """Journal ever newer states, a revision now and then; each is acknowledged once it returned."""
    database = open_database(path)
    journal, repository = Journal(database), PlanRepository(database)
    journal.recover()  # as every window does at its start
    for number in range(first, first + 1_000_000):
        changed = make_plan(f"{number}")
        if number % 7:
            journal.append(plan_id, changed)
        else:
            repository.save_revision(plan_id, changed)
        os.write(pipe, f"{number}\n".encode())


def acknowledged(pipe: int, child: int, delay_s: float) -> int:
    """Let the child write for a while, kill it, return the last number it acknowledged."""
    received = os.read(pipe, 65536)
    select.select([], [], [], delay_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while chunk := os.read(pipe, 65536):
        received += chunk
    return int(received.split(b"\n")[-2])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process to kill")
def test_a_kill_loses_at_most_the_write_that_was_not_acknowledged(
    path: Path, make_plan: Callable[..., Plan], run_forked: Callable[[Callable[[], None]], int]
) -> None:
    database = open_database(path)
    plan_id = PlanRepository(database).create(make_plan("0"))
    database.close()
    chance, reached = random.Random(7), 0
    for _ in range(KILLS):
        reading, writing = os.pipe()
        first = reached + 1
        child = run_forked(lambda: write_until_killed(path, plan_id, writing, make_plan, first))  # noqa: B023
        os.close(writing)
        last = acknowledged(reading, child, chance.uniform(0, 0.06))
        os.close(reading)
        assert last >= first
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        database = open_database(path)
        found = Journal(database).recover()
        saved = PlanRepository(database).load(plan_id)
        newest = found.entries[0].plan if found.entries else saved
        reached = int(newest.meta.name)
        assert last <= reached <= last + 1
        assert found.superseded == ()
        database.close()
    assert reached > 2 * KILLS

"""Opening, refusing, transactions, threads and processes."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engine.plan import Plan
from engine.storage import Database, Journal, PlanRepository, StorageError, open_database
from engine.storage import database as database_module


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_are_private_whatever_the_umask(path: Path, plan: Plan) -> None:
    before = os.umask(0)
    try:
        database = open_database(path)
        PlanRepository(database).create(plan)
        modes = {file.name: mode(file) for file in path.parent.iterdir()}
        database.close()
    finally:
        os.umask(before)
    assert modes == {path.name: 0o600, f"{path.name}-wal": 0o600, f"{path.name}-shm": 0o600}
    assert mode(path.parent) == 0o700


def test_mode_of_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    open_database(tmp_path / "flopwise.sqlite").close()
    assert mode(tmp_path) == 0o755


def test_connection_settings(database: Database) -> None:
    with database.read() as db:
        found = {
            name: db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout", "trusted_schema")
        }
    assert found == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 2,
        "busy_timeout": 10_000,
        "trusted_schema": 0,
    }


@pytest.mark.parametrize("content", [b"this is not a database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StorageError, match="damaged") as caught:
        open_database(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def damage_tail(content: bytes) -> bytes:
    return content[: len(content) // 2]


def damage_pages(content: bytes) -> bytes:
    return content[:4096] + b"\x5a" * 4096 * 3 + content[4096 * 4 :]


@pytest.mark.parametrize("damage", [damage_tail, damage_pages])
def test_a_damaged_database_is_refused_and_kept(
    path: Path, make_plan: Callable[..., Plan], damage: Callable[[bytes], bytes]
) -> None:
    database = open_database(path)
    for count in range(30):
        PlanRepository(database).create(make_plan(f"plan {count}"))
    database.close()
    content = damage(path.read_bytes())
    path.write_bytes(content)
    with pytest.raises(StorageError, match="damaged"):
        open_database(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_unchanged(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    content = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        open_database(path)
    assert path.read_bytes() == content


def test_unwritable_folder(open_folder: Path, ordinary_user: None) -> None:
    folder = open_folder / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(StorageError, match="permission is denied"):
        open_database(folder / "flopwise.sqlite")
    with pytest.raises(StorageError, match="permission is denied"):
        open_database(folder / "deeper" / "flopwise.sqlite")


def test_a_read_only_file_can_be_read(open_folder: Path, ordinary_user: None, plan: Plan) -> None:
    path = open_folder / "mine" / "flopwise.sqlite"
    database = open_database(path)
    plan_id = PlanRepository(database).create(plan)
    database.close()
    path.chmod(0o400)
    database = open_database(path)
    repository = PlanRepository(database)
    assert repository.load(plan_id) == plan
    with pytest.raises(StorageError, match="read-only"):
        repository.save_revision(plan_id, plan)
    database.close()
    path.chmod(0o600)


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StorageError, match=r"exists|folder is a file"):
        open_database(tmp_path / "data" / "flopwise.sqlite")


def test_full_disk_keeps_what_was_stored(database: Database, plan: Plan) -> None:
    repository, journal = PlanRepository(database), Journal(database)
    plan_id = repository.create(plan)
    with database.read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}").fetchone()
        with pytest.raises(StorageError, match="disk is full"):
            for _ in range(100):
                repository.create(plan)
        stored = repository.list()
        db.execute("PRAGMA max_page_count = 1000000").fetchone()
    journal.append(plan_id, plan)
    assert repository.list() == stored
    assert repository.load(plan_id) == plan


def test_file_size_limit_of_the_system_keeps_what_was_stored(database: Database, plan: Plan) -> None:
    repository = PlanRepository(database)
    plan_id = repository.create(plan)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(StorageError, match="full"):
            for _ in range(200):
                repository.save_revision(plan_id, plan)
        newest = repository.newest(plan_id)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert repository.load(plan_id, newest) == plan
    assert repository.save_revision(plan_id, plan) == newest + 1


def test_a_writer_that_waits_too_long_says_why(
    path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_S", 0.05)
    first, second = open_database(path), open_database(path)
    with first.write(), pytest.raises(StorageError, match="another window"):
        PlanRepository(second).create(plan)
    assert PlanRepository(second).create(plan)
    first.close()
    second.close()


def test_transactions_are_all_or_nothing(database: Database, plan: Plan) -> None:
    repository = PlanRepository(database)
    with pytest.raises(ValueError, match="changed my mind"), database.write():
        repository.create(plan)
        raise ValueError("changed my mind")
    assert repository.list() == ()


def test_an_inner_block_fails_alone(database: Database, make_plan: Callable[..., Plan]) -> None:
    repository = PlanRepository(database)
    with database.write():
        repository.create(make_plan("kept"))
        with pytest.raises(ValueError, match="inner"), database.write():
            repository.create(make_plan("dropped"))
            raise ValueError("inner")
    assert [summary.name for summary in repository.list()] == ["kept"]


def test_a_closed_database_says_so(path: Path) -> None:
    database = open_database(path)
    database.close()
    with pytest.raises(StorageError, match="already closed"):
        PlanRepository(database).list()


def test_every_thread_has_its_own_connection(database: Database, make_plan: Callable[..., Plan]) -> None:
    repository = PlanRepository(database)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for count in range(10):
                repository.load(repository.create(make_plan(f"{number} {count}")))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len({summary.name for summary in repository.list()}) == 40


def test_four_windows_create_the_same_file_at_once(
    path: Path, make_plan: Callable[..., Plan], run_forked: Callable[[Callable[[], None]], int]
) -> None:
    def work() -> None:
        database = open_database(path)
        PlanRepository(database).create(make_plan(str(os.getpid())))
        database.close()

    children = [run_forked(work) for _ in range(4)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    database = open_database(path)
    assert {summary.name for summary in PlanRepository(database).list()} == {str(child) for child in children}
    database.close()


def test_opening_waits_for_a_window_that_is_creating_the_file(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as creator:
        creator.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.2, creator.rollback)
        done.start()
        open_database(path).close()
        done.join()


def test_two_processes_write_the_same_plan(
    path: Path, plan: Plan, make_plan: Callable[..., Plan], run_forked: Callable[[Callable[[], None]], int]
) -> None:
    database = open_database(path)
    plan_id = PlanRepository(database).create(plan)
    database.close()

    def work() -> None:
        database = open_database(path)
        for count in range(60):
            changed = make_plan(f"{os.getpid()} {count}")
            Journal(database).append(plan_id, changed)
            PlanRepository(database).save_revision(plan_id, changed)
        database.close()

    children = [run_forked(work) for _ in range(2)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    database = open_database(path)
    repository = PlanRepository(database)
    assert [item.revision for item in repository.revisions(plan_id)] == list(range(121, 0, -1))
    names = [repository.load(plan_id, revision).meta.name for revision in range(2, 122)]
    for child in children:
        own = [int(name.split()[1]) for name in names if name.startswith(f"{child} ")]
        assert own == list(range(60))
    assert Journal(database).recover().entries == ()
    database.close()

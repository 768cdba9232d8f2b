"""One SQLite file: safe opening, one connection a thread, short transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import sqlite_utils

from engine.storage.migrations import STEPS, Step, migrate, schema_version
from engine.storage.problems import StorageError, explained
from engine.text import N_, Message

BUSY_S = 10.0
"""How long a writer waits for another window; its transactions last milliseconds."""


def open_database(path: Path, *, steps: Sequence[Step] = STEPS) -> Database:
    """Open the database at `path`, creating or upgrading it; `steps` is the schema's history.

    The file is checked before anything is changed. A new file is private to the user (0600), a new
    folder too (0700).
    Errors: StorageError when it is damaged, another program's, newer than this program, or not writable.
    """
    with explained(path):
        _create_private(path)
    database = Database(path)
    try:
        with database.read() as db:
            version = schema_version(db, path, newest=len(steps))
            _check(db, path)
            _use_write_ahead_log(db)
        if version < len(steps):
            with database.write() as db:
                migrate(db, path, steps)
    except BaseException:
        database.close()
        raise
    return database


class Database:
    """The open file. Owns one connection a thread; `session` names this window in the journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session = uuid.uuid4().hex
        self._closed = False
        self._lock = threading.Lock()
        self._local = threading.local()
        self._connections: weakref.WeakSet[sqlite_utils.Database] = weakref.WeakSet()

    @contextmanager
    def read(self) -> Iterator[sqlite_utils.Database]:
        """This thread's connection for reading. Errors inside become StorageError."""
        with explained(self.path):
            yield self._connection()

    @contextmanager
    def write(self) -> Iterator[sqlite_utils.Database]:
        """One transaction: all of it is durable when the block ends, none of it when it raises.

        Blocks nest: the inner one joins the outer transaction and can fail alone.
        """
        with explained(self.path):
            db = self._connection()
            if db.conn.in_transaction:
                with db.atomic():
                    yield db
                return
            # IMMEDIATE takes the write lock at once: a later upgrade from reading cannot wait for it.
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.commit()
            except BaseException:
                db.rollback()
                raise

    def close(self) -> None:
        """Close every thread's connection; nothing can be read or written afterwards."""
        with self._lock:
            self._closed = True
            for db in list(self._connections):
                db.close()

    def _connection(self) -> sqlite_utils.Database:
        db: sqlite_utils.Database | None = getattr(self._local, "db", None)
        if db is None or self._closed:
            with self._lock:
                if self._closed:
                    raise StorageError(Message(N_("{path}: already closed"), {"path": str(self.path)}))
                db = _connect(self.path)
                self._connections.add(db)
                self._local.db = db
        return db


def _connect(path: Path) -> sqlite_utils.Database:
    # Other threads never use this connection; close() alone may come from another one.
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    db = sqlite_utils.Database(connection, recursive_triggers=False, execute_plugins=False)
    try:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA trusted_schema = OFF")
        # FULL: a commit survives a power cut, not only a killed process.
        db.execute("PRAGMA synchronous = FULL")
    except BaseException:
        db.close()
        raise
    return db


def _create_private(path: Path) -> None:
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return


def _check(db: sqlite_utils.Database, path: Path) -> None:
    found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise StorageError(
            Message(
                N_(
                    "{path}: the database is damaged ({detail}); nothing was changed. "
                    "Move it away to start anew"
                ),
                {"path": str(path), "detail": str(found)},
            )
        )


def _use_write_ahead_log(db: sqlite_utils.Database) -> None:
    """Switch to WAL. SQLite does not wait for other windows here, so this does.

    Where the file system cannot share memory SQLite keeps its rollback journal, which is as safe.
    """
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)

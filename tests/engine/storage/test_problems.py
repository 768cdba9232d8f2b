"""Errors of the disk and of SQLite become sentences; anything else passes unchanged."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest

from engine.storage.problems import StorageError, explained

PATH = Path("plans/计划.sqlite")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "it is read-only"),
        (errno.EACCES, "permission is denied"),
        (errno.ENOENT, "it does not exist"),
        (errno.EBUSY, "raw words of the system"),
    ],
)
def test_system_errors(number: int, words: str) -> None:
    with pytest.raises(StorageError) as caught, explained(PATH):
        raise OSError(number, "raw words of the system")
    assert str(caught.value) == f"{PATH}: {words}"
    assert isinstance(caught.value.__cause__, OSError)


def test_sqlite_errors_with_their_extended_codes() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DIRECTORY
    with pytest.raises(StorageError, match="it is read-only"), explained(PATH):
        raise error


def test_sqlite_errors_without_code_keep_their_words() -> None:
    with pytest.raises(StorageError, match="Cannot operate on a closed database"), explained(PATH):
        raise sqlite3.ProgrammingError("Cannot operate on a closed database.")


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), explained(PATH):
        raise KeyError("plan")

"""What can go wrong on a disk, said in words a planner can act on."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import FlopwiseError
from engine.text import N_, Message


class StorageError(FlopwiseError):
    """A file or the database could not be read or written; what was stored before is untouched."""


_DISK_FULL = N_("the disk is full")
_READ_ONLY = N_("it is read-only")
_NOT_ALLOWED = N_("permission is denied")
_MISSING = N_("it does not exist")
_DAMAGED = N_("it is damaged, or not a database")

_BY_ERRNO = {
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: _DISK_FULL,
    errno.EFBIG: _DISK_FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.ENOENT: _MISSING,
    errno.EISDIR: N_("it is a folder"),
    errno.ENOTDIR: N_("its folder is a file"),
    errno.ENAMETOOLONG: N_("its name is too long"),
}

_BY_SQLITE_CODE = {
    sqlite3.SQLITE_FULL: _DISK_FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _NOT_ALLOWED,
    sqlite3.SQLITE_CANTOPEN: N_("it cannot be opened; the folder may be missing or read-only"),
    sqlite3.SQLITE_BUSY: N_("another window or program is writing to it"),
    sqlite3.SQLITE_LOCKED: N_("another window or program is writing to it"),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_IOERR: N_("the disk reported an error, or is full"),
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the errors of the operating system and of SQLite about `path` into StorageError."""
    try:
        yield
    except sqlite3.Error as error:
        # The low byte is the primary code; the rest says which system call failed.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise StorageError(_about(path, _BY_SQLITE_CODE.get(code), str(error))) from error
    except OSError as error:
        known = _BY_ERRNO.get(error.errno or 0)
        raise StorageError(_about(path, known, error.strerror or str(error))) from error


def _about(path: Path, known: str | None, raw: str) -> Message:
    reason: Message | str = raw if known is None else Message(known)
    return Message(N_("{path}: {reason}"), {"path": str(path), "reason": reason})

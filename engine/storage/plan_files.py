"""Plan files: JSON on disk, replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from engine.errors import InputError
from engine.plan import Plan, plan_from_json, plan_to_json
from engine.plan.reading import MAX_BYTES
from engine.storage.problems import explained
from engine.text import N_, Message


def read_plan_file(path: Path) -> Plan:
    """The plan in a file.

    Errors: StorageError when it cannot be read, InputError when it is too large, not UTF-8 or not JSON,
    PlanErrors for its fields.
    """
    with explained(path), path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise InputError("plan", str(path), Message(N_("a plan file of at most 16 MiB")))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("plan", str(path), Message(N_("a plan file in UTF-8"))) from error
    return plan_from_json(text)


def is_plan_file(path: Path) -> bool:
    """Whether a file looks like a plan rather than something else in JSON; False when it cannot be read."""
    try:
        with path.open("rb") as file:
            return b'"schema_version"' in file.read(MAX_BYTES)
    except OSError:
        return False


def write_plan_file(path: Path, plan: Plan) -> None:
    """Write the plan to a file; on the disk when this returns.

    The new content appears in one step, so a failure at any moment leaves the last good file. A new
    file is private to the user, an existing one keeps its mode, a link stays a link.
    Errors: StorageError.
    """
    content = plan_to_json(plan).encode()
    with explained(path):
        target = path.resolve()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".tmp")
        partial = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
        _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable too; only POSIX can open a folder for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

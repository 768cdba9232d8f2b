"""Plan files: equal after a round trip, replaced whole or not at all, clear about what is wrong."""

from __future__ import annotations

import errno
import os
import resource
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import FlopwiseError, InputError
from engine.plan import Plan, PlanErrors, apply_patch, plan_to_json
from engine.plan.reading import MAX_BYTES
from engine.storage import StorageError, read_plan_file, write_plan_file


def test_round_trip(tmp_path: Path, plan: Plan) -> None:
    path = tmp_path / "预算 🚀.json"
    changed = apply_patch(plan, {"meta.name": '大模型\u2028 "quoted" a\0b'})
    write_plan_file(path, changed)
    assert read_plan_file(path) == changed
    assert path.read_text(encoding="utf-8") == plan_to_json(changed)


def test_only_the_file_itself_is_left(tmp_path: Path, plan: Plan) -> None:
    for _ in range(3):
        write_plan_file(tmp_path / "plan.json", plan)
    assert [file.name for file in tmp_path.iterdir()] == ["plan.json"]


def test_new_files_are_private_and_existing_ones_keep_their_mode(tmp_path: Path, plan: Plan) -> None:
    path = tmp_path / "plan.json"
    write_plan_file(path, plan)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o664)
    write_plan_file(path, plan)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_a_link_stays_a_link(tmp_path: Path, plan: Plan, make_plan: Callable[..., Plan]) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    write_plan_file(target, plan)
    link.symlink_to(target)
    write_plan_file(link, make_plan("new"))
    assert link.is_symlink()
    assert read_plan_file(target).meta.name == "new"


def test_a_very_long_name_is_possible(tmp_path: Path, plan: Plan) -> None:
    path = tmp_path / ("n" * 250 + ".json")
    write_plan_file(path, plan)
    assert read_plan_file(path) == plan


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_keeps_the_last_good_file(
    tmp_path: Path, plan: Plan, make_plan: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "plan.json"
    write_plan_file(path, plan)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, refuse)
        with pytest.raises(StorageError, match="disk is full") as caught:
            write_plan_file(path, make_plan("never written"))
    assert str(path) in str(caught.value)
    assert read_plan_file(path) == plan
    assert [file.name for file in tmp_path.iterdir()] == ["plan.json"]


def test_a_real_write_error_keeps_the_last_good_file(
    tmp_path: Path, plan: Plan, make_plan: Callable[..., Plan]
) -> None:
    path = tmp_path / "plan.json"
    write_plan_file(path, plan)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(StorageError, match="disk is full"):
            write_plan_file(path, make_plan("never written"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read_plan_file(path) == plan
    assert [file.name for file in tmp_path.iterdir()] == ["plan.json"]


def test_unwritable_folder(open_folder: Path, ordinary_user: None, plan: Plan) -> None:
    folder = open_folder / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(StorageError, match="permission is denied"):
        write_plan_file(folder / "plan.json", plan)


def test_unreadable_file(open_folder: Path, ordinary_user: None, plan: Plan) -> None:
    path = open_folder / "plan.json"
    write_plan_file(path, plan)
    path.chmod(0o000)
    with pytest.raises(StorageError, match="permission is denied"):
        read_plan_file(path)


def test_missing_folders_and_files(tmp_path: Path, plan: Plan) -> None:
    with pytest.raises(StorageError, match="does not exist"):
        read_plan_file(tmp_path / "none.json")
    with pytest.raises(StorageError, match="does not exist"):
        write_plan_file(tmp_path / "none" / "plan.json", plan)
    with pytest.raises(StorageError, match="is a folder"):
        read_plan_file(tmp_path)
    with pytest.raises(StorageError, match="is a folder"):
        write_plan_file(tmp_path, plan)
    assert list(tmp_path.parent.glob(".*.tmp")) == []


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", InputError, "JSON"),
        (b'{"meta": {"name": "cut of', InputError, "line 1"),
        (b"[]", InputError, "JSON object"),
        ("计划".encode("gb18030"), InputError, "UTF-8"),
        (b"{}", PlanErrors, "required"),
        (b'{"schema_version": 99}', InputError, "newer program"),
        (b"[" * 100_000, InputError, "nested"),
    ],
)
def test_what_is_wrong_with_a_file(
    tmp_path: Path, content: bytes, error: type[FlopwiseError], words: str
) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(error, match=words):
        read_plan_file(path)
    assert path.read_bytes() == content


def test_a_byte_order_mark_is_accepted(tmp_path: Path, plan: Plan) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b"\xef\xbb\xbf" + plan_to_json(plan).encode())
    assert read_plan_file(path) == plan


def test_a_huge_file_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES * 1000)
    with pytest.raises(InputError, match="at most 16 MiB"):
        read_plan_file(path)

"""Crashes are logged, told once, and the journal gives the work back."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.plan import apply_patch
from gui.services.project import Project
from gui.services.templates import template_plan
from gui.shell.recovery import CrashHook, recover, start_logging


@pytest.fixture(autouse=True)
def _own_handlers() -> Iterator[None]:
    root, before, hook = logging.getLogger(), list(logging.getLogger().handlers), sys.excepthook
    yield
    sys.excepthook = hook
    for handler in [handler for handler in root.handlers if handler not in before]:
        root.removeHandler(handler)
        handler.close()


def test_crash_is_logged_and_told_once(tmp_path: Path) -> None:
    file = start_logging(tmp_path / "logs" / "flopwise.log")
    assert file is not None
    told: list[tuple[str, str]] = []
    hook = CrashHook(lambda text, details: told.append((text, details)), file)
    for number in (1, 2):
        try:
            raise RuntimeError(f"broken {number}")
        except RuntimeError as error:
            hook.caught(type(error), error, error.__traceback__)
    text = file.read_text()
    assert "broken 1" in text
    assert "broken 2" in text
    assert "Traceback" in text
    assert len(told) == 1
    assert str(file) in told[0][0]
    assert told[0][1] == "RuntimeError: broken 1"
    assert file.stat().st_mode & 0o077 == 0


def test_log_folder_that_cannot_be_made_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert start_logging(tmp_path / "file" / "flopwise.log") is None


def test_unsaved_work_is_announced(tmp_path: Path) -> None:
    project = Project.open(tmp_path)
    plan_id = project.create(template_plan("pretraining-70b-h100"))
    project.journal(apply_patch(project.open_plan(plan_id), {"training.tokens": 3e12}))
    project.close()
    again = Project.open(tmp_path)
    assert recover(again) == "Unsaved work of 1 plan was recovered."
    assert again.open_plan(plan_id).training.tokens == 3e12
    again.close()


def test_nothing_to_recover_says_nothing(tmp_path: Path) -> None:
    project = Project.open(tmp_path)
    assert recover(project) == ""
    project.close()

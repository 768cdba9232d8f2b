"""The plan library: nothing that is removed is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import FlopwiseError
from gui.services.review import Review
from gui.shell.library import Library
from gui.shell.session import Session


@pytest.fixture
def session(open_session: Callable[[Review], Session], training_review: Review) -> Session:
    return open_session(training_review)


@pytest.fixture
def library(session: Session) -> Library:
    return Library(session, session)


def names(library: Library) -> set[str]:
    return {summary.name for summary in library.plans()}


def test_duplicate_takes_unsaved_work_along(session: Session, library: Library) -> None:
    session.edit({"training.tokens": 3e12})
    original = session.plan_id
    copy = library.duplicate(original or "")
    assert session.plan_id == copy != original
    assert session.plan.training.tokens == 3e12
    assert session.plan.meta.name.endswith("(copy)")


def test_rename_of_the_open_plan_can_be_undone(session: Session, library: Library) -> None:
    before = session.plan.meta.name
    library.rename(session.plan_id or "", "  Harbour  ")
    assert session.plan.meta.name == "Harbour"
    session.undo_stack.undo()
    assert session.plan.meta.name == before
    library.rename(session.plan_id or "", "   ")
    assert session.plan.meta.name == before


def test_deleted_plan_comes_back_by_the_notice(session: Session, library: Library) -> None:
    session.edit({"meta.name": "Mine", "training.tokens": 3e12})
    mine, notices = session.plan_id, []
    session.noticed.connect(notices.append)
    library.delete(mine or "")
    assert session.plan_id != mine
    assert "Mine" not in names(library)
    notices[-1].undo()
    assert session.plan_id == mine
    assert session.plan.training.tokens == 3e12


def test_last_plan_deleted_opens_the_example(session: Session, library: Library) -> None:
    library.delete(session.plan_id or "")
    assert session.has_plan
    assert len(library.plans()) == 1


def test_file_round_trip(session: Session, library: Library, tmp_path: Path, qtbot: Any) -> None:
    session.edit({"meta.name": "To file"})
    file = tmp_path / "plan.json"
    library.save_copy(file)
    plan = session.plan
    library.open_file(file)
    assert session.plan == plan
    assert len(library.plans()) == 2


def test_broken_file_changes_nothing(session: Session, library: Library, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"workload": {"kind": "nothing"}}')
    before = session.plan_id
    with pytest.raises(FlopwiseError):
        library.open_file(file)
    assert session.plan_id == before


def test_open_first_prefers_the_given_plan(session: Session, library: Library) -> None:
    first = session.plan_id
    library.new_from("online-8b-chat")
    library.open_first(first or "")
    assert session.plan_id == first
    library.open_first("gone")
    assert session.plan_id in {summary.id for summary in library.plans()}

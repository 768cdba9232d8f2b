"""The session: validated edits, undo, journal, results, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import InputError
from engine.results import Change
from engine.storage import StorageError
from engine.text import Message
from gui.services.project import Project
from gui.services.review import Review
from gui.shell.composer import Composer
from gui.shell.session import Session

Open = Callable[[Review], Session]


@pytest.fixture
def session(open_session: Open, training_review: Review) -> Session:
    return open_session(training_review)


def stored(session: Session) -> Any:
    """What another window would find after a kill right now."""
    other = Project.open(session.project.path.parent)
    try:
        other.recover()
        return other.open_plan(session.plan_id or "")
    finally:
        other.close()


def test_edit_is_on_disk_when_it_returns(session: Session) -> None:
    assert session.edit({"training.tokens": 3e12})
    assert session.plan.training.tokens == 3e12
    assert session.plan.provenance["training.tokens"].kind == "entered"
    assert session._commit_timer.isActive()
    assert stored(session).training.tokens == 3e12


def test_impossible_edit_changes_nothing_and_says_what_is_accepted(session: Session) -> None:
    before = session.plan
    assert not session.edit({"training.tokens": -1.0}, drafts={"training.tokens": "-1"})
    assert session.plan is before
    assert session.undo_stack.count() == 0
    assert list(session.errors) == ["training.tokens"]
    assert "1000" in session.errors["training.tokens"].render()
    assert session.rejected["training.tokens"].text == "-1"
    assert session.edit({"training.tokens": 3e12})
    assert session.errors == {}


def test_values_possible_only_together_are_taken_together(session: Session) -> None:
    # 8 key-value heads divide neither 60 heads nor are 12 a divisor of 64: one at a time both fail.
    assert not session.edit({"architecture.num_attention_heads": 60})
    assert "architecture.num_attention_heads" in session.errors
    assert session.edit({"architecture.num_key_value_heads": 12})
    assert session.plan.architecture.num_attention_heads == 60
    assert session.plan.architecture.num_key_value_heads == 12
    assert session.errors == {}
    session.undo_stack.undo()
    assert (session.plan.architecture.num_attention_heads, session.plan.architecture.num_key_value_heads) == (
        64,
        8,
    )


def test_undo_and_redo_swap_whole_plans(session: Session) -> None:
    start = session.plan
    session.edit({"training.tokens": 3e12}, "Tokens")
    session.edit({"cluster.busy_share": 0.9})
    end = session.plan
    assert session.undo_stack.undoText() == "Busy share"
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.plan == start
    assert stored(session) == start
    session.undo_stack.redo()
    session.undo_stack.redo()
    assert session.plan is end


def test_typing_in_one_field_is_one_step(session: Session) -> None:
    start = session.plan
    for tokens in (3e12, 3.1e12, 3.14e12):
        session.edit({"training.tokens": tokens})
    session.edit({"cluster.busy_share": 0.9})
    session.edit({"training.tokens": 4e12})
    assert session.undo_stack.count() == 3
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.plan.training.tokens == 3.14e12
    session.undo_stack.undo()
    assert session.plan == start


def test_typing_back_to_the_start_leaves_no_step(session: Session) -> None:
    session.edit({"schedule.deadline_days": 60.0})
    start_count = session.undo_stack.count()
    session.edit({"schedule.deadline_days": 61.0})
    session.edit({"schedule.deadline_days": 60.0})
    assert session.undo_stack.count() == start_count


def test_changes_of_a_candidate_are_one_step_marked_as_optimised(session: Session) -> None:
    changes = (
        Change(path="layout.tensor_parallel", before=8, after=4),
        Change(path="layout.pipeline_parallel", before=4, after=8),
    )
    session.apply_changes(changes, "Best layout")
    assert session.undo_stack.count() == 1
    assert session.plan.provenance["layout.tensor_parallel"].kind == "optimised"


def test_last_change_knows_its_effect(
    qtbot: Any, themed: None, tmp_path: Any, training_review: Review
) -> None:
    base = training_review.estimate

    def estimate(plan: Any) -> Any:
        return base.model_copy(update={"total": plan.training.tokens})

    def compose(plan: Any, chosen: Any, dismissed: Any, progress: Any, cancelled: Any) -> Review:
        return training_review.model_copy(update={"plan": plan, "estimate": estimate(plan)})

    session = Session(Project.open(tmp_path), Composer(estimate, compose))
    with qtbot.waitSignal(session.review_changed):
        session.new_plan(training_review.plan)
    with qtbot.waitSignal(session.change_measured):
        session.edit({"training.tokens": 3e12})
    change = session.last_change
    assert change is not None
    assert (change.path, change.before, change.after) == ("training.tokens", 2e12, 3e12)
    assert change.cost_effect == pytest.approx(1e12)
    with qtbot.waitSignal(session.change_measured):
        session.undo_stack.undo()
    assert session.last_change is not None
    assert session.last_change.cost_effect == pytest.approx(-1e12)
    session.close()
    session.project.close()


def test_central_figures_come_before_the_review(session: Session, qtbot: Any) -> None:
    order: list[str] = []
    session.estimate_changed.connect(lambda _e: order.append("estimate"))
    session.review_changed.connect(lambda _r: order.append("review"))
    session.stale_changed.connect(lambda stale: order.append("stale" if stale else "fresh"))
    with qtbot.waitSignal(session.review_changed):
        session.edit({"training.tokens": 3e12})
    assert order == ["stale", "estimate", "estimate", "fresh", "review"]
    assert session.review is not None
    assert session.review.plan == session.plan


def test_engine_failure_keeps_the_last_good_review(
    qtbot: Any, themed: None, tmp_path: Any, training_review: Review
) -> None:
    def estimate(plan: Any) -> Any:
        if plan.cluster.accelerator == "nonsense":
            raise InputError("cluster.accelerator", "nonsense", Message("one of the catalogue"))
        return training_review.estimate

    def compose(plan: Any, chosen: Any, dismissed: Any, progress: Any, cancelled: Any) -> Review:
        return training_review.model_copy(update={"plan": plan})

    session = Session(Project.open(tmp_path), Composer(estimate, compose))
    with qtbot.waitSignal(session.review_changed):
        session.new_plan(training_review.plan)
    good = session.review
    with qtbot.waitSignal(session.failed):
        session.edit({"cluster.accelerator": "nonsense"})
    assert session.review is good
    assert session.stale
    assert session.errors["cluster.accelerator"].render() == "one of the catalogue"
    with qtbot.waitSignal(session.review_changed):
        session.undo_stack.undo()
    assert session.errors == {}
    assert not session.stale
    session.close()
    session.project.close()


def test_choice_and_dismissal_are_stored(session: Session, qtbot: Any) -> None:
    with qtbot.waitSignal(session.review_changed):
        session.set_chosen(frozenset({"A", "B"}))
    notices: list[Any] = []
    session.noticed.connect(notices.append)
    with qtbot.waitSignal(session.review_changed):
        session.dismiss("B", "not now")
    assert session.dismissed == {"B"}
    assert session.chosen == {"A"}
    assert session.project.dismissed() == {"B"}
    with qtbot.waitSignal(session.review_changed):
        notices[-1].undo()
    assert session.dismissed == frozenset()


def test_failed_save_is_said_and_the_edit_stays(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(plan: Any) -> None:
        raise StorageError(Message("the disk is full"))

    monkeypatch.setattr(session.project, "journal", full)
    session.edit({"training.tokens": 3e12})
    assert session.plan.training.tokens == 3e12
    assert session.saved.kind == "failed"
    assert session.saved.problem is not None
    assert session.saved.problem.render() == "the disk is full"
    monkeypatch.undo()
    session.edit({"training.tokens": 4e12})
    assert session.saved.kind == "saved"


def test_commit_stores_the_revision_with_its_review(session: Session) -> None:
    session.commit()
    found = session.project.latest_review()
    assert found is not None
    assert session.project.plans()[0].total == pytest.approx(session.review.estimate.total)


def test_opening_another_plan_forgets_history_and_errors(session: Session, qtbot: Any) -> None:
    first = session.plan_id
    session.edit({"training.tokens": 3e12})
    session.edit({"training.tokens": -1.0})
    with qtbot.waitSignal(session.review_changed):
        session.new_plan(session.plan)
    assert session.undo_stack.count() == 0
    assert session.errors == {}
    with qtbot.waitSignal(session.review_changed):
        session.open_plan(first or "")
    assert session.plan.training.tokens == 3e12

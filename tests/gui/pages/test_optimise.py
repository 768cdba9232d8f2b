"""The optimise page: charts, certificate, taking a candidate, running and stopping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt

from gui.pages.optimise import OptimisePage, certificate_text, run_deadline_h
from gui.services.review import Review

OpenSession = Callable[[Review], Any]


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, training_review: Review) -> OptimisePage:
    made = OptimisePage(open_session(training_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    return made


def test_all_three_charts_are_drawn_for_training(qtbot: Any, page: OptimisePage) -> None:
    charts = (page.first, page.frontier, page.second)
    qtbot.waitUntil(lambda: all(chart.table() is not None for chart in charts), timeout=10_000)
    assert page.first.table().title.startswith("Checkpoints")  # type: ignore[union-attr]
    assert page.second.table().title.startswith("Cluster size")  # type: ignore[union-attr]


def test_a_service_gets_its_own_charts(qtbot: Any, open_session: OpenSession, serving_review: Review) -> None:
    made = OptimisePage(open_session(serving_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    charts = (made.first, made.frontier, made.second)
    qtbot.waitUntil(lambda: all(chart.table() is not None for chart in charts), timeout=10_000)
    assert made.frontier.table().note == "dots: candidates"  # type: ignore[union-attr]
    assert made.table.isColumnHidden(6), "a service has no MFU"


def test_a_batch_job_is_drawn_against_time_with_its_deadline(
    qtbot: Any, open_session: OpenSession, batch_review: Review
) -> None:
    made = OptimisePage(open_session(batch_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    charts = (made.first, made.frontier, made.second)
    qtbot.waitUntil(lambda: all(chart.table() is not None for chart in charts), timeout=10_000)
    assert made.first.table().title.startswith("Cluster size")  # type: ignore[union-attr]
    assert made.second.table().title.startswith("Largest batch")  # type: ignore[union-attr]
    assert made.frontier.table().note == "dots: candidates; line: the frontier"  # type: ignore[union-attr]
    assert run_deadline_h(batch_review.plan, batch_review.estimate) == 168.0
    assert made._limit_path() == "batch.deadline_hours"


def test_use_this_is_one_undoable_edit(page: OptimisePage) -> None:
    session, candidate = page._session, page.candidates.candidate(1)
    before, steps = session.plan, session.undo_stack.count()
    page.table.setCurrentIndex(page.candidates.index(1, 1))
    page.table.use_requested.emit(candidate)
    assert session.undo_stack.count() == steps + 1
    assert all(session.plan != before for _ in candidate.changes)
    session.undo_stack.undo()
    assert session.plan == before


def test_enter_uses_the_current_candidate_but_not_the_plan_itself(qtbot: Any, page: OptimisePage) -> None:
    used: list[Any] = []
    page.table.use_requested.connect(used.append)
    page.table.setCurrentIndex(page.candidates.index(0, 1))
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert used == []
    page.table.setCurrentIndex(page.candidates.index(2, 1))
    expected = page.candidates.candidate(2)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert used == [expected]


def test_the_certificate_names_method_counts_and_reasons(training_review: Review) -> None:
    found = training_review.optimisation
    assert found is not None
    text = certificate_text(found, "en")
    assert text.startswith("Exhaustive") and f"{found.evaluated:,}" in text
    assert all(reason in text for reason in found.excluded)
    assert "Proven best" in text
    short = certificate_text(found, "en", most=1)
    assert len(short) < len(text) and f"{len(found.excluded) - 1} more reason" in short


def test_an_open_gap_is_not_called_proven(training_review: Review) -> None:
    found = training_review.optimisation
    assert found is not None
    gap = found.certificate.model_copy(update={"gap": 0.02})
    text = certificate_text(found.model_copy(update={"certificate": gap}), "en")
    assert "Proven" not in text and "2.00%" in text


def test_stop_is_offered_only_while_a_search_runs(qtbot: Any, page: OptimisePage) -> None:
    session = page._session
    qtbot.waitUntil(lambda: not page.stop.isEnabled())
    session.busy_changed.emit("Searching layouts")
    assert page.stop.isEnabled() and not page.run.isEnabled()
    session.busy_changed.emit("")
    assert not page.stop.isEnabled() and page.run.isEnabled()


def test_another_objective_is_searched(page: OptimisePage) -> None:
    page.objective.changed.emit("time")
    assert page._session.objective == "time"


def test_a_stopped_search_leaves_a_sentence(
    qtbot: Any, open_session: OpenSession, training_review: Review
) -> None:
    made = OptimisePage(open_session(training_review.model_copy(update={"optimisation": None})))
    qtbot.addWidget(made)
    assert made.candidates.rowCount() == 0
    assert "stopped" in made.frontier.plot.accessibleDescription()


def test_the_run_has_what_preparation_leaves_of_the_deadline(
    training_review: Review, serving_review: Review
) -> None:
    hours = run_deadline_h(training_review.plan, training_review.estimate)
    days = training_review.plan.schedule.deadline_days
    assert hours is not None and days is not None
    preparation = training_review.estimate.metric("preparation_days")
    assert hours / 24.0 == pytest.approx(days - (preparation or 0.0))
    assert run_deadline_h(serving_review.plan, serving_review.estimate) is None

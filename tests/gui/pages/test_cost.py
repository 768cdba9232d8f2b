"""The cost page: ledger, trace, the switch to the chosen actions, scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.results import Estimate
from gui.formatting import amount_full
from gui.pages.cost import NOW, PROPOSED, CostPage, scope_text
from gui.pages.cost_trace import input_text, provenance_mark, substituted
from gui.services.review import Review

OpenSession = Callable[[Review], Any]


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, training_review: Review) -> CostPage:
    made = CostPage(open_session(training_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    return made


def test_the_largest_line_is_traced_first(page: CostPage, training_review: Review) -> None:
    largest = max(training_review.estimate.lines, key=lambda line: line.amount or 0.0)
    assert page.trace.title.text() == f"{largest.item}: how it is computed"
    assert amount_full(largest.amount) in page.trace.numbers.text()


def test_selecting_another_line_traces_it(page: CostPage, training_review: Review) -> None:
    line = training_review.estimate.lines[-1]
    page.ledger.tree.setCurrentIndex(page.ledger.model.find(line.category, line.item))
    assert line.item in page.trace.title.text()
    assert line.behaviour in page.trace.note.text() and line.commitment in page.trace.note.text()


def test_a_category_row_explains_what_to_do(page: CostPage) -> None:
    page.ledger.tree.setCurrentIndex(page.ledger.model.index(0, 0))
    assert "Select an item" in page.trace.formula.text()


def test_the_switch_shows_the_plan_with_the_chosen_actions(page: CostPage, training_review: Review) -> None:
    assert training_review.proposed is not None
    page.switch.set_current(PROPOSED)
    page.switch.changed.emit(PROPOSED)
    assert page.ledger._total.accessibleName().endswith(amount_full(training_review.proposed.total))
    page.switch.set_current(NOW)
    page.switch.changed.emit(NOW)
    assert page.ledger._total.accessibleName().endswith(amount_full(training_review.estimate.total))


def test_without_chosen_actions_the_switch_is_off(
    qtbot: Any, open_session: OpenSession, training_review: Review
) -> None:
    page = CostPage(open_session(training_review.model_copy(update={"proposed": None})))
    qtbot.addWidget(page)
    assert not page.switch.isEnabled()


def test_a_refresh_keeps_folded_groups_and_the_selected_line(page: CostPage, training_review: Review) -> None:
    line = training_review.estimate.lines[-1]
    tree, model = page.ledger.tree, page.ledger.model
    tree.setCurrentIndex(model.find(line.category, line.item))
    tree.collapse(model.index(0, 0))
    page.ledger.show_estimate(training_review.estimate)
    assert not tree.isExpanded(model.index(0, 0)) and tree.isExpanded(model.index(1, 0))
    assert tree.current_line() == line


def test_scope_says_what_is_in_and_out(training_review: Review) -> None:
    estimate: Estimate = training_review.estimate
    assert scope_text(estimate) == (
        "In scope: all 8 categories, retries, experiments. Out: nothing of what is listed."
    )
    narrow = {"categories": ["compute"], "include_retries": False, "include_experiments": True}
    text = scope_text(estimate.model_copy(update={"scope": narrow}))
    assert text.startswith("In scope: 1 categories, experiments.") and "People" in text and "retries" in text


def test_substituted_numbers_multiply(training_review: Review) -> None:
    line = training_review.estimate.lines[0].model_copy(
        update={"quantity": 1500.0, "unit": "GPU-h", "unit_price": 2.5, "amount": 3750.0}
    )
    assert substituted(line, "USD", "en") == "1,500 GPU-h × $2.50 = $3,750"
    unknown = line.model_copy(update={"unit_price": None, "amount": None})
    assert substituted(unknown, "USD", "en") == "1,500 GPU-h × unknown = unknown"


def test_every_input_of_every_trace_has_a_mark_and_a_value(
    training_review: Review, serving_review: Review
) -> None:
    for review in (training_review, serving_review):
        for line in review.estimate.lines:
            for entry in line.trace.inputs:
                assert all(provenance_mark(entry))
                assert input_text(entry, "USD", "en")


def test_the_charts_are_drawn(qtbot: Any, page: CostPage) -> None:
    qtbot.waitUntil(
        lambda: page.phases.table() is not None and page.categories.table() is not None, timeout=10_000
    )
    assert "of the total" in page.phases.table().title  # type: ignore[union-attr]


def test_edit_scope_asks_for_the_field(qtbot: Any, page: CostPage) -> None:
    from gui.widgets.buttons import LinkButton

    with qtbot.waitSignal(page.field_requested) as asked:
        page.findChild(LinkButton).click()
    assert asked.args == ["scope.categories"]

"""The recommendations page: ticking, portfolios, detail card, dismissal, keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine.catalog import Catalog
from gui.formatting import money_short
from gui.models.recommendations import TICK
from gui.pages.recommendations import RecommendationsPage
from gui.pages.recommendations_card import check_rows, detail_rows
from gui.services.review import Review, compose_review

OpenSession = Callable[[Review], Any]


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, training_review: Review) -> RecommendationsPage:
    made = RecommendationsPage(open_session(training_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    return made


@pytest.fixture
def live(qtbot: Any, themed: None, tmp_path: Any, catalog: Catalog, training_review: Review) -> Iterator[Any]:
    """A page whose session really prices the ticked actions."""
    from gui.services.project import Project
    from gui.shell.composer import Composer
    from gui.shell.session import Session

    def compose(plan: Any, chosen: Any, dismissed: Any, progress: Any, cancelled: Any) -> Review:
        return compose_review(plan, catalog, chosen=chosen, dismissed=dismissed, draws=100, with_search=False)

    session = Session(Project.open(tmp_path), Composer(lambda plan: training_review.estimate, compose))
    with qtbot.waitSignal(session.review_changed, timeout=20_000):
        session.new_plan(training_review.plan)
    made = RecommendationsPage(session)
    qtbot.addWidget(made)
    yield made
    session.chart_worker.wait()
    session.close()
    session.project.close()


def test_space_ticks_and_the_joint_saving_is_priced_again(qtbot: Any, live: RecommendationsPage) -> None:
    session = live._session
    item = next(i for i in live.model.items() if not i.chosen and i.saving.in_plan is not None)
    before = live.joint.figure.text()
    live.table.select(item.id)
    with qtbot.waitSignal(session.review_changed, timeout=20_000):
        qtbot.keyClick(live.table, Qt.Key.Key_Space)
        assert item.id in live.model.ticked(), "the tick shows before the price"
    joint = session.review.recommendations.joint_saving
    assert item.id in joint.ids and item.id in session.chosen
    assert live.joint.figure.text() == money_short(joint.gross, "USD") != before
    assert live.table.current_item().id == item.id


def test_a_tick_that_is_not_possible_with_the_others_says_so(
    page: RecommendationsPage, training_review: Review
) -> None:
    row = next(row for row, item in enumerate(page.model.items()) if not item.chosen)
    page.model._asked[page.model.item(row).id] = True
    page._session.review_changed.emit(training_review)
    assert f"#{page.model.item(row).rank} " in page.hint.text() and "Untick" in page.hint.text()
    page._session.review_changed.emit(training_review)
    assert page.hint.text().startswith("Space ticks")


def test_a_portfolio_ticks_exactly_its_actions(qtbot: Any, live: RecommendationsPage) -> None:
    session = live._session
    bold = next(p for p in session.review.recommendations.portfolios if p.key == "bold")
    with qtbot.waitSignal(session.review_changed, timeout=20_000):
        live.portfolios.changed.emit("bold")
    assert session.chosen == frozenset(bold.ids)
    assert live.portfolios.current() == "bold"


def test_dismissing_takes_an_action_out_and_restoring_brings_it_back(
    qtbot: Any, live: RecommendationsPage
) -> None:
    session, item = live._session, live.model.item(0)
    live.table.select(item.id)
    qtbot.keyClick(live.table, Qt.Key.Key_Delete)
    assert not live.detail.bar.isHidden()
    live.detail.bar.reason.setEditText("not this year")
    with qtbot.waitSignal(session.review_changed, timeout=20_000):
        live.detail.bar._confirm()
    assert item.id in session.dismissed
    assert session.project.states()[item.id].reason == "not this year"
    live.table.select(item.id)
    assert not live.detail.restore.isHidden()
    with qtbot.waitSignal(session.review_changed, timeout=20_000):
        live.detail.restore.click()
    assert item.id not in session.dismissed


def test_shares_add_up_to_the_joint_saving(page: RecommendationsPage, training_review: Review) -> None:
    shares = page.joint.shares.shares()
    joint = training_review.recommendations.joint_saving
    assert {name for name, *_ in shares} == set(joint.ids)
    assert sum(share for *_, share in shares) == pytest.approx(joint.gross)


def test_the_card_holds_the_whole_contract(training_review: Review, serving_review: Review) -> None:
    for review in (training_review, serving_review):
        for item in review.recommendations.recommendations:
            rows = detail_rows(item, review.recommendations, "USD")
            labels = {label for label, _ in rows}
            wanted = {"Finding", "Change", "Saving", "Range", "Risks", "Effort", "Verify", "Roll back"}
            assert wanted <= labels, item.id
            assert all(text for _, text in rows), item.id
            assert ("Excludes" in labels) == bool(item.excludes)
            assert ("Conditions" in labels) == bool(item.conditional)
            assert ("Evidence" in labels) == bool(item.evidence)
            text = "\n".join(text for _, text in rows)
            assert not any(change.path in text for change in item.changes), "fields are named by their titles"
            assert "{" not in text


def test_risks_come_with_their_reasons(training_review: Review) -> None:
    item = training_review.recommendations.recommendations[0]
    text = "\n".join(text for _, text in detail_rows(item, training_review.recommendations, "USD"))
    for reason in (item.risk.effect_reason, item.risk.stability_reason, item.risk.governance_reason):
        assert reason in text


def test_enter_opens_the_detail_of_the_row(qtbot: Any, page: RecommendationsPage) -> None:
    page.table.select(page.model.item(2).id)
    page.detail.show_nothing()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert page.detail.title.text().startswith("3 ·")


def test_alt_and_arrows_sort_the_column(qtbot: Any, page: RecommendationsPage) -> None:
    page.table.setCurrentIndex(page.model.index(0, 4))
    qtbot.keyClick(page.table, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    savings = [item.saving.gross for item in page.model.items()]
    assert savings == sorted(savings, reverse=True)


def test_a_click_on_the_box_ticks(qtbot: Any, page: RecommendationsPage) -> None:
    index = page.model.index(0, TICK)
    on = page.model.is_ticked(page.model.item(0))
    rect = page.table.visualRect(index)
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert page.model.is_ticked(page.model.item(0)) is not on


def test_a_bubble_selects_its_row(page: RecommendationsPage) -> None:
    name = page.model.item(3).id
    page.bubbles.activated.emit(name)
    current = page.table.current_item()
    assert current is not None and current.id == name


def test_checks_that_passed_or_could_not_run_are_listed(
    page: RecommendationsPage, training_review: Review
) -> None:
    found = training_review.recommendations
    page._counts.click()
    rows = page.detail.sheet.rows()
    assert len(rows) == len(found.passed) + len(found.not_evaluated)
    assert f"{len(found.passed)} passed" in page._counts.text()


def test_a_check_that_could_not_run_names_the_missing_fields() -> None:
    from engine.results import NotEvaluated

    rows = check_rows((), (NotEvaluated(id="X", title="A check", needs=("governance.budget",)),), "USD")
    assert rows == [("Not evaluated", "A check: needs Budget")]


def test_what_to_do_first_stands_on_top(page: RecommendationsPage, training_review: Review) -> None:
    found = training_review.recommendations
    assert page.advice.isVisible()
    assert all(
        advice.title in page.advice.text.accessibleName() for advice in (*found.governance, *found.warnings)
    )
    page.advice.opened.emit()
    shown = "\n".join(text for _, text in page.detail.sheet.rows())
    assert all(advice.title in shown for advice in found.governance)


def test_applying_is_one_undoable_edit(page: RecommendationsPage) -> None:
    session = page._session
    before = session.plan
    page.joint.save.click()
    assert session.plan != before and session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert session.plan == before


def test_a_set_without_actions_is_a_sentence(
    qtbot: Any, open_session: OpenSession, training_review: Review
) -> None:
    found = training_review.recommendations
    joint = found.joint_saving.model_copy(update={"ids": (), "gross": 0.0, "net": 0.0, "one_off": 0.0})
    empty = found.model_copy(
        update={"recommendations": (), "joint_saving": joint, "governance": (), "warnings": ()}
    )
    made = RecommendationsPage(open_session(training_review.model_copy(update={"recommendations": empty})))
    qtbot.addWidget(made)
    assert made.bubbles.plot.accessibleDescription()
    assert made.joint.title.text() == "No action is chosen"
    assert not made.advice.isVisibleTo(made)

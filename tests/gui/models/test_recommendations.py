"""The ranked table: numeric sorting, ticking, exclusion, old figures."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from engine.results import Recommendation, RecommendationSet
from gui.models.recommendations import (
    ACTION,
    ADJUSTED,
    ALONE,
    CHIPS_ROLE,
    COLUMNS,
    IN_PLAN,
    ITEM_ROLE,
    NOTE_ROLE,
    PREVIOUS_ROLE,
    RANK,
    RISK,
    SORT_ROLE,
    STATE,
    TICK,
    RecommendationsModel,
)
from gui.services.review import Review

CHECK = Qt.ItemDataRole.CheckStateRole


@pytest.fixture
def found(training_review: Review) -> RecommendationSet:
    return training_review.recommendations


@pytest.fixture
def model(qapp: Any, found: RecommendationSet) -> RecommendationsModel:
    made = RecommendationsModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    made.set_recommendations(found, "USD")
    return made


def with_item(found: RecommendationSet, index: int, **update: Any) -> RecommendationSet:
    items = list(found.recommendations)
    items[index] = items[index].model_copy(update=update)
    return found.model_copy(update={"recommendations": tuple(items)})


def column(model: RecommendationsModel, which: int) -> list[Any]:
    return [model.index(row, which).data(SORT_ROLE) for row in range(model.rowCount())]


def test_rows_stand_in_ranking_order(model: RecommendationsModel, found: RecommendationSet) -> None:
    assert [model.item(row).rank for row in range(model.rowCount())] == sorted(
        i.rank for i in found.recommendations
    )


@pytest.mark.parametrize("which", range(COLUMNS))
@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_every_column_sorts_by_numbers(model: RecommendationsModel, which: int, order: Qt.SortOrder) -> None:
    model.sort(which, order)
    values = column(model, which)
    assert all(isinstance(value, float) for value in values)
    assert values == sorted(values, reverse=order == Qt.SortOrder.DescendingOrder)


def test_sorting_keeps_the_selected_action(model: RecommendationsModel) -> None:
    held = QPersistentModelIndex(model.index(0, ACTION))
    name = held.data(ITEM_ROLE).id
    model.sort(ALONE, Qt.SortOrder.AscendingOrder)
    assert held.data(ITEM_ROLE).id == name


def test_an_unknown_saving_sorts_lowest_and_shows_a_dash(
    model: RecommendationsModel, found: RecommendationSet
) -> None:
    saving = found.recommendations[0].saving.model_copy(update={"in_plan": None})
    model.set_recommendations(with_item(found, 0, saving=saving), "USD")
    model.sort(IN_PLAN, Qt.SortOrder.AscendingOrder)
    assert model.item(0).id == found.recommendations[0].id
    assert model.index(0, IN_PLAN).data() == "–"


def test_a_tick_asks_and_shows_at_once_but_changes_no_figure(qtbot: Any, model: RecommendationsModel) -> None:
    row = next(
        row for row in range(model.rowCount()) if not model.item(row).chosen and not model.item(row).excludes
    )
    before = model.index(row, IN_PLAN).data()
    with qtbot.waitSignal(model.tick_requested) as asked:
        assert model.setData(model.index(row, TICK), Qt.CheckState.Checked, CHECK)
    assert asked.args == [model.item(row).id, True]
    assert model.index(row, TICK).data(CHECK) == Qt.CheckState.Checked
    assert model.item(row).id in model.ticked()
    assert model.index(row, IN_PLAN).data() == before


def test_ticking_one_of_two_rivals_swaps_them(model: RecommendationsModel, found: RecommendationSet) -> None:
    first, second = found.recommendations[:2]
    changed = with_item(
        with_item(found, 0, chosen=True, excludes=(second.id,)), 1, excludes=(first.id,), chosen=False
    )
    model.set_recommendations(changed, "USD")
    model.setData(model.index(1, TICK), Qt.CheckState.Checked, CHECK)
    assert second.id in model.ticked() and first.id not in model.ticked()


def test_a_dismissed_action_cannot_be_ticked(model: RecommendationsModel, found: RecommendationSet) -> None:
    model.set_recommendations(with_item(found, 0, state="dismissed", chosen=False), "USD")
    assert not model.setData(model.index(0, TICK), Qt.CheckState.Checked, CHECK)
    assert ("dismissed", "muted") in model.index(0, ACTION).data(CHIPS_ROLE)


def test_old_figures_stay_readable_until_forgotten(
    model: RecommendationsModel, found: RecommendationSet
) -> None:
    old = model.index(0, IN_PLAN).data()
    saving = found.recommendations[0].saving.model_copy(update={"in_plan": 12_345.0})
    model.set_recommendations(with_item(found, 0, saving=saving), "USD")
    assert model.index(0, IN_PLAN).data(PREVIOUS_ROLE) == old
    assert model.index(0, ADJUSTED).data(PREVIOUS_ROLE) is None, "unchanged figures are not struck out"
    model.forget_previous()
    assert model.index(0, IN_PLAN).data(PREVIOUS_ROLE) is None


def test_another_set_of_actions_resets_the_table(
    qtbot: Any, model: RecommendationsModel, found: RecommendationSet
) -> None:
    fewer = found.model_copy(update={"recommendations": found.recommendations[:2]})
    with qtbot.waitSignal(model.modelReset):
        model.set_recommendations(fewer, "USD")
    assert model.rowCount() == 2


def test_what_it_replaces_and_needs_stands_beside_the_title(
    model: RecommendationsModel, found: RecommendationSet
) -> None:
    first, second = found.recommendations[:2]
    model.set_recommendations(
        with_item(found, 1, replaced_by=first.id, chosen=False, needs=(first.id,)), "USD"
    )
    chips = [text for text, _ in model.index(1, ACTION).data(CHIPS_ROLE)]
    assert f"replaces #{first.rank}" in chips and f"needs {first.rank}" in chips
    assert second.id == model.item(1).id


def test_fields_are_named_by_their_titles(model: RecommendationsModel) -> None:
    for row in range(model.rowCount()):
        item: Recommendation = model.item(row)
        note = model.index(row, ACTION).data(NOTE_ROLE)
        assert "\u2192" in note
        assert not any(change.path in note for change in item.changes)


def test_risk_is_told_in_words(model: RecommendationsModel) -> None:
    assert model.index(0, RISK).data().split()[1] in ("none", "low", "medium", "high")
    assert model.index(0, STATE).data() in ("new", "accepted")
    assert model.index(0, RANK).data() == "1"

"""The ledger tree: structure, sums, scope, unknown amounts."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from engine.results import Estimate
from gui.models.ledger import (
    AMOUNT,
    CATEGORY_ROLE,
    COLUMNS,
    OUT_OF_SCOPE,
    PRICE,
    QUANTITY,
    SHARE,
    SORT_ROLE,
    LedgerModel,
    ledger_groups,
    percent_text,
    quantity_text,
)
from gui.services.review import Review


@pytest.fixture
def estimate(training_review: Review) -> Estimate:
    return training_review.estimate


@pytest.fixture
def model(qapp: Any, estimate: Estimate) -> LedgerModel:
    made = LedgerModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    made.set_estimate(estimate)
    return made


def changed(estimate: Estimate, index: int, **update: Any) -> Estimate:
    lines = list(estimate.lines)
    lines[index] = lines[index].model_copy(update=update)
    return estimate.model_copy(update={"lines": tuple(lines)})


def test_groups_add_up_to_the_total_and_their_shares_to_one(model: LedgerModel, estimate: Estimate) -> None:
    groups = [model.index(row, 0) for row in range(model.rowCount())]
    amounts = [group.siblingAtColumn(AMOUNT).data(SORT_ROLE) for group in groups]
    shares = [group.siblingAtColumn(SHARE).data(SORT_ROLE) for group in groups]
    assert sum(amounts) == pytest.approx(estimate.total)
    assert sum(shares) == pytest.approx(1.0)


def test_lines_of_a_group_add_up_to_it(model: LedgerModel) -> None:
    for row in range(model.rowCount()):
        group = model.index(row, 0)
        lines = [model.index(below, AMOUNT, group).data(SORT_ROLE) for below in range(model.rowCount(group))]
        assert sum(lines) == pytest.approx(group.siblingAtColumn(AMOUNT).data(SORT_ROLE))


def test_every_line_is_found_under_its_category(model: LedgerModel, estimate: Estimate) -> None:
    for line in estimate.lines:
        index = model.find(line.category, line.item)
        assert model.line(index) == line
        assert model.parent(index).data(CATEGORY_ROLE) == line.category
    assert not model.find("compute", "no such line").isValid()


def test_lines_out_of_scope_stand_apart_and_are_not_counted(model: LedgerModel, estimate: Estimate) -> None:
    without = changed(estimate, 0, in_scope=False)
    groups = ledger_groups(without)
    assert groups[-1].key == OUT_OF_SCOPE and groups[-1].lines == (without.lines[0],)
    assert groups[-1].share is None
    model.set_estimate(without)
    assert model.index(model.rowCount() - 1, 0).data() == "Not in scope"


def test_an_unknown_amount_is_a_word_never_zero(model: LedgerModel, estimate: Estimate) -> None:
    model.set_estimate(changed(estimate, 0, quantity=None, unit_price=None, amount=None))
    index = model.find(estimate.lines[0].category, estimate.lines[0].item)
    texts = [index.siblingAtColumn(column).data() for column in (QUANTITY, PRICE, AMOUNT)]
    assert texts == ["unknown"] * 3
    assert index.siblingAtColumn(AMOUNT).data(SORT_ROLE) is None


def test_numbers_are_right_aligned_and_heads_name_the_currency(model: LedgerModel) -> None:
    for column in (QUANTITY, PRICE, AMOUNT, SHARE):
        align = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        assert align & Qt.AlignmentFlag.AlignRight
    assert model.headerData(AMOUNT, Qt.Orientation.Horizontal) == "Amount, USD"
    assert model.columnCount(QModelIndex()) == COLUMNS


@pytest.mark.parametrize(
    ("value", "text"), [(806196.09, "806,196"), (9.517917, "9.52"), (1.0, "1"), (None, "unknown"), (0.0, "0")]
)
def test_quantities(value: float | None, text: str) -> None:
    assert quantity_text(value, "en") == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.6261, "62.6\u00a0%"), (0.00012, "<0.1\u00a0%"), (1.0, "100.0\u00a0%"), (0.0, "0.0\u00a0%")],
)
def test_shares_keep_one_decimal(share: float, text: str) -> None:
    assert percent_text(share, "en") == text


def test_chinese_shares_have_no_space() -> None:
    assert percent_text(0.5, "zh_CN") == "50.0%"

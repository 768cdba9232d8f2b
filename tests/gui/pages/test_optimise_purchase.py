"""The purchase part of the optimise page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from engine.catalog import Catalog
from engine.errors import InputError
from engine.optimize.purchase_mix import search_purchase
from gui.pages.optimise import OptimisePage
from gui.services.review import Review
from gui.shell.engine_runner import Failure

OpenSession = Callable[[Review], Any]


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, serving_review: Review, catalog: Catalog) -> OptimisePage:
    session = open_session(serving_review)
    session.composer = replace(session.composer, purchase=lambda plan: search_purchase(plan, catalog))
    made = OptimisePage(session)
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    return made


def button(page: OptimisePage) -> QPushButton | None:
    found = page.purchase.findChildren(QPushButton)
    return next((b for b in found if b.accessibleName() == "Use this purchase"), None)


def test_a_service_shows_its_purchase_and_takes_it_in_one_step(page: OptimisePage, qtbot: Any) -> None:
    page.show_view("scaling")
    assert page._views.currentWidget() is page.purchase
    qtbot.waitUntil(lambda: button(page) is not None, timeout=10_000)
    qtbot.waitUntil(lambda: page.purchase.cost.table() is not None, timeout=10_000)
    before = page._session.plan
    button(page).click()
    assert page._session.plan.cluster.committed_accelerators == 38
    page._session.undo_stack.undo()
    assert page._session.plan == before


def test_a_training_plan_keeps_its_scaling(
    qtbot: Any, open_session: OpenSession, training_review: Review
) -> None:
    made = OptimisePage(open_session(training_review))
    qtbot.addWidget(made)
    made.show_view("scaling")
    assert made._views.currentWidget() is made.scaling


def test_what_cannot_be_priced_is_said(page: OptimisePage) -> None:
    page.purchase._show(Failure(InputError("cluster.price_per_gpu_hour", None, "a price")))
    assert page.purchase.cost.table() is None
    assert button(page) is None
    texts = [label.text() for label in page.purchase.findChildren(QLabel)]
    assert any("cluster.price_per_gpu_hour" in text for text in texts)


def test_the_card_names_bound_and_use(page: OptimisePage, serving_review: Review, catalog: Catalog) -> None:
    page.purchase._show(search_purchase(serving_review.plan, catalog))
    texts = " ".join(label.text() for label in page.purchase.findChildren(QLabel))
    assert "proven best" in texts
    assert "The last GPU of the base is in use" in texts
    assert "Pays from" in texts

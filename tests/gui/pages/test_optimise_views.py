"""Layouts and scaling on the optimise page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from engine.catalog import Catalog
from engine.optimize.fleets import search_fleets
from engine.optimize.scaling import scale
from gui.charts.fleets import FleetsData, draw_fleets
from gui.charts.layouts import LayoutsData, draw_layouts
from gui.charts.scaling import ScalingData, draw_marginal, draw_speed
from gui.charts.style import ChartStyle
from gui.models.layouts import fleet_text, layout_text
from gui.pages.optimise import OptimisePage
from gui.pages.optimise_fleets import FleetsView
from gui.services.review import Review

OpenSession = Callable[[Review], Any]


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, training_review: Review) -> OptimisePage:
    made = OptimisePage(open_session(training_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made.show()
    return made


def test_a_layout_is_taken_as_one_step(page: OptimisePage, training_review: Review) -> None:
    page.show_view("layouts")
    report = training_review.optimisation.layouts
    fastest = report.fastest[0]
    button = next(b for b in page.layouts.findChildren(QPushButton) if b.accessibleName() == "Use layout 1")
    before = page._session.plan
    button.click()
    layout = page._session.plan.layout
    assert layout.tensor_parallel == fastest.settings["layout.tensor_parallel"]
    assert layout.recompute == fastest.settings["layout.recompute"]
    page._session.undo_stack.undo()
    assert page._session.plan == before


def test_a_service_has_no_layouts(page: OptimisePage, serving_review: Review) -> None:
    page.layouts.show_report(None, serving_review.plan, None)
    assert page.layouts.chart.table() is None
    assert not page.layouts.findChildren(QPushButton, "Use layout 1")


def test_charts_say_what_was_found(training_review: Review, catalog: Catalog) -> None:
    from matplotlib.figure import Figure

    report = training_review.optimisation.layouts
    table = draw_layouts(Figure(), LayoutsData(report, 80.0), ChartStyle(), "en")
    assert "faster" in table.title
    assert len(table.rows) >= len(report.fastest)
    data = ScalingData(scale(training_review.plan, catalog), 512.0, "USD")
    speed, marginal = (draw(Figure(), data, ChartStyle(), "en") for draw in (draw_speed, draw_marginal))
    assert "of the ideal" in speed.title
    assert "one more" in marginal.title or "Every GPU" in marginal.title


def test_a_layout_reads_in_both_languages(training_review: Review) -> None:
    settings = training_review.optimisation.layouts.fastest[0].settings
    assert layout_text(settings, "en").startswith("TP ")
    assert "微批次" in layout_text(settings, "zh_CN")


def test_a_fleet_reads_in_both_languages_and_is_charted(serving_review: Review, catalog: Catalog) -> None:
    from matplotlib.figure import Figure

    plan = serving_review.plan
    report = search_fleets(plan, catalog, ["h100-sxm", "mi300x"])
    option = report.cheapest[0]
    assert fleet_text(option, plan, "en").startswith("TP ")
    assert "批次上限" in fleet_text(option, plan, "zh_CN")
    data = FleetsData(report, "USD", serving_review.estimate.total, 50.0, plan)
    table = draw_fleets(Figure(), data, ChartStyle(), "en")
    assert "fleet" in table.title
    assert len(table.rows) >= len(report.cheapest)


def test_a_service_shows_its_fleets_and_takes_one(
    qtbot: Any, open_session: OpenSession, serving_review: Review, catalog: Catalog
) -> None:
    session = open_session(serving_review)
    view = FleetsView(session)
    qtbot.addWidget(view)
    view._show(search_fleets(serving_review.plan, catalog, ["mi300x"]))
    taken: list[Any] = []
    view.use_requested.connect(taken.append)
    button = next(b for b in view.findChildren(QPushButton) if b.accessibleName() == "Use fleet 1")
    button.click()
    assert {change.path for change in taken[0]} >= {"cluster.accelerator"}

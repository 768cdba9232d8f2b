"""Own or API on the optimise page: the chart, its figures, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.figure import Figure
from PySide6.QtWidgets import QLabel

from engine.catalog import Catalog
from engine.optimize.break_even import break_even
from engine.plan import Plan, apply_patch
from engine.results import BreakEven
from gui.charts.break_even import BreakEvenData, draw_break_even
from gui.charts.style import ChartStyle
from gui.models.break_even import verdict_text
from gui.pages.optimise import OptimisePage
from gui.services.review import Review
from gui.services.templates import template_plan
from gui.widgets.buttons import Button

OpenSession = Callable[[Review], Any]
INPUT, OUTPUT = "serving.api_input_price_per_million", "serving.api_output_price_per_million"


def priced(input_price: float | None, output_price: float | None) -> Plan:
    return apply_patch(template_plan("online-70b-chat"), {INPUT: input_price, OUTPUT: output_price})


@pytest.fixture(scope="module")
def found(catalog: Catalog) -> BreakEven:
    return break_even(priced(3.0, 12.0), catalog, draws=200)


def opened(qtbot: Any, session: Any, answer: BreakEven | None) -> OptimisePage:
    session.composer = replace(session.composer, break_even=lambda plan, cancelled: answer)
    page = OptimisePage(session)
    qtbot.addWidget(page)
    page.resize(1240, 800)
    page.show()
    page.show_view("break_even")
    return page


def texts(page: OptimisePage) -> str:
    return "\n".join(label.text() for label in page.break_even.findChildren(QLabel)).replace("\xa0", " ")


def test_the_chart_says_where_self_hosting_stays_cheaper(
    qtbot: Any, open_session: OpenSession, serving_review: Review, found: BreakEven
) -> None:
    page = opened(qtbot, open_session(serving_review), found)
    qtbot.waitUntil(lambda: page.break_even.chart.table() is not None, timeout=10_000)
    table = page.break_even.chart.table()
    assert table is not None
    assert found.requests_per_second is not None
    above = f"{found.requests_per_second:.3g}"
    assert table.title.replace("\xa0", " ") == f"Self-hosting stays cheaper above {above} requests/s"
    shown = texts(page)
    for expected in ("API, a month", "Self-hosted, a month", "P10–P90", "Break-even", "API price −30 %"):
        assert expected in shown
    assert "the cheaper side changes at" in shown, "this staircase crosses three times"


def test_without_prices_it_leads_to_their_field(
    qtbot: Any, open_session: OpenSession, serving_review: Review, catalog: Catalog
) -> None:
    page = opened(qtbot, open_session(serving_review), break_even(priced(3.0, None), catalog))
    asked: list[str] = []
    page.field_requested.connect(asked.append)
    qtbot.waitUntil(lambda: bool(page.break_even.findChildren(Button, options=_deep())), timeout=10_000)
    button = next(b for b in page.break_even.findChildren(Button) if b.text() == "Enter the prices")
    button.click()
    assert asked == [OUTPUT] and "API output price" in texts(page)


def _deep() -> Any:
    from PySide6.QtCore import Qt

    return Qt.FindChildOption.FindChildrenRecursively


def test_training_is_not_compared(qtbot: Any, open_session: OpenSession, training_review: Review) -> None:
    page = opened(qtbot, open_session(training_review), None)
    assert "online services" in page.break_even.chart.plot.accessibleDescription()


@pytest.mark.parametrize("prices", [(3.0, 15.0), (0.0, 0.0), (0.1, 0.1), (100.0, 300.0)])
def test_every_verdict_is_drawn_with_its_table(catalog: Catalog, prices: tuple[float, float]) -> None:
    compared = break_even(priced(*prices), catalog, draws=0)
    for lang in ("en", "zh_CN"):
        figure = Figure(figsize=(6, 4))
        table = draw_break_even(figure, BreakEvenData(compared, "USD"), ChartStyle(), lang)
        figure.canvas.draw()
        assert len(table.rows) == 321 and table.marks and table.title == verdict_text(compared, lang)

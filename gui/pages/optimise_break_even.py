"""Own or API: what both cost at every volume; compared when it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.results import BreakEven
from gui.charts.break_even import BreakEvenData, draw_break_even
from gui.charts.canvas import ChartView
from gui.i18n import language, tr
from gui.models.break_even import Figure, case_figure, figures, notes, obstacle_text
from gui.pages.optimise_view import SearchedView
from gui.shell.engine_runner import Failure
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

if TYPE_CHECKING:
    from gui.shell.session import Session

JOB = "break even"


class BreakEvenView(SearchedView):
    """Chart at the left, figures and sensitivity at the right; without prices the way to enter them."""

    field_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        self.chart = ChartView(session.chart_worker, tr("Self-hosted or API"))
        row.addWidget(self.chart, 3)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(12)
        row.addWidget(quiet_scroll_area(content, ground="window"), 2)

    def _ask(self) -> None:
        session = self._session
        plan = session.plan
        clear_layout(self._column)
        if plan.workload.kind != "online_inference":
            self.chart.show_message(tr("Only online services are compared with an API."))
            return
        self.chart.show_message(tr("Comparing with the API…"))
        session.runner.submit(JOB, lambda job: session.composer.break_even(plan, job.cancelled), self._show)

    def _show(self, found: Any) -> None:
        clear_layout(self._column)
        if isinstance(found, Failure) or not isinstance(found, BreakEven):
            self.chart.show_message(tr("This plan cannot be compared; its fields say why."))
            return
        if found.curve is None:
            self._show_obstacle(found)
            return
        self.chart.show_chart(draw_break_even, BreakEvenData(found, self._session.currency))
        lang = language()
        self._column.addWidget(_figures_card(tr("A month"), figures(found, self._session.currency, lang)))
        varied = [case_figure(case, lang) for case in found.cases]
        self._column.addWidget(_figures_card(tr("Break-even moves"), varied))
        for text in notes(found, lang):
            self._column.addWidget(Label(text, size="hint", role="muted", wrap=True))
        self._column.addStretch(1)

    def _show_obstacle(self, found: BreakEven) -> None:
        text = obstacle_text(found, language())
        self.chart.show_message(text)
        if found.obstacle == "prices":
            card = Card(tr("Prices of the API"))
            card.body.addWidget(Label(text, wrap=True))
            button = Button(tr("Enter the prices"), role="primary")
            button.clicked.connect(lambda: self.field_requested.emit(found.needs[0]))
            card.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            self._column.addWidget(card)
        self._column.addStretch(1)


def _figures_card(title: str, rows: list[Figure]) -> Card:
    card = Card(title)
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(6)
    for place, row in enumerate(rows):
        grid.addWidget(Label(row.title, role="muted"), place, 0)
        grid.addWidget(Label(row.value, bold=True), place, 1, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    card.body.addLayout(grid)
    return card

"""Fleets of a service: cost against latency, the cheapest to take, and why the rest cannot serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.results import FleetOption, FleetReport
from gui.charts.canvas import ChartView
from gui.charts.fleets import FleetsData, draw_fleets
from gui.formatting import money_short, number, quantity
from gui.i18n import language, tr, trn
from gui.models.layouts import fleet_text
from gui.pages.optimise_layouts import reasons_card
from gui.pages.optimise_view import SearchedView
from gui.shell.engine_runner import Failure
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

if TYPE_CHECKING:
    from gui.shell.session import Session

JOB = "fleets"
LISTED = 8


class FleetsView(SearchedView):
    """Chart at the left, the cheapest fleets at the right; searched when it is looked at."""

    use_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        self.chart = ChartView(session.chart_worker, tr("Fleets: cost and latency"))
        row.addWidget(self.chart, 1)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(12)
        row.addWidget(quiet_scroll_area(content, ground="window"), 1)

    def _ask(self) -> None:
        session, plan = self._session, self._session.plan
        clear_layout(self._column)
        if not plan.is_service:
            self.chart.show_message(tr("Fleets are searched for online services; see the candidates."))
            return
        self.chart.show_message(tr("Searching fleets…"))
        session.runner.submit(JOB, lambda job: session.composer.fleets(plan), self._show)

    def _show(self, found: Any) -> None:
        plan, estimate = self._session.plan, self._session.estimate
        if isinstance(found, Failure) or not isinstance(found, FleetReport) or plan.serving is None:
            self.chart.show_message(tr("No fleet serves this traffic within its targets"))
            return
        now = estimate.total if estimate is not None else 0.0
        data = FleetsData(found, self._session.currency, now, plan.serving.tpot_slo_ms, plan)
        self.chart.show_chart(draw_fleets, data)
        clear_layout(self._column)
        self._column.addWidget(self._cheapest_card(found))
        counted = trn("{count} fleet evaluated", "{count} fleets evaluated", found.evaluated)
        note = counted.format(count=number(found.evaluated, language()))
        self._column.addWidget(reasons_card(found.excluded, note))
        self._column.addStretch(1)

    def _cheapest_card(self, report: FleetReport) -> Card:
        lang, currency = language(), self._session.currency
        card = Card(tr("Cheapest fleets"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        for column, head in enumerate(("", tr("Total"), "TTFT", "TPOT", tr("GPUs"))):
            side = Qt.AlignmentFlag.AlignRight
            grid.addWidget(Label(head, size="hint", role="muted"), 0, column, side)
        for place, option in enumerate(report.cheapest[:LISTED], start=1):
            text = f"{option.name}: {fleet_text(option, self._session.plan, lang)}"
            grid.addWidget(Label(text, size="hint", wrap=True), place, 0)
            figures = (
                money_short(option.total, currency, lang),
                quantity(option.ttft_ms, "ms", lang),
                quantity(option.tpot_ms, "ms", lang),
                number(option.accelerators_peak, lang),
            )
            for column, shown in enumerate(figures, start=1):
                grid.addWidget(Label(shown), place, column, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(self._use_button(option, place), place, 5)
        grid.setColumnStretch(0, 1)
        card.body.addLayout(grid)
        # Cut waste, not the necessary: a cheaper format or an untried accelerator is a risk to be measured.
        warning = tr("Before taking one: measure quality in the other precision and speed on one instance.")
        card.body.addWidget(Label(warning, size="hint", role="muted", wrap=True))
        return card

    def _use_button(self, option: FleetOption, place: int) -> Button:
        button = Button(tr("Use this"), small=True)
        button.setAccessibleName(tr("Use fleet {place}").format(place=place))
        button.setEnabled(bool(option.changes))
        button.clicked.connect(lambda: self.use_requested.emit(option.changes))
        return button

"""Service: latency of an instance, the week of the fleet, what a token costs, and other fleets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.results import FleetOption, FleetReport, ServiceReport
from engine.text import Message
from gui.charts.canvas import ChartView
from gui.charts.fleet_trade import TradeData, draw_trade
from gui.charts.latency import LatencyData, draw_latency
from gui.charts.table import Mark
from gui.charts.unit_costs import UnitCostData, draw_unit_costs
from gui.charts.week import WeekData, draw_week
from gui.formatting import number
from gui.i18n import language, render, tr, trn
from gui.models.services import alternative_text
from gui.pages.optimise_view import SearchedView
from gui.pages.serving_figures import FiguresCard, service_figures
from gui.shell.engine_runner import Failure
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel, Label
from gui.widgets.scrolling import quiet_scroll_area

if TYPE_CHECKING:
    from gui.shell.session import Session

REPORT, FLEETS = "service", "service fleets"
_MARGIN = 16
_ROW_HEIGHT, _CHART_HEIGHT = 280, 218
_WHY_LINES, _SLACK = 3, 6


class FleetCard(Card):
    """One fleet of the chart in words: why it is as it is, and a button to take it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(margin=10, parent=parent)
        self._name = ElidedLabel(bold=True)
        self._why = Label(size="hint", role="muted", wrap=True)
        self._why.setFixedHeight(_WHY_LINES * self._why.fontMetrics().lineSpacing() + _SLACK)
        self._why.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.use = Button(tr("Use this"), small=True)
        self.use.setAccessibleName(tr("Use the fleet shown"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._name, 1)
        row.addWidget(self.use)
        self.body.setSpacing(2)
        self.body.addLayout(row)
        self.body.addWidget(self._why)
        self.option: FleetOption | None = None
        self.show_option(None, "")

    def hasHeightForWidth(self) -> bool:
        """Its height is fixed: a page with one wrapped label would take its wishes for its least height."""
        return False

    def show_option(self, option: FleetOption | None, name: str) -> None:
        """Show a fleet, or ask for one."""
        self.option = option
        self._name.set_full_text(name if option is not None else tr("Choose a fleet in the chart."))
        self._why.setText("" if option is None else " ".join(render(message) for message in option.why))
        self._why.setToolTip(self._why.text())
        self.use.setEnabled(option is not None and bool(option.changes))

    def text(self) -> str:
        """What the card says."""
        return self._why.text()


class ProblemCard(Card):
    """What fails in a plan that cannot be served, and what would be needed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(margin=12, parent=parent)
        self._problem = Label(role="danger", bold=True, wrap=True)
        self._remedies = Label(wrap=True)
        self.body.addWidget(self._problem)
        self.body.addWidget(self._remedies)
        self.hide()

    def show_problem(self, problem: Message | None, remedies: tuple[Message, ...]) -> None:
        """Show what fails; nothing hides the card."""
        self.setVisible(problem is not None)
        self._problem.setText("" if problem is None else render(problem))
        self._remedies.setText(" ".join(render(message) for message in remedies))

    def text(self) -> str:
        """What the card says."""
        return f"{self._problem.text()} {self._remedies.text()}".strip()


class ServingPage(SearchedView):
    """Headlines on top, four charts below; computed when it is looked at, fleets last."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        worker = session.chart_worker
        self.latency = ChartView(worker, tr("Latency and throughput"))
        self.week = ChartView(worker, tr("The week"))
        self.costs = ChartView(worker, tr("Cost per million tokens"))
        self.fleets = ChartView(worker, tr("Other fleets"))
        self.figures, self.problem, self.fleet = FiguresCard(), ProblemCard(), FleetCard()
        self.status = ElidedLabel(role="muted")
        self._found: FleetReport | None = None
        self._data: TradeData | None = None
        self._build()
        self.fleets.activated.connect(self._choose)
        self.fleets.plot.stepped.connect(self._step)
        self.fleet.use.clicked.connect(self._use)
        session.review_changed.connect(self._refreshed)
        session.stale_changed.connect(self._set_stale)

    def title(self) -> str:
        """Name of the page in the navigation."""
        return tr("Service")

    def charts(self) -> tuple[ChartView, ...]:
        """The charts in reading order."""
        return self.latency, self.week, self.costs, self.fleets

    def _build(self) -> None:
        page = QVBoxLayout(self)
        page.setContentsMargins(_MARGIN, 12, _MARGIN, _MARGIN)
        page.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Label(self.title(), size="title", bold=True))
        head.addWidget(self.status, 1)
        page.addLayout(head)
        page.addWidget(self.figures)
        page.addWidget(self.problem)
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(12)
        for place, view in enumerate((self.latency, self.week, self._cost_column(), self.fleets)):
            if isinstance(view, ChartView):
                view.setMinimumHeight(_ROW_HEIGHT)
            grid.addWidget(view, place // 2, place % 2)
        for both in (0, 1):
            grid.setRowStretch(both, 1)
            grid.setColumnStretch(both, 1)
        page.addWidget(quiet_scroll_area(content, ground="window"), 1)

    def _cost_column(self) -> QWidget:
        """Three bars need less height than a chart of fleets: its words stand here, beside it."""
        column = QWidget()
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self.costs.setMinimumHeight(_CHART_HEIGHT)
        layout.addWidget(self.costs, 1)
        layout.addWidget(self.fleet)
        return column

    def _refreshed(self, _review: object = None) -> None:
        self.refresh()

    def _ask(self) -> None:
        session = self._session
        if not session.has_plan or session.review is None:
            self._say(tr("The service appears here once the plan is computed."))
            return
        plan = session.plan
        if plan.workload.kind != "online_inference":
            self._say(tr("Only plans of an online service are shown here."))
            return
        self.status.set_full_text(tr("Computing the service…"))
        session.runner.submit(REPORT, lambda job: session.composer.service(plan), self._show)
        session.runner.submit(
            FLEETS, lambda job: session.composer.alternatives(plan, job.cancelled), self._show_fleets
        )

    def _say(self, text: str) -> None:
        for key in (REPORT, FLEETS):
            self._session.runner.cancel(key)
        self.status.set_full_text("")
        self.problem.show_problem(None, ())
        self.fleet.show_option(None, "")
        for chart in self.charts():
            chart.show_message(text)

    def _show(self, found: Any) -> None:
        if isinstance(found, Failure) or not isinstance(found, ServiceReport):
            self._say(tr("This plan cannot be computed; its fields say why."))
            return
        self.status.set_full_text(tr("Searching fleets…"))
        self.figures.show_figures(service_figures(found))
        self.problem.show_problem(found.problem, found.remedies)
        if found.curve is not None:
            self.latency.show_chart(draw_latency, LatencyData(found.curve, self._session.currency))
        else:
            self.latency.show_message(tr("No sequence fits in memory: there is no latency to show."))
        without = tr("No fleet meets the targets: see above what is needed.")
        if found.week is not None:
            self.week.show_chart(draw_week, WeekData(found.week))
        else:
            self.week.show_message(without)
        if found.costs is None:
            self.costs.show_message(without)
        elif not found.costs.parts:
            self.costs.show_message(tr("Nothing in scope has a known cost."))
        else:
            self.costs.show_chart(draw_unit_costs, UnitCostData(found.costs))

    def _show_fleets(self, found: Any) -> None:
        plan, estimate = self._session.plan, self._session.estimate
        self._found, self._data = None, None
        self.fleet.show_option(None, "")
        if isinstance(found, Failure) or not isinstance(found, FleetReport) or plan.serving is None:
            self.status.set_full_text("")
            self.fleets.show_message(tr("The fleets could not be searched."))
            return
        counted = trn("{count} fleet evaluated", "{count} fleets evaluated", found.evaluated)
        self.status.set_full_text(counted.format(count=number(found.evaluated, language())))
        if not found.frontier:
            self.fleets.show_message(tr("No fleet serves this traffic within its targets"))
            return
        runs = estimate is not None and estimate.feasible
        encoder = plan.architecture.kind == "encoder"
        metric = "ttft_ms_p95" if encoder else "tpot_ms_p95"
        self._found = found
        self._data = TradeData(
            found,
            plan,
            self._session.currency,
            estimate.total if runs and estimate is not None else None,
            estimate.metric(metric) if runs and estimate is not None else None,
            plan.serving.ttft_slo_ms if encoder else plan.serving.tpot_slo_ms,
            encoder,
        )
        self.fleets.show_chart(draw_trade, self._data)
        self._choose("0")

    def _step(self, mark: Mark) -> None:
        self._choose(mark.key)

    def _choose(self, key: object) -> None:
        if self._data is None:
            return
        option = self._data.shown()[int(str(key))]
        self.fleet.show_option(option, alternative_text(option, self._data.plan, language()))

    def _use(self) -> None:
        if self.fleet.option is not None:
            self._session.apply_changes(self.fleet.option.changes, tr("Use a fleet"))

    def _set_stale(self, stale: object) -> None:
        for chart in self.charts():
            chart.set_stale(bool(stale))

"""Scaling: speed and value of more accelerators, sequence length and batch; computed when it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QGridLayout, QWidget

from engine.results import Scaling
from gui.charts.canvas import ChartView
from gui.charts.curve import CurveData, draw_curve
from gui.charts.scaling import ScalingData, draw_marginal, draw_speed
from gui.i18n import tr
from gui.pages.optimise_view import SearchedView
from gui.shell.engine_runner import Failure

if TYPE_CHECKING:
    from gui.shell.session import Session

JOB = "scaling"


class ScalingView(SearchedView):
    """Four charts of one plan's scaling."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        worker = session.chart_worker
        self.speed = ChartView(worker, tr("Speed against cluster size"))
        self.marginal = ChartView(worker, tr("Value of one more GPU"))
        self.sequence = ChartView(worker, tr("Sequence length"))
        self.batch = ChartView(worker, tr("Global batch"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(16)
        for place, chart in enumerate(self.charts()):
            grid.addWidget(chart, place // 2, place % 2)

    def charts(self) -> tuple[ChartView, ...]:
        """The charts in reading order."""
        return self.speed, self.marginal, self.sequence, self.batch

    def _ask(self) -> None:
        session = self._session
        plan = session.plan
        if not plan.is_training:
            self._say(tr("Only training plans are scaled."))
            return
        self._say(tr("Searching the layouts of every size…"))
        session.runner.submit(JOB, lambda job: session.composer.scaling(plan, job.cancelled), self._show)

    def _say(self, text: str) -> None:
        for chart in self.charts():
            chart.show_message(text)

    def _show(self, found: Any) -> None:
        if isinstance(found, Failure) or not isinstance(found, Scaling):
            self._say(tr("This plan cannot be scaled; its fields say why."))
            return
        currency = self._session.currency
        count = self._session.plan.cluster.accelerator_count
        data = ScalingData(found, float(count) if isinstance(count, int) else 0.0, currency)
        self.speed.show_chart(draw_speed, data)
        self.marginal.show_chart(draw_marginal, data)
        self.sequence.show_chart(draw_curve, CurveData(found.sequence, "sequence", currency))
        self.batch.show_chart(draw_curve, CurveData(found.batch, "batch", currency))

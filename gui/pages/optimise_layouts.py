"""Layouts of the plan's cluster: speed against memory, the fastest to take, and why the rest cannot run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.plan import Plan, get_value
from engine.results import Change, Estimate, LayoutOption, LayoutReport
from gui.charts.canvas import ChartView
from gui.charts.layouts import LayoutsData, draw_layouts
from gui.charts.worker import ChartWorker
from gui.formatting import duration_seconds, number, percent, quantity
from gui.i18n import language, tr, trn
from gui.models.layouts import layout_text
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

LISTED = 10


class LayoutsView(QWidget):
    """Chart at the left, the fastest layouts at the right. `use_requested` carries changes."""

    use_requested = Signal(object)

    def __init__(self, worker: ChartWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        self.chart = ChartView(worker, tr("Speed and memory of the layouts"))
        row.addWidget(self.chart, 1)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(12)
        row.addWidget(quiet_scroll_area(content, ground="window"), 1)

    def show_report(self, report: LayoutReport | None, plan: Plan, now: Estimate | None) -> None:
        """Show the layouts of another search; None for a plan that has none."""
        clear_layout(self._column)
        if report is None:
            self.chart.show_message(tr("Only training plans have layouts to search."))
            return
        capacity = now.metric("memory_capacity_gib") if now is not None else None
        self.chart.show_chart(draw_layouts, LayoutsData(report, capacity))
        self._column.addWidget(self._fastest_card(report, plan))
        self._column.addWidget(reasons_card(report.excluded, _counted(report)))
        self._column.addStretch(1)

    def set_stale(self, stale: bool) -> None:
        """Say that the layouts are those from before the last edit."""
        self.chart.set_stale(stale)

    def _fastest_card(self, report: LayoutReport, plan: Plan) -> Card:
        lang = language()
        card = Card(tr("Fastest layouts"), note=_bound_text(report))
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        heads = ("", tr("Step time"), tr("tokens/s/GPU"), tr("Memory"))
        for column, head in enumerate(heads):
            grid.addWidget(Label(head, size="hint", role="muted"), 0, column, Qt.AlignmentFlag.AlignRight)
        for place, option in enumerate(report.fastest[:LISTED], start=1):
            grid.addWidget(Label(layout_text(option.settings, lang), size="hint", wrap=True), place, 0)
            figures = (
                duration_seconds(option.step_time_s, lang),
                number(option.tokens_per_s_per_gpu, lang, 4),
                quantity(option.memory_gib, "GiB", lang),
            )
            for column, text in enumerate(figures, start=1):
                grid.addWidget(Label(text), place, column, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(self._use_button(option, plan, place), place, 4)
        grid.setColumnStretch(0, 1)
        card.body.addLayout(grid)
        return card

    def _use_button(self, option: LayoutOption, plan: Plan, place: int) -> Button:
        changes = tuple(
            Change(path=path, before=get_value(plan, path), after=value)
            for path, value in option.settings.items()
            if get_value(plan, path) != value
        )
        button = Button(tr("Use this"), small=True)
        button.setAccessibleName(tr("Use layout {place}").format(place=place))
        button.setEnabled(bool(changes))
        button.clicked.connect(lambda: self.use_requested.emit(changes))
        return button


def _bound_text(report: LayoutReport) -> str:
    if report.gap is None:
        return ""
    return tr("{gap} above the arithmetic alone").format(gap=percent(report.gap, language(), 2))


def _counted(report: LayoutReport) -> str:
    counted = trn("{count} layout evaluated", "{count} layouts evaluated", report.evaluated)
    return counted.format(count=number(report.evaluated, language()))


def reasons_card(excluded: Mapping[str, int], note: str) -> Card:
    """What a search left out, by reason, the most frequent first."""
    card = Card(tr("Left out"), note=note)
    if not excluded:
        card.body.addWidget(Label(tr("Nothing."), role="muted"))
    grid = QGridLayout()
    for row, (reason, count) in enumerate(sorted(excluded.items(), key=lambda pair: -pair[1])):
        grid.addWidget(Label(tr(reason), wrap=True), row, 0)
        grid.addWidget(Label(number(count, language()), bold=True), row, 1, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    card.body.addLayout(grid)
    return card

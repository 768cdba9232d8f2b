"""Validation: how far the models are off on published measurements, by group, with the worst rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.errors import FlopwiseError
from engine.validation.results import ErrorSummary, ValidationResult
from gui.charts.accuracy import AccuracyData, draw_accuracy, metrics_of, rows_of
from gui.charts.canvas import ChartView
from gui.formatting import number, percent
from gui.i18n import language, render, tr, trn
from gui.models.words import METRIC_WORDS, VALIDATION_WORDS, group_text, word
from gui.services.validating import Validated, validate_file, validate_shipped
from gui.shell.engine_runner import Failure
from gui.widgets.buttons import Button, Segmented
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

if TYPE_CHECKING:
    from gui.shell.session import Session

JOB = "validation"
FITTED, UNSEEN = "fitted", "unseen"
WORST = 8
_MARGIN = 16


class ValidationPage(QWidget):
    """One table of measurements at a time: the scatter at the left, errors by group and worst rows beside."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: dict[str, Validated] = {}
        lang = language()
        kinds = [(key, word(VALIDATION_WORDS, key, lang)) for key in VALIDATION_WORDS]
        self.kind = Segmented(tr("Measurements"), kinds, kinds[0][0])
        self.fit = Segmented(
            tr("Constants"),
            [(UNSEEN, tr("Fitted without the source")), (FITTED, tr("As shipped"))],
            UNSEEN,
        )
        self.metric_box = QComboBox()
        self.metric_box.setAccessibleName(tr("Metric"))
        self.metric_box.setMinimumWidth(200)
        self.metric_box.activated.connect(lambda _index: self._draw())
        self._drawn: ValidationResult | None = None
        self.own = Button(tr("Validate an own table"))
        self.message = Label(role="muted", wrap=True)
        self.chart = ChartView(session.chart_worker, tr("Measured against predicted"))
        self._build()
        self.kind.changed.connect(self.show_kind)
        self.fit.changed.connect(self._show_fit)
        self.own.clicked.connect(self.ask_file)

    def title(self) -> str:
        """Name of the page in the navigation."""
        return tr("Validation")

    def _build(self) -> None:
        page = QVBoxLayout(self)
        page.setContentsMargins(_MARGIN, 12, _MARGIN, _MARGIN)
        page.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Label(self.title(), size="title", bold=True))
        head.addWidget(self.kind)
        head.addStretch(1)
        head.addWidget(self.own)
        page.addLayout(head)
        second = QHBoxLayout()
        second.setSpacing(12)
        second.addWidget(self.fit)
        second.addWidget(self.metric_box)
        second.addWidget(self.message, 1)
        page.addLayout(second)
        row = QHBoxLayout()
        row.setSpacing(_MARGIN)
        row.addWidget(self.chart, 5)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(12)
        row.addWidget(quiet_scroll_area(content, ground="window"), 4)
        page.addLayout(row, 1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._found:
            self.show_kind(self.kind.current() or next(iter(VALIDATION_WORDS)))

    # Acting.

    def show_kind(self, kind: object) -> None:
        """Show one of the shipped tables; it is computed when it is first asked for."""
        key = str(kind)
        self.kind.set_current(key)
        if key in self._found:
            self._show(key)
            return
        self._say(tr("Predicting every row…"))
        self._session.runner.submit(JOB, lambda job: (key, validate_shipped(key)), self._take)

    def ask_file(self) -> None:
        """Ask for a table with the columns of the shown one and hold it against the models."""
        chosen, _ = QFileDialog.getOpenFileName(
            self, tr("Validate an own table"), "", tr("Tables of measurements (*.csv)")
        )
        if chosen:
            self.validate_own(Path(chosen))

    def validate_own(self, path: Path) -> None:
        """Hold a file against the models; it must have the columns of the shown table."""
        kind = self.kind.current() or "training"
        self._say(tr("Predicting every row…"))
        self._session.runner.submit(JOB, lambda job: _answer(kind, path), self._take)

    def _show_fit(self, _key: object) -> None:
        self._show(self.kind.current() or "")

    def _take(self, outcome: Any) -> None:
        if isinstance(outcome, Failure):
            self._say(tr("The table could not be validated: {problem}").format(problem=outcome.text))
        elif isinstance(outcome, str):
            self._say(f"■ {outcome}")
        else:
            key, found = outcome
            self._found[key] = found
            self._show(key)

    # Showing.

    def _say(self, text: str) -> None:
        self.fit.hide()
        self.metric_box.hide()
        self.message.setText(text)
        self.chart.show_message(text)
        clear_layout(self._column)

    def _show(self, key: str) -> None:
        validated = self._found.get(key)
        if validated is None:
            return
        self.fit.setVisible(validated.unseen is not None)
        unseen = validated.unseen if self.fit.current() == UNSEEN else None
        found = unseen or validated.result
        self.message.setText(_counted(validated))
        metrics = metrics_of(found)
        clear_layout(self._column)
        if not metrics:
            self.chart.show_message(tr("No row has a measurement."))
            return
        self._offer(metrics)
        self._drawn = found
        self._column.addWidget(_groups_card(found))
        if validated.result.calibrated and unseen is None:
            card = _summary_card(tr("The same rows otherwise"), validated.result.calibrated)
            self._column.addWidget(card)
        holder = QWidget()
        self._worst = QVBoxLayout(holder)
        self._worst.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(holder)
        self._column.addStretch(1)
        self._draw()

    def _offer(self, metrics: Sequence[str]) -> None:
        """Let the reader choose among the metrics of a table that has several."""
        lang = language()
        self.metric_box.clear()
        for name in metrics:
            self.metric_box.addItem(word(METRIC_WORDS, name, lang), name)
        self.metric_box.setVisible(len(metrics) > 1)

    def _draw(self) -> None:
        found, metric = self._drawn, self.metric_box.currentData()
        if found is None or metric is None:
            return
        self.chart.show_chart(draw_accuracy, AccuracyData(found, metric))
        clear_layout(self._worst)
        self._worst.addWidget(_worst_card(found, metric))


def _answer(kind: str, path: Path) -> tuple[str, Validated] | str:
    try:
        return kind, validate_file(kind, path)
    except FlopwiseError as error:
        return render(error.message)


def _counted(validated: Validated) -> str:
    lang, result = language(), validated.result
    return tr("{source}: {rows} rows, {predicted} predicted, {skipped} left out").format(
        source=validated.source,
        rows=number(result.rows, lang),
        predicted=number(result.predicted, lang),
        skipped=number(len(result.skipped), lang),
    )


def _groups_card(found: ValidationResult) -> Card:
    return _summary_card(tr("Errors by group"), {tr("Scored rows"): found.overall, **found.groups}, wide=True)


def _summary_card(title: str, groups: Mapping[str, ErrorSummary], *, wide: bool = False) -> Card:
    lang = language()
    card = Card(title, note=tr("error = predicted / measured − 1") if wide else "")
    grid = QGridLayout()
    grid.setHorizontalSpacing(14)
    grid.setVerticalSpacing(3)
    for column, head in enumerate((tr("rows"), tr("median"), tr("p90"), tr("in band")), start=1):
        grid.addWidget(Label(head, size="hint", role="muted"), 0, column, Qt.AlignmentFlag.AlignRight)
    for row, (name, group) in enumerate(groups.items(), start=1):
        grid.addWidget(Label(group_text(name, lang), bold=row == 1 and wide, wrap=True), row, 0)
        cells = (
            number(group.n, lang),
            percent(group.median_abs_error, lang, 2),
            percent(group.p90_abs_error, lang, 2),
            percent(group.in_band, lang, 2) if group.in_band else "–",
        )
        for column, text in enumerate(cells, start=1):
            grid.addWidget(Label(text), row, column, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    card.body.addLayout(grid)
    return card


def _worst_card(found: ValidationResult, metric: str) -> Card:
    lang = language()
    rows = sorted(rows_of(AccuracyData(found, metric)), key=lambda row: -abs(row.error or 0.0))[:WORST]
    count = trn("{count} row", "{count} rows", len(rows)).format(count=len(rows))
    card = Card(tr("Worst rows"), note=count)
    grid = QGridLayout()
    grid.setHorizontalSpacing(14)
    for place, row in enumerate(rows):
        error = row.error or 0.0
        cells: Sequence[str] = (
            row.id,
            number(row.measured, lang, 4),
            number(row.predicted, lang, 4),
            f"{'+' if error > 0 else ''}{percent(error, lang, 2)}",
        )
        for column, text in enumerate(cells):
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            grid.addWidget(Label(text, bold=column == 3), place, column, side)
    grid.setColumnStretch(0, 1)
    card.body.addLayout(grid)
    return card

"""Measured against predicted on logarithmic axes, with the line of a perfect prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.validation.results import RowResult, ValidationResult
from gui.charts.axes import label_axes, log_ticks, new_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import number, percent
from gui.i18n import translator
from gui.models.words import METRIC_UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SPREADS = (0.1, 0.25)


@dataclass(frozen=True, slots=True)
class AccuracyData:
    """Rows of one metric to draw."""

    found: ValidationResult
    metric: str


def draw_accuracy(figure: Figure, data: AccuracyData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw every scored row of the metric; dashed lines are 10 % and 25 % away from perfect."""
    axes, words = new_axes(figure, style), translator(lang)
    unit = words.tr(METRIC_UNITS.get(data.metric, data.metric))
    label_axes(
        axes,
        style,
        x=words.tr("measured, {unit}").format(unit=unit),
        y=words.tr("predicted, {unit}").format(unit=unit),
    )
    rows = rows_of(data)
    if rows:
        _draw(axes, rows, style, lang)
    return _table(data, rows, lang)


def rows_of(data: AccuracyData) -> list[RowResult]:
    """The scored rows of the metric that have a measurement."""
    return [row for row in data.found.per_row if row.scored and row.measured and row.metric == data.metric]


def metrics_of(found: ValidationResult) -> list[str]:
    """Metrics that have scored rows, those with most rows first."""
    names = [row.metric for row in found.per_row if row.scored and row.measured]
    return sorted(set(names), key=lambda name: -names.count(name))


def _draw(axes: Axes, rows: Sequence[RowResult], style: ChartStyle, lang: str) -> None:
    measured = [row.measured or 1.0 for row in rows]
    predicted = [row.predicted for row in rows]
    low, high = min(*measured, *predicted) / 1.3, max(*measured, *predicted) * 1.3
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.plot([low, high], [low, high], color=style.theme.text, linewidth=1)
    for spread in _SPREADS:
        for factor in (1.0 + spread, 1.0 / (1.0 + spread)):
            ends = [low * factor, high * factor]
            axes.plot([low, high], ends, color=style.theme.muted, linewidth=0.7, linestyle=DASHED)
    axes.plot(measured, predicted, "o", color=style.series(0), markersize=style.points(5), alpha=0.55)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    log_ticks(axes, low, high, lang)
    ticks = axes.get_xticks()
    axes.set_yticks(ticks, [number(value, lang, 3) for value in ticks])
    axes.yaxis.set_minor_locator(axes.xaxis.get_minor_locator())


def _table(data: AccuracyData, rows: Sequence[RowResult], lang: str) -> ChartTable:
    words = translator(lang)
    unit = METRIC_UNITS.get(data.metric, "")
    errors = sorted(abs(row.error or 0.0) for row in rows)
    title = words.tr("Measured against predicted")
    if errors:
        half = percent(errors[len(errors) // 2], lang, 2)
        title = words.tr("Half the rows are within {share}").format(share=half)
    return ChartTable(
        title=title,
        note=words.tr("line: perfect; dashed: 10 % and 25 % away"),
        columns=(
            Column(words.tr("Row")),
            Column(words.tr("Measured"), unit),
            Column(words.tr("Predicted"), unit),
            Column(words.tr("Error"), "share"),
        ),
        rows=tuple((row.id, row.measured, row.predicted, row.error) for row in rows),
        marks=tuple(
            Mark(row.measured or 0.0, row.predicted, f"{row.id}: {percent(row.error, lang, 2)}")
            for row in rows
        ),
    )

"""How a run scales over cluster sizes: speed against the ideal, and what one more accelerator adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import Scaling, ScalingPoint
from gui.charts.axes import count_ticks, label_axes, label_point, new_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import number, percent
from gui.i18n import translator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class ScalingData:
    """Scaling to draw, and the plan's own cluster size."""

    scaling: Scaling
    now: float
    currency: str


def draw_speed(figure: Figure, data: ScalingData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the speed of a GPU over cluster sizes: at the plan's batch, at a growing batch, and the ideal."""
    axes, words = new_axes(figure, style), translator(lang)
    label_axes(axes, style, x=words.tr("GPUs"), y=words.tr("tokens/s/GPU"))
    scaling = data.scaling
    lines = ((scaling.weak, 1, words.tr("batch grows")), (scaling.strong, 0, words.tr("same batch")))
    for points, series, name in lines:
        if points:
            sizes, speeds = _sizes(points), _speeds(points)
            axes.plot(sizes, speeds, "o-", color=style.series(series), linewidth=1.8, markersize=4)
            offset = (0.0, style.points(8 if series else -8))
            va = "bottom" if series else "top"
            label_point(axes, name, (sizes[-1], speeds[-1]), offset, style, "text", ha="right", va=va)
    if scaling.strong:
        ideal = _speeds(scaling.strong)[0]
        axes.axhline(ideal, color=style.theme.muted, linewidth=1, linestyle=DASHED)
        axes.set_ylim(0.0, 1.35 * max(_speeds((*scaling.strong, *scaling.weak))))
        _log_axes(axes, _sizes(scaling.strong), lang)
    note = words.tr("dashed: every GPU as fast as at the start")
    return _table(data, _speed_finding(data, lang), note, lang)


def draw_marginal(figure: Figure, data: ScalingData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw what one more accelerator adds, in per cent of the mean one, at the plan's batch."""
    axes, words = new_axes(figure, style), translator(lang)
    label_axes(axes, style, x=words.tr("GPUs"), y=words.tr("value of one more GPU"))
    points = [point for point in data.scaling.strong if point.marginal is not None]
    if points:
        sizes, values = _sizes(points), [100.0 * (point.marginal or 0.0) for point in points]
        axes.plot(sizes, values, "o-", color=style.series(0), linewidth=1.8, markersize=4)
        axes.axhline(100.0, color=style.theme.muted, linewidth=1, linestyle=DASHED)
        axes.set_ylim(min(0.0, *values), max(120.0, *values))
        axes.yaxis.set_major_formatter(lambda value, _: percent(value / 100.0, lang))
        _log_axes(axes, sizes, lang)
    note = words.tr("speed one more GPU adds, relative to the mean GPU; same batch")
    return _table(data, _marginal_finding(points, lang), note, lang)


def _sizes(points: Sequence[ScalingPoint]) -> list[float]:
    return [float(point.accelerators) for point in points]


def _speeds(points: Sequence[ScalingPoint]) -> list[float]:
    return [point.tokens_per_s / point.accelerators for point in points]


def _log_axes(axes: Axes, sizes: Sequence[float], lang: str) -> None:
    axes.set_xscale("log")
    if len(sizes) > 1:
        room = (sizes[-1] / sizes[0]) ** 0.06
        axes.set_xlim(sizes[0] / room, sizes[-1] * room)
    count_ticks(axes, sizes, lang)


def _speed_finding(data: ScalingData, lang: str) -> str:
    words, points = translator(lang), data.scaling.strong
    if len(points) < 2:
        return words.tr("Speed against cluster size")
    last = points[-1]
    share, size = percent(last.efficiency, lang, 2), number(last.accelerators, lang)
    return words.tr("{size} GPUs run at {share} of the ideal").format(size=size, share=share)


def _marginal_finding(points: Sequence[ScalingPoint], lang: str) -> str:
    words = translator(lang)
    if not points:
        return words.tr("Value of one more GPU")
    poor = next((point for point in points if (point.marginal or 0.0) < 0.8), None)
    if poor is None:
        return words.tr("Every GPU up to {size} adds at least 80 %").format(
            size=number(points[-1].accelerators, lang)
        )
    return words.tr("Beyond {size} GPUs one more adds less than 80 %").format(
        size=number(poor.accelerators, lang)
    )


def _table(data: ScalingData, title: str, note: str, lang: str) -> ChartTable:
    words = translator(lang)
    named = ((words.tr("same batch"), data.scaling.strong), (words.tr("batch grows"), data.scaling.weak))
    rows = tuple(
        (
            name,
            float(point.accelerators),
            point.global_batch_tokens,
            point.tokens_per_s,
            point.efficiency,
            point.marginal,
            point.total,
            None if point.duration_h is None else point.duration_h / 24.0,
        )
        for name, points in named
        for point in points
    )
    return ChartTable(
        title=title,
        note=note,
        columns=(
            Column(words.tr("Scaling")),
            Column(words.tr("GPUs")),
            Column(words.tr("Batch"), "tokens"),
            Column(words.tr("Speed"), "tokens/s"),
            Column(words.tr("Efficiency"), "share"),
            Column(words.tr("One more GPU"), "share"),
            Column(words.tr("Total"), "currency"),
            Column(words.tr("Run time"), "d"),
        ),
        rows=rows,
        marks=tuple(
            Mark(
                point.accelerators,
                point.tokens_per_s / point.accelerators,
                words.tr("{size} GPUs: {share} of the ideal").format(
                    size=number(point.accelerators, lang), share=percent(point.efficiency, lang, 2)
                ),
            )
            for point in data.scaling.strong
        ),
        currency=data.currency,
    )

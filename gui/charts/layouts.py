"""Speed against memory of the parallel layouts of one cluster, with those no other layout beats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import LayoutOption, LayoutReport
from gui.charts.axes import label_axes, label_point, new_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import number, percent, quantity
from gui.i18n import translator
from gui.models.layouts import layout_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class LayoutsData:
    """Layouts to draw and the accelerator's memory [GiB], None when it is not known."""

    report: LayoutReport
    capacity_gib: float | None = None


def draw_layouts(figure: Figure, data: LayoutsData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the fastest layouts, the frontier of memory and speed, and the plan's own layout."""
    axes = new_axes(figure, style)
    words, report = translator(lang), data.report
    label_axes(axes, style, x=words.tr("memory of a GPU, GiB"), y=words.tr("tokens/s/GPU"))
    if not report.fastest:
        return _table(data, lang)
    frontier, others = report.frontier, report.fastest
    axes.plot(
        [item.memory_gib for item in others],
        [item.tokens_per_s_per_gpu for item in others],
        "o",
        color=style.theme.muted,
        markersize=style.points(5),
        alpha=0.8,
    )
    steps = sorted(frontier, key=lambda item: item.memory_gib)
    axes.plot(
        [item.memory_gib for item in steps],
        [item.tokens_per_s_per_gpu for item in steps],
        "o-",
        color=style.series(0),
        linewidth=1.6,
        markersize=style.points(6),
    )
    axes.set_ylim(0.0, 1.25 * max(item.tokens_per_s_per_gpu for item in (*others, *frontier)))
    axes.set_xlim(left=0.0)
    _draw_capacity(axes, data, style, lang)
    _draw_named(axes, report, style, lang)
    return _table(data, lang)


def _draw_capacity(axes: Axes, data: LayoutsData, style: ChartStyle, lang: str) -> None:
    if data.capacity_gib is None:
        return
    axes.set_xlim(0.0, 1.08 * data.capacity_gib)
    axes.axvline(data.capacity_gib, color=style.theme.text, linewidth=1, linestyle=DASHED)
    axes.text(
        data.capacity_gib,
        0.02,
        translator(lang).tr("memory of the GPU") + " ",
        transform=axes.get_xaxis_transform(),
        ha="right",
        va="bottom",
        **style.text("text", 10.5),
    )


def _draw_named(axes: Axes, report: LayoutReport, style: ChartStyle, lang: str) -> None:
    words, best = translator(lang), report.fastest[0]
    axes.plot(
        best.memory_gib, best.tokens_per_s_per_gpu, "D", color=style.theme.saving, markersize=style.points(11)
    )
    _label(axes, best, words.tr("fastest"), (0, 10), "saving", style, lang)
    now = report.now
    if now is None:
        return
    axes.plot(
        now.memory_gib,
        now.tokens_per_s_per_gpu,
        "o",
        markerfacecolor=style.theme.surface,
        markeredgecolor=style.theme.text,
        markeredgewidth=1.8,
        markersize=style.points(11),
        zorder=5,
    )
    if now.settings != best.settings:
        _label(axes, now, words.tr("now"), (0, -10), "text", style, lang)


def _label(
    axes: Axes,
    item: LayoutOption,
    name: str,
    offset: tuple[float, float],
    role: str,
    style: ChartStyle,
    lang: str,
) -> None:
    point = (item.memory_gib, item.tokens_per_s_per_gpu)
    share = axes.transAxes.inverted().transform(axes.transData.transform(point))[0]
    label_point(
        axes,
        f"{name} {number(item.tokens_per_s_per_gpu, lang, 4)}",
        point,
        (offset[0], style.points(offset[1])),
        style,
        role,
        va="top" if offset[1] < 0 else "bottom",
        ha="left" if share < 0.15 else "right" if share > 0.8 else "center",
    )


def _table(data: LayoutsData, lang: str) -> ChartTable:
    words, report = translator(lang), data.report
    shown = {repr(item.settings): item for item in (*report.fastest, *report.frontier)}
    leads = {repr(item.settings) for item in report.frontier}
    ordered = sorted(shown.items(), key=lambda pair: pair[1].step_time_s)
    return ChartTable(
        title=_finding(report, lang),
        note=words.tr("dots: the fastest layouts; line: none is faster with less memory"),
        columns=(
            Column(words.tr("Layout")),
            Column(words.tr("Step time"), "s"),
            Column(words.tr("Speed"), "tokens/s/GPU"),
            Column(words.tr("Memory"), "GiB"),
            Column(words.tr("On the frontier")),
        ),
        rows=tuple(
            (
                layout_text(item.settings, lang),
                item.step_time_s,
                item.tokens_per_s_per_gpu,
                item.memory_gib,
                words.tr("yes") if key in leads else "",
            )
            for key, item in ordered
        ),
        marks=tuple(
            Mark(
                item.memory_gib,
                item.tokens_per_s_per_gpu,
                f"{layout_text(item.settings, lang)}: {quantity(item.memory_gib, 'GiB', lang)}",
            )
            for _, item in ordered
        ),
    )


def _finding(report: LayoutReport, lang: str) -> str:
    words, now = translator(lang), report.now
    if not report.fastest:
        return words.tr("No layout fits")
    best = report.fastest[0]
    if now is None or best.tokens_per_s_per_gpu <= now.tokens_per_s_per_gpu * 1.001:
        return words.tr("No layout beats the plan's")
    share = percent(best.tokens_per_s_per_gpu / now.tokens_per_s_per_gpu - 1.0, lang, 2)
    return words.tr("The fastest layout is {share} faster").format(share=share)

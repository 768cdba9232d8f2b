"""A service's week: load on top, below it the instances as planned, at a static peak and by the hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import ServiceWeek
from gui.charts.axes import frame, label_axes, legend_above
from gui.charts.style import DASHED, DOTTED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import compact, number, percent, quantity, unit_label, weekday
from gui.i18n import translator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HOURS, _DAYS = 24, 7
_AREA = 0.22
_SAVES = 0.005
_HEADROOM = 1.12


@dataclass(frozen=True, slots=True)
class WeekData:
    """The week of a service."""

    week: ServiceWeek


def draw_week(figure: Figure, data: WeekData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw 168 hours of load and of instances by three ways of running them."""
    figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.04)
    figure.set_facecolor(style.theme.surface)
    load, fleet = figure.subplots(2, 1, sharex=True, height_ratios=(2, 3))
    words, week = translator(lang), data.week
    for axes in (load, fleet):
        frame(axes, style)
        for day in range(1, _DAYS):
            axes.axvline(day * _HOURS, color=style.theme.line, linewidth=0.6)
    load.plot(range(len(week.requests_per_s)), week.requests_per_s, color=style.series(1), linewidth=1.5)
    load.set_ylim(0.0, max(week.requests_per_s) * 1.15)
    load.tick_params(labelbottom=False)
    label_axes(load, style, y=unit_label("requests/s", "", lang))
    _draw_fleet(fleet, week, style, lang)
    legend_above(figure, fleet, style)
    label_axes(fleet, style, y=words.tr("instances"), x=words.tr("hours from Monday 00:00 UTC"))
    figure.align_ylabels()
    fleet.set_xlim(0, _DAYS * _HOURS)
    middles = [day * _HOURS + _HOURS / 2 for day in range(_DAYS)]
    fleet.set_xticks(middles, [weekday(day, lang) for day in range(_DAYS)], fontsize=style.points(11))
    fleet.tick_params(axis="x", length=0)
    return _table(week, lang)


def _draw_fleet(axes: Axes, week: ServiceWeek, style: ChartStyle, lang: str) -> None:
    from matplotlib.ticker import MaxNLocator

    words = translator(lang)
    edges = list(range(len(week.planned) + 1))
    axes.stairs(
        week.planned,
        edges,
        fill=True,
        color=style.series(0),
        alpha=_AREA,
        linewidth=0,
        label=words.tr("plan"),
    )
    lines = (
        (week.static, words.tr("static peak"), style.series(0), DASHED, 1.4),
        (week.autoscaled, words.tr("autoscaled"), style.series(2), "-", 1.6),
        (week.needed, words.tr("needed in the hour"), style.theme.text, DOTTED, 1.2),
    )
    for values, name, colour, dashes, width in lines:
        axes.stairs(values, edges, baseline=None, color=colour, linestyle=dashes, linewidth=width, label=name)
    axes.set_ylim(0.0, max(*week.planned, *week.static) * _HEADROOM)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))


def _finding(week: ServiceWeek, lang: str) -> str:
    words = translator(lang)
    if week.saved_share < _SAVES:
        return words.tr("Autoscaling saves no instance hours")
    share = percent(week.saved_share, lang, 2)
    if week.autoscale:
        return words.tr("Autoscaling saves {share} of the instance hours").format(share=share)
    return words.tr("Autoscaling would save {share} of the instance hours").format(share=share)


def _note(week: ServiceWeek, lang: str) -> str:
    words = translator(lang)
    saved = words.tr("{hours} instance hours over the horizon").format(
        hours=compact(week.saved_instance_hours, lang)
    )
    lead = words.tr("starting {time} ahead costs {hours}").format(
        time=quantity(week.cold_start_s, "s", lang), hours=compact(week.lead_instance_hours, lang)
    )
    return words.tr("; ").join([saved, lead, words.tr("busiest month")])


def _table(week: ServiceWeek, lang: str) -> ChartTable:
    words = translator(lang)
    rows, marks = [], []
    for hour, load in enumerate(week.requests_per_s):
        when = f"{weekday(hour // _HOURS, lang)} {hour % _HOURS:02d}:00"
        planned, busy = week.planned[hour], week.utilisation[hour]
        rows.append(
            (
                when,
                load,
                planned,
                planned * week.gpus_per_instance,
                week.static[hour],
                week.autoscaled[hour],
                week.needed[hour],
                max(planned - week.needed[hour], 0.0),
                busy,
            )
        )
        said = words.tr("{when}: {load} requests/s, {count} instances, {share} used").format(
            when=when, load=number(load, lang, 3), count=number(planned, lang), share=percent(busy, lang, 2)
        )
        marks.append(Mark(hour + 0.5, planned, said, axes=1))
    return ChartTable(
        title=_finding(week, lang),
        note=_note(week, lang),
        columns=(
            Column(words.tr("Hour (UTC)")),
            Column(words.tr("Load"), "requests/s"),
            Column(words.tr("Plan"), "instances"),
            Column(words.tr("GPUs")),
            Column(words.tr("Static peak"), "instances"),
            Column(words.tr("Autoscaled"), "instances"),
            Column(words.tr("Needed"), "instances"),
            Column(words.tr("Beyond need"), "instances"),
            Column(words.tr("Utilisation"), "share"),
        ),
        rows=tuple(rows),
        marks=tuple(marks),
    )

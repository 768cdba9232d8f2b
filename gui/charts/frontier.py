"""Cost against time of all candidates, with the frontier no other candidate beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import Candidate, Optimisation
from gui.charts.axes import Scale, label_axes, label_point, log_ticks, money_axis, money_scale, new_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import duration_hours, money_short, number
from gui.i18n import translator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE = 4.0


@dataclass(frozen=True, slots=True)
class FrontierData:
    """A search to draw. `by_size` puts accelerators on the x axis: a service always runs its horizon."""

    found: Optimisation
    currency: str
    deadline_days: float | None = None
    budget: float | None = None
    by_size: bool = False


def draw_frontier(figure: Figure, data: FrontierData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw every candidate, the stepped frontier, the plan as it stands and the best."""
    axes = new_axes(figure, style)
    everything = _all(data.found)
    totals = [item.total for item in everything]
    scale = money_scale(0.0, max(totals), data.currency, lang)
    xs = [_x(data, item) for item in everything]
    _limits(axes, xs, totals, data, scale)
    axes.plot(
        xs,
        [t / scale.unit for t in totals],
        "o",
        color=style.theme.muted,
        markersize=style.points(5),
        alpha=0.8,
    )
    _draw_frontier_line(axes, data, scale, style)
    _draw_limits(axes, data, scale, style, lang)
    _draw_named(axes, data, scale, style, lang)
    if axes.get_xscale() == "log":
        log_ticks(axes, *axes.get_xlim(), lang=lang)
    money_axis(axes, scale, style, lang, name=translator(lang).tr("total"))
    words = translator(lang)
    label_axes(axes, style, x=words.tr("GPUs at the peak") if data.by_size else words.tr("run time, d"))
    return _table(everything, data, scale, lang)


def _all(found: Optimisation) -> list[Candidate]:
    return sorted(found.candidates, key=lambda item: (item.duration_h, item.total))


def _x(data: FrontierData, item: Candidate) -> float:
    if not data.by_size:
        return item.duration_h / 24.0
    return float("nan") if item.accelerators is None else item.accelerators


def _now(data: FrontierData) -> Candidate | None:
    return next((item for item in data.found.candidates if not item.changes), None)


def _limits(
    axes: Axes, xs: Sequence[float], totals: Sequence[float], data: FrontierData, scale: Scale
) -> None:
    low, high = min(xs), max(xs)
    if low > 0 and high / low > _WIDE:
        axes.set_xscale("log")
        axes.set_xlim(low / 1.5, high * 1.5)
    else:
        pad = 0.2 * (high - low) or 0.3 * high
        axes.set_xlim(max(0.0, low - pad), high + pad)
    bottom, top = min(totals), max(totals)
    pad = 0.4 * (top - bottom) or 0.1 * top
    axes.set_ylim(max(0.0, bottom - pad) / scale.unit, (top + pad) / scale.unit)


def _draw_frontier_line(axes: Axes, data: FrontierData, scale: Scale, style: ChartStyle) -> None:
    steps = sorted(data.found.pareto, key=lambda item: _x(data, item))
    if data.by_size or not steps:
        return
    xs, ys = [_x(data, item) for item in steps], [item.total / scale.unit for item in steps]
    axes.step([*xs, axes.get_xlim()[1]], [*ys, ys[-1]], where="post", color=style.series(0), linewidth=1.6)
    axes.plot(xs, ys, "o", color=style.series(0), markersize=style.points(8))


def _draw_limits(axes: Axes, data: FrontierData, scale: Scale, style: ChartStyle, lang: str) -> None:
    words = translator(lang)
    if data.deadline_days is not None and not data.by_size and data.deadline_days > axes.get_xlim()[0]:
        right = axes.get_xlim()[1]
        if data.deadline_days < right:
            axes.axvspan(data.deadline_days, right, color=style.theme.raised, linewidth=0, zorder=0)
            axes.axvline(data.deadline_days, color=style.theme.text, linewidth=1, linestyle=DASHED)
            axes.annotate(
                words.tr("deadline") + "\n" + duration_hours(data.deadline_days * 24.0, lang),
                (data.deadline_days, 0.99),
                (style.points(5), 0),
                xycoords=axes.get_xaxis_transform(),
                textcoords="offset points",
                va="top",
                linespacing=1.25,
                **style.text("text", 10.5),
            )
    if data.budget is not None and axes.get_ylim()[0] < data.budget / scale.unit < axes.get_ylim()[1]:
        axes.axhline(data.budget / scale.unit, color=style.theme.text, linewidth=1, linestyle=DASHED)
        axes.text(
            0.995,
            data.budget / scale.unit,
            words.tr("budget"),
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="bottom",
            **style.text("text", 10.5),
        )


def _draw_named(axes: Axes, data: FrontierData, scale: Scale, style: ChartStyle, lang: str) -> None:
    words, best, now = translator(lang), data.found.best, _now(data)
    fastest = min(data.found.candidates, key=lambda item: (_x(data, item), item.total))
    if (
        fastest.changes != best.changes
        and (now is None or fastest.changes != now.changes)
        and not data.by_size
    ):
        _label(axes, data, fastest, words.tr("fastest"), (0, 10), "accent", scale, style, lang)
    axes.plot(
        _x(data, best),
        best.total / scale.unit,
        "D",
        color=style.theme.saving,
        markersize=style.points(11),
        zorder=4,
    )
    if now is None:
        return
    axes.plot(
        _x(data, now),
        now.total / scale.unit,
        "o",
        markerfacecolor=style.theme.surface,
        zorder=5,
        markeredgecolor=style.theme.text,
        markeredgewidth=1.8,
        markersize=style.points(11),
    )
    if best.changes:
        _label(axes, data, best, words.tr("best"), (0, -10), "saving", scale, style, lang)
    _label(axes, data, now, words.tr("now"), (0, 10), "text", scale, style, lang)


def _label(
    axes: Axes,
    data: FrontierData,
    item: Candidate,
    name: str,
    offset: tuple[float, float],
    role: str,
    scale: Scale,
    style: ChartStyle,
    lang: str,
) -> None:
    where = number(item.accelerators, lang, 4) if data.by_size else duration_hours(item.duration_h, lang)
    point = (_x(data, item), item.total / scale.unit)
    share = axes.transAxes.inverted().transform(axes.transData.transform(point))[0]
    label_point(
        axes,
        f"{name} {where}\n{money_short(item.total, data.currency, lang)}",
        point,
        (offset[0], style.points(offset[1])),
        style,
        role,
        va="top" if offset[1] < 0 else "bottom",
        ha="left"
        if share < 0.12
        else "right"
        if share > 0.85 or _before_deadline(axes, data, share)
        else "center",
    )


def _before_deadline(axes: Axes, data: FrontierData, share: float) -> bool:
    """Whether a label centred at `share` of the width would run into the deadline's label."""
    if data.deadline_days is None or data.by_size:
        return False
    place = axes.transAxes.inverted().transform(axes.transData.transform((data.deadline_days, 0.0)))[0]
    return bool(0.0 < place - share < 0.3)


def _table(everything: Sequence[Candidate], data: FrontierData, scale: Scale, lang: str) -> ChartTable:
    words = translator(lang)
    rows, marks = [], []
    for item in everything:
        label = words.tr(item.label)
        rows.append(
            (
                label,
                item.accelerators,
                item.total,
                item.duration_h / 24.0,
                item.mfu,
                item.goodput,
                words.tr("yes") if item.on_frontier else "",
            )
        )
        time = duration_hours(item.duration_h, lang)
        shown = f"{label}: {money_short(item.total, data.currency, lang)}, {time}"
        marks.append(Mark(_x(data, item), item.total / scale.unit, shown))
    return ChartTable(
        title=_finding(data, lang),
        note=words.tr("dots: candidates")
        if data.by_size
        else words.tr("dots: candidates; line: the frontier"),
        columns=(
            Column(words.tr("Candidate")),
            Column(words.tr("GPUs")),
            Column(words.tr("Total"), "currency"),
            Column(words.tr("Run time"), "d"),
            Column(words.tr("MFU"), "share"),
            Column(words.tr("Goodput"), "share"),
            Column(words.tr("On the frontier")),
        ),
        rows=tuple(rows),
        marks=tuple(marks),
        currency=data.currency,
    )


def _finding(data: FrontierData, lang: str) -> str:
    words, found = translator(lang), data.found
    saved, sooner = found.baseline_total - found.best.total, found.baseline_duration_h - found.best.duration_h
    if not found.best.changes:
        return words.tr("No candidate beats the plan")
    money = money_short(abs(saved), data.currency, lang)
    if saved >= 0 and sooner > 1.0:
        time = duration_hours(sooner, lang)
        return words.tr("Best saves {saving} and {time}").format(saving=money, time=time)
    if saved >= 0:
        return words.tr("Best saves {saving}").format(saving=money)
    return words.tr("Best costs {money} more, ends {time} sooner").format(
        money=money, time=duration_hours(sooner, lang)
    )

"""Cost against one setting: the optimum, the plan's own value, and the flat region between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.optimize.curves import FLAT_MARGIN
from engine.results import Curve
from gui.charts import curve_words
from gui.charts.axes import (
    Scale,
    count_ticks,
    duration_ticks,
    frame,
    label_axes,
    label_point,
    log_ticks,
    money_axis,
    money_scale,
    new_axes,
    size_points,
)
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import duration_hours, money_short, unit_label
from gui.i18n import translator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DISCRETE_MOST = 20
_FEW = 6
_HEADROOM = 0.42
_AXES_SHARE, _GLYPH = 0.76, 0.56
"""Rough share of the width the axes take, and width of a letter in its size: enough to choose a side."""


@dataclass(frozen=True, slots=True)
class CurveData:
    """A sweep to draw. `kind` is interval, size, split or load; `deadline_h` the longest run, if any."""

    curve: Curve
    kind: str
    currency: str
    deadline_h: float | None = None


@dataclass(frozen=True, slots=True)
class _Shown:
    """The part of the sweep that is drawn, in axis units."""

    x: np.ndarray
    total: np.ndarray
    hours: np.ndarray
    low: float
    high: float
    now_total: float | None


def draw_curve(figure: Figure, data: CurveData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw total cost over a setting; cluster sizes get the run time as a second, dashed line."""
    axes = new_axes(figure, style)
    if len(data.curve.x) < 1:
        return _empty(axes, data, style, lang)
    data = replace(data, curve=within_deadline(data.curve, data.deadline_h))
    shown = _window(data.curve)
    scale = money_scale(shown.low, shown.high, data.currency, lang)
    _draw_flat(axes, data, shown, style, lang)
    marker = "o" if len(shown.x) <= _DISCRETE_MOST else None
    axes.plot(
        shown.x, shown.total / scale.unit, color=style.series(0), linewidth=1.8, marker=marker, markersize=4
    )
    axes.set_xscale("log")
    room = (shown.x[-1] / shown.x[0]) ** 0.05
    axes.set_xlim(shown.x[0] / room, shown.x[-1] * room)
    axes.set_ylim(shown.low / scale.unit, shown.high / scale.unit)
    _draw_points(axes, data, shown, scale, style, lang)
    _ticks(axes, data, shown, lang)
    money_axis(axes, scale, style, lang, name=translator(lang).tr("total"))
    label_axes(axes, style, x=curve_words.axis_name(data.curve, data.currency, lang))
    if data.kind == "size":
        _draw_late(axes, data, shown, style, lang)
        _draw_hours(axes, shown, style, lang)
    return _table(data, shown, scale, lang)


def within_deadline(curve: Curve, deadline_h: float | None) -> Curve:
    """The curve with best and flat region of what ends in time; unchanged when nothing or all does."""
    if deadline_h is None or curve.best is None:
        return curve
    x, total = np.array(curve.x), np.array(curve.total)
    in_time = np.array(curve.duration_h) <= deadline_h
    if in_time.all() or not in_time.any():
        return curve
    best = int(np.argmin(np.where(in_time, total, np.inf)))
    flat = x[in_time & (total <= total[best] * (1.0 + FLAT_MARGIN))]
    return curve.model_copy(
        update={
            "best": float(x[best]),
            "best_total": float(total[best]),
            "flat_low": float(flat.min()),
            "flat_high": float(flat.max()),
        }
    )


def total_at(curve: Curve, value: float | None) -> float | None:
    """The curve's total at a value, by interpolation over the logarithm of the setting."""
    if value is None or value <= 0 or not curve.x or not curve.x[0] <= value <= curve.x[-1]:
        return None
    return float(np.interp(np.log(value), np.log(curve.x), curve.total))


def _window(curve: Curve) -> _Shown:
    """The stretch round the best and the present setting: far ends of a sweep would flatten the rest."""
    x, total, hours = np.array(curve.x), np.array(curve.total), np.array(curve.duration_h)
    now_total = total_at(curve, curve.now)
    if curve.best_total is None:
        return _Shown(x, total, hours, 0.0, float(total.max()) * 1.12, now_total)
    best = curve.best_total
    top = max([best * 1.05] + ([now_total + 0.15 * (now_total - best)] if now_total else []))
    inside = np.flatnonzero(total <= top)
    first, last = max(0, inside[0] - 1), min(len(x) - 1, inside[-1] + 1)
    if first == last:
        first, last = max(0, first - 1), min(len(x) - 1, last + 1)
    part = slice(first, last + 1)
    if len(x) <= _FEW:
        part, top = slice(None), max(top, float(total.max()))
    elif len(x) <= _DISCRETE_MOST:
        top = max(top, float(np.median(total[part])))
    # The best that ends in time need not be the lowest point of the curve.
    lowest = min(best, float(total[part].min()))
    span = top - lowest
    return _Shown(
        x[part], total[part], hours[part], lowest - _HEADROOM * span, top + _HEADROOM * span, now_total
    )


def _draw_flat(axes: Axes, data: CurveData, shown: _Shown, style: ChartStyle, lang: str) -> None:
    low, high = data.curve.flat_low, data.curve.flat_high
    if low is None or high is None or low == high:
        return
    low, high = max(low, float(shown.x[0])), min(high, float(shown.x[-1]))
    axes.axvspan(low, high, color=style.theme.saving_tint, linewidth=0, zorder=0)
    where = axes.get_xaxis_transform()
    axes.text(
        (low * high) ** 0.5,
        0.985,
        curve_words.flat_text(data.curve, data.currency, lang),
        transform=where,
        ha="center",
        va="top",
        linespacing=1.3,
        **style.text("saving", 10.5),
    )


def _draw_points(
    axes: Axes, data: CurveData, shown: _Shown, scale: Scale, style: ChartStyle, lang: str
) -> None:
    curve, theme = data.curve, style.theme
    close = _close(curve, shown)
    if curve.best is not None and curve.best_total is not None:
        at = curve.best_total / scale.unit
        axes.plot([curve.best, curve.best], [shown.low / scale.unit, at], color=theme.saving, linewidth=1)
        axes.plot(curve.best, at, "D", color=theme.saving, markersize=style.points(11), zorder=4)
        if not close:
            side = -_now_side(curve, shown) if curve.now else 1
            text = curve_words.best_text(curve, data.currency, lang)
            _beside(axes, text, (curve.best, at), side, "saving", style)
    if curve.now is None or shown.now_total is None or not shown.x[0] <= curve.now <= shown.x[-1]:
        return
    at = shown.now_total / scale.unit
    axes.plot(
        curve.now,
        at,
        "o",
        markerfacecolor=theme.surface,
        markeredgecolor=theme.text,
        markeredgewidth=1.8,
        markersize=style.points(11),
        zorder=5,
    )
    side, text = _now_side(curve, shown), curve_words.now_text(data, shown.now_total, close=close, lang=lang)
    _beside(axes, text, (curve.now, at), side, "text", style)


def _beside(axes: Axes, text: str, at: tuple[float, float], side: int, role: str, style: ChartStyle) -> None:
    """Write beside a point: a convex curve leaves room below it, on the side away from its lowest point.

    At the edge of the axes the text turns back over the point instead.
    """
    place = axes.transAxes.inverted().transform(axes.transData.transform(at))[0]
    wide = size_points(axes)[0] * _AXES_SHARE
    needed = max(map(len, text.splitlines())) * style.points(10.5) * _GLYPH + style.points(10)
    below = needed <= wide * (1.0 - place if side > 0 else place)
    if not below:
        side = -side
    offset = (side * style.points(9), style.points(-8 if below else 8))
    label_point(
        axes,
        text,
        at,
        offset,
        style,
        role,
        ha="left" if side > 0 else "right",
        va="top" if below else "bottom",
    )


def _now_side(curve: Curve, shown: _Shown) -> int:
    """The side of the present setting that faces away from the lowest point: +1 right, -1 left."""
    assert curve.now is not None
    lowest = float(shown.x[int(np.argmin(shown.total))])
    return -1 if curve.now < lowest else 1


def _close(curve: Curve, shown: _Shown) -> bool:
    """Whether best and now are too near for two labels."""
    if curve.best is None or curve.now is None or shown.now_total is None:
        return False
    across = abs(np.log(curve.now / curve.best)) / np.log(shown.x[-1] / shown.x[0])
    up = abs(shown.now_total - (curve.best_total or 0.0)) / (shown.high - shown.low)
    return bool(across < 0.14 and up < 0.2)


def _ticks(axes: Axes, data: CurveData, shown: _Shown, lang: str) -> None:
    low, high = float(shown.x[0]), float(shown.x[-1])
    if data.curve.unit == "s":
        duration_ticks(axes, low, high, lang)
    elif len(shown.x) <= _DISCRETE_MOST:
        count_ticks(axes, [float(value) for value in shown.x], lang)
    else:
        log_ticks(axes, low, high, lang)


def _draw_late(axes: Axes, data: CurveData, shown: _Shown, style: ChartStyle, lang: str) -> None:
    """Tint the sizes that end after the deadline."""
    late = (
        []
        if data.deadline_h is None
        else [x for x, h in zip(shown.x, shown.hours, strict=True) if h > data.deadline_h]
    )
    if not late or len(late) == len(shown.x):
        return
    first_in_time = min(x for x in shown.x if x > max(late))
    edge = (max(late) * first_in_time) ** 0.5
    axes.axvspan(shown.x[0] / 2, edge, color=style.theme.raised, linewidth=0, zorder=0)
    axes.text(
        edge,
        0.985,
        translator(lang).tr("too late") + " ",
        transform=axes.get_xaxis_transform(),
        ha="right",
        va="top",
        **style.text("muted", 10.5),
    )


def _draw_hours(axes: Axes, shown: _Shown, style: ChartStyle, lang: str) -> None:
    from matplotlib.lines import Line2D  # late: the window starts without matplotlib

    other = axes.twinx()
    frame(other, style, grid=None)
    other.spines["left"].set_visible(False)
    other.spines["right"].set_visible(True)
    other.spines["right"].set_color(style.theme.edge)
    other.set_yscale("log")
    days = shown.hours / 24.0
    other.set_ylim(float(days.min()) * 0.7, float(days.max()) * 1.6)
    # Drawn among the cost's own parts, so that its labels stand over this line and the shade under it.
    line = Line2D(shown.x, days, color=style.series(1), linewidth=1.5, linestyle=DASHED, zorder=1.5)
    line.set_transform(other.transData)
    axes.add_line(line)
    ticks = [m * 10.0**e for e in range(-2, 6) for m in (1, 2, 5)]
    low, high = other.get_ylim()
    inside = [tick for tick in ticks if low <= tick <= high]
    other.set_yticks(inside, [f"{tick:g}" for tick in inside])
    other.minorticks_off()
    label_axes(other, style, y=translator(lang).tr("run time, d (dashed)"))


def _table(data: CurveData, shown: _Shown, scale: Scale, lang: str) -> ChartTable:
    words, curve = translator(lang), data.curve
    title, note = curve_words.finding(data, shown.now_total, lang)
    step = max(1, len(shown.x) // 40)
    rows = [
        (float(x), float(total), float(hours) / 24.0)
        for x, total, hours in zip(shown.x, shown.total, shown.hours, strict=True)
    ]
    marks = tuple(
        Mark(
            x,
            min(total, shown.high) / scale.unit,
            f"{curve_words.setting(curve, x, data.currency, lang)}: "
            f"{money_short(total, data.currency, lang)}, {duration_hours(days * 24.0, lang)}",
        )
        for x, total, days in rows[::step]
    )
    return ChartTable(
        title=title,
        note=note,
        columns=(
            Column(words.tr(curve.title), curve.unit),
            Column(words.tr("Total"), "currency"),
            Column(words.tr("Run time"), "d"),
        ),
        rows=tuple(rows),
        marks=marks,
        currency=data.currency,
    )


def _empty(axes: Axes, data: CurveData, style: ChartStyle, lang: str) -> ChartTable:
    words = translator(lang)
    axes.set_axis_off()
    axes.text(
        0.5,
        0.5,
        words.tr("No value of this setting is possible."),
        ha="center",
        transform=axes.transAxes,
        **style.text("muted", 12),
    )
    return ChartTable(
        words.tr(data.curve.title),
        unit_label(data.curve.unit, data.currency, lang),
        (),
        (),
        (),
        data.currency,
    )

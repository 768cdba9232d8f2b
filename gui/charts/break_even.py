"""Cost a month over traffic: self-hosted and API, where they meet, and the plan's own traffic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import BreakEven, CostCurve
from gui.charts.axes import Scale, label_axes, label_point, log_ticks, money_scale, new_axes, thinned
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short, number
from gui.i18n import translator
from gui.models.break_even import rate, verdict_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARK_EVERY = 16
_SMALLEST_SHARE = 1e-4
"""Costs below this share of the dearest are cut off: a free API has no place on a logarithmic axis."""


@dataclass(frozen=True, slots=True)
class BreakEvenData:
    """A comparison to draw; it has a curve."""

    found: BreakEven
    currency: str


def draw_break_even(figure: Figure, data: BreakEvenData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw both costs over the request rate, the crossing and today's traffic with its band."""
    axes, words, found = new_axes(figure, style), translator(lang), data.found
    curve = found.curve
    assert curve is not None
    low, high = _ends(curve)
    scale = money_scale(0.0, high, data.currency, lang)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(curve.requests_per_second[0], curve.requests_per_second[-1])
    axes.set_ylim(low / scale.unit / 1.3, high / scale.unit * 1.6)
    x = curve.requests_per_second
    own = [math.nan if value is None else value / scale.unit for value in curve.own]
    axes.plot(x, own, color=style.series(0), linewidth=1.8)
    axes.plot(
        x, [value / scale.unit for value in curve.api], color=style.series(1), linewidth=1.8, linestyle=DASHED
    )
    _draw_now(axes, found, scale, style, lang)
    _draw_crossing(axes, found, curve, scale, style, lang)
    _money_ticks(axes, scale, style, lang)
    log_ticks(axes, x[0], x[-1], lang)
    label_axes(axes, style, x=words.tr("mean request rate, requests/s"))
    return _table(data, curve, scale, lang)


def _ends(curve: CostCurve) -> tuple[float, float]:
    """Lowest and highest cost drawn."""
    values = [v for v in (*curve.own, *curve.api) if v is not None and v > 0.0]
    high = max(values, default=1.0)
    return max(min(values, default=high), high * _SMALLEST_SHARE), high


def _draw_now(axes: Axes, found: BreakEven, scale: Scale, style: ChartStyle, lang: str) -> None:
    at, theme = found.requests_per_second_now, style.theme
    axes.axvline(at, color=theme.muted, linewidth=1, linestyle=DASHED)
    if found.own_p10 is not None and found.own_p90 is not None:
        axes.plot(
            [at, at],
            [found.own_p10 / scale.unit, found.own_p90 / scale.unit],
            color=style.series(0),
            linewidth=style.points(6),
            alpha=0.35,
            solid_capstyle="butt",
        )
    if found.own_per_month:
        axes.plot(
            at,
            found.own_per_month / scale.unit,
            "o",
            markerfacecolor=theme.surface,
            markeredgecolor=theme.text,
            markeredgewidth=1.8,
            markersize=style.points(10),
        )
    # Beside the line, on the side away from the crossing.
    left = found.requests_per_second is not None and at < found.requests_per_second
    text = translator(lang).tr("now")
    top = axes.get_ylim()[1]
    offset = (style.points(-5 if left else 5), style.points(-4))
    label_point(axes, text, (at, top), offset, style, "text", ha="right" if left else "left", va="top")


def _draw_crossing(
    axes: Axes, found: BreakEven, curve: CostCurve, scale: Scale, style: ChartStyle, lang: str
) -> None:
    if found.requests_per_second is None:
        return
    at = found.requests_per_second
    nearest = min(range(len(curve.api)), key=lambda i: abs(math.log(curve.requests_per_second[i] / at)))
    # The API's line is straight: its cost a request is the same at every volume.
    height = curve.api[nearest] * at / curve.requests_per_second[nearest] / scale.unit
    axes.plot(at, height, "D", color=style.theme.saving, markersize=style.points(11), zorder=4)
    words = translator(lang)
    text = words.tr("own cheaper above {volume}").format(volume=rate(at, lang))
    right = at > found.requests_per_second_now
    offset = (style.points(9 if right else -9), style.points(-8 if right else 8))
    ha, va = ("left", "top") if right else ("right", "bottom")
    label_point(axes, text, (at, height), offset, style, "saving", ha=ha, va=va)


def _money_ticks(axes: Axes, scale: Scale, style: ChartStyle, lang: str) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    low, high = axes.get_ylim()
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    inside = [m * 10.0**e for e in range(first, last + 1) for m in (1, 3) if low <= m * 10.0**e <= high]
    kept = thinned(inside, 6)
    axes.yaxis.set_major_locator(FixedLocator(kept))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_yticklabels([number(value, lang, 3) for value in kept])
    name = translator(lang).tr("cost a month")
    label_axes(axes, style, y=f"{name}（{scale.label}）" if lang == "zh_CN" else f"{name}, {scale.label}")


def _table(data: BreakEvenData, curve: CostCurve, scale: Scale, lang: str) -> ChartTable:
    words = translator(lang)
    rows = tuple(
        zip(
            curve.requests_per_second,
            curve.million_tokens_per_month,
            curve.own,
            curve.api,
            curve.utilisation,
            strict=True,
        )
    )
    return ChartTable(
        title=verdict_text(data.found, lang),
        note=words.tr("line: self-hosted; dashed: API; bar: P10–P90 of self-hosting at the plan's traffic"),
        columns=(
            Column(words.tr("Mean request rate"), "requests/s"),
            Column(words.tr("Tokens a month"), "M tokens"),
            Column(words.tr("Self-hosted, a month"), "currency"),
            Column(words.tr("API, a month"), "currency"),
            Column(words.tr("Utilisation"), "share"),
        ),
        rows=rows,
        marks=tuple(
            Mark(
                x,
                own / scale.unit,
                words.tr("{volume}: {own} self-hosted, {api} API").format(
                    volume=rate(x, lang),
                    own=money_short(own, data.currency, lang),
                    api=money_short(api, data.currency, lang),
                ),
            )
            for x, _, own, api, _ in rows[::_MARK_EVERY]
            if own is not None
        ),
        currency=data.currency,
    )

"""A committed base: total against its size, and which hours of the week it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.results import PurchaseMix
from engine.text import N_
from gui.charts.axes import label_axes, label_point, money_axis, money_scale, new_axes
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short, number, percent
from gui.i18n import translator
from gui.models.purchase import mix_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gui.charts.axes import Scale

_DAY = 24
_MOST_MARKS = 30
_DAYS = (N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun"))


@dataclass(frozen=True, slots=True)
class PurchaseData:
    """A purchase mix to draw, in the plan's currency."""

    mix: PurchaseMix
    currency: str


def draw_base_cost(figure: Figure, data: PurchaseData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the total over base sizes, with the best and the plan's own marked."""
    axes, words, curve = new_axes(figure, style), translator(lang), data.mix.curve
    x, total = np.array(curve.x), np.array(curve.total)
    now = data.mix.baseline_total
    shown = [*curve.total] if now is None else [*curve.total, now]
    low, high = min(shown), max(shown)
    room = max(high - low, 0.01 * abs(high), 1e-9)
    scale = money_scale(low, high, data.currency, lang)
    axes.plot(
        x, total / scale.unit, color=style.series(0), linewidth=1.8, marker="o" if x.size == 1 else None
    )
    axes.set_ylim(max(0.0, low - 0.45 * room) / scale.unit, (high + 0.3 * room) / scale.unit)
    axes.margins(x=0.04)
    _mark_sizes(axes, data, scale, style, lang)
    money_axis(axes, scale, style, lang, name=words.tr("total"))
    label_axes(axes, style, x=words.tr("committed GPUs"))
    step = max(1, x.size // _MOST_MARKS)
    return ChartTable(
        title=_cost_finding(data, lang),
        note=words.tr("total cost against the size of the base; diamond: cheapest"),
        columns=(Column(words.tr("Committed base"), "GPUs"), Column(words.tr("Total"), "currency")),
        rows=tuple(zip(x.tolist(), total.tolist(), strict=True)),
        marks=tuple(
            Mark(
                at, amount / scale.unit, f"{number(at, lang)}: {money_short(amount, data.currency, lang, 4)}"
            )
            for at, amount in list(zip(x.tolist(), total.tolist(), strict=True))[::step]
        ),
        currency=data.currency,
    )


def _mark_sizes(axes: Axes, data: PurchaseData, scale: Scale, style: ChartStyle, lang: str) -> None:
    curve, words, theme = data.mix.curve, translator(lang), style.theme
    totals = dict(zip(curve.x, curve.total, strict=True))
    best, now = curve.best, curve.now
    middle = (curve.x[0] + curve.x[-1]) / 2.0
    if best is not None and best in totals:
        at = totals[best] / scale.unit
        axes.plot([best, best], [axes.get_ylim()[0], at], color=theme.saving, linewidth=1)
        axes.plot(best, at, "D", color=theme.saving, markersize=style.points(11), zorder=4)
        shown = number(best, lang)
        kept = best == now and not data.mix.changes
        text = words.tr("now and best {value}") if kept else words.tr("best {value}")
        side = 1 if best <= middle else -1
        amount = money_short(totals[best], data.currency, lang)
        place = (side * style.points(9), style.points(-8))
        label = f"{text.format(value=shown)}\n{amount}"
        label_point(axes, label, (best, at), place, style, "saving", ha=_away(side), va="top")
    baseline = data.mix.baseline_total
    if now is None or baseline is None or (now == best and not data.mix.changes):
        return
    # The plan may buy the hours above its base in another way: then it lies off the curve.
    at = baseline / scale.unit
    axes.plot(
        now,
        at,
        "o",
        markerfacecolor=theme.surface,
        markeredgecolor=theme.text,
        markeredgewidth=1.8,
        markersize=style.points(11),
        zorder=5,
    )
    text = words.tr("now {value}").format(value=number(now, lang))
    side = 1 if now <= middle else -1
    label = f"{text}\n{money_short(baseline, data.currency, lang)}"
    place = (side * style.points(9), style.points(5))
    label_point(axes, label, (now, at), place, style, "text", ha=_away(side), va="bottom")


def _away(side: int) -> str:
    return "left" if side > 0 else "right"


def _cost_finding(data: PurchaseData, lang: str) -> str:
    mix, words = data.mix, translator(lang)
    if mix.baseline_total is None or not mix.changes:
        return words.tr("No other purchase costs less") if not mix.changes else mix_text(mix, lang)
    saving = money_short(mix.baseline_total - mix.total, data.currency, lang)
    if not mix.committed_accelerators:
        return words.tr("Buying without a base saves {saving}").format(saving=saving)
    size = number(mix.committed_accelerators, lang)
    return words.tr("A base of {size} GPUs saves {saving}").format(size=size, saving=saving)


def draw_base_hours(figure: Figure, data: PurchaseData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the busiest month's week: what the base holds, what comes on top, what stays unused."""
    axes, words, mix = new_axes(figure, style), translator(lang), data.mix
    held, top, unused = (np.array(part) for part in _parts(mix))
    edges = np.arange(held.size + 1)

    def fill(low: np.ndarray, high: np.ndarray, colour: str, hatch: str | None = None) -> None:
        low, high = np.append(low, low[-1]), np.append(high, high[-1])
        edge = style.theme.edge if hatch else "none"
        axes.fill_between(
            edges, low, high, step="post", facecolor=colour, edgecolor=edge, hatch=hatch, linewidth=0
        )

    names: list[tuple[str, str, str | None]] = [(words.tr("base, in use"), style.series(0), None)]
    fill(np.zeros_like(held), held, style.series(0))
    if top.any():
        fill(held, held + top, style.series(1))
        names.append((words.tr("as it comes"), style.series(1), None))
    if unused.any():
        fill(held, held + unused, style.theme.raised, "////")
        names.append((words.tr("base, unused"), style.theme.raised, "////"))
    axes.set_xlim(0, held.size)
    axes.set_ylim(0.0, 1.3 * max(float((held + top + unused).max()), 1e-9))
    _week_ticks(axes, held.size, lang)
    _key(axes, names if held.any() or unused.any() else names[1:], style)
    label_axes(axes, style, x=words.tr("hour of the week, UTC"), y=words.tr("GPUs"))
    return ChartTable(
        title=_hours_finding(mix, lang),
        note=words.tr("GPUs paid for in the week of the busiest month"),
        columns=(
            Column(words.tr("Hour of the week")),
            Column(words.tr("Base, in use"), "GPUs"),
            Column(words.tr("As it comes"), "GPUs"),
            Column(words.tr("Base, unused"), "GPUs"),
        ),
        rows=tuple(
            (float(hour), *(float(part[hour]) for part in (held, top, unused))) for hour in range(held.size)
        ),
        marks=tuple(
            Mark(hour + 0.5, float(held[hour] + top[hour]), _hour_text(mix, hour, lang))
            for hour in range(0, held.size, 6)
        ),
        currency=data.currency,
    )


def _parts(mix: PurchaseMix) -> tuple[tuple[float, ...], ...]:
    return mix.hourly_committed, mix.hourly_elastic, mix.hourly_unused


def _week_ticks(axes: Axes, hours: int, lang: str) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    words = translator(lang)
    days = [words.tr(text) for text in _DAYS]
    middles = [day * _DAY + _DAY / 2 for day in range(hours // _DAY)]
    axes.xaxis.set_major_locator(FixedLocator(middles))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels(days[: len(middles)])


def _key(axes: Axes, names: list[tuple[str, str, str | None]], style: ChartStyle) -> None:
    """Names over the areas in reading order: the areas are too low for labels of their own."""
    from matplotlib.patches import Patch

    edge = style.theme.edge
    patches = [
        Patch(facecolor=colour, edgecolor=edge if hatch else colour, hatch=hatch, linewidth=0.5, label=name)
        for name, colour, hatch in names
    ]
    box = axes.legend(
        handles=patches, loc="upper left", ncols=len(patches), frameon=False, borderaxespad=0.2,
        handlelength=1.1, handleheight=0.9, columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip
    for text in box.get_texts():
        text.set(**style.text("text", 10.5))


def _hours_finding(mix: PurchaseMix, lang: str) -> str:
    words = translator(lang)
    if not mix.committed_accelerators:
        return words.tr("Every hour is bought as it comes")
    held, top, unused = (float(np.sum(part)) for part in _parts(mix))
    share = percent(held / max(held + top, 1e-9), lang, 2)
    idle = percent(unused / max(held + unused, 1e-9), lang, 2)
    return words.tr("The base holds {share} of the hours; {idle} of it stays unused").format(
        share=share, idle=idle
    )


def _hour_text(mix: PurchaseMix, hour: int, lang: str) -> str:
    held, top, unused = (number(part[hour], lang, 4) for part in _parts(mix))
    return (
        translator(lang)
        .tr("hour {hour}: {held} base, {top} as it comes, {unused} unused")
        .format(hour=hour, held=held, top=top, unused=unused)
    )

"""Saving against risk: one bubble an action, in four lanes of worst risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import Recommendation
from gui.charts.axes import Scale, money_axis, money_scale, new_axes
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short
from gui.i18n import translator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RISK_ROLES = ("muted", "saving", "warn", "danger")
_SIZES = {"S": 15.0, "M": 19.0, "L": 24.0}
_FULL = 0.985


@dataclass(frozen=True, slots=True)
class BubbleData:
    """The recommendations to draw, and the selected one."""

    items: tuple[Recommendation, ...]
    currency: str
    selected: str | None = None


def saving_in_plan(item: Recommendation) -> float:
    """The saving the chart and the table rank by eye: in the plan, alone where that is unknown."""
    return item.saving.gross if item.saving.in_plan is None else item.saving.in_plan


def bands(item: Recommendation) -> tuple[float, float]:
    """P10 and P90 alone, scaled to the saving in the plan: what is uncertain multiplies."""
    saving = item.saving
    if not saving.p50:
        return saving_in_plan(item), saving_in_plan(item)
    ratio = saving_in_plan(item) / saving.p50
    low, high = sorted((saving.p10 * ratio, saving.p90 * ratio))
    return low, high


def plan_range(items: Sequence[Recommendation]) -> tuple[float, float]:
    """Axis limits of the savings in the plan."""
    return _range([(low, saving_in_plan(item), high) for item in items for low, high in (bands(item),)])


def alone_range(items: Sequence[Recommendation]) -> tuple[float, float]:
    """Axis limits of the savings alone."""
    return _range([(item.saving.p10, item.saving.p50, item.saving.p90) for item in items])


def _range(spreads: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Limits that keep the medians apart; a far tail is cut, its bar then ends at the edge."""
    middles = [0.0, *(middle for _, middle, _ in spreads)]
    span = (max(middles) - min(middles)) or 1.0
    low = max(min([0.0, *(low for low, *_ in spreads)]), min(middles) - 0.5 * span)
    high = min(max([0.0, *(high for *_, high in spreads)]), max(middles) + 0.5 * span)
    return low, high


def draw_bubbles(figure: Figure, data: BubbleData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the bubbles: filled when chosen, hollow when not, area by effort, whisker P10 to P90."""
    axes = new_axes(figure, style)
    low, high = plan_range(data.items)
    pad = 0.12 * (high - low or 1.0)
    scale = money_scale(low - pad, high + pad, data.currency, lang)
    axes.set_ylim((low - pad) / scale.unit, (high + pad) / scale.unit)
    places = _lanes(axes, data.items, style, lang)
    axes.axhline(0.0, color=style.theme.edge, linewidth=1)
    marks = tuple(_draw_bubble(axes, item, places[item.id], data, scale, style, lang) for item in data.items)
    words = translator(lang)
    money_axis(axes, scale, style, lang, name=words.tr("in the plan"))
    axes.set_xlabel(words.tr("worst risk"), **style.text("muted"))
    return _table(data, marks, lang)


def _lanes(axes: Axes, items: Sequence[Recommendation], style: ChartStyle, lang: str) -> dict[str, float]:
    """Place the items side by side in lanes of equal risk; a lane is as wide as its items need."""
    words = translator(lang)
    names = (words.tr("0 none"), words.tr("1 low"), words.tr("2 medium"), words.tr("3 high"))
    left, centres, places = 0.0, [], dict[str, float]()
    for level in range(4):
        lane = sorted((item for item in items if item.risk.worst == level), key=lambda item: item.rank)
        width = max(len(lane), 1.0) + 0.4
        if level % 2:
            axes.axvspan(left, left + width, color=style.theme.raised, alpha=0.7, linewidth=0, zorder=0)
        places |= {
            item.id: left + (index + 0.5) / max(len(lane), 1) * width for index, item in enumerate(lane)
        }
        centres.append(left + width / 2)
        left += width
    axes.set_xlim(0.0, left)
    axes.set_xticks(centres, names, fontsize=style.points(11))
    axes.tick_params(axis="x", length=0)
    return places


def _draw_bubble(
    axes: Axes, item: Recommendation, x: float, data: BubbleData, scale: Scale, style: ChartStyle, lang: str
) -> Mark:
    theme, value = style.theme, saving_in_plan(item) / scale.unit
    colour, size = getattr(theme, RISK_ROLES[item.risk.worst]), style.points(_SIZES[item.effort])
    low, high = (end / scale.unit for end in bands(item))
    bottom, top = axes.get_ylim()
    axes.plot([x, x], [max(low, bottom), min(high, top)], color=colour, linewidth=1.5)
    if low < bottom:
        axes.plot(x, bottom, "v", color=colour, markersize=style.points(6), clip_on=False)
    if item.id == data.selected:
        axes.plot(
            x,
            value,
            "o",
            color="none",
            markeredgecolor=theme.accent,
            markeredgewidth=2,
            markersize=size * 1.4,
        )
    axes.plot(
        x,
        value,
        "o",
        markersize=size,
        markerfacecolor=colour if item.chosen else theme.surface,
        markeredgecolor=colour,
        markeredgewidth=1.5,
        zorder=3,
    )
    role = "surface" if item.chosen else "text"
    axes.text(
        x,
        value,
        str(item.rank),
        ha="center",
        va="center_baseline",
        zorder=4,
        **style.text(role, 10, bold=True),
    )
    title = translator(lang).tr(item.title)
    shown = f"{item.rank} {title}: {money_short(saving_in_plan(item), data.currency, lang)}"
    return Mark(x, value, shown, item.id)


def _table(data: BubbleData, marks: tuple[Mark, ...], lang: str) -> ChartTable:
    words = translator(lang)
    rows = tuple(
        (
            float(item.rank),
            words.tr(item.title),
            float(item.risk.worst),
            item.saving.in_plan,
            item.saving.gross,
            item.saving.p10,
            item.saving.p50,
            item.saving.p90,
            item.effort,
            words.tr("yes") if item.chosen else words.tr("no"),
        )
        for item in data.items
    )
    return ChartTable(
        title=words.tr("Saving against risk"),
        note=words.tr("filled: chosen; area: effort; bar: P10–P90, scaled"),
        columns=(
            Column("#"),
            Column(words.tr("Action")),
            Column(words.tr("Worst risk")),
            Column(words.tr("In the plan"), "currency"),
            Column(words.tr("Alone"), "currency"),
            Column("P10", "currency"),
            Column("P50", "currency"),
            Column("P90", "currency"),
            Column(words.tr("Effort")),
            Column(words.tr("Chosen")),
        ),
        rows=rows,
        marks=marks,
        currency=data.currency,
    )

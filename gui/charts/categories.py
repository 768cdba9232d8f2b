"""Cost by category: one bar a category, and a thinner one with the chosen actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import Estimate
from gui.charts.axes import Scale, money_axis, money_scale, new_axes
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short, percent
from gui.i18n import translator
from gui.models.words import CATEGORY_WORDS, category_order, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class CategoryData:
    """An estimate, and the same plan with the chosen actions where there are any."""

    now: Estimate
    proposed: Estimate | None = None


def category_amounts(estimate: Estimate) -> dict[str, float]:
    """Amount in scope by category, in the fixed order of categories."""
    sums: dict[str, float] = {}
    for line in sorted(estimate.lines, key=lambda line: category_order(line.category)):
        if line.in_scope and line.amount is not None:
            sums[line.category] = sums.get(line.category, 0.0) + line.amount
    return sums


def draw_categories(figure: Figure, data: CategoryData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw amounts by category as horizontal bars from zero."""
    axes = new_axes(figure, style, grid="x")
    now = category_amounts(data.now)
    after = category_amounts(data.proposed) if data.proposed is not None else {}
    keys = sorted({*now, *after}, key=category_order)
    top = max([*now.values(), *after.values(), 1e-9])
    scale = money_scale(0.0, top, data.now.currency, lang)
    for index, key in enumerate(keys):
        _draw_row(
            axes,
            index,
            key,
            now.get(key, 0.0),
            after.get(key, 0.0) if after else None,
            data,
            scale,
            style,
            lang,
        )
    axes.set_yticks(
        range(len(keys)), [word(CATEGORY_WORDS, key, lang) for key in keys], fontsize=style.points(11)
    )
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(keys) - 0.5 if keys else 0.5, -0.6)
    axes.set_xlim(0.0, top / scale.unit * 1.28)
    money_axis(axes, scale, style, lang, which="x")
    return _table(keys, now, after, data, scale, lang)


def _draw_row(
    axes: Axes,
    index: int,
    key: str,
    amount: float,
    after: float | None,
    data: CategoryData,
    scale: Scale,
    style: ChartStyle,
    lang: str,
) -> None:
    colour = style.theme.category(key)
    height = 0.62 if after is None else 0.4
    centre = index if after is None else index - 0.16
    axes.barh(centre, amount / scale.unit, height, color=colour)
    share = percent(amount / data.now.total, lang, 2) if data.now.total else ""
    shown = f"{money_short(amount, data.now.currency, lang)}   {share}"
    _beside(axes, amount / scale.unit, centre, shown, style, "text")
    if after is None:
        return
    axes.barh(
        index + 0.2, after / scale.unit, 0.2, color="none", edgecolor=colour, hatch="/////", linewidth=0.8
    )
    if abs(amount - after) >= 0.005 * max(amount, after):
        _beside(
            axes,
            after / scale.unit,
            index + 0.22,
            money_short(after, data.now.currency, lang),
            style,
            "saving",
        )


def _beside(axes: Axes, x: float, y: float, text: str, style: ChartStyle, role: str) -> None:
    axes.annotate(
        text, (x, y), (style.points(6), 0), textcoords="offset points", va="center", **style.text(role)
    )


def _table(
    keys: list[str],
    now: dict[str, float],
    after: dict[str, float],
    data: CategoryData,
    scale: Scale,
    lang: str,
) -> ChartTable:
    words, total = translator(lang), data.now.total
    rows, marks = [], []
    for index, key in enumerate(keys):
        amount, title = now.get(key, 0.0), word(CATEGORY_WORDS, key, lang)
        share = amount / total if total else None
        rows.append((title, amount, share, after.get(key, 0.0) if after else None))
        shown = f"{title}: {money_short(amount, data.now.currency, lang)} ({percent(share, lang)})"
        marks.append(Mark(amount / scale.unit, index, shown, key))
    title = words.tr("Cost by category")
    if now and total:
        largest = max(now, key=lambda key: now[key])
        title = words.tr("{category}: {share} of the total").format(
            category=word(CATEGORY_WORDS, largest, lang), share=percent(now[largest] / total, lang, 2)
        )
    note = words.tr("full bar: plan; hatched: with chosen actions") if after else words.tr("amounts in scope")
    return ChartTable(
        title=title,
        note=note,
        columns=(
            Column(words.tr("Category")),
            Column(words.tr("Plan"), "currency"),
            Column(words.tr("Share"), "share"),
            Column(words.tr("With chosen actions"), "currency"),
        ),
        rows=tuple(rows),
        marks=tuple(marks),
        currency=data.now.currency,
    )

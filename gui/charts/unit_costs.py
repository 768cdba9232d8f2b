"""Cost per million tokens, input and output, by what it pays for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import CostPart, UnitCosts
from gui.charts.axes import label_axes, legend_above, new_axes
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import currency_word, money_full, percent
from gui.i18n import translator
from gui.models.services import part_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = 0.56
_ALPHA = {"prefill": 1.0, "decode": 0.62, "headroom": 0.0, "unused": 0.0}
_HATCH = {"headroom": "////", "unused": "...."}


@dataclass(frozen=True, slots=True)
class UnitCostData:
    """The unit costs of a service."""

    costs: UnitCosts


def draw_unit_costs(figure: Figure, data: UnitCostData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw one stacked bar each for input, output and all tokens; the parts add up to the estimate's."""
    axes, words, costs = new_axes(figure, style, grid="x"), translator(lang), data.costs
    bars = [(name, key) for name, key in _bars(lang) if getattr(costs, key) is not None]
    top = max((getattr(costs, key) for _, key in bars), default=0.0) or 1.0
    ends = [0.0] * len(bars)
    for part in costs.parts:
        for place, (_, key) in enumerate(bars):
            width = getattr(part, key) or 0.0
            _segment(axes, part, place, (ends[place], width), style, lang)
            ends[place] += width
    for place, end in enumerate(ends):
        axes.annotate(
            money_full(end, costs.currency, lang),
            (end, place),
            (style.points(6), 0),
            textcoords="offset points",
            va="center",
            **style.text("text", 11, bold=True),
        )
    axes.set_yticks(range(len(bars)), [name for name, _ in bars], fontsize=style.points(11))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(bars) - 0.5, -0.6)
    axes.set_xlim(0.0, top * 1.2)
    unit = words.tr("{currency} per million tokens").format(currency=currency_word(costs.currency, lang))
    label_axes(axes, style, x=unit)
    legend_above(figure, axes, style)
    return _table(costs, lang)


def _bars(lang: str) -> tuple[tuple[str, str], ...]:
    words = translator(lang)
    return (
        (words.tr("Input"), "per_million_input"),
        (words.tr("Output"), "per_million_output"),
        (words.tr("All tokens"), "per_million"),
    )


def _segment(
    axes: Axes,
    part: CostPart,
    place: int,
    span: tuple[float, float],
    style: ChartStyle,
    lang: str,
) -> None:
    from matplotlib.colors import to_rgba

    colour = style.theme.category(part.category)
    axes.barh(
        place,
        span[1],
        _BAR,
        left=span[0],
        facecolor=to_rgba(colour, _ALPHA.get(part.key, 1.0)),
        edgecolor=colour,
        hatch=_HATCH.get(part.key),
        linewidth=0.8,
        label=part_word(part, lang) if place == 0 else None,
    )


def _table(costs: UnitCosts, lang: str) -> ChartTable:
    words = translator(lang)
    rows, marks, end = [], [], 0.0
    last = 2 if costs.per_million_output is not None else 1
    for part in costs.parts:
        name, share = part_word(part, lang), part.total / costs.total if costs.total else None
        rows.append(
            (
                name, part.total, share, part.per_million_input, part.per_million_output,
                part.per_million, part.per_request,
            )
        )  # fmt: skip
        end += part.per_million
        money = money_full(part.per_million, costs.currency, lang)
        marks.append(Mark(end - part.per_million / 2, last, f"{name}: {money} ({percent(share, lang, 2)})"))
    rows.append(
        (
            words.tr("Total"), costs.total, 1.0 if costs.total else None, costs.per_million_input,
            costs.per_million_output, costs.per_million, costs.per_request,
        )
    )  # fmt: skip
    return ChartTable(
        title=_finding(costs, lang),
        note=_note(costs, lang),
        columns=(
            Column(words.tr("Pays for")),
            Column(words.tr("Amount"), "currency"),
            Column(words.tr("Share"), "share"),
            Column(words.tr("Input"), "currency/M tokens"),
            Column(words.tr("Output"), "currency/M tokens"),
            Column(words.tr("All tokens"), "currency/M tokens"),
            Column(words.tr("Request"), "currency/request"),
        ),
        rows=tuple(rows),
        marks=tuple(marks),
        currency=costs.currency,
    )


def _finding(costs: UnitCosts, lang: str) -> str:
    words = translator(lang)
    if not costs.parts or not costs.total:
        return words.tr("Cost per million tokens")
    largest = max(costs.parts, key=lambda part: part.total)
    return words.tr("{part}: {share} of the cost of a token").format(
        part=part_word(largest, lang), share=percent(largest.total / costs.total, lang, 2)
    )


def _note(costs: UnitCosts, lang: str) -> str:
    words = translator(lang)
    if costs.unknown:
        items = words.tr(", ").join(words.tr(item) for item in costs.unknown)
        return words.tr("price unknown, not included: {items}").format(items=items)
    return words.tr("input pays for prefill, output for decode; the rest is shared by GPU time")

"""Fleets that serve the plan: cost against time per output token, coloured by accelerator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.plan import Plan
from engine.results import FleetOption, FleetReport
from gui.charts.axes import Scale, label_axes, legend_above, money_axis, money_scale, new_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short
from gui.i18n import translator
from gui.models.services import alternative_text, availability_text, limit_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS, _ROOM = 7, 2.5
_SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")
"""A shape for each colour, and one for all accelerators beyond them."""


@dataclass(frozen=True, slots=True)
class TradeData:
    """Fleets to draw; the plan, its total and its latency [ms] where it meets its targets."""

    report: FleetReport
    plan: Plan
    currency: str
    now_total: float | None
    now_ms: float | None
    target_ms: float
    by_first_token: bool = False

    def shown(self) -> tuple[FleetOption, ...]:
        """The cheapest and those that no other beats, each once."""
        both = {id(item): item for item in (*self.report.cheapest, *self.report.frontier)}
        return tuple(both.values())

    @property
    def ceiling(self) -> float:
        """What is dearer stands in the table only: it would press the rest into a line."""
        cheapest = min((option.total for option in self.shown()), default=0.0)
        return _ROOM * max(self.now_total or 0.0, 2.0 * cheapest)

    def latency(self, option: FleetOption) -> float:
        """What the horizontal axis counts [ms]: TPOT, or TTFT where no tokens are given out."""
        return option.ttft_ms if self.by_first_token else option.tpot_ms


def draw_trade(figure: Figure, data: TradeData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the fleets with a frontier of those that reach the availability asked for."""
    axes, words = new_axes(figure, style), translator(lang)
    everything = data.shown()
    shown = [option for option in everything if option.total <= data.ceiling]
    top = max([option.total for option in shown] + [data.now_total or 0.0]) or 1.0
    scale = money_scale(0.0, top, data.currency, lang)
    names = list(dict.fromkeys(option.name for option in sorted(shown, key=lambda o: o.total)))
    _name_groups(axes, names, style, lang)
    _draw_dots(axes, shown, names, data, scale, style)
    _draw_frontier(axes, shown, data, scale, style)
    if data.now_total is not None and data.now_ms is not None:
        axes.plot(
            data.now_ms,
            data.now_total / scale.unit,
            "o",
            markerfacecolor="none",
            markeredgecolor=style.theme.text,
            markersize=style.points(13),
            markeredgewidth=1.4,
            label=words.tr("the plan"),
            linestyle="none",
        )
    axes.axvline(data.target_ms, color=style.theme.danger, linewidth=1.2, linestyle=DASHED)
    axes.set_xlim(0.0, data.target_ms * 1.06)
    axes.set_ylim(0.0, top / scale.unit * 1.12)
    money_axis(axes, scale, style, lang, name=words.tr("total"))
    name = words.tr("time to first token") if data.by_first_token else words.tr("time per output token")
    label_axes(axes, style, x=words.tr("{name}, p95, ms (dashed: target)").format(name=name))
    legend_above(figure, axes, style)
    return _table(everything, data, scale, lang)


def _name_groups(axes: Axes, names: Sequence[str], style: ChartStyle, lang: str) -> None:
    """Entries of the legend: one an accelerator, and one for those without a colour of their own."""
    for place, name in enumerate(names[:_COLOURS]):
        axes.plot(
            [], [], _SHAPES[place], color=style.series(place), linestyle="none", label=name.split(" (")[0]
        )
    if len(names) > _COLOURS:
        others = translator(lang).tr("others")
        axes.plot([], [], _SHAPES[-1], color=style.theme.edge, linestyle="none", label=others)


def _short(name: str) -> str:
    """An accelerator's name without what stands in brackets."""
    return name.split(" (")[0]


def _draw_dots(
    axes: Axes,
    shown: Sequence[FleetOption],
    names: Sequence[str],
    data: TradeData,
    scale: Scale,
    style: ChartStyle,
) -> None:
    """Filled where the plan's availability is reached, else hollow; a colour and shape an accelerator."""
    # The cheapest are drawn last, over the others.
    for option in sorted(shown, key=lambda item: -item.total):
        place = names.index(option.name)
        colour = style.series(place) if place < _COLOURS else style.theme.edge
        axes.plot(
            data.latency(option),
            option.total / scale.unit,
            _SHAPES[min(place, _COLOURS)],
            markerfacecolor=colour if option.reaches_target else "none",
            markeredgecolor=colour,
            markersize=style.points(6.5),
        )


def cheapest_by_latency(shown: Sequence[FleetOption], data: TradeData) -> list[FleetOption]:
    """Fleets that no other which reaches the availability beats in both axes, the quickest first."""
    kept: list[FleetOption] = []
    for option in sorted(shown, key=lambda item: (item.total, data.latency(item))):
        if option.reaches_target and (not kept or data.latency(option) < data.latency(kept[-1])):
            kept.append(option)
    return kept[::-1]


def _draw_frontier(
    axes: Axes, shown: Sequence[FleetOption], data: TradeData, scale: Scale, style: ChartStyle
) -> None:
    line = cheapest_by_latency(shown, data)
    axes.step(
        [data.latency(option) for option in line],
        [option.total / scale.unit for option in line],
        where="post",
        color=style.theme.muted,
        linewidth=1.2,
        zorder=1,
    )


def _table(shown: Sequence[FleetOption], data: TradeData, scale: Scale, lang: str) -> ChartTable:
    words = translator(lang)
    return ChartTable(
        title=_finding(data, lang),
        note=_note(shown, data, lang),
        columns=(
            Column(words.tr("Fleet")),
            Column(words.tr("Total"), "currency"),
            Column("TTFT", "ms"),
            Column("TPOT", "ms"),
            Column(words.tr("Availability")),
            Column(words.tr("Spares"), "instances"),
            Column(words.tr("Batch"), "sequences"),
            Column(words.tr("Limit")),
            Column(words.tr("Utilisation"), "share"),
            Column(words.tr("GPUs at peak")),
        ),
        rows=tuple(
            (
                alternative_text(option, data.plan, lang),
                option.total,
                option.ttft_ms,
                option.tpot_ms,
                "" if option.availability is None else availability_text(option.availability, lang),
                option.spare_instances,
                option.batch,
                limit_word(option.limited_by, lang),
                option.utilisation,
                option.accelerators_peak,
            )
            for option in shown
        ),
        marks=tuple(
            Mark(
                data.latency(option),
                option.total / scale.unit,
                _spoken(option, data, lang),
                str(place),
            )
            for place, option in enumerate(shown)
            if option.total <= data.ceiling
        ),
        currency=data.currency,
    )


def _note(shown: Sequence[FleetOption], data: TradeData, lang: str) -> str:
    words = translator(lang)
    note = words.tr("line: no other is cheaper and quicker; hollow: below the availability asked for")
    if all(option.total <= data.ceiling for option in shown):
        return note
    return words.tr("; ").join([note, words.tr("dearer ones: in the table")])


def _spoken(option: FleetOption, data: TradeData, lang: str) -> str:
    text = alternative_text(option, data.plan, lang)
    return f"{text}: {money_short(option.total, data.currency, lang)}"


def _finding(data: TradeData, lang: str) -> str:
    words = translator(lang)
    if not data.report.cheapest:
        return words.tr("No fleet serves this traffic within its targets")
    if data.now_total is None:
        return words.tr("The cheapest fleet costs {total}").format(
            total=money_short(data.report.cheapest[0].total, data.currency, lang)
        )
    saved = data.now_total - data.report.cheapest[0].total
    if saved <= 0.0:
        return words.tr("No fleet is cheaper than the plan's")
    return words.tr("The cheapest fleet saves {saving}").format(
        saving=money_short(saved, data.currency, lang)
    )

"""Cost against time per output token of fleets that meet the targets, with those no other beats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.plan import Plan
from engine.results import FleetReport
from gui.charts.axes import label_axes, money_axis, money_scale, new_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short
from gui.i18n import translator
from gui.models.layouts import fleet_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class FleetsData:
    """Fleets to draw, the plan's own total, its target for the time per output token [ms]."""

    report: FleetReport
    currency: str
    now_total: float
    tpot_slo_ms: float
    plan: Plan


def draw_fleets(figure: Figure, data: FleetsData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the cheapest fleets, the frontier of cost and latency, and the target."""
    axes, words, report = new_axes(figure, style), translator(lang), data.report
    shown = {id(item): item for item in (*report.cheapest, *report.frontier)}.values()
    scale = money_scale(0.0, max((o.total for o in shown), default=1.0), data.currency, lang)
    axes.plot(
        [item.tpot_ms for item in shown],
        [item.total / scale.unit for item in shown],
        "o",
        color=style.theme.muted,
        markersize=style.points(5),
    )
    steps = sorted(report.frontier, key=lambda item: item.tpot_ms)
    axes.plot(
        [item.tpot_ms for item in steps],
        [item.total / scale.unit for item in steps],
        "o",
        color=style.series(0),
        markersize=style.points(7),
    )
    if report.cheapest:
        best = report.cheapest[0]
        axes.plot(best.tpot_ms, best.total / scale.unit, "D", color=style.theme.saving, markersize=8)
    axes.axvline(data.tpot_slo_ms, color=style.theme.text, linewidth=1, linestyle=DASHED)
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)
    money_axis(axes, scale, style, lang, name=words.tr("total"))
    label_axes(axes, style, x=words.tr("time per output token, p95, ms"))
    return ChartTable(
        title=_finding(data, lang),
        note=words.tr("dots: fleets within the targets; blue: no other is cheaper and quicker"),
        columns=(
            Column(words.tr("Fleet")),
            Column(words.tr("Total"), "currency"),
            Column("TTFT", "ms"),
            Column("TPOT", "ms"),
            Column(words.tr("GPUs at peak")),
        ),
        rows=tuple(
            (
                f"{o.name}: {fleet_text(o, data.plan, lang)}",
                o.total,
                o.ttft_ms,
                o.tpot_ms,
                o.accelerators_peak,
            )
            for o in shown
        ),
        marks=tuple(
            Mark(o.tpot_ms, o.total / scale.unit, f"{o.name}: {money_short(o.total, data.currency, lang)}")
            for o in shown
        ),
        currency=data.currency,
    )


def _finding(data: FleetsData, lang: str) -> str:
    words = translator(lang)
    if not data.report.cheapest:
        return words.tr("No fleet serves this traffic within its targets")
    saved = data.now_total - data.report.cheapest[0].total
    if saved <= 0.0:
        return words.tr("No fleet is cheaper than the plan's")
    return words.tr("The cheapest fleet saves {saving}").format(
        saving=money_short(saved, data.currency, lang)
    )

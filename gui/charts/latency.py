"""Latency against throughput of one instance: targets, where they are missed, and where the plan runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine.results import LatencyCurve, LatencyPoint
from gui.charts.axes import frame, label_axes
from gui.charts.style import DASHED, ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import number, quantity, unit_label
from gui.i18n import Translator, translator
from gui.models.services import limit_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAND = 0.18
_LABELLED = 5


@dataclass(frozen=True, slots=True)
class LatencyData:
    """The curve of one instance, and the plan's currency."""

    curve: LatencyCurve
    currency: str


class _Latency(NamedTuple):
    """One of the two latencies: its name, the values of a point, its target and where the plan runs [ms]."""

    name: str
    of: Callable[[LatencyPoint], tuple[float, float, float]]
    target: float
    at: tuple[float, float] | None


def draw_latency(figure: Figure, data: LatencyData, style: ChartStyle, lang: str) -> ChartTable:
    """Draw TPOT and TTFT over the throughput of one instance, with bands, targets and operating point."""
    figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.04)
    figure.set_facecolor(style.theme.surface)
    shown = _latencies(data.curve)
    panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    points = data.curve.points
    for index, (axes, latency) in enumerate(zip(panels, shown, strict=True)):
        frame(axes, style)
        _draw(axes, latency, points, style, lang)
        label_axes(axes, style, y=f"{latency.name}, ms")
        if index < len(shown) - 1:
            axes.tick_params(labelbottom=False)
        else:
            axes.xaxis.set_major_formatter(lambda value, _: number(value, lang, 4))
    figure.align_ylabels()
    _label_batches(panels[0], shown[0], points, style, lang)
    panels[-1].axvline(_speed(points[-1]), color=style.theme.muted, linewidth=1, linestyle=DASHED)
    label_axes(panels[-1], style, x=_axis_name(data.curve, lang))
    return _table(data, len(shown) - 1, lang)


def _latencies(curve: LatencyCurve) -> list[_Latency]:
    own = curve.operating
    first = _Latency(
        "TTFT",
        lambda p: (p.ttft_ms_low, p.ttft_ms, p.ttft_ms_high),
        curve.ttft_slo_ms,
        None if own is None else (_speed(own), own.ttft_ms),
    )
    if curve.tpot_slo_ms is None:
        return [first]
    full = next((point for point in curve.points if point.batch == curve.batch), None)
    each = _Latency(
        "TPOT",
        lambda p: (p.tpot_ms_low or 0.0, p.tpot_ms or 0.0, p.tpot_ms_high or 0.0),
        curve.tpot_slo_ms,
        None if own is None or full is None else (_speed(full), full.tpot_ms or 0.0),
    )
    return [each, first]


def _speed(point: LatencyPoint) -> float:
    """Output tokens/s, or requests/s of a network that gives out none."""
    return point.requests_per_s if point.output_tokens_per_s is None else point.output_tokens_per_s


def _draw(
    axes: Axes, latency: _Latency, points: Sequence[LatencyPoint], style: ChartStyle, lang: str
) -> None:
    from matplotlib.ticker import MaxNLocator

    x = [_speed(point) for point in points]
    low, middle, high = zip(*(latency.of(point) for point in points), strict=True)
    top = max(2.0 * latency.target, 1.6 * middle[0])
    if latency.at is not None:
        top = max(latency.target * 1.35, min(top, 1.9 * max(latency.at[1], latency.target)))
    right = x[-1] * 1.04
    axes.axhspan(latency.target, top, color=style.theme.danger_tint, linewidth=0, zorder=0)
    axes.axhline(latency.target, color=style.theme.danger, linewidth=1.2, linestyle=DASHED)
    axes.fill_between(x, low, high, color=style.series(0), alpha=_BAND, linewidth=0)
    axes.plot(x, middle, color=style.series(0), linewidth=1.8)
    axes.set_xlim(0.0, right)
    axes.set_ylim(0.0, top)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(lambda value, _: number(value, lang, 3))
    target = translator(lang).tr("target {value}").format(value=quantity(latency.target, "ms", lang))
    axes.annotate(
        target,
        (0.0, latency.target),
        (style.points(6), style.points(3)),
        textcoords="offset points",
        va="bottom",
        **style.text("danger", 10.5),
    )
    if latency.at is not None:
        axes.plot(
            *latency.at, "D", color=style.theme.saving, markersize=style.points(8), zorder=4, clip_on=False
        )
        axes.plot(
            [latency.at[0]] * 2, [0.0, latency.at[1]], color=style.theme.saving, linewidth=0.8, zorder=1
        )


def _label_batches(
    axes: Axes, latency: _Latency, points: Sequence[LatencyPoint], style: ChartStyle, lang: str
) -> None:
    """A few batches beside the curve, where there is room between them."""
    top, last = axes.get_ylim()[1], -1.0
    step = axes.get_xlim()[1] / _LABELLED
    at = latency.at[0] if latency.at is not None else None
    for point in points:
        x, y = _speed(point), latency.of(point)[1]
        crowded = y > 0.8 * top or 0.55 * latency.target < y < latency.target
        if crowded or x - last < step or (at is not None and abs(x - at) < 0.5 * step):
            continue
        axes.plot(x, y, "o", color=style.series(0), markersize=style.points(4))
        axes.annotate(
            number(point.batch, lang),
            (x, y),
            (0, style.points(5)),
            textcoords="offset points",
            ha="center",
            va="bottom",
            **style.text("muted", 10.5),
        )
        last = x


def _axis_name(curve: LatencyCurve, lang: str) -> str:
    """What the horizontal axis counts, and where memory or the engine ends it."""
    words = translator(lang)
    unit = unit_label("requests/s", "", lang) if curve.tpot_slo_ms is None else words.tr("output tokens/s")
    return words.tr("{unit} of one instance; ends at batch {size}: {limit}").format(
        unit=unit, size=number(curve.max_batch, lang), limit=limit_word(curve.ends_by, lang)
    )


def _finding(curve: LatencyCurve, words: Translator, lang: str) -> str:
    if curve.operating is None:
        return words.tr("No batch meets the targets")
    batch = quantity(float(int(curve.operating.batch)), "sequences", lang)
    return words.tr("{batch} an instance; limit: {limit}").format(
        batch=batch, limit=limit_word(curve.limited_by, lang)
    )


def _table(data: LatencyData, panel: int, lang: str) -> ChartTable:
    words, curve = translator(lang), data.curve
    note = words.tr("diamond: the plan; numbers: batch; band: 8 of 10 measured cases; red: target missed")
    return ChartTable(
        title=_finding(curve, words, lang),
        note=note,
        columns=(
            Column(words.tr("Batch"), "sequences"),
            Column(words.tr("Requests"), "requests/s"),
            Column(words.tr("Output"), "tokens/s"),
            Column("TPOT", "ms"),
            Column("TPOT P10", "ms"),
            Column("TPOT P90", "ms"),
            Column("TTFT", "ms"),
            Column("TTFT P10", "ms"),
            Column("TTFT P90", "ms"),
            Column(words.tr("Output cost"), "currency/M tokens"),
            Column(words.tr("Within targets")),
        ),
        rows=tuple(_row(point, words) for point in curve.points),
        marks=tuple(
            Mark(_speed(point), point.ttft_ms, _spoken(point, words, lang), axes=panel)
            for point in curve.points
        ),
        currency=data.currency,
    )


def _row(point: LatencyPoint, words: Translator) -> tuple[float | str | None, ...]:
    return (
        point.batch,
        point.requests_per_s,
        point.output_tokens_per_s,
        point.tpot_ms,
        point.tpot_ms_low,
        point.tpot_ms_high,
        point.ttft_ms,
        point.ttft_ms_low,
        point.ttft_ms_high,
        point.cost_per_million_output_tokens,
        words.tr("yes") if point.within_targets else words.tr("no"),
    )


def _spoken(point: LatencyPoint, words: Translator, lang: str) -> str:
    parts = [
        words.tr("batch {size}").format(size=number(point.batch, lang)),
        f"TTFT {quantity(point.ttft_ms, 'ms', lang)}",
    ]
    if point.tpot_ms is not None:
        parts.insert(1, f"TPOT {quantity(point.tpot_ms, 'ms', lang)}")
    return words.tr(", ").join(parts)

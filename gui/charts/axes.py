"""Axes as the charts of this program have them: light grid, no frame at top and right, units on both axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from gui.charts.style import ChartStyle
from gui.formatting import currency_word, decimals, duration_seconds, number
from gui.i18n import translator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Grid = Literal["x", "y"]

_POINTS = 72.0
_LETTER, _WIDE, _HANDLE, _LATIN = 5.9, 10.5, 38.0, 0x2E80
"""Rough widths in a legend, in pixels: a Latin letter, a Chinese one, a mark with the gaps round it."""
_LOW = 190.0
"""Charts lower than this many pixels have room for labels of one line."""
_DURATIONS_S = (
    1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 57600, 115200,
    259200, 604800, 1209600, 2592000,
)  # fmt: skip


class Scale(NamedTuple):
    """The size of one axis unit in plan currency, and what the axis is called."""

    unit: float
    label: str
    places: int


def money_scale(low: float, high: float, currency: str, lang: str) -> Scale:
    """A unit that keeps the figures on an axis from `low` to `high` short: USD million, 万美元."""
    size, span = max(abs(low), abs(high)), max(high - low, 1e-12)
    name = currency_word(currency, lang)
    words = translator(lang)
    if lang == "zh_CN":
        steps = ((1e8, f"亿{name}"), (1e4, f"万{name}"))
    else:
        steps = (
            (1e6, words.tr("{currency} million").format(currency=name)),
            (1e3, words.tr("{currency} thousand").format(currency=name)),
        )
    unit, label = next(((step, text) for step, text in steps if size >= 1.2 * step), (1.0, name))
    places = max(0, math.ceil(-math.log10(span / unit / 4)) + (span / unit < 4))
    return Scale(unit, label, min(places, 4))


def new_axes(figure: Figure, style: ChartStyle, *, grid: Grid = "y") -> Axes:
    """The one set of axes of a chart, framed."""
    figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.05)
    figure.set_facecolor(style.theme.surface)
    axes = figure.add_subplot()
    frame(axes, style, grid=grid)
    return axes


def frame(axes: Axes, style: ChartStyle, *, grid: Grid | None = "y") -> None:
    """Draw axes flat: hairline grid, left and bottom spines only."""
    axes.set_facecolor("none")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(style.theme.edge)
        axes.spines[side].set_linewidth(0.8)
    axes.tick_params(
        colors=style.theme.edge,
        labelcolor=style.theme.muted,
        labelsize=style.points(11),
        labelfontfamily="Noto Sans SC",
        length=3,
        width=0.8,
    )
    if grid:
        axes.grid(axis=grid, color=style.theme.line, linewidth=0.6, alpha=0.7)
    axes.set_axisbelow(True)


def money_axis(
    axes: Axes, scale: Scale, style: ChartStyle, lang: str, *, name: str = "", which: str = "y"
) -> None:
    """Label an axis counted in `scale`."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_locator(MaxNLocator(5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: decimals(value, _places(axis), lang)))
    label = (
        f"{name}, {scale.label}"
        if name and lang != "zh_CN"
        else f"{name}（{scale.label}）"
        if name
        else scale.label
    )
    axis.set_label_text(label, **style.text("muted"))


def _places(axis: object) -> int:
    """Decimals the ticks of an axis need, so that neighbours differ."""
    ticks = axis.get_majorticklocs()  # type: ignore[attr-defined]
    step = min((b - a for a, b in zip(ticks, ticks[1:], strict=False)), default=1.0)
    places = 0
    while places < 4 and abs(step * 10**places - round(step * 10**places)) > 1e-6:
        places += 1
    return places


def size_points(axes: Axes) -> tuple[float, float]:
    """Width and height of the whole figure in points."""
    box = axes.figure.bbox
    return box.width / axes.figure.dpi * _POINTS, box.height / axes.figure.dpi * _POINTS


def label_point(
    axes: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    style: ChartStyle,
    role: str,
    *,
    ha: str,
    va: str,
) -> None:
    """A label beside a point, readable over lines; its lines become one where the chart is low."""
    low = size_points(axes)[1] < _LOW * style.points(1.0)
    axes.annotate(
        text.replace("\n", ", ") if low else text,
        at,
        offset,
        textcoords="offset points",
        ha=ha,
        va=va,
        linespacing=1.25,
        bbox={"facecolor": style.theme.surface, "edgecolor": "none", "alpha": 0.7, "pad": 1.0},
        zorder=3,
        **style.text(role, 10.5),
    )


def legend_above(figure: Figure, axes: Axes, style: ChartStyle) -> None:
    """Names of the series over the plot, in as many columns as there is room for."""
    from matplotlib.font_manager import FontProperties

    handles, names = axes.get_legend_handles_labels()
    room = figure.bbox.width / figure.dpi * _POINTS / style.points(1.0)
    figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=_legend_columns(names, room),
        frameon=False,
        borderpad=0.1,
        columnspacing=1.2,
        handlelength=1.4,
        handletextpad=0.5,
        labelcolor=style.theme.text,
        prop=FontProperties(family=style.text()["fontfamily"], size=style.points(10.5)),
    )


def _legend_columns(names: Sequence[str], room: float) -> int:
    """Most columns that fit into `room` pixels; a legend fills column by column."""
    widths = [sum(_WIDE if ord(letter) > _LATIN else _LETTER for letter in name) + _HANDLE for name in names]
    for count in range(len(names), 1, -1):
        rows, longer = divmod(len(names), count)
        sizes = [rows + (column < longer) for column in range(count)]
        starts = [sum(sizes[:column]) for column in range(count)]
        columns = [max(widths[start : start + size]) for start, size in zip(starts, sizes, strict=True)]
        if sum(columns) <= room:
            return count
    return 1


def label_axes(axes: Axes, style: ChartStyle, *, x: str = "", y: str = "") -> None:
    """Name the axes in muted text."""
    if x:
        axes.set_xlabel(x, **style.text("muted"))
    if y:
        axes.set_ylabel(y, **style.text("muted"))


def duration_ticks(axes: Axes, low: float, high: float, lang: str, most: int = 6) -> None:
    """Ticks of an axis of seconds at durations people say: 15 min, 1 h, 4 h."""
    inside = [value for value in _DURATIONS_S if low <= value <= high]
    _fixed_ticks(
        axes, thinned(inside, most), [duration_seconds(value, lang) for value in thinned(inside, most)]
    )


def count_ticks(axes: Axes, values: Sequence[float], lang: str, most: int = 7) -> None:
    """Ticks at the counts themselves, thinned."""
    kept = thinned(values, most)
    _fixed_ticks(axes, kept, [number(value, lang, 3) for value in kept])


def log_ticks(axes: Axes, low: float, high: float, lang: str, most: int = 6) -> None:
    """Ticks of a logarithmic axis at 1, 2, 5 and their powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    inside = [m * 10.0**e for e in range(first, last + 1) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    kept = thinned(inside, most)
    _fixed_ticks(axes, kept, [number(value, lang, 3) for value in kept])


def thinned(values: Sequence[float], most: int) -> list[float]:
    """At most `most` of the values, evenly picked."""
    step = max(1, math.ceil(len(values) / most))
    return list(values[::step])


def _fixed_ticks(axes: Axes, at: Sequence[float], texts: Sequence[str]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.xaxis.set_major_locator(FixedLocator(list(at)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels(list(texts))

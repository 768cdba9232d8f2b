"""Drawings of the report, as SVG whose text stays text. Each `draw_` fills axes given to it."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gui.charts.style import ChartStyle, register_fonts
from gui.report.document import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

STYLE = ChartStyle()
PAGE_WIDTH_PT = 500.0
_POINTS_PER_INCH = 72.0
Format = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class BandRow:
    """One plan on a money axis: its range, its most likely cost, and the ask if it is the proposal."""

    label: str
    low: float
    likely: float
    high: float
    ask: float | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """One category's amounts, a number for each bar."""

    label: str
    category: str
    amounts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a waterfall: what it takes off the running total."""

    label: str
    saving: float


@dataclass(frozen=True, slots=True)
class Swing:
    """One bar of a tornado: totals at an input's low and high end, with the input's printed values."""

    label: str
    low_text: str
    high_text: str
    total_low: float
    total_high: float


def draw(paint: Callable[[Canvas], object], width_pt: float, height_pt: float, alt: str) -> Figure:
    """A figure of the report: `paint` fills an empty canvas of this size. Equal data give equal bytes."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    register_fonts()
    # Text stays text (searchable, one embedded font); the salt fixes the ids of clip paths.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "flopwise"}):
        canvas = Canvas(
            figsize=(width_pt / _POINTS_PER_INCH, height_pt / _POINTS_PER_INCH), dpi=_POINTS_PER_INCH
        )
        canvas.patch.set_alpha(0.0)
        paint(canvas)
        out = io.BytesIO()
        FigureCanvasSVG(canvas).print_svg(out, metadata={"Date": None, "Creator": None})
    return Figure(svg=out.getvalue(), width_pt=width_pt, alt=alt)


def one_axes(canvas: Canvas, left: float, bottom: float, right: float, top: float) -> Axes:
    """Axes that leave margins in points, without a frame."""
    width, height = (float(size) * _POINTS_PER_INCH for size in canvas.get_size_inches())
    axes = canvas.add_axes(
        (left / width, bottom / height, 1 - (left + right) / width, 1 - (bottom + top) / height)
    )
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.patch.set_alpha(0.0)
    axes.tick_params(length=0)
    return axes


def draw_bands(axes: Axes, rows: Sequence[BandRow], money: Format, style: ChartStyle = STYLE) -> None:
    """Ranges of plans on one scale, the ask as a triangle over the first one."""
    theme = style.theme
    low = min(row.low for row in rows)
    high = max(max(row.high, row.ask or row.high) for row in rows)
    span = (high - low) or abs(high) or 1.0
    axes.set_xlim(low - 0.06 * span, high + 0.06 * span)
    axes.set_ylim(len(rows) - 0.45, -0.95)
    for index, row in enumerate(rows):
        proposed = index == 0
        colour = theme.accent if proposed else theme.muted
        axes.barh(index, row.high - row.low, left=row.low, height=0.34, color=colour, alpha=0.3, linewidth=0)
        axes.plot(
            [row.likely] * 2, [index - 0.26, index + 0.26], color=colour, linewidth=2, solid_capstyle="butt"
        )
        if row.ask is not None:
            axes.plot(row.ask, index - 0.34, "v", color=theme.text, markersize=style.points(8))
        _beside_bar(axes, row, index, "accent" if proposed else "muted", style, bold=proposed)
    _money_ticks(axes.xaxis, money, style)
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(True)
    axes.spines["bottom"].set_color(theme.line)


def _beside_bar(axes: Axes, row: BandRow, index: int, role: str, style: ChartStyle, *, bold: bool) -> None:
    """A row's name on the side of its bar that has more room."""
    first, last = axes.get_xlim()
    right = last - row.high >= row.low - first
    axes.annotate(
        row.label,
        (row.high if right else row.low, index),
        (4 if right else -4, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center_baseline",
        annotation_clip=False,
        **style.text(role, 10, bold=bold),
    )


def draw_spending(
    axes: Axes,
    labels: Sequence[str],
    stacks: Sequence[Stack],
    totals: Sequence[str],
    style: ChartStyle = STYLE,
) -> None:
    """Bars of money by period, stacked by category, the printed total over each."""
    base = [0.0] * len(labels)
    for stack in stacks:
        axes.bar(
            range(len(labels)), stack.amounts, 0.62, bottom=base, color=style.theme.category(stack.category)
        )
        base = [below + amount for below, amount in zip(base, stack.amounts, strict=True)]
    highest = max([*base, 1e-9])
    for index, (top, total) in enumerate(zip(base, totals, strict=True)):
        axes.annotate(
            total,
            (index, top),
            (0, 2),
            textcoords="offset points",
            ha="center",
            **style.text("text", 10, bold=True),
        )
    axes.set_ylim(min(0.0, *base), highest * 1.16)
    axes.set_xlim(-0.6, max(len(labels), 3) - 0.4)
    axes.set_xticks(range(len(labels)), labels, **_tick_text(style))
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(True)
    axes.spines["bottom"].set_color(style.theme.edge)


def draw_waterfall(
    axes: Axes,
    start: tuple[str, float],
    steps: Sequence[Step],
    end: tuple[str, float],
    money: Format,
    style: ChartStyle = STYLE,
) -> None:
    """Running total from today's plan to the proposal, one bar an action, each from where the last ended."""
    theme, running = style.theme, start[1]
    last = len(steps) + 1
    axes.barh(0, start[1], height=0.62, color=theme.muted)
    _right_of(axes, start[1], 0, money(start[1]), style)
    for index, step in enumerate(steps, 1):
        after = running - step.saving
        colour = theme.saving if step.saving >= 0 else theme.danger
        axes.plot([running] * 2, [index - 1, index], color=theme.edge, linewidth=0.6, zorder=0)
        axes.barh(index, abs(step.saving), left=min(running, after), height=0.62, color=colour)
        axes.annotate(
            money(-step.saving),
            (min(running, after), index),
            (-3, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            **style.text("text", 10),
        )
        running = after
    axes.plot([running] * 2, [last - 1, last], color=theme.edge, linewidth=0.6, zorder=0)
    axes.barh(last, end[1], height=0.62, color=theme.accent)
    _right_of(axes, end[1], last, money(end[1]), style)
    axes.set_ylim(last + 0.6, -0.6)
    axes.set_xlim(0, max(start[1], end[1], 1e-9) * 1.12)
    axes.set_yticks(
        range(last + 1), [start[0], *(step.label for step in steps), end[0]], **_tick_text(style, "text")
    )
    axes.set_xticks([])


def _right_of(axes: Axes, x: float, y: float, text: str, style: ChartStyle) -> None:
    axes.annotate(
        text,
        (x, y),
        (3, 0),
        textcoords="offset points",
        va="center_baseline",
        **style.text("text", 10, bold=True),
    )


def draw_tornado(
    axes: Axes, swings: Sequence[Swing], centre: float, money: Format, style: ChartStyle = STYLE
) -> None:
    """What each input does alone: low end hollow, high end filled, the input's value at each end."""
    theme = style.theme
    for index, swing in enumerate(swings):
        for total, text, filled in (
            (swing.total_low, swing.low_text, False),
            (swing.total_high, swing.high_text, True),
        ):
            axes.barh(
                index,
                total - centre,
                left=centre,
                height=0.56,
                edgecolor=theme.accent,
                linewidth=0.9,
                color=theme.accent if filled else theme.surface,
            )
            side = 1 if total > centre or (total == centre and filled) else -1
            axes.annotate(
                text,
                (total, index),
                (3 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center_baseline",
                **style.text("muted", 9.5),
            )
    left, right = _label_room(axes, swings, centre, style)
    ends = [centre, *(total for swing in swings for total in (swing.total_low, swing.total_high))]
    span = (max(ends) - min(ends)) or 1.0
    axes.axvline(centre, color=theme.text, linewidth=0.9)
    axes.set_xlim(min(ends) - left * span, max(ends) + right * span)
    axes.set_ylim(len(swings) - 0.4, -0.6)
    axes.set_yticks(range(len(swings)), [swing.label for swing in swings], **_tick_text(style, "text"))
    _money_ticks(axes.xaxis, money, style)
    axes.grid(axis="x", color=theme.line, linewidth=0.5)
    axes.set_axisbelow(True)


def _label_room(axes: Axes, swings: Sequence[Swing], centre: float, style: ChartStyle) -> tuple[float, float]:
    """Room for the input values left and right of the bars, as shares of the bars' span."""
    pairs = [(swing.total_low, swing.low_text) for swing in swings]
    pairs += [(swing.total_high, swing.high_text) for swing in swings]
    width = float(axes.get_window_extent().width)
    sides = []
    for is_left in (True, False):
        longest = max((len(text) for total, text in pairs if (total < centre) == is_left), default=0)
        # Ten pixels of type are about 0.62 of their size wide; Chinese texts are shorter and fit as well.
        sides.append(longest * style.points(10) * 0.62 + 8.0)
    bars = max(width - sum(sides), 0.3 * width)
    return sides[0] / bars, sides[1] / bars


def _money_ticks(axis: Any, money: Format, style: ChartStyle) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: money(value)))
    for label in axis.get_ticklabels():
        label.set(**_tick_text(style))
    axis.set_tick_params(
        labelcolor=style.theme.muted, labelsize=style.points(9.5), labelfontfamily="Noto Sans SC"
    )


def _tick_text(style: ChartStyle, role: str = "muted") -> dict[str, Any]:
    return style.text(role, 10)

"""Drawing a chart into pixels or a file, in whichever thread asks. Qt-free."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gui.charts.style import DPI, ChartStyle, register_fonts
from gui.charts.table import ChartTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[["Figure", Any, ChartStyle, str], ChartTable]

EXPORT_SIZE = (960, 600)
_TITLE_ROOM = 64
_MARGIN = 16


@dataclass(frozen=True, slots=True)
class ChartJob:
    """What to draw and how large: a draw function, its data, and the size in screen pixels."""

    draw: Draw
    data: Any
    style: ChartStyle
    lang: str
    width: int
    height: int
    ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class ChartPixels:
    """RGBA rows, their size in device pixels, the table, and where its marks lie in screen pixels."""

    data: bytes
    width: int
    height: int
    ratio: float
    table: ChartTable
    places: tuple[tuple[float, float], ...]


def render_pixels(job: ChartJob) -> ChartPixels:
    """Draw a chart into RGBA pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure, table = _figure(job, DPI * job.ratio)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = canvas.get_width_height()
    return ChartPixels(
        bytes(canvas.buffer_rgba()),
        width,
        height,
        job.ratio,
        table,
        _places(figure, table, height, job.ratio),
    )


def render_file(job: ChartJob, form: str) -> bytes:
    """The chart as a file of its own, with title and note: "png", "svg", or "csv" for its numbers."""
    if form == "csv":
        return _figure(job, DPI)[1].to_csv(job.lang).encode("utf-8-sig")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    width, height = EXPORT_SIZE
    figure, table = _figure(replace(job, width=width, height=height), DPI * (1.0 if form == "svg" else 2.0))
    _put_title(figure, table, job.style, height)
    out = io.BytesIO()
    if form == "svg":
        FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None})
    else:
        FigureCanvasAgg(figure).print_png(out)
    return out.getvalue()


def _figure(job: ChartJob, dpi: float) -> tuple[Figure, ChartTable]:
    from matplotlib.figure import Figure

    register_fonts()
    figure = Figure(figsize=(job.width / DPI, job.height / DPI), dpi=dpi)
    return figure, job.draw(figure, job.data, job.style, job.lang)


def _put_title(figure: Figure, table: ChartTable, style: ChartStyle, height: int) -> None:
    left = _MARGIN / EXPORT_SIZE[0]
    figure.text(left, 1 - 14 / height, table.title, va="top", **style.text("text", 18, bold=True))
    figure.text(left, 1 - 42 / height, table.note, va="top", **style.text("muted", 12))
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(left, left, 1 - 2 * left, 1 - _TITLE_ROOM / height - left))  # type: ignore[call-arg]


def _places(figure: Figure, table: ChartTable, height: int, ratio: float) -> tuple[tuple[float, float], ...]:
    places = []
    for mark in table.marks:
        x, y = figure.axes[mark.axes].transData.transform((mark.x, mark.y))
        places.append((x / ratio, (height - y) / ratio))
    return tuple(places)

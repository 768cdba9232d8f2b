"""Charts of the window on paper, each under the finding it prints there as its title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gui.charts.render import Draw
from gui.charts.table import ChartTable
from gui.report import figures
from gui.report.document import Block, Heading
from gui.report.words import Writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


def charted(draw: Draw, data: Any, alt: str, writer: Writer, height_pt: float) -> tuple[Block, ...]:
    """Heading and figure of a chart; `alt` says in words what it shows."""
    tables: list[ChartTable] = []

    def paint(canvas: Canvas) -> None:
        tables.append(draw(canvas, data, figures.STYLE, writer.lang))

    figure = figures.draw(paint, figures.PAGE_WIDTH_PT, height_pt, alt)
    return Heading(tables[0].title, tables[0].note), figure

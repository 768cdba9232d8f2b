"""Part B, for engineering: latency of one instance and the week of the fleet, as the proposal runs them."""

from __future__ import annotations

from gui.charts.latency import LatencyData, draw_latency
from gui.charts.week import WeekData, draw_week
from gui.report.basis import Basis
from gui.report.charted import charted
from gui.report.document import Block, Paragraph
from gui.report.words import Writer

LATENCY_HEIGHT, WEEK_HEIGHT = 190.0, 170.0


def service_blocks(basis: Basis, writer: Writer) -> list[Block]:
    """Charts of an online service under the proposal; nothing for other plans."""
    found = basis.review.service
    if found is None:
        return []
    intro = writer.tr("One instance and the week of the fleet, as the proposal runs them.")
    blocks: list[Block] = [Paragraph(intro, "muted")]
    if found.curve is not None:
        alt = writer.tr("Time to first token and per output token against the throughput of one instance.")
        blocks += charted(
            draw_latency, LatencyData(found.curve, writer.currency), alt, writer, LATENCY_HEIGHT
        )
    if found.week is not None:
        alt = writer.tr("Load and instances in each hour of the busiest week.")
        blocks += charted(draw_week, WeekData(found.week), alt, writer, WEEK_HEIGHT)
    if found.remedies:
        blocks.append(Paragraph(writer.sentences([writer.render(item) for item in found.remedies]), "danger"))
    return blocks

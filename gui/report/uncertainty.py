"""Part B, for engineering: the range in words, its percentiles, and what moves the total."""

from __future__ import annotations

import re

from engine.cost.overheads import ROLE_TITLES
from engine.results import Driver
from gui.report import figures
from gui.report.basis import Basis, shifted_band
from gui.report.document import Block, Column, Figure, Heading, Paragraph, Row, Section, Table
from gui.report.engineering import part_b
from gui.report.words import LONGEST_LABEL, Writer, plain, shorten

MOST_SWINGS = 8


def uncertainty_section(basis: Basis, writer: Writer) -> Section:
    """The range in words, the percentiles, and what moves the total."""
    blocks: list[Block] = [Paragraph(text) for text in _range_words(basis, writer)]
    if basis.band is not None:
        blocks.append(_percentiles(basis, writer))
    drivers = basis.proposed.drivers
    if drivers:
        heading = Heading(
            writer.tr("What moves the total"), writer.tr("each input alone, from its P10 to its P90")
        )
        blocks += [heading, _tornado(basis, drivers, writer), _drivers(basis, drivers, writer)]
    return Section("uncertainty", writer.tr("Uncertainty"), part_b(writer), tuple(blocks))


def _range_words(basis: Basis, writer: Writer) -> list[str]:
    proposed = basis.proposed
    if basis.band is None or proposed.p50 is None:
        return [writer.tr("No draws were made: there is no range.")]
    sentences = [
        writer.tr(
            "As likely as not the cost is {money} or less.", money=writer.money(proposed.p50 + basis.one_off)
        ),
        writer.tr("In eight of ten cases it lies between {band}.", band=writer.band(*basis.band)),
        writer.tr(
            "The range is computed jointly from {draws} draws, not added up from single ranges.",
            draws=writer.number(proposed.draws),
        ),
    ]
    return [writer.sentences(sentences)]


def _percentiles(basis: Basis, writer: Writer) -> Table:
    rows = []
    for name, found, shift, style in (
        (writer.tr("Today's settings"), basis.today, 0.0, ""),
        (writer.tr("This proposal, with one-off cost"), basis.proposed, basis.one_off, "chosen"),
    ):
        band = shifted_band(found, shift)
        if band is None or found.p50 is None or found.p80 is None:
            continue
        ask = found.ask + shift if found.ask is not None else None
        figures_row = (found.total + shift, band[0], found.p50 + shift, found.p80 + shift, band[1], ask)
        rows.append(Row((plain(name), *(plain(writer.money(value)) for value in figures_row)), style))
    heads = (writer.tr("Most likely"), "P10", "P50", "P80", "P90", writer.tr("Ask"))
    return Table((Column("", share=1), *(Column(head, "right") for head in heads)), tuple(rows), dense=True)


def _tornado(basis: Basis, drivers: tuple[Driver, ...], writer: Writer) -> Figure:
    swings = [
        figures.Swing(
            shorten(driver_title(basis, driver, writer), LONGEST_LABEL),
            _end(driver, driver.low, writer),
            _end(driver, driver.high, writer),
            driver.total_low,
            driver.total_high,
        )
        for driver in drivers[:MOST_SWINGS]
    ]
    height = 17.0 * len(swings) + 24
    return figures.draw(
        lambda canvas: figures.draw_tornado(
            figures.one_axes(canvas, 175, 18, 8, 2), swings, basis.proposed.total, writer.axis
        ),
        figures.PAGE_WIDTH_PT,
        height,
        alt=writer.tr("Total at both ends of each uncertain input."),
    )


def driver_title(basis: Basis, driver: Driver, writer: Writer) -> str:
    """The input's name, with the role where several inputs share it."""
    title = writer.tr(driver.title)
    found = re.fullmatch(r"people\.roles\.(\d+)\.\w+", driver.path)
    if not found:
        return title
    role = basis.plan.people.roles[int(found.group(1))].role
    return writer.tr("{title}: {detail}", title=title, detail=writer.tr(ROLE_TITLES[role]))


def _end(driver: Driver, value: float, writer: Writer) -> str:
    return writer.quantity(value, driver.unit)


def _drivers(basis: Basis, drivers: tuple[Driver, ...], writer: Writer) -> Table:
    rows = tuple(
        Row(
            (
                plain(driver_title(basis, driver, writer)),
                plain(_end(driver, driver.low, writer)),
                plain(_end(driver, driver.high, writer)),
                plain(writer.money(driver.total_low)),
                plain(writer.money(driver.total_high)),
                plain(writer.percent(driver.share_of_variance, 2)),
            )
        )
        for driver in drivers
    )
    columns = (
        Column(writer.tr("Input"), share=1),
        Column(writer.tr("Low"), "right"),
        Column(writer.tr("High"), "right"),
        Column(writer.tr("Total at low"), "right"),
        Column(writer.tr("Total at high"), "right"),
        Column(writer.tr("Share of the spread"), "right"),
    )
    return Table(columns, rows, dense=True)

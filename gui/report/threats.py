"""What could go wrong, in plain words: the inputs that move the cost most, and the warnings of the rules."""

from __future__ import annotations

from engine.defaults import THROUGHPUT_FACTOR, TIME_FACTOR
from engine.results import Advice, Driver
from engine.text import N_
from gui.report.basis import Basis
from gui.report.document import Column, Panel, Paragraph, Row, Run, Table
from gui.report.uncertainty import driver_title
from gui.report.words import Writer, shorten

MOST = 4
MOST_WARNINGS = 2
LONGEST_WARNING = 150
SMALLEST = 0.003
"""Effects below this share of the total are not worth a line on page one."""

_PLAIN = {
    "cluster.price_per_gpu_hour": N_("A GPU-hour costs {value}"),
    "reliability.failures_per_node_day": N_("Machines fail more often than expected"),
    "reliability.restart_s": N_("A restart takes {value}"),
    "reliability.detection_s": N_("A failure is noticed only after {value}"),
    "reliability.preemptions_per_node_hour": N_("Machines are taken back more often than expected"),
    "reliability.checkpoint_stall_s": N_("Saving the state stops the work for {value}"),
    "training.tokens": N_("The run needs {value}"),
}
"""Events in words, without the terms of the trade; other inputs are named by their field."""


def threats_panel(basis: Basis, writer: Writer) -> Panel:
    """At most four lines, each an event and its price."""
    warnings = [
        shorten(
            writer.sentences([_stop(writer.tr(item.title), writer), writer.render(item.finding)]),
            LONGEST_WARNING,
        )
        for item in _warnings(basis)[:MOST_WARNINGS]
    ]
    events = [text for driver in basis.proposed.drivers if (text := _event(driver, basis, writer))]
    lines = events[: MOST - len(warnings)] + warnings
    if not lines:
        text = writer.tr("No input with a range moves the cost.")
        return Panel(writer.tr("What could go wrong"), "", (Paragraph(text, "muted"),))
    rows = tuple(Row(((Run("–", "accent"),), (Run(line),))) for line in lines)
    return Panel(writer.tr("What could go wrong"), "", (Table((Column(""), Column("", share=1)), rows),))


def _warnings(basis: Basis) -> list[Advice]:
    """Warnings about the proposal; those that only hold back an unchosen action belong to Part B."""
    found = basis.review.recommendations
    chosen = {item.id for item in found.recommendations if item.chosen}
    return [item for item in found.warnings if not item.about or chosen.intersection(item.about)]


def _event(driver: Driver, basis: Basis, writer: Writer) -> str:
    """The bad end of an input in words; empty when it hardly matters."""
    centre = basis.proposed.total
    bad_high = driver.total_high >= driver.total_low
    more = max(driver.total_high, driver.total_low) - centre
    if more < SMALLEST * centre:
        return ""
    value = driver.high if bad_high else driver.low
    return writer.tr(
        "{event}: {money} more.", event=_name(basis, driver, value, writer), money=writer.money(more)
    )


def _name(basis: Basis, driver: Driver, value: float, writer: Writer) -> str:
    if driver.path == TIME_FACTOR:
        return writer.tr("Training runs {share} slower than predicted", share=writer.percent(value - 1.0, 2))
    if driver.path == THROUGHPUT_FACTOR:
        return writer.tr("Each GPU serves {share} less than predicted", share=writer.percent(1.0 - value, 2))
    # Several roles stay several lines: all at their P90 at once is rarer than one in ten.
    is_price = driver.path == "cluster.price_per_gpu_hour"
    shown = writer.money_full(value) if is_price else writer.quantity(value, driver.unit)
    if driver.path in _PLAIN:
        return writer.tr(_PLAIN[driver.path], value=shown)
    return writer.tr("{input} turns out {value}", input=driver_title(basis, driver, writer), value=shown)


def _stop(text: str, writer: Writer) -> str:
    return text if text.endswith((".", "。")) else writer.tr("{text}.", text=text)

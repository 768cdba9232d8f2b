"""What could go wrong, in plain words: the inputs that move the cost most, and the warnings of the rules."""

from __future__ import annotations

from engine.defaults import THROUGHPUT_FACTOR, TIME_FACTOR
from engine.results import Advice, Driver
from engine.text import N_
from gui.report.basis import Basis
from gui.report.document import Column, Panel, Paragraph, Row, Run, Table
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
        shorten(writer.sentences([_stop(writer.tr(item.title), writer), writer.render(item.finding)]), LONGEST_WARNING)
        for item in _warnings(basis)[:MOST_WARNINGS]
    ]
    events = [text for driver in _drivers(basis) if (text := _event(driver, basis, writer))]
    lines = events[: MOST - len(warnings)] + warnings
    if not lines:
        text = writer.tr("No input with a range moves the cost.")
        return Panel(writer.tr("What could go wrong"), "", (Paragraph(text, "muted"),))
    rows = tuple(Row(((Run("–", "accent"),), (Run(line),))) for line in lines)
    return Panel(writer.tr("What could go wrong"), "", (Table((Column(""), Column("", share=1)), rows),))


def _warnings(basis: Basis) -> list[Advice]:
    """Warnings about the proposal; those that only hold back an action that is not chosen belong to Part B."""
    found = basis.review.recommendations
    held_back = [message for item in found.recommendations if not item.chosen for message in item.conditional]
    return [item for item in found.warnings if item.finding not in held_back]


def _drivers(basis: Basis) -> list[Driver]:
    """The proposal's drivers, one for each name: several roles of people are one event."""
    merged: dict[str, Driver] = {}
    for driver in basis.proposed.drivers:
        known = merged.get(driver.title)
        merged[driver.title] = driver if known is None else _sum(known, driver, basis.proposed.total)
    return list(merged.values())


def _sum(first: Driver, second: Driver, centre: float) -> Driver:
    return first.model_copy(
        update={
            "total_low": first.total_low + second.total_low - centre,
            "total_high": first.total_high + second.total_high - centre,
        }
    )


def _event(driver: Driver, basis: Basis, writer: Writer) -> str:
    """The bad end of an input in words; empty when it hardly matters."""
    centre = basis.proposed.total
    bad_high = driver.total_high >= driver.total_low
    more = max(driver.total_high, driver.total_low) - centre
    if more < SMALLEST * centre:
        return ""
    value = driver.high if bad_high else driver.low
    return writer.tr("{event}: {money} more.", event=_name(driver, value, writer), money=writer.money(more))


def _name(driver: Driver, value: float, writer: Writer) -> str:
    if driver.path == TIME_FACTOR:
        return writer.tr("Training runs {share} slower than predicted", share=writer.percent(value - 1.0, 2))
    if driver.path == THROUGHPUT_FACTOR:
        return writer.tr("Each GPU serves {share} less than predicted", share=writer.percent(1.0 - value, 2))
    if driver.path.startswith("people."):
        return writer.tr("People cost more than assumed")
    is_price = driver.unit.startswith("currency")
    shown = writer.money_full(value) if is_price else writer.quantity(value, driver.unit)
    if driver.path in _PLAIN:
        return writer.tr(_PLAIN[driver.path], value=shown)
    return writer.tr("{input} turns out {value}", input=writer.tr(driver.title), value=shown)


def _stop(text: str, writer: Writer) -> str:
    return text if text.endswith((".", "。")) else writer.tr("{text}.", text=text)

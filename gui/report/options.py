"""Options considered on page one: not starting, today's settings, the proposal, the cheapest, the fastest."""

from __future__ import annotations

from engine.results import Candidate
from gui.report.basis import Basis, end_day, shifted_band
from gui.report.document import Column, Panel, Row, Table
from gui.report.words import Writer, plain

SAME = 0.01
"""Totals closer than this are called about the same: the estimate is not finer than that."""


def options_panel(basis: Basis, writer: Writer) -> Panel:
    """The options, each with cost, range, time and one clause on what it means."""
    columns = (
        Column(writer.tr("Option"), share=1.25),
        Column(writer.tr("Most likely"), "right"),
        Column(writer.tr("Eight in ten"), "right"),
        Column(writer.tr("Time"), "right"),
        Column(writer.tr("What it means"), share=2.0),
    )
    nothing = Row(
        (
            plain(writer.tr("Do not start")),
            plain(writer.money(0.0)),
            plain("–"),
            plain("–"),
            plain(_not_starting(writer)),
        )
    )
    rows = [nothing]
    if basis.chosen:
        rows.append(_today(basis, writer))
    rows.append(_proposal(basis, writer))
    rows += _searched(basis, writer)
    return Panel(writer.tr("Options considered"), "", (Table(columns, tuple(rows)),))


def _not_starting(writer: Writer) -> str:
    return writer.tr("No cost, and no result.")


def _range(band: tuple[float, float] | None, writer: Writer) -> str:
    return "–" if band is None else writer.band(*band)


def _today(basis: Basis, writer: Writer) -> Row:
    days, deadline = end_day(basis.plan, basis.today), basis.plan.deadline_days
    more = basis.today.total - basis.likely
    if deadline is not None and days > deadline and not basis.plan.is_service:
        meaning = writer.tr("Misses the deadline by {days}", days=writer.days(days - deadline))
    elif not basis.today.feasible:
        meaning = writer.tr("Cannot be carried out as it stands")
    else:
        meaning = _difference(more, basis.likely, writer)
    return Row(
        (
            plain(writer.tr("Today's settings")),
            plain(writer.money(basis.today.total)),
            plain(_range(shifted_band(basis.today), writer)),
            plain(writer.days(days)),
            plain(meaning),
        )
    )


def _difference(more: float, base: float, writer: Writer) -> str:
    if abs(more) <= SAME * max(base, 1e-9):
        return writer.tr("About the same cost")
    if more > 0:
        return writer.tr("Costs {money} more for the same result", money=writer.money(more))
    return writer.tr("Costs {money} less than the proposal", money=writer.money(-more))


def _proposal(basis: Basis, writer: Writer) -> Row:
    deadline = basis.plan.deadline_days
    if basis.is_late:
        meaning = writer.tr("Misses the deadline by {days}", days=writer.days(basis.late_days))
    elif basis.chosen:
        count = writer.trn(
            "Today's plan with {count} action", "Today's plan with {count} actions", len(basis.chosen)
        )
        meaning = count if deadline is None else writer.tr("{what}; meets the deadline", what=count)
    else:
        meaning = writer.tr("The plan as it stands")
    return Row(
        (
            plain(writer.tr("This proposal")),
            plain(writer.money(basis.likely)),
            plain(_range(basis.band, writer)),
            plain(writer.days(end_day(basis.plan, basis.proposed))),
            plain(meaning),
        ),
        "chosen",
    )


def _searched(basis: Basis, writer: Writer) -> list[Row]:
    """Cheapest and fastest setting of the search, where they differ from the plan as it stands."""
    found = basis.review.optimisation
    if found is None or not found.candidates:
        return []
    cheapest = min(found.candidates, key=lambda item: (item.total, item.duration_h))
    fastest = min(found.candidates, key=lambda item: (item.duration_h, item.total))
    rows = []
    if cheapest.changes and cheapest.total < found.baseline_total * (1.0 - SAME):
        rows.append(_candidate(writer.tr("Cheapest found"), cheapest, basis, writer))
    is_quicker = fastest.duration_h < found.baseline_duration_h * (1.0 - SAME)
    if fastest.changes and fastest is not cheapest and is_quicker:
        rows.append(_candidate(writer.tr("Fastest found"), fastest, basis, writer))
    return rows


def _candidate(name: str, item: Candidate, basis: Basis, writer: Writer) -> Row:
    days = item.duration_h / 24.0 + (basis.today.metric("preparation_days") or 0.0)
    deadline = basis.plan.deadline_days
    if not basis.plan.is_service and deadline is not None and days > deadline:
        meaning = writer.tr(
            "{count} GPUs; misses the deadline by {days}",
            count=writer.number(item.accelerators),
            days=writer.days(days - deadline),
        )
    else:
        meaning = writer.tr(
            "{count} GPUs; found by search, not yet tried", count=writer.number(item.accelerators)
        )
    return Row(
        (plain(name), plain(writer.money(item.total)), plain("–"), plain(writer.days(days)), plain(meaning))
    )

"""Part B, for engineering: the search, the recommendations and the uncertainty, with their figures."""

from __future__ import annotations

import re

from engine.cost.overheads import ROLE_TITLES
from engine.results import Candidate, Certificate, Curve, Driver, Optimisation, Recommendation
from gui.charts.curve import CurveData, draw_curve
from gui.charts.frontier import FrontierData, draw_frontier
from gui.report import figures
from gui.report.basis import Basis, shifted_band
from gui.report.document import Block, Cell, Column, Figure, Heading, Paragraph, Row, Run, Section, Table
from gui.report.engineering import part_b
from gui.report.words import EFFORTS, Writer, plain, shorten

MOST_CANDIDATES = 12
MOST_SWINGS = 8
MOST_CURVES = 4
LONGEST_LABEL = 42
CURVE_HEIGHT = 150.0
_CURVE_KINDS = {
    "reliability.checkpoint_interval_s": "interval",
    "cluster.accelerator_count": "size",
    "serving.requests_per_second": "load",
}


def optimisation_section(basis: Basis, writer: Writer) -> Section | None:
    """What was searched, the best setting, the curves with their flat regions; None without a search."""
    found = basis.review.optimisation
    if found is None:
        return None
    blocks: list[Block] = [Paragraph(_searched(found, writer)), Paragraph(_best(found, writer))]
    for figure in _curve_figures(basis, found, writer):
        blocks += figure
    blocks += [Heading(writer.tr("Candidates"), writer.tr("without the chosen actions")), _candidates(found, writer)]
    if found.excluded:
        blocks += [Heading(writer.tr("Left out, by reason")), _excluded(found, writer)]
    return Section("optimisation", writer.tr("Optimisation"), part_b(writer), tuple(blocks))


def _searched(found: Optimisation, writer: Writer) -> str:
    sentences = [
        writer.tr("{count} settings were evaluated; {out} of them are not possible.").format(
            count=writer.number(found.evaluated), out=writer.number(sum(found.excluded.values()))
        ),
        _certificate(found.certificate, writer),
    ]
    return writer.sentences(sentences)


def _certificate(certificate: Certificate, writer: Writer) -> str:
    method = writer.tr("Method: {method}.", method=writer.tr(certificate.method))
    if certificate.bound is None or certificate.gap is None:
        return method
    text = writer.tr("Lower bound {bound}, gap {gap}.", bound=writer.money(certificate.bound), gap=writer.percent(certificate.gap))
    return writer.sentences([method, text])


def _best(found: Optimisation, writer: Writer) -> str:
    if not found.best.changes:
        return writer.tr("The plan as it stands is the best setting of the search: no change needed.")
    changes = "; ".join(writer.change(change) for change in found.best.changes)
    text = writer.tr("Best: {total} instead of {now}, {time} instead of {time_now}. Changes: {changes}.")
    return text.format(
        total=writer.money(found.best.total), now=writer.money(found.baseline_total),
        time=writer.quantity(found.best.duration_h, "h"), time_now=writer.quantity(found.baseline_duration_h, "h"),
        changes=changes,
    )  # fmt: skip


def _curve_figures(basis: Basis, found: Optimisation, writer: Writer) -> list[tuple[Block, ...]]:
    deadline = basis.plan.schedule.deadline_days
    drawn = []
    for curve in found.curves[:MOST_CURVES]:
        if len(curve.x) < 2:
            continue
        data = CurveData(curve, _CURVE_KINDS.get(curve.path, "split"), writer.currency, deadline and deadline * 24.0)
        drawn.append(_charted(draw_curve, data, _curve_alt(curve, writer), writer))
    if len(found.candidates) > 1:
        frontier = FrontierData(
            found, writer.currency, deadline, basis.plan.governance.budget, by_size=not basis.plan.is_training
        )
        alt = writer.tr("Cost against time of all candidates.")
        drawn.append(_charted(draw_frontier, frontier, alt, writer))
    return drawn


def _charted(draw: object, data: object, alt: str, writer: Writer) -> tuple[Block, ...]:
    """A chart of the window on paper, under the finding it prints there as its title."""
    tables = []

    def paint(canvas: object) -> None:
        tables.append(draw(canvas, data, figures.STYLE, writer.lang))  # type: ignore[operator]

    figure = figures.draw(paint, figures.PAGE_WIDTH_PT, CURVE_HEIGHT, alt)
    return Heading(tables[0].title, tables[0].note), figure


def _curve_alt(curve: Curve, writer: Writer) -> str:
    return writer.tr("Total cost against {setting}.", setting=writer.tr(curve.title))


def _candidates(found: Optimisation, writer: Writer) -> Table:
    ranked = sorted(found.candidates, key=lambda item: item.total)[:MOST_CANDIDATES]
    with_speed = any(item.mfu is not None or item.goodput is not None for item in ranked)
    columns = [
        Column(writer.tr("Candidate"), share=1), Column(writer.tr("GPUs"), "right"), Column(writer.tr("Total"), "right"),
        Column(writer.tr("Run"), "right"),
    ]  # fmt: skip
    if with_speed:
        columns += [Column(writer.tr("MFU"), "right"), Column(writer.tr("Goodput"), "right")]
    columns.append(Column(writer.tr("What changes"), share=2.6))
    rows = tuple(_candidate_row(item, item.changes == found.best.changes, with_speed, writer) for item in ranked)
    return Table(tuple(columns), rows, dense=True)


def _candidate_row(item: Candidate, is_best: bool, with_speed: bool, writer: Writer) -> Row:
    cells: list[Cell] = [
        plain(writer.tr(item.label)), plain(writer.number(item.accelerators, 4)), plain(writer.money(item.total)),
        plain(writer.quantity(item.duration_h, "h")),
    ]  # fmt: skip
    if with_speed:
        cells += [plain("–" if share is None else writer.percent(share)) for share in (item.mfu, item.goodput)]
    changes = "; ".join(writer.change(change) for change in item.changes) or writer.tr("nothing")
    cells.append(plain(changes, "muted"))
    return Row(tuple(cells), "chosen" if is_best else "")


def _excluded(found: Optimisation, writer: Writer) -> Table:
    rows = tuple(
        Row((plain(writer.tr(reason)), plain(writer.number(count))))
        for reason, count in sorted(found.excluded.items(), key=lambda item: -item[1])
    )
    return Table((Column(writer.tr("Reason"), share=1), Column(writer.tr("Settings"), "right")), rows, dense=True)


# Recommendations


def recommendations_section(basis: Basis, writer: Writer) -> Section:
    """The waterfall, each chosen action with how it is checked and undone, and what is held back."""
    blocks: list[Block] = []
    if basis.chosen:
        blocks += [Paragraph(_joint(basis, writer)), _waterfall(basis, writer), _actions(basis, writer)]
        blocks.append(Paragraph(_risk_key(writer), "muted"))
        blocks += [Heading(writer.tr("Evidence")), _evidence(basis, writer)] if any(i.evidence for i in basis.chosen) else []
    else:
        blocks.append(Paragraph(writer.tr("No action is chosen: the proposal is the plan as it stands.")))
    held = [item for item in basis.review.recommendations.recommendations if not item.chosen]
    if held:
        blocks += [Heading(writer.tr("Held back, not in the ask")), _held_back(held, basis, writer)]
    return Section("recommendations", writer.tr("Recommendations: how each is checked and undone"), part_b(writer), tuple(blocks))


def _joint(basis: Basis, writer: Writer) -> str:
    joint = basis.review.recommendations.joint_saving
    text = writer.tr("Together they save {gross}; eight outcomes in ten lie between {band}.")
    return writer.sentences([
        text.format(gross=writer.money(joint.gross), band=writer.band(joint.p10, joint.p90)),
        writer.tr("Each bar is what the action adds after the ones above it, so the bars add up to the joint saving."),
    ])  # fmt: skip


def _waterfall(basis: Basis, writer: Writer) -> Figure:
    steps = [
        figures.Step(shorten(writer.tr(item.title), LONGEST_LABEL), item.saving.in_plan or 0.0) for item in basis.chosen
    ]
    start = (writer.tr("Today's plan"), basis.today.total)
    end = (writer.tr("Proposed plan"), basis.proposed.total)
    height = 14.5 * (len(steps) + 2) + 8
    return figures.draw(
        lambda canvas: figures.draw_waterfall(figures.one_axes(canvas, 175, 4, 8, 4), start, steps, end, writer.money),
        figures.PAGE_WIDTH_PT, height, alt=writer.tr("From today's total to the proposed one, a bar for each action."),
    )  # fmt: skip


def _actions(basis: Basis, writer: Writer) -> Table:
    columns = (
        Column(""),
        Column(writer.tr("Action and change"), share=2.0),
        Column(writer.tr("In this plan"), "right"),
        Column(writer.tr("Risk")),
        Column(writer.tr("Verify before relying on it"), share=1.5),
        Column(writer.tr("Roll back"), share=1.0),
    )
    rows = tuple(_action_row(number, item, writer) for number, item in enumerate(basis.chosen, 1))
    return Table(columns, rows)


def _action_row(number: int, item: Recommendation, writer: Writer) -> Row:
    saving = item.saving
    amounts: list[Run] = [
        Run(writer.money(saving.in_plan), "strong"),
        Run(writer.tr("alone {money}", money=writer.money(saving.gross)), "muted"),
        Run(writer.band(saving.p10, saving.p90), "muted"),
    ]
    if saving.one_off:
        amounts.append(Run(writer.tr("once {money}", money=writer.money(saving.one_off)), "muted"))
    return Row((
        plain(str(number), "muted"), _what(item, writer), tuple(amounts), writer.risk_cell(item),
        (Run(writer.tr(item.verify)), *_reasons(item, writer)), plain(writer.tr(item.rollback)),
    ))  # fmt: skip


def _what(item: Recommendation, writer: Writer) -> Cell:
    lines = [Run(writer.tr(item.title), "strong"), Run(writer.render(item.finding))]
    lines += [Run(writer.change(change), "muted") for change in item.changes]
    lines.append(Run(f"{item.id} · {writer.word(EFFORTS, item.effort)}", "muted"))
    return tuple(lines)


def _reasons(item: Recommendation, writer: Writer) -> list[Run]:
    """Why a dimension is risky; nothing for those without risk."""
    risk = item.risk
    pairs = (
        (risk.effect, risk.effect_reason), (risk.stability, risk.stability_reason), (risk.governance, risk.governance_reason),
    )  # fmt: skip
    return [Run(writer.tr(reason), "muted", level) for level, reason in pairs if level and reason]


def _risk_key(writer: Writer) -> str:
    return writer.tr("Risk to effect, stability and governance: 0 none, 1 low, 2 medium, 3 high.")


def _evidence(basis: Basis, writer: Writer) -> Table:
    rows = tuple(
        Row((plain(item.id, "muted"), plain(writer.tr(source.figure)), plain(f"{source.title}. {source.where}", "muted")))
        for item in basis.chosen
        for source in item.evidence
    )
    columns = (Column(writer.tr("Rule")), Column(writer.tr("Published figure"), share=1.2), Column(writer.tr("Source"), share=1))
    return Table(columns, rows, dense=True)


def _held_back(held: list[Recommendation], basis: Basis, writer: Writer) -> Table:
    titles = {item.id: writer.tr(item.title) for item in basis.review.recommendations.recommendations}
    rows = tuple(
        Row((
            _what(item, writer),
            (
                Run("–" if item.saving.in_plan is None else writer.money(item.saving.in_plan), "strong"),
                Run(writer.tr("alone {money}", money=writer.money(item.saving.gross)), "muted"),
                Run(writer.band(item.saving.p10, item.saving.p90), "muted"),
            ),
            writer.risk_cell(item),
            _why_held(item, titles, writer),
        ))
        for item in held
    )  # fmt: skip
    columns = (
        Column(writer.tr("Action and change"), share=1.5), Column(writer.tr("Would add"), "right"),
        Column(writer.tr("Risk")), Column(writer.tr("Why it waits"), share=1.5),
    )  # fmt: skip
    return Table(columns, rows)


def _why_held(item: Recommendation, titles: dict[str, str], writer: Writer) -> Cell:
    reasons = [writer.render(message) for message in item.conditional]
    if item.replaced_by:
        reasons.append(writer.tr("Excluded by: {action}.", action=titles.get(item.replaced_by, item.replaced_by)))
    if item.needs:
        reasons.append(writer.tr("Needs first: {actions}.", actions=writer.join([titles.get(n, n) for n in item.needs])))
    if item.state == "dismissed":
        reasons.append(writer.tr("Put aside by the planner."))
    if max(item.risk.effect, item.risk.stability) >= 2 and not item.conditional:
        reasons.append(writer.tr("May change quality or stability: it waits for its trial."))
    if item.saving.in_plan is not None and item.saving.in_plan <= 0:
        reasons.append(writer.tr("Would cost money in this plan."))
    if not reasons:
        reasons.append(writer.tr("Not chosen."))
    return (*(Run(text) for text in reasons), *_reasons(item, writer))


# Uncertainty


def uncertainty_section(basis: Basis, writer: Writer) -> Section:
    """The range in words, the percentiles, and what moves the total."""
    blocks: list[Block] = [Paragraph(text) for text in _range_words(basis, writer)]
    if basis.band is not None:
        blocks.append(_percentiles(basis, writer))
    drivers = basis.proposed.drivers
    if drivers:
        heading = Heading(writer.tr("What moves the total"), writer.tr("each input alone, from its P10 to its P90"))
        blocks += [heading, _tornado(basis, drivers, writer), _drivers(basis, drivers, writer)]
    return Section("uncertainty", writer.tr("Uncertainty"), part_b(writer), tuple(blocks))


def _range_words(basis: Basis, writer: Writer) -> list[str]:
    proposed = basis.proposed
    if basis.band is None or proposed.p50 is None:
        return [writer.tr("No draws were made: there is no range.")]
    sentences = [
        writer.tr("As likely as not the cost is {money} or less.", money=writer.money(proposed.p50 + basis.one_off)),
        writer.tr("In eight of ten cases it lies between {band}.", band=writer.band(*basis.band)),
        writer.tr("The range is computed jointly from {draws} draws, not added up from single ranges.", draws=writer.number(proposed.draws)),
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
            shorten(_driver_title(basis, driver, writer), LONGEST_LABEL), _end(driver, driver.low, writer),
            _end(driver, driver.high, writer), driver.total_low, driver.total_high,
        )
        for driver in drivers[:MOST_SWINGS]
    ]  # fmt: skip
    height = 17.0 * len(swings) + 24
    return figures.draw(
        lambda canvas: figures.draw_tornado(
            figures.one_axes(canvas, 175, 18, 8, 2), swings, basis.proposed.total, writer.axis
        ),
        figures.PAGE_WIDTH_PT, height, alt=writer.tr("Total at both ends of each uncertain input."),
    )  # fmt: skip


def _driver_title(basis: Basis, driver: Driver, writer: Writer) -> str:
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
        Row((
            plain(_driver_title(basis, driver, writer)), plain(_end(driver, driver.low, writer)), plain(_end(driver, driver.high, writer)),
            plain(writer.money(driver.total_low)), plain(writer.money(driver.total_high)),
            plain(writer.percent(driver.share_of_variance, 2)),
        ))
        for driver in drivers
    )  # fmt: skip
    columns = (
        Column(writer.tr("Input"), share=1), Column(writer.tr("Low"), "right"), Column(writer.tr("High"), "right"),
        Column(writer.tr("Total at low"), "right"), Column(writer.tr("Total at high"), "right"),
        Column(writer.tr("Share of the spread"), "right"),
    )  # fmt: skip
    return Table(columns, rows, dense=True)

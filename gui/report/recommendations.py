"""Part B, for engineering: each action with how it is checked and undone, and what is held back."""

from __future__ import annotations

from engine.results import Recommendation
from gui.report import figures
from gui.report.basis import Basis
from gui.report.document import Block, Cell, Column, Figure, Heading, Paragraph, Row, Run, Section, Table
from gui.report.engineering import part_b
from gui.report.page_one_money import saving_steps
from gui.report.words import EFFORTS, LONGEST_LABEL, Writer, plain, shorten


def recommendations_section(basis: Basis, writer: Writer) -> Section:
    """The waterfall, each chosen action with how it is checked and undone, and what is held back."""
    blocks: list[Block] = []
    if basis.chosen:
        blocks += [Paragraph(_joint(basis, writer)), _waterfall(basis, writer), _actions(basis, writer)]
        blocks.append(Paragraph(_risk_key(writer), "muted"))
        if any(item.evidence for item in basis.chosen):
            blocks += [Heading(writer.tr("Evidence")), _evidence(basis, writer)]
    else:
        blocks.append(Paragraph(writer.tr("No action is chosen: the proposal is the plan as it stands.")))
    held = [item for item in basis.review.recommendations.recommendations if not item.chosen]
    if held:
        blocks += [Heading(writer.tr("Held back, not in the ask")), _held_back(held, basis, writer)]
    return Section(
        "recommendations",
        writer.tr("Recommendations: how each is checked and undone"),
        part_b(writer),
        tuple(blocks),
    )


def _joint(basis: Basis, writer: Writer) -> str:
    joint = basis.review.recommendations.joint_saving
    text = writer.tr("Together they save {gross}; eight outcomes in ten lie between {band}.")
    return writer.sentences(
        [
            text.format(gross=writer.money(joint.gross), band=writer.band(joint.p10, joint.p90)),
            writer.tr(
                "Each bar is what the action adds after the ones above it, "
                "so the bars add up to the joint saving."
            ),
        ]
    )


def _waterfall(basis: Basis, writer: Writer) -> Figure:
    scale, printed = saving_steps(basis, writer)
    steps = [
        figures.Step(shorten(writer.tr(item.title), LONGEST_LABEL), scale.amount(printed[item.id]))
        for item in basis.chosen
    ]
    start = (writer.tr("Today's plan"), basis.today.total)
    end = (writer.tr("Proposed plan"), basis.proposed.total)
    height = 14.5 * (len(steps) + 2) + 8
    return figures.draw(
        lambda canvas: figures.draw_waterfall(
            figures.one_axes(canvas, 175, 4, 8, 4), start, steps, end, writer.axis
        ),
        figures.PAGE_WIDTH_PT,
        height,
        alt=writer.tr("From today's total to the proposed one, a bar for each action."),
    )


def _actions(basis: Basis, writer: Writer) -> Table:
    columns = (
        Column(""),
        Column(writer.tr("Action and change"), share=2.0),
        Column(writer.tr("In this plan"), "right"),
        Column(writer.tr("Risk")),
        Column(writer.tr("Verify before relying on it"), share=1.5),
        Column(writer.tr("Roll back"), share=1.0),
    )
    scale, printed = saving_steps(basis, writer)
    rows = tuple(
        _action_row(number, item, scale.amount(printed[item.id]), writer)
        for number, item in enumerate(basis.chosen, 1)
    )
    return Table(columns, rows)


def _action_row(number: int, item: Recommendation, share: float, writer: Writer) -> Row:
    saving = item.saving
    amounts: list[Run] = [
        Run(writer.axis(share), "strong"),
        Run(writer.tr("alone {money}", money=writer.money(saving.gross)), "muted"),
        Run(writer.band(saving.p10, saving.p90), "muted"),
    ]
    if saving.one_off:
        amounts.append(Run(writer.tr("once {money}", money=writer.money(saving.one_off)), "muted"))
    return Row(
        (
            plain(str(number), "muted"),
            _what(item, writer),
            tuple(amounts),
            writer.risk_cell(item),
            (Run(writer.tr(item.verify)), *_reasons(item, writer)),
            plain(writer.tr(item.rollback)),
        )
    )


def _what(item: Recommendation, writer: Writer) -> Cell:
    lines = [Run(writer.tr(item.title), "strong"), Run(writer.render(item.finding))]
    lines += [Run(writer.change(change), "muted") for change in item.changes]
    lines.append(Run(f"{item.id} · {writer.word(EFFORTS, item.effort)}", "muted"))
    return tuple(lines)


def _reasons(item: Recommendation, writer: Writer) -> list[Run]:
    """Why a dimension is risky; nothing for those without risk."""
    risk = item.risk
    pairs = (
        (risk.effect, risk.effect_reason),
        (risk.stability, risk.stability_reason),
        (risk.governance, risk.governance_reason),
    )
    return [Run(writer.tr(reason), "muted", level) for level, reason in pairs if level and reason]


def _risk_key(writer: Writer) -> str:
    return writer.tr("Risk to effect, stability and governance: 0 none, 1 low, 2 medium, 3 high.")


def _evidence(basis: Basis, writer: Writer) -> Table:
    rows = tuple(
        Row(
            (
                plain(item.id, "muted"),
                plain(writer.tr(source.figure)),
                plain(f"{source.title}. {source.where}", "muted"),
            )
        )
        for item in basis.chosen
        for source in item.evidence
    )
    columns = (
        Column(writer.tr("Rule")),
        Column(writer.tr("Published figure"), share=1.2),
        Column(writer.tr("Source"), share=1),
    )
    return Table(columns, rows, dense=True)


def _held_back(held: list[Recommendation], basis: Basis, writer: Writer) -> Table:
    titles = {item.id: writer.tr(item.title) for item in basis.review.recommendations.recommendations}
    rows = tuple(
        Row(
            (
                _what(item, writer),
                (
                    Run("–" if item.saving.in_plan is None else writer.money(item.saving.in_plan), "strong"),
                    Run(writer.tr("alone {money}", money=writer.money(item.saving.gross)), "muted"),
                    Run(writer.band(item.saving.p10, item.saving.p90), "muted"),
                ),
                writer.risk_cell(item),
                _why_held(item, titles, writer),
            )
        )
        for item in held
    )
    columns = (
        Column(writer.tr("Action and change"), share=1.5),
        Column(writer.tr("Would add"), "right"),
        Column(writer.tr("Risk")),
        Column(writer.tr("Why it waits"), share=1.5),
    )
    return Table(columns, rows)


def _why_held(item: Recommendation, titles: dict[str, str], writer: Writer) -> Cell:
    reasons = [writer.render(message) for message in item.conditional]
    if item.replaced_by:
        reasons.append(
            writer.tr("Excluded by: {action}.", action=titles.get(item.replaced_by, item.replaced_by))
        )
    if item.needs:
        reasons.append(
            writer.tr("Needs first: {actions}.", actions=writer.join([titles.get(n, n) for n in item.needs]))
        )
    if item.state == "dismissed":
        reasons.append(writer.tr("Put aside by the planner."))
    if max(item.risk.effect, item.risk.stability) >= 2 and not item.conditional:
        reasons.append(writer.tr("May change quality or stability: it waits for its trial."))
    if item.saving.in_plan is not None and item.saving.in_plan <= 0:
        reasons.append(writer.tr("Would cost money in this plan."))
    if not reasons:
        reasons.append(writer.tr("Not chosen."))
    return (*(Run(text) for text in reasons), *_reasons(item, writer))

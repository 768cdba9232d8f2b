"""The money of page one: the picture of the ask, what it pays for, when it is spent, savings in the plan."""

from __future__ import annotations

from collections.abc import Sequence

from engine.results import Estimate
from gui.report import figures
from gui.report.basis import Basis, shifted_band
from gui.report.document import Block, Column, Figure, Panel, Paragraph, Row, Run, Table
from gui.report.spending import Scale, apportion, category_totals, money_scale, spending_periods, spread
from gui.report.words import CATEGORIES, RISKS, Writer, plain, shorten
from gui.shell.colours import LIGHT

PICTURE_SIZE = (244.0, 74.0)
BARS_SIZE = (238.0, 108.0)
MOST_SAVINGS = 7
LONGEST_ITEM = 44
ACTING = "acting"
"""Key of the one-off cost of carrying the actions out, beside the ledger's categories."""


def money_picture(basis: Basis, writer: Writer) -> Figure:
    """The proposal's range with the ask, and today's settings on the same scale."""
    ask = None if basis.proposed.ask is None else basis.ask
    rows = [_band_row(writer.tr("this proposal"), basis.proposed, basis.one_off, ask)]
    if basis.chosen:
        rows.append(_band_row(writer.tr("today's settings"), basis.today, 0.0, None))
    return figures.draw(
        lambda canvas: figures.draw_bands(figures.one_axes(canvas, 12, 15, 14, 2), rows, writer.axis),
        *PICTURE_SIZE,
        alt=writer.tr("Range, most likely cost and ask of the proposal, beside today's settings."),
    )


def _band_row(label: str, found: Estimate, shift: float, ask: float | None) -> figures.BandRow:
    likely = found.total + shift
    low, high = shifted_band(found, shift) or (likely, likely)
    return figures.BandRow(label, low, likely, high, ask)


# What it pays for


def pays_panel(basis: Basis, writer: Writer) -> Panel:
    """Categories with amount and share, most likely, contingency, ask; the printed column adds up."""
    scale = money_scale(max(basis.ask, basis.likely), writer)
    amounts = spent_by_category(basis)
    likely, ask = scale.steps(basis.likely), scale.steps(basis.ask)
    parts = apportion(list(amounts.values()), scale, likely)
    shares = _whole_percents(list(amounts.values()))
    rows = [
        Row(
            (
                (Run(_category_label(basis, key, writer), colour=_colour(key)),),
                plain(scale.text(part, writer.lang)),
                plain(_share_text(share, amounts[key], writer), "muted"),
            )
        )
        for key, part, share in zip(amounts, parts, shares, strict=True)
    ]
    rows += [
        Row(
            (
                plain(writer.tr("Most likely")),
                plain(scale.text(likely, writer.lang)),
                plain(writer.percent(1.0)),
            ),
            "total",
        ),
        Row(
            (
                plain(writer.tr("Contingency, held by finance")),
                plain(scale.text(ask - likely, writer.lang)),
                plain(""),
            )
        ),
        Row((plain(writer.tr("We ask for")), plain(scale.text(ask, writer.lang)), plain("")), "total"),
    ]
    columns = (Column("", share=1), Column("", "right"), Column("", "right"))
    return Panel(writer.tr("What it pays for"), scale.label, (Table(columns, tuple(rows)),))


def spent_by_category(basis: Basis) -> dict[str, float]:
    """Known money of the proposal by category, the one-off cost of acting last; no empty ones."""
    amounts = {key: amount for key, amount in category_totals(basis.proposed.lines).items() if amount}
    return {**amounts, ACTING: basis.one_off} if basis.one_off else amounts


def _whole_percents(amounts: Sequence[float]) -> list[int]:
    """Shares in whole per cent that add up to 100."""
    whole = sum(amounts)
    if whole <= 0:
        return [0] * len(amounts)
    return apportion([100.0 * amount / whole for amount in amounts], Scale(1.0, 0, ""), 100)


def _share_text(share: int, amount: float, writer: Writer) -> str:
    return (
        writer.tr("under {share}", share=writer.percent(0.01))
        if share == 0 < amount
        else writer.percent(share / 100, 2)
    )


def _category_label(basis: Basis, key: str, writer: Writer) -> str:
    if key == ACTING:
        return writer.tr("Carrying out the savings")
    name = writer.word(CATEGORIES, key)
    gpu_hours, count = basis.proposed.metric("gpu_hours"), basis.proposed.metric("accelerators")
    if key == "compute" and gpu_hours:
        hours = writer.quantity(gpu_hours, "GPU-h")
        if count:
            return writer.tr(
                "{category}: {count} GPUs, {hours}", category=name, count=writer.number(count), hours=hours
            )
        return writer.tr("{category}: {detail}", category=name, detail=hours)
    people = sum(role.fte for role in basis.plan.people.roles)
    if key == "people" and people:
        return writer.tr("{category}: {detail}", category=name, detail=_posts(people, writer))
    return name


def _posts(people: float, writer: Writer) -> str:
    return writer.tr("{count} full-time posts", count=writer.number(people, 2))


def _colour(key: str) -> str:
    return LIGHT.muted if key == ACTING else LIGHT.category(key)


# When it is spent


def spent_panel(basis: Basis, writer: Writer) -> Panel:
    """Bars by quarter of the most likely cost; the printed totals add up to it."""
    periods = spending_periods(basis.proposed.lines, basis.plan.schedule.start_date, writer)
    table = spread(basis.proposed.lines, periods)
    if basis.one_off:
        table[ACTING] = [basis.one_off] + [0.0] * (len(periods) - 1)
    scale = money_scale(max(basis.ask, basis.likely), writer)
    sums = [sum(row[index] for row in table.values()) for index in range(len(periods))]
    printed = apportion(sums, scale, scale.steps(basis.likely))
    order = [key for key in spent_by_category(basis) if key in table]
    stacks = [figures.Stack(key, key, tuple(table[key])) for key in order]
    labels = [scale.text(steps, writer.lang) for steps in printed]
    names = [period.label for period in periods]
    foot = 25 if any("\n" in name for name in names) else 15
    bars = figures.draw(
        lambda canvas: figures.draw_spending(figures.one_axes(canvas, 2, foot, 2, 2), names, stacks, labels),
        *BARS_SIZE,
        alt=writer.tr("Most likely cost by period, stacked by category."),
    )
    blocks: list[Block] = [bars, Paragraph(_commitment(basis, writer), "muted")]
    by_month = basis.plan.schedule.start_date is None
    text = (
        writer.tr("most likely, {unit}, by month from the start")
        if by_month
        else writer.tr("most likely, {unit}")
    )
    remark = text.format(unit=scale.label)
    return Panel(writer.tr("When it is spent"), remark, tuple(blocks))


def _commitment(basis: Basis, writer: Writer) -> str:
    lines = [line for line in basis.proposed.lines if line.in_scope and line.amount]
    committed = sum(line.amount or 0.0 for line in lines if line.commitment == "committed")
    sentences = [
        writer.tr(
            "{money} is committed when the contract is signed, used or not.", money=writer.money(committed)
        )
        if committed > 0
        else writer.tr("Nothing is committed in advance: what is not used is not paid.")
    ]
    if basis.plan.cluster.price_mode == "owned":
        sentences.append(
            writer.tr("The GPUs are owned: their rate stands for depreciation and running cost.")
        )
    else:
        sentences.append(writer.tr("GPUs are rented by the hour: operating expense."))
    return writer.sentences(sentences)


# Savings already in the plan


def savings_panel(basis: Basis, writer: Writer) -> Panel:
    """Each chosen action's share in the set; the column adds up to the joint saving."""
    title = writer.tr("Savings already in the plan")
    if not basis.chosen:
        text = writer.tr("No action is chosen: the ask is the plan as it stands.")
        return Panel(title, "", (Paragraph(text, "muted"),))
    scale, steps = saving_steps(basis, writer)
    ranked = sorted(basis.chosen, key=lambda item: -steps[item.id])
    shown = ranked if len(ranked) == MOST_SAVINGS + 1 else ranked[:MOST_SAVINGS]
    rest = ranked[len(shown) :]
    rows = [
        _row(
            shorten(writer.tr(item.title), LONGEST_ITEM),
            scale.text(steps[item.id], writer.lang),
            item.risk.worst,
            writer,
        )
        for item in shown
    ]
    if rest:
        name = writer.trn("{count} further action", "{count} further actions", len(rest))
        amount = scale.text(sum(steps[item.id] for item in rest), writer.lang)
        rows.append(_row(name, amount, max(item.risk.worst for item in rest), writer))
    together = Run(scale.text(sum(steps.values()), writer.lang), "saving")
    rows.append(Row((plain(writer.tr("Together")), (together,), plain("")), "total"))
    columns = (Column("", share=1), Column("", "right"), Column(""))
    remark = writer.tr("{unit}, risk", unit=scale.label)
    return Panel(
        title, remark, (Table(columns, tuple(rows)), Paragraph(_saving_note(basis, writer), "muted"))
    )


def saving_steps(basis: Basis, writer: Writer) -> tuple[Scale, dict[str, int]]:
    """Printed share of every chosen action by id; they add up to the printed joint saving on every page."""
    joint = basis.review.recommendations.joint_saving
    scale = money_scale(abs(joint.gross), writer)
    shares = [item.saving.in_plan or 0.0 for item in basis.chosen]
    parts = apportion(shares, scale, scale.steps(joint.gross))
    return scale, {item.id: part for item, part in zip(basis.chosen, parts, strict=True)}


def _row(name: str, amount: str, risk: int, writer: Writer) -> Row:
    return Row((plain(name), plain(amount), (Run(writer.tr(RISKS[risk]), "muted", risk),)))


def _saving_note(basis: Basis, writer: Writer) -> str:
    joint = basis.review.recommendations.joint_saving
    sentences = [writer.tr("In nine of ten cases they save at least {money}.", money=writer.money(joint.p10))]
    if basis.one_off:
        text = writer.tr("Carrying them out costs {cost} once: {net} net.")
        sentences.append(text.format(cost=writer.money(basis.one_off), net=writer.money(joint.net)))
    return writer.sentences(sentences)

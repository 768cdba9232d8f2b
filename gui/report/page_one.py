"""Page one: what is asked for, what it pays for, the options, the risks and the decision, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from engine.plan.money import CATEGORIES as ALL_CATEGORIES
from engine.text import N_
from gui.report.basis import Basis, end_day
from gui.report.document import Amount, Decision, PageOne, Run
from gui.report.options import options_panel
from gui.report.page_one_money import money_picture, pays_panel, savings_panel, spent_panel
from gui.report.threats import threats_panel
from gui.report.words import CATEGORIES, Writer, cut, shorten

LONGEST_NAME = 60
_ENOUGH = {
    50: N_("enough in five cases out of ten"),
    60: N_("enough in six cases out of ten"),
    70: N_("enough in seven cases out of ten"),
    80: N_("enough in eight cases out of ten"),
    90: N_("enough in nine cases out of ten"),
}
_TITLES = {
    "pretraining": N_("{name}: training a model of {size} parameters"),
    "continued_pretraining": N_("{name}: further training of a model of {size} parameters"),
    "finetuning": N_("{name}: fine-tuning a model of {size} parameters"),
    "multimodal_training": N_("{name}: training a multimodal model of {size} parameters"),
    "online_inference": N_("{name}: serving a model of {size} parameters"),
    "batch_inference": N_("{name}: a batch of work for a model of {size} parameters"),
}


def compose_page_one(basis: Basis, writer: Writer) -> PageOne:
    """Page one of a proposal."""
    return PageOne(
        kicker=_kicker(basis, writer),
        title=plan_title(basis, writer),
        subtitle=_in_a_row(_subtitle(basis, writer), writer),
        ask=_ask(basis, writer),
        likely=_likely(basis, writer),
        picture=money_picture(basis, writer),
        missing=_missing(basis, writer),
        pays=pays_panel(basis, writer),
        spent=spent_panel(basis, writer),
        options=options_panel(basis, writer),
        savings=savings_panel(basis, writer),
        risks=threats_panel(basis, writer),
        scope=_scope(basis, writer),
        decision=_decision(basis, writer),
    )


def plan_name(basis: Basis, writer: Writer) -> str:
    """The plan's name, short enough for a title; a plain word when it has none."""
    name = basis.plan.meta.name or basis.plan.meta.project or basis.plan.architecture.model_name
    return cut(name.strip(), LONGEST_NAME) or writer.tr("Unnamed plan")


def plan_title(basis: Basis, writer: Writer) -> str:
    """What the money buys."""
    parameters = basis.today.metric("parameters_total")
    name = plan_name(basis, writer)
    if parameters is None:
        return name
    size = _in_words(parameters, writer)
    return writer.tr(_TITLES[basis.plan.workload.kind], name=name, size=size)


def _in_words(count: float, writer: Writer) -> str:
    """70.6 billion; 706 亿: page one spells magnitudes out."""
    if writer.lang == "zh_CN":
        from gui.formatting import compact

        return compact(count, writer.lang)
    for size, word in (
        (1e12, N_("{count} trillion")),
        (1e9, N_("{count} billion")),
        (1e6, N_("{count} million")),
    ):
        if count >= size:
            return writer.tr(word, count=writer.number(count / size, 3))
    return writer.number(count)


def _kicker(basis: Basis, writer: Writer) -> tuple[str, str, str]:
    meta = basis.plan.meta
    parts = [meta.organisation, meta.team]
    if meta.project and meta.project != meta.name:
        parts.append(writer.tr("project {name}", name=meta.project))
    middle = cut(writer.join([part.strip() for part in parts if part.strip()]), LONGEST_NAME)
    return writer.tr("Budget proposal"), middle, writer.date(basis.review.created)


def _subtitle(basis: Basis, writer: Writer) -> list[Run]:
    sentences = [Run(_timing(basis, writer))]
    deadline = basis.plan.deadline_days
    if not basis.proposed.feasible:
        text = writer.tr("The plan cannot be carried out as it stands; see Part B.")
        sentences.append(Run(text, "danger"))
    if basis.is_late and deadline is not None:
        text = writer.tr("It misses the deadline of {deadline} by {days}.")
        sentences.append(
            Run(text.format(deadline=writer.days(deadline), days=writer.days(basis.late_days)), "danger")
        )
    elif deadline is not None and not basis.plan.is_service:
        text = writer.tr("It meets the deadline of {deadline}.", deadline=writer.days(deadline))
        sentences.append(Run(text))
    if basis.over_budget > 0:
        text = writer.tr("The ask exceeds the budget of {budget} by {money}.")
        shown = text.format(
            budget=writer.money(basis.plan.governance.budget), money=writer.money(basis.over_budget)
        )
        sentences.append(Run(shown, "danger"))
    return sentences


def _in_a_row(runs: list[Run], writer: Writer) -> tuple[Run, ...]:
    spaced = writer.spaced([run.text for run in runs])
    return tuple(replace(run, text=text) for run, text in zip(runs, spaced, strict=True))


def _timing(basis: Basis, writer: Writer) -> str:
    plan = basis.plan
    days, start = end_day(plan, basis.proposed), plan.schedule.start_date
    if not plan.is_training:
        period = writer.quantity(plan.schedule.horizon_months, "months")
        if plan.workload.kind == "batch_inference":
            period = writer.days(days)
        if start is None:
            return writer.tr("Runs for {period}; the start is not fixed yet.", period=period)
        return writer.tr("Runs for {period} from {start}.", period=period, start=writer.date(start))
    if start is None:
        return writer.tr("The result is there {days} after the start.", days=writer.days(days))
    end = (date.fromisoformat(start) + timedelta(days=round(days))).isoformat()
    return writer.tr(
        "Starts on {start}; the result is there on {end}.", start=writer.date(start), end=writer.date(end)
    )


def _ask(basis: Basis, writer: Writer) -> Amount:
    value = writer.money(basis.ask)
    if not basis.proposed.complete:
        value = writer.tr("at least {money}", money=value)
    notes = [Run(_enough(basis, writer), "muted")]
    reserve = basis.plan.finance.contingency
    if reserve > 0 and basis.proposed.ask is not None:
        notes.append(Run(writer.tr("and {share} on top", share=writer.percent(reserve)), "muted"))
    return Amount(writer.tr("We ask for"), value, tuple(notes))


def _enough(basis: Basis, writer: Writer) -> str:
    if basis.proposed.ask is None:
        return writer.tr("most likely cost; no range was computed")
    share = basis.plan.finance.ask_percentile
    if share in _ENOUGH:
        return writer.tr(_ENOUGH[int(share)])
    return writer.tr("enough in {count} cases out of 100", count=writer.number(share))


def _likely(basis: Basis, writer: Writer) -> Amount:
    notes = []
    if basis.band is not None:
        text = writer.tr("eight in ten lie between {band}", band=writer.band(*basis.band))
        notes.append(Run(text, "muted"))
    if (
        basis.proposed.p50 is not None
        and abs(basis.proposed.p50 / max(basis.proposed.total, 1e-9) - 1) > 0.01
    ):
        median = writer.money(basis.proposed.p50 + basis.one_off)
        notes.append(Run(writer.tr("half lie below {money}", money=median), "muted"))
    return Amount(writer.tr("Most likely"), writer.money(basis.likely), tuple(notes))


def _missing(basis: Basis, writer: Writer) -> str:
    if basis.proposed.complete:
        return ""
    names = list(dict.fromkeys(writer.tr(name) for name in basis.proposed.unknown))
    shown = names[:4] + ([writer.tr("{count} more", count=str(len(names) - 4))] if len(names) > 4 else [])
    return writer.tr(
        "Price unknown, not included: {items}.", items=writer.join([shorten(n, 40) for n in shown])
    )


def _scope(basis: Basis, writer: Writer) -> tuple[tuple[str, str], ...]:
    scope = basis.plan.scope
    named = {key: writer.tr(title) for key, title in CATEGORIES.items()}
    # Failures are named by their switch below, which says more than the category's name.
    shown = [key for key in ALL_CATEGORIES if key != "failures"]
    inside = [named[key] for key in shown if key in scope.categories]
    outside = [named[key] for key in shown if key not in scope.categories]
    retries = scope.include_retries and "failures" in scope.categories
    extras = [
        (retries, writer.tr("failures and repeated work"), not basis.plan.is_service),
        (scope.include_experiments, writer.tr("trial runs"), basis.plan.is_training),
        (basis.plan.finance.tax_rate > 0, writer.tr("tax"), True),
    ]
    for is_inside, name, applies in extras:
        if applies:
            (inside if is_inside else outside).append(name)
    outside += [writer.tr("changes of scope"), writer.tr("changes of exchange rates")]
    texts = [
        writer.tr("In scope:"),
        _sentence(inside, writer),
        writer.tr("Out of scope:"),
        _sentence(outside, writer),
    ]
    head, list_in, head_out, list_out = writer.spaced(texts)
    return (head, list_in), (head_out, list_out)


def _sentence(parts: Sequence[str], writer: Writer) -> str:
    lowered = [part[:1].lower() + part[1:] for part in parts]
    return writer.tr("{items}.", items=writer.join(lowered))


def _decision(basis: Basis, writer: Writer) -> Decision:
    ask = writer.money(basis.ask)
    committed = sum(
        line.amount or 0.0
        for line in basis.proposed.lines
        if line.in_scope and line.commitment == "committed"
    )
    sentences = [
        writer.tr(
            "Approve {ask}, of which {committed} is committed on signing.",
            ask=ask,
            committed=writer.money(committed),
        )
        if committed > 0
        else writer.tr("Approve {ask}. Nothing of it is committed on signing.", ask=ask)
    ]
    start = basis.plan.schedule.start_date
    delay = basis.plan.schedule.cost_of_delay_per_day
    sentences.append(
        writer.tr("Without approval the work does not start.")
        if start is None
        else writer.tr("Without approval by then the start moves, and the result with it.")
    )
    if delay:
        sentences.append(writer.tr("Each day of delay costs {money}.", money=writer.money(delay)))
    title = (
        writer.tr("Decision requested")
        if start is None
        else writer.tr("Decision requested by {date}", date=writer.date(start))
    )
    fields = (writer.tr("Approved by"), writer.tr("Signature"), writer.tr("Date"))
    return Decision(title, writer.sentences(sentences), fields)

"""The figures of the headline strip, as texts. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.plan import Plan
from engine.results import Estimate, RecommendationSet, Trace
from gui.formatting import (
    band,
    compact,
    currency_word,
    duration_hours,
    duration_seconds,
    money_full,
    money_short,
    number,
    percent,
    quantity,
)
from gui.i18n import language, tr, trn

if TYPE_CHECKING:
    from gui.shell.session import Session


@dataclass(frozen=True, slots=True)
class Headline:
    """One cell: label, figure, second line with its colour role, the full figure, the band drawn."""

    key: str
    label: str
    value: str
    note: str
    role: str = "text"
    note_role: str = "muted"
    full: str = ""
    band: tuple[float, float, float] | None = None


METRIC_KEYS = {
    "duration": "duration_h",
    "unit_cost": "cost_per_million_tokens",
    "mfu": "mfu",
    "goodput": "goodput",
    "output_cost": "cost_per_million_output_tokens",
    "ttft": "ttft_ms_p95",
    "tpot": "tpot_ms_p95",
    "instances": "instances_peak",
    "request_cost": "cost_per_request",
    "speed": "requests_per_s",
}
"""Cell to the metric whose trace a click shows."""


def of_session(session: Session, bounds: tuple[float, float] | None, *, narrow: bool) -> list[Headline]:
    """The cells of the open plan; `bounds` is the newest P10-P90 band, which may be older than the total."""
    estimate = session.estimate
    if estimate is None:
        return [Headline("total", tr("Total cost"), "…", tr("computing"))]
    plan, review = session.plan, session.review
    cells = [_total(estimate, bounds)]
    if plan.is_batch:
        cells += _batch(plan, estimate)
    else:
        cells += _training(plan, estimate, narrow) if plan.is_training else _serving(estimate)
    cells.append(_saving(estimate, review.recommendations if review is not None else None))
    return cells


def trace_of(estimate: Estimate, key: str) -> tuple[str, str, Trace] | None:
    """Title, value and trace of a cell's number; None when it has none."""
    metric = next((m for m in estimate.metrics if m.key == METRIC_KEYS.get(key, "")), None)
    if metric is None or metric.trace is None:
        return None
    return tr(metric.title), quantity(metric.value, metric.unit, language(), estimate.currency), metric.trace


def _total(estimate: Estimate, bounds: tuple[float, float] | None) -> Headline:
    lang, currency = language(), estimate.currency
    label = tr("Total cost ({currency})").format(currency=currency_word(currency, lang))
    full = money_full(estimate.total, currency, lang)
    value = money_short(estimate.total, currency, lang)
    if not estimate.complete:
        count = len(estimate.unknown)
        note = trn("incomplete: {count} line", "incomplete: {count} lines", count).format(count=count)
        return Headline("total", label, value, note, note_role="warn", full=full)
    if bounds is None:
        return Headline("total", label, value, tr("range follows"), full=full)
    note = tr("P10–P90 {band}").format(band=band(*bounds, currency, lang))
    return Headline("total", label, value, note, full=full, band=(bounds[0], estimate.total, bounds[1]))


def _training(plan: Plan, estimate: Estimate, narrow: bool) -> list[Headline]:
    lang = language()
    per_token = estimate.metric("cost_per_million_tokens")
    tokens = plan.training.tokens if plan.training is not None else None
    mfu, goodput = percent(estimate.metric("mfu"), lang), percent(estimate.metric("goodput"), lang)
    gpus = _accelerators(plan, estimate)
    cells = [
        _duration(plan, estimate),
        Headline(
            "unit_cost", tr("Per M tokens"), money_short(per_token, estimate.currency, lang),
            tr("{count} tokens").format(count=compact(tokens, lang)),
            full=money_full(per_token, estimate.currency, lang),
        ),
    ]  # fmt: skip
    if narrow:
        return [*cells, Headline("mfu", tr("MFU, goodput"), mfu, tr("goodput {value}").format(value=goodput))]
    return [
        *cells,
        Headline("mfu", tr("MFU"), mfu, tr("of the dense peak")),
        Headline("goodput", tr("Goodput"), goodput, gpus),
    ]


def _accelerators(plan: Plan, estimate: Estimate) -> str:
    count = estimate.metric("accelerators")
    name = plan.cluster.accelerator.split("-")[0].upper()
    return name if count is None else f"{number(round(count), language())} {name}"


def _duration(plan: Plan, estimate: Estimate) -> Headline:
    lang = language()
    hours, deadline = estimate.metric("duration_h"), plan.deadline_days
    note, role = tr("no deadline"), "muted"
    if deadline is not None:
        days = (hours or 0.0) / 24.0 + (estimate.metric("preparation_days") or 0.0)
        late = hours is not None and days > deadline
        shown = duration_hours(deadline * 24.0, lang)
        note = (tr("deadline {deadline}, missed") if late else tr("deadline {deadline}")).format(
            deadline=shown
        )
        role = "warn" if late else "muted"
    return Headline(
        "duration",
        tr("Run time"),
        duration_hours(hours, lang),
        note,
        note_role=role,
        full=quantity(hours, "h", lang),
    )


def _batch(plan: Plan, estimate: Estimate) -> list[Headline]:
    lang, currency = language(), estimate.currency
    request, requests = estimate.metric("cost_per_request"), plan.batch.requests if plan.batch else None
    thousand = None if request is None else request * 1000.0
    rate, batch = estimate.metric("requests_per_s"), estimate.metric("batch")
    instances, gpus = estimate.metric("instances_peak"), estimate.metric("gpus_per_instance")
    each = tr("{count} GPUs each").format(count=number(None if gpus is None else round(gpus), lang))
    return [
        _duration(plan, estimate),
        Headline(
            "request_cost", tr("Per 1,000 requests"), money_short(thousand, currency, lang),
            tr("{count} requests").format(count=compact(requests, lang)),
            full=money_full(thousand, currency, lang),
        ),
        Headline(
            "speed", tr("Requests a second"), number(rate, lang, 3),
            tr("{count} at once an instance").format(
                count=number(None if batch is None else round(batch), lang)
            ),
        ),
        Headline(
            "instances", tr("Instances"), number(None if instances is None else round(instances), lang), each
        ),
    ]  # fmt: skip


def _serving(estimate: Estimate) -> list[Headline]:
    lang, currency = language(), estimate.currency
    output, request = estimate.metric("cost_per_million_output_tokens"), estimate.metric("cost_per_request")
    instances, gpus = estimate.metric("instances_peak"), estimate.metric("gpus_per_instance")
    each = tr("{count} GPUs each").format(count=number(round(gpus), lang)) if gpus is not None else ""
    price = tr("{price} a request").format(price=money_full(request, currency, lang))
    first, each_token = _milliseconds(estimate, "ttft_ms_p95"), _milliseconds(estimate, "tpot_ms_p95")
    peak = number(None if instances is None else round(instances), lang)
    return [
        Headline(
            "output_cost", tr("Per M output tokens"), money_short(output, currency, lang), price,
            full=money_full(output, currency, lang),
        ),
        Headline("ttft", tr("First token, p95"), first, tr("time to first token")),
        Headline("tpot", tr("Output token, p95"), each_token, tr("time per output token")),
        Headline("instances", tr("Instances, peak"), peak, each),
    ]  # fmt: skip


def _milliseconds(estimate: Estimate, key: str) -> str:
    value = estimate.metric(key)
    return duration_seconds(None if value is None else value / 1000.0, language())


def _saving(estimate: Estimate, found: RecommendationSet | None) -> Headline:
    lang, currency = language(), estimate.currency
    label = tr("Chosen actions save")
    if found is None:
        return Headline("saving", label, "…", tr("computing"))
    joint = found.joint_saving
    if not joint.ids:
        return Headline("saving", label, money_short(0.0, currency, lang), tr("no action is ticked"))
    note = tr("leaves {total}, with {cost} one-off cost").format(
        total=money_short(joint.total_after + joint.one_off, currency, lang),
        cost=money_short(joint.one_off, currency, lang),
    )
    role = "saving" if joint.gross >= 0 else "danger"
    return Headline(
        "saving",
        label,
        money_short(joint.gross, currency, lang),
        note,
        role=role,
        full=money_full(joint.gross, currency, lang),
    )

"""Short texts of results for a terminal. Qt-free."""

from __future__ import annotations

import math
from typing import Any

from engine.results import Estimate, Optimisation, RecommendationSet
from engine.text import N_
from gui.formatting import money_short, quantity
from gui.i18n import language, render, tr
from gui.models.network import name_text, network_lines, value_text


def finite(value: float | None) -> float | None:
    """A number for JSON, which has no infinities."""
    return value if value is not None and math.isfinite(value) else None


def estimate_text(found: Estimate) -> str:
    """Total, band, metrics and ledger of an estimate."""
    money, lang = _Money(found.currency), language()
    head = tr("Total cost: {total}") if found.complete else tr("Total cost: {total}, incomplete")
    lines = [head.format(total=money(found.total))]
    if found.p10 is not None and found.p90 is not None:
        lines.append(f"  P10–P90: {money(found.p10)} – {money(found.p90)}")
    lines += [f"  ! {render(note, found.currency)}" for note in found.notes]
    for metric in (m for m in found.metrics if m.key != "feasible_code"):
        lines.append(f"  {tr(metric.title)}: {quantity(metric.value, metric.unit, lang, found.currency)}")
    for line in found.lines:
        shown = tr("unknown") if line.amount is None else money(line.amount)
        lines.append(f"  {tr(line.item):<40} {shown}")
    return "\n".join(lines)


def recommendations_text(found: RecommendationSet, currency: str, *, limit: int = 20) -> str:
    """The ranked list and the joint saving."""
    money = _Money(currency)
    joint = found.joint_saving
    lines = [
        tr("Chosen actions save {gross} together (P10–P90 {low} – {high})").format(
            gross=money(joint.gross), low=money(joint.p10), high=money(joint.p90)
        )
    ]
    for item in found.recommendations[:limit]:
        mark = "x" if item.chosen else " "
        lines.append(
            f"  [{mark}] {item.rank:>2} {money(item.risk_adjusted):>10}  {tr(item.title)} ({item.id})"
        )
        lines.append(f"         {render(item.finding, currency)}")
        lines += [f"         {change.path}: {change.before} → {change.after}" for change in item.changes]
    return "\n".join(lines)


def optimisation_text(found: Optimisation, currency: str) -> str:
    """The best setting found and what it changes."""
    money = _Money(currency)
    lines = [
        f"{tr(label)}: {money(total)}, {quantity(hours, 'h', language())}"
        for label, total, hours in (
            (N_("Plan as it stands"), found.baseline_total, found.baseline_duration_h),
            (N_("Best found"), found.best.total, found.best.duration_h),
        )
    ]
    lines += [f"  {change.path}: {change.before} → {change.after}" for change in found.best.changes]
    lines.append(tr("{count} settings evaluated").format(count=found.evaluated))
    return "\n".join(lines)


class _Money:
    """Formats amounts of one currency in the current language."""

    def __init__(self, currency: str) -> None:
        self._currency = currency

    def __call__(self, amount: float) -> str:
        return money_short(amount, self._currency, language())


def model_text(found: dict[str, Any]) -> str:
    """An imported network in lines for people: what it comes to, then what was assumed and left out."""
    lang = language()
    lines = [f"{found['architecture']['model_name']} ({found['model_type']})"]
    for line in network_lines(found, lang):
        full = f" ({line.full})" if line.full and line.full != line.value else ""
        lines.append(f"{'    ' if line.part else '  '}{line.title}: {line.value}{full}")
    lines += [found["active_convention"], tr("{count} fields read").format(count=len(found["read"]))]
    lines += [_assumed_line(item, lang) for item in found["assumed"]]
    lines += [tr("Not supported: {what}").format(what=item) for item in found["unsupported"]]
    return "\n".join(lines)


def _assumed_line(item: dict[str, Any], lang: str) -> str:
    line = tr("Assumed: {field} = {value}, {why}").format(
        field=name_text(item["field"], lang), value=value_text(item["value"], lang), why=item["why"]
    )
    note = tr("counts depend on it")
    return f"{line} ({note})" if item["affects_counts"] else line

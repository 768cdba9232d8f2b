"""Headline figures of a service: latency against its targets, instances, utilisation, cost of tokens."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.results import LatencyCurve, ServiceReport
from gui.formatting import money_full, number, percent, quantity, unit_label
from gui.i18n import language, tr
from gui.models.services import availability_text
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel, Label

UNKNOWN = "–"


class Figure(NamedTuple):
    """A headline: label, value, a second line, and the second line's colour role."""

    label: str
    value: str
    note: str
    role: str = "muted"


def service_figures(report: ServiceReport) -> tuple[Figure, ...]:
    """The headlines in reading order; what nobody knows is a dash."""
    return (
        _latency(tr("TTFT, p95"), report.curve, "ttft"),
        _latency(tr("TPOT, p95"), report.curve, "tpot"),
        _instances(report),
        _utilisation(report),
        _cost(report),
    )


def _latency(label: str, curve: LatencyCurve | None, key: str) -> Figure:
    lang = language()
    target = getattr(curve, f"{key}_slo_ms", None)
    own = None if curve is None else curve.operating
    if own is None or getattr(own, f"{key}_ms") is None or target is None:
        asked = "" if target is None else tr("target {value}").format(value=quantity(target, "ms", lang))
        return Figure(label, UNKNOWN, asked)
    value, low, high = (float(getattr(own, f"{key}_ms{end}")) for end in ("", "_low", "_high"))
    texts = {
        "low": number(low, lang, 3),
        "high": number(high, lang, 3),
        "target": quantity(target, "ms", lang),
    }
    # The model's own error may carry a target that its central value meets.
    if high > target:
        note, role = tr("{low} – {high}, may miss {target}"), "warn"
    else:
        note, role = tr("{low} – {high}, meets {target}"), "saving"
    return Figure(label, quantity(value, "ms", lang), note.format(**texts), role)


def _instances(report: ServiceReport) -> Figure:
    week, label, lang = report.week, tr("Instances, peak / mean"), language()
    if week is None:
        return Figure(label, UNKNOWN, "")
    peak = max(week.planned)
    note = tr("{gpus} at peak, {spares} spare").format(
        gpus=quantity(peak * week.gpus_per_instance, "GPUs", lang),
        spares=number(max(week.spare_instances, 0.0), lang),
    )
    return Figure(label, f"{number(peak, lang)} / {number(week.planned_mean, lang, 3)}", note)


def _utilisation(report: ServiceReport) -> Figure:
    week, label, lang = report.week, tr("Mean utilisation"), language()
    if week is None:
        return Figure(label, UNKNOWN, "")
    note = tr("available {share}").format(share=availability_text(week.availability, lang))
    short = week.availability < week.availability_target
    return Figure(label, percent(week.utilisation_mean, lang, 3), note, "warn" if short else "muted")


def _cost(report: ServiceReport) -> Figure:
    costs, lang = report.costs, language()
    output = costs is None or costs.per_million_output is not None
    label = tr("Output tokens") if output else tr("Input tokens")
    if costs is None:
        return Figure(label, UNKNOWN, "")
    unit = unit_label("M tokens", costs.currency, lang)
    head = costs.per_million_output if output else costs.per_million_input
    value = f"{money_full(head, costs.currency, lang)}/{unit}"
    if costs.unknown:
        return Figure(label, value, tr("incomplete: a price is unknown"), "warn")
    if not output:
        return Figure(label, value, "")
    note = tr("input {money}/{unit}").format(
        money=money_full(costs.per_million_input, costs.currency, lang), unit=unit
    )
    return Figure(label, value, note)


class FiguresCard(Card):
    """The headlines side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(margin=12, parent=parent)
        row = QHBoxLayout()
        row.setSpacing(20)
        self._cells: list[tuple[ElidedLabel, Label, ElidedLabel]] = []
        for _ in range(5):
            cell = (
                ElidedLabel(size="hint", role="muted"),
                Label(UNKNOWN, size="figure", bold=True),
                ElidedLabel(size="hint", role="muted"),
            )
            column = QVBoxLayout()
            column.setSpacing(1)
            for part in cell:
                column.addWidget(part)
            row.addLayout(column, 1)
            self._cells.append(cell)
        self.body.addLayout(row)

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        """Show the headlines of a report."""
        for (label, value, note), figure in zip(self._cells, figures, strict=True):
            label.set_full_text(figure.label)
            value.setText(figure.value)
            note.set_full_text(figure.note)
            note.set_role(figure.role)

    def texts(self) -> list[tuple[str, str]]:
        """Value and second line of each headline, as shown."""
        return [(value.text(), note.accessibleName()) for _, value, note in self._cells]

"""Waterfall: the total built up phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.results import CostLine, Estimate
from gui.charts.axes import Scale, money_axis, money_scale, new_axes, size_points
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Column, Mark
from gui.formatting import money_short, number, percent
from gui.i18n import Translator, translator
from gui.models.words import CATEGORY_WORDS, PHASE_WORDS, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PHASES = ("prepare", "run", "evaluate", "keep")
_RUN_PARTS = ("compute", "failures", "people")
_BAR = 0.72
_ROOMY = 70.0


@dataclass(frozen=True, slots=True)
class Step:
    """One bar: a phase, or a part of the run. `categories` are the cost categories in it."""

    phase: str
    label: str
    name: str
    amount: float
    categories: tuple[str, ...]


def phase_steps(estimate: Estimate, lang: str) -> tuple[Step, ...]:
    """The bars in order; their amounts add up to the total. The run is split by category."""
    words = translator(lang)
    steps: list[Step] = []
    for phase in _phases(estimate.lines):
        lines = [line for line in estimate.lines if line.in_scope and line.amount and line.phase == phase]
        title = word(PHASE_WORDS, phase, lang)
        if phase != "run":
            steps.append(_step(phase, title, title, lines))
            continue
        for category in _RUN_PARTS:
            part = [line for line in lines if line.category == category]
            steps.append(_run_step(title, word(CATEGORY_WORDS, category, lang), part, lang))
        rest = [line for line in lines if line.category not in _RUN_PARTS]
        steps.append(_run_step(title, words.tr("Other"), rest, lang))
    return tuple(step for step in steps if step.categories)


def draw_phases(figure: Figure, data: Estimate, style: ChartStyle, lang: str) -> ChartTable:
    """Draw the waterfall of an estimate; the end bar carries the P10-P90 whisker."""
    axes = new_axes(figure, style)
    steps = phase_steps(data, lang)
    top = max([data.total, data.p90 or 0.0, 1e-9])
    scale = money_scale(0.0, top, data.currency, lang)
    _draw_steps(axes, steps, data, scale, style, lang)
    _draw_total(axes, len(steps), data, scale, style, lang)
    axes.set_ylim(0.0, top / scale.unit * 1.18)
    money_axis(axes, scale, style, lang)
    _draw_run_span(axes, steps, style, lang)
    _tick_labels(axes, [step.label for step in steps] + [translator(lang).tr("Total")], style)
    axes.set_xlim(-0.6, len(steps) + 0.6)
    return _table(steps, data, scale, lang)


def _tick_labels(axes: Axes, labels: Sequence[str], style: ChartStyle) -> None:
    """Names under the bars; in two rows by turns when the bars stand close."""
    width = size_points(axes)[0] / style.points(1.0) * 0.86 / max(len(labels), 1)
    first = [label.split(", ")[0].split("、")[0] for label in labels] if width < _ROOMY else list(labels)
    if width < _ROOMY:
        first = [f"\n{label}" if index % 2 else label for index, label in enumerate(first)]
    axes.set_xticks(range(len(labels)), first, fontsize=style.points(11))
    axes.tick_params(axis="x", length=0)


def _draw_run_span(axes: Axes, steps: Sequence[Step], style: ChartStyle, lang: str) -> None:
    """Ground under the parts of the run, so that they read as one phase."""
    run = [index for index, step in enumerate(steps) if step.phase == "run"]
    if len(run) < 2:
        return
    axes.axvspan(run[0] - 0.5, run[-1] + 0.5, color=style.theme.raised, alpha=0.55, linewidth=0, zorder=0)
    axes.text(
        (run[0] + run[-1]) / 2,
        0.985,
        word(PHASE_WORDS, "run", lang),
        transform=axes.get_xaxis_transform(),
        ha="center",
        va="top",
        **style.text("muted"),
    )


def _phases(lines: Sequence[CostLine]) -> list[str]:
    found = {line.phase for line in lines if line.in_scope}
    return [phase for phase in _PHASES if phase in found] + sorted(found.difference(_PHASES))


def _figure(amount: float, currency: str, scale: Scale, lang: str) -> str:
    """A value over its bar. Chinese money is long; there the axis names the unit."""
    return number(amount / scale.unit, lang, 3) if lang == "zh_CN" else money_short(amount, currency, lang)


def _run_step(phase: str, part: str, lines: Sequence[CostLine], lang: str) -> Step:
    name = translator(lang).tr("{phase}: {part}").format(phase=phase, part=part)
    return _step("run", part, name, lines)


def _step(phase: str, label: str, name: str, lines: Sequence[CostLine]) -> Step:
    categories = tuple(dict.fromkeys(line.category for line in lines))
    return Step(phase, label, name, sum(line.amount or 0.0 for line in lines), categories)


def _draw_steps(
    axes: Axes, steps: Sequence[Step], data: Estimate, scale: Scale, style: ChartStyle, lang: str
) -> None:
    running = 0.0
    for index, step in enumerate(steps):
        height = step.amount / scale.unit
        mixed = len(step.categories) > 1
        colour = style.theme.category(step.categories[0])
        axes.bar(
            index,
            height,
            _BAR,
            bottom=running,
            color="none" if mixed else colour,
            edgecolor=colour,
            hatch="////" if mixed else None,
            linewidth=0.8,
        )
        running += height
        axes.annotate(
            _figure(step.amount, data.currency, scale, lang),
            (index, running),
            (0, style.points(3)),
            textcoords="offset points",
            ha="center",
            va="bottom",
            **style.text(),
        )
        axes.plot(
            [index + _BAR / 2, index + 1 - _BAR / 2],
            [running, running],
            color=style.theme.edge,
            linewidth=0.8,
        )


def _draw_total(axes: Axes, at: int, data: Estimate, scale: Scale, style: ChartStyle, lang: str) -> None:
    axes.bar(at, data.total / scale.unit, _BAR, color=style.theme.muted)
    axes.text(
        at,
        data.total / scale.unit / 2,
        money_short(data.total, data.currency, lang),
        ha="center",
        va="center",
        rotation=90,
        **{**style.text(), "color": style.theme.surface},
    )
    if data.p10 is None or data.p90 is None:
        return
    accent, low, high = style.theme.accent, data.p10 / scale.unit, data.p90 / scale.unit
    axes.plot([at, at], [low, high], color=accent, linewidth=1.8)
    for end in (low, high):
        axes.plot([at - 0.1, at + 0.1], [end, end], color=accent, linewidth=1.8)
    axes.annotate(
        "P10–P90",
        (at, high),
        (0, style.points(3)),
        textcoords="offset points",
        ha="center",
        va="bottom",
        **style.text("accent"),
    )


def _table(steps: Sequence[Step], data: Estimate, scale: Scale, lang: str) -> ChartTable:
    words = translator(lang)
    rows, marks, running = [], [], 0.0
    for index, step in enumerate(steps):
        running += step.amount
        label = step.name
        share = step.amount / data.total if data.total else None
        rows.append((label, step.amount, share, running))
        shown = f"{label}: {money_short(step.amount, data.currency, lang)} ({percent(share, lang)})"
        marks.append(Mark(index, running / scale.unit, shown))
    rows.append((words.tr("Total"), data.total, 1.0 if data.total else None, data.total))
    return ChartTable(
        title=_finding(steps, data, words, lang),
        note=_note(data, words),
        columns=(
            Column(words.tr("Phase")),
            Column(words.tr("Amount"), "currency"),
            Column(words.tr("Share"), "share"),
            Column(words.tr("Running total"), "currency"),
        ),
        rows=tuple(rows),
        marks=tuple(marks),
        currency=data.currency,
    )


def _note(data: Estimate, words: Translator) -> str:
    if not data.complete:
        return words.trn(
            "incomplete: {count} line is unknown", "incomplete: {count} lines are unknown", len(data.unknown)
        ).format(count=len(data.unknown))
    return words.tr("steps add up to the total; hatched bars mix categories")


def _finding(steps: Sequence[Step], data: Estimate, words: Translator, lang: str) -> str:
    if not steps or not data.total:
        return words.tr("Cost by phase")
    largest = max(steps, key=lambda step: step.amount)
    return words.tr("{phase} is {share} of the total").format(
        phase=largest.name, share=percent(largest.amount / data.total, lang, 2)
    )

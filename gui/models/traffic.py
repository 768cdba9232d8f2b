"""Words of imported traffic: figures, columns, assumptions, rows with a problem. Qt-free."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.importers.traffic_records import TrafficImport
from engine.plan import Plan, get_value
from gui.formatting import decimals, number, quantity
from gui.forms.tables import CHOICE_WORDS
from gui.i18n import Translator, translator
from gui.services.traffic import Traffic

DASH = "–"


class Row(NamedTuple):
    """A figure: its title, what the file says, what the plan has now."""

    title: str
    value: str
    now: str = ""


def traffic_rows(found: TrafficImport, plan: Plan | None, lang: str) -> list[Row]:
    """What the traffic comes to, beside the plan's own figures."""
    words = translator(lang)

    def now(path: str, unit: str = "") -> str:
        value = None if plan is None or plan.serving is None else get_value(plan, path)
        return _shown(value, unit, lang, words)

    hours = words.tr("{count} of 168 hours read").format(count=168 - len(found.filled))
    period = f"{_moment(found.first)} – {_moment(found.last)} UTC" if found.first else DASH
    return [
        Row(words.tr("Period"), period),
        Row(words.tr("Rows counted"), f"{number(found.used, lang)} / {number(found.rows, lang)}"),
        Row(
            words.tr("Mean request rate"),
            quantity(found.requests_per_second, "requests/s", lang),
            now("serving.requests_per_second", "requests/s"),
        ),
        Row(words.tr("Weekly profile"), hours, now("serving.profile")),
        Row(
            words.tr("Peak to mean"),
            _shown(found.peak_to_mean, "ratio", lang, words),
            now("serving.peak_to_mean", "ratio"),
        ),
        Row(
            words.tr("Arrival variability"),
            DASH if found.arrival_cv is None else decimals(found.arrival_cv, 2, lang),
            now("serving.arrival_cv", "ratio"),
        ),
        Row(
            words.tr("Input tokens"),
            _length(found.input_tokens, found.input_log_sd, lang, words),
            now("serving.input_tokens", "tokens"),
        ),
        Row(
            words.tr("Output tokens"),
            _length(found.output_tokens, found.output_log_sd, lang, words),
            now("serving.output_tokens", "tokens"),
        ),
    ]


def traffic_lines(traffic: Traffic, plan: Plan | None, lang: str) -> list[str]:
    """An import in lines for a terminal."""
    words, found = translator(lang), traffic.found
    lines = [
        f"{row.title}: {row.value}" + (f" ({row.now})" if row.now else "")
        for row in traffic_rows(found, plan, lang)
    ]
    lines += [
        words.tr("Read: {field} from {column}").format(field=f, column=c) for f, c in found.read.items()
    ]
    lines += [words.tr("Assumed: {what}").format(what=words.render(message)) for message in found.assumed]
    lines += problem_lines(found, lang)
    if plan is not None:
        lines += [f"{c.path}: {_brief(c.before)} → {_brief(c.after)}" for c in traffic.changes(plan)]
    else:
        lines += [f"{path} = {_brief(value)}" for path, value in found.patch().items()]
    return lines


def problem_lines(found: TrafficImport, lang: str, most: int = 10) -> list[str]:
    """The first rows with a problem, and how many more there are."""
    words = translator(lang)
    lines = [
        words.tr("Line {line}: {problem}").format(line=number(p.line, lang), problem=words.render(p.problem))
        for p in found.problems[:most]
    ]
    more = found.problem_count - len(lines)
    if more > 0:
        lines.append(words.tr("… and {count} more").format(count=number(more, lang)))
    return lines


def _shown(value: Any, unit: str, lang: str, words: Translator) -> str:
    if value is None:
        return words.tr("from the profile") if unit == "ratio" else DASH
    if isinstance(value, str):
        return words.tr(CHOICE_WORDS.get(value, value))
    if isinstance(value, tuple):
        return words.tr("168 hourly factors")
    return decimals(value, 2, lang) if unit == "ratio" else quantity(value, unit, lang)


def _length(mean: float | None, spread: float | None, lang: str, words: Translator) -> str:
    if mean is None:
        return DASH
    shown = quantity(mean, "tokens", lang)
    if spread is None:
        return shown
    return words.tr("{mean}, log-sd {spread}").format(mean=shown, spread=decimals(spread, 2, lang))


def _moment(iso: str) -> str:
    return iso.replace("T", " ").removesuffix("Z")[:16]


def _brief(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{len(value)}]"
    return str(value)

"""Words of a comparison with an API: the verdict, its figures, what varies it. Qt-free."""

from __future__ import annotations

from typing import NamedTuple

from engine.plan import find_field
from engine.results import BreakEven, BreakEvenCase
from gui.formatting import money_short, percent, quantity
from gui.i18n import Translator, translator


class Figure(NamedTuple):
    """A title and its shown value."""

    title: str
    value: str


def verdict_text(found: BreakEven, lang: str) -> str:
    """The finding in one sentence."""
    words = translator(lang)
    if found.verdict == "found":
        return words.tr("Self-hosting stays cheaper above {volume}").format(
            volume=rate(found.requests_per_second, lang)
        )
    if found.verdict == "always":
        return words.tr("Self-hosting is cheaper at every volume")
    if found.verdict == "never":
        return words.tr("Self-hosting stays cheaper at no volume")
    return obstacle_text(found, lang)


def obstacle_text(found: BreakEven, lang: str) -> str:
    """Why nothing could be compared, and what is needed."""
    words = translator(lang)
    templates = {
        "prices": words.tr("Not compared: enter {needs}"),
        "unknown_cost": words.tr("Not compared: the cost of self-hosting lacks {needs}"),
        "targets": words.tr("Not compared: the fleet cannot meet the plan ({needs})"),
    }
    named = [_need(item, words) for item in found.needs]
    return templates.get(found.obstacle, "{needs}").format(needs=words.tr(", ").join(named))


def _need(item: str, words: Translator) -> str:
    spec = find_field(item)
    return words.tr(item if spec is None else spec.title)


def figures(found: BreakEven, currency: str, lang: str) -> list[Figure]:
    """What both sides cost at the plan's traffic, and where they meet."""
    words = translator(lang)

    def money(amount: float | None) -> str:
        return "–" if amount is None else money_short(amount, currency, lang)

    rows = [
        Figure(words.tr("Traffic of the plan"), rate(found.requests_per_second_now, lang)),
        Figure(words.tr("Tokens a month"), tokens(found.million_tokens_per_month_now, lang)),
        Figure(words.tr("API, a month"), money(found.api_per_month)),
        Figure(words.tr("Self-hosted, a month"), money(found.own_per_month)),
    ]
    if found.own_p10 is not None and found.own_p90 is not None:
        rows.append(Figure("P10–P90", f"{money(found.own_p10)} – {money(found.own_p90)}"))
    if found.requests_per_second is not None:
        rows += [
            Figure(words.tr("Break-even"), rate(found.requests_per_second, lang)),
            Figure(words.tr("Tokens a month there"), tokens(found.million_tokens_per_month, lang)),
            Figure(words.tr("Utilisation there"), _share(found.utilisation, lang)),
        ]
    return rows


def case_figure(case: BreakEvenCase, lang: str) -> Figure:
    """One row of the sensitivity: what is varied, and the break-even it gives."""
    words = translator(lang)
    change = f"{(case.factor - 1.0) * 100.0:+.0f} %".replace("-", "−")
    title = (
        words.tr("API price {change}")
        if case.driver == "api_price"
        else words.tr("Load an instance carries {change}")
    )
    found = {"always": words.tr("at every volume"), "never": words.tr("at none")}
    return Figure(
        title.format(change=change), found.get(case.verdict) or rate(case.requests_per_second, lang)
    )


def notes(found: BreakEven, lang: str) -> list[str]:
    """What the comparison rests on."""
    words = translator(lang)
    rows = [
        words.tr("Self-hosting counts everything in the plan's scope; its fleet is sized for each volume."),
        words.tr("The API's cached input follows the plan's prefix cache hits."),
    ]
    if len(found.crossings) > 1:
        listed = words.tr(", ").join(rate(volume, lang) for volume in found.crossings)
        rows.append(
            words.tr("Instances come whole: the cheaper side changes at {volumes}.").format(volumes=listed)
        )
    return rows


def break_even_lines(found: BreakEven, currency: str, lang: str) -> list[str]:
    """The comparison for a terminal."""
    lines = [verdict_text(found, lang)]
    if found.verdict == "not_evaluated":
        return lines + [f"  {path}" for path in found.needs if find_field(path) is not None]
    rows = [*figures(found, currency, lang), *(case_figure(case, lang) for case in found.cases)]
    return [*lines, *(f"  {row.title}: {row.value}" for row in rows), *(f"  {n}" for n in notes(found, lang))]


def rate(volume: float | None, lang: str) -> str:
    """A request rate as shown."""
    return "–" if volume is None else quantity(volume, "requests/s", lang)


def tokens(millions: float | None, lang: str) -> str:
    """Tokens as shown."""
    return "–" if millions is None else quantity(millions * 1e6, "tokens", lang)


def _share(value: float | None, lang: str) -> str:
    return "–" if value is None else percent(value, lang)

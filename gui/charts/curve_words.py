"""What the curve of one setting says: title, note and labels. Qt-free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.results import Curve
from gui.formatting import RANGE, money_short, number, percent, quantity, unit_label
from gui.i18n import translator

if TYPE_CHECKING:
    from gui.charts.curve import CurveData


def short(curve: Curve, value: float, currency: str, lang: str) -> str:
    """As `setting`, without the unit the axis names anyway."""
    return number(value, lang, 4) if curve.unit == "GPUs" else setting(curve, value, currency, lang)


def name(data: CurveData, lang: str) -> str:
    """What the swept setting is called in a title."""
    words = translator(lang)
    if data.kind == "interval":
        return words.tr("Checkpoints")
    return words.tr("Cluster size") if data.kind == "size" else words.tr(data.curve.title)


def setting(curve: Curve, value: float, currency: str, lang: str) -> str:
    """A value of the swept setting with its unit."""
    if curve.unit == "GPUs":
        return f"{number(value, lang, 4)} {unit_label('GPUs', currency, lang)}"
    return quantity(value, curve.unit, lang, currency)


def axis_name(curve: Curve, currency: str, lang: str) -> str:
    """Title of the x axis with its unit; durations carry theirs on the ticks."""
    title = translator(lang).tr(curve.title)
    if curve.unit in ("", "s", "GPUs", "ratio"):
        return title
    unit = unit_label(curve.unit, currency, lang)
    return f"{title}（{unit}）" if lang == "zh_CN" else f"{title}, {unit}"


def flat_text(curve: Curve, currency: str, lang: str) -> str:
    """Label of the flat region, in two lines."""
    assert curve.flat_low is not None and curve.flat_high is not None
    low = setting(curve, curve.flat_low, currency, lang)
    high = setting(curve, curve.flat_high, currency, lang)
    margin = translator(lang).tr("within 1 % of best")
    return f"{margin}\n{low}{RANGE}{high}"


def best_text(curve: Curve, currency: str, lang: str) -> str:
    """Label of the optimum, in two lines."""
    assert curve.best is not None
    best = translator(lang).tr("best {value}").format(value=short(curve, curve.best, currency, lang))
    return f"{best}\n{money_short(curve.best_total, currency, lang)}"


def now_text(data: CurveData, total: float, *, close: bool, lang: str) -> str:
    """Label of the present setting; names the best one too when both share a place."""
    curve, words = data.curve, translator(lang)
    assert curve.now is not None
    now = words.tr("now {value}").format(value=short(curve, curve.now, data.currency, lang))
    if curve.best == curve.now:
        best = words.tr("now and best {value}").format(value=short(curve, curve.now, data.currency, lang))
        return f"{best}\n{money_short(total, data.currency, lang)}"
    if close and curve.best is not None:
        best = words.tr("best {value}").format(value=short(curve, curve.best, data.currency, lang))
        return f"{now}\n{best}"
    return f"{now}\n{money_short(total, data.currency, lang)}"


def finding(data: CurveData, now_total: float | None, lang: str) -> tuple[str, str]:
    """Title and note of the chart."""
    curve, words = data.curve, translator(lang)
    title = name(data, lang)
    if curve.best is None or curve.best_total is None:
        return _load_finding(data, now_total, lang)
    if curve.now is None or now_total is None:
        best = setting(curve, curve.best, data.currency, lang)
        return words.tr("{setting}: best {value}").format(setting=title, value=best), words.tr(
            "cost against the setting"
        )
    now = setting(curve, curve.now, data.currency, lang)
    if in_flat_region(curve):
        keep = words.tr("{setting}: keep {value}").format(setting=title, value=now)
        return keep, words.tr("the plan lies in the flat region; no change needed")
    if data.deadline_h is not None and _hours_at(curve, curve.now) > data.deadline_h:
        return (
            words.tr("{setting}: {value} ends late").format(setting=title, value=now),
            words.tr("the cheapest that ends in time is {value}").format(
                value=setting(curve, curve.best, data.currency, lang)
            ),
        )
    high = curve.now > curve.best
    if data.kind == "interval":
        too = (
            words.tr("{setting}: {value} is too long")
            if high
            else words.tr("{setting}: {value} is too short")
        )
    else:
        too = (
            words.tr("{setting}: {value} is too high") if high else words.tr("{setting}: {value} is too low")
        )
    saves = money_short(now_total - curve.best_total, data.currency, lang)
    return too.format(setting=title, value=now), words.tr("best saves {saving}").format(saving=saves)


def _hours_at(curve: Curve, value: float) -> float:
    """Run time at the grid point nearest to a setting [h]."""
    nearest = min(range(len(curve.x)), key=lambda index: abs(curve.x[index] - value))
    return curve.duration_h[nearest]


def in_flat_region(curve: Curve) -> bool:
    """Whether the plan's own value costs within 1 % of the best."""
    if curve.now is None or curve.flat_low is None or curve.flat_high is None:
        return False
    return curve.flat_low <= curve.now <= curve.flat_high


def _load_finding(data: CurveData, now_total: float | None, lang: str) -> tuple[str, str]:
    """A curve without an optimum: what twice the setting would cost."""
    from gui.charts.curve import total_at

    curve, words = data.curve, translator(lang)
    title = words.tr(curve.title)
    twice = None if curve.now is None else total_at(curve, curve.now * 2.0)
    if twice is None or not now_total:
        return title, words.tr("cost against the setting")
    more = percent(twice / now_total - 1.0, lang, 2)
    if data.kind == "sequence":
        finding = words.tr("Twice the sequence costs {share} more")
    else:
        finding = words.tr("Twice the load costs {share} more")
    return (
        finding.format(share=more),
        words.tr("cost against {setting}").format(setting=title),
    )

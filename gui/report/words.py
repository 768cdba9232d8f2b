"""Words of the report for the program's own keys, and `Writer`: text and numbers in the report's language."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from engine.codes import SHARDING_STAGES
from engine.cost.overheads import ROLE_TITLES
from engine.plan import find_field
from engine.results import Change, Recommendation
from engine.text import N_, Message
from gui import formatting
from gui.forms.tables import CHOICE_WORDS
from gui.i18n import translator
from gui.report.document import Cell, Run

CATEGORIES = {
    "compute": N_("Compute"),
    "people": N_("People"),
    "data": N_("Data"),
    "failures": N_("Failures and retries"),
    "storage": N_("Storage"),
    "network": N_("Network"),
    "energy": N_("Energy"),
    "operations": N_("Operations"),
}
RISKS = (N_("none"), N_("low"), N_("medium"), N_("high"))
PROVENANCE = {
    "entered": N_("entered"),
    "default": N_("default"),
    "imported": N_("imported"),
    "assumed": N_("assumed"),
    "measured": N_("measured"),
    "catalogue": N_("catalogue"),
    "computed": N_("computed"),
    "optimised": N_("optimised"),
}
LEDGER_WORDS = {
    "fixed": N_("fixed"),
    "variable": N_("variable"),
    "committed": N_("committed"),
    "elastic": N_("elastic"),
    "prepare": N_("preparation"),
    "run": N_("run"),
    "evaluate": N_("evaluation"),
    "keep": N_("keeping"),
}
SECTION_TITLES = {
    "meta": N_("Plan"),
    "workload": N_("Workload"),
    "architecture": N_("Architecture"),
    "training": N_("Training"),
    "serving": N_("Serving"),
    "batch": N_("Batch inference"),
    "cluster": N_("Cluster"),
    "layout": N_("Layout"),
    "reliability": N_("Reliability"),
    "experiments": N_("Experiments"),
    "data": N_("Data"),
    "storage": N_("Storage"),
    "network": N_("Network"),
    "people": N_("People"),
    "operations": N_("Operations"),
    "schedule": N_("Schedule"),
    "scope": N_("Scope"),
    "finance": N_("Finance"),
    "governance": N_("Governance"),
}
EFFORTS = {"S": N_("small effort"), "M": N_("medium effort"), "L": N_("large effort")}
WORKLOADS = {
    "pretraining": N_("pre-training"),
    "continued_pretraining": N_("continued pre-training"),
    "finetuning": N_("fine-tuning"),
    "multimodal_training": N_("multimodal training"),
    "online_inference": N_("online inference"),
    "batch_inference": N_("batch inference"),
}
CHOICES = {
    **WORKLOADS,
    "on_demand": N_("on demand"),
    "reserved": N_("reserved"),
    "spot": N_("spot"),
    "owned": N_("owned"),
    "auto": N_("automatic"),
    "all": N_("all"),
    "none": N_("none"),
    "selective": N_("selective"),
    "full": N_("full"),
    "sync": N_("with a stop"),
    "async": N_("in the background"),
    "chat": N_("chat"),
    "code": N_("code"),
    "flat": N_("flat"),
    "hot_object": N_("hot object storage"),
}
"""Words of the plan's choices; technical names (bf16, zero1) stay as they are."""
NO_UNIT = ("", "ratio", "percentile", "date", "x")
ELLIPSIS = "..."
"""Three points: the face draws the ellipsis sign in the middle of the line, as Chinese wants it."""
ARROW = " → "
LONGEST_VALUE = 600
EXACT_DIGITS = 7
LONGEST_LABEL = 42


class Writer:
    """Translates and formats for one report: one language, one currency."""

    def __init__(self, lang: str, currency: str) -> None:
        self.lang = lang
        self.currency = currency
        self._translator = translator(lang)

    def tr(self, source: str, **parts: str) -> str:
        """The text in the report's language, its placeholders filled."""
        text = self._translator.tr(source)
        return text.format(**parts) if parts else text

    def trn(self, singular: str, plural: str, n: int) -> str:
        """A counted text with {count} filled in."""
        return self._translator.trn(singular, plural, n).format(count=self.number(n))

    def render(self, message: Message) -> str:
        """A message of the engine or of a rule."""
        return self._translator.render(message, self.currency)

    def word(self, table: dict[str, str], key: str) -> str:
        """The reader's word for one of the program's keys; unknown keys as they are."""
        return self.tr(table[key]) if key in table else key

    def money(self, amount: float | None, digits: int = 3) -> str:
        """Money in prose."""
        return formatting.money_short(amount, self.currency, self.lang, digits)

    def axis(self, amount: float) -> str:
        """A round amount on an axis."""
        return formatting.money_axis(amount, self.currency, self.lang)

    def money_full(self, amount: float | None) -> str:
        """Money in full."""
        return formatting.money_full(amount, self.currency, self.lang)

    def amount(self, amount: float | None) -> str:
        """Money in full for a column whose head names the currency."""
        return formatting.amount_full(amount, self.lang)

    def band(self, low: float | None, high: float | None) -> str:
        """A range of money."""
        return formatting.band(low, high, self.currency, self.lang)

    def number(self, value: float | None, digits: int | None = None) -> str:
        """A plain number."""
        return formatting.number(value, self.lang, digits)

    def percent(self, share: float | None, digits: int = 3) -> str:
        """A share as per cent."""
        return formatting.percent(share, self.lang, digits)

    def quantity(self, value: float | None, unit: str) -> str:
        """A number with its unit; catalogue units name the currency itself."""
        if unit.startswith(f"{self.currency}/"):
            unit = unit.replace(self.currency, "currency", 1)
        return formatting.quantity(value, unit, self.lang, self.currency)

    def days(self, days: float | None) -> str:
        """A duration in whole days."""
        return self.tr("unknown") if days is None else formatting.duration_hours(days * 24.0, self.lang)

    def date(self, iso: str) -> str:
        """A date in full."""
        return formatting.date_long(iso, self.lang)

    def unit(self, unit: str) -> str:
        """A unit's name."""
        return formatting.unit_label(unit, self.currency, self.lang)

    def currency_word(self) -> str:
        """How a column head names the currency."""
        return formatting.currency_word(self.currency, self.lang)

    def join(self, parts: list[str]) -> str:
        """A list in a sentence."""
        return self.tr(", ").join(parts)

    def sentences(self, parts: list[str]) -> str:
        """Sentences in a row; a Chinese full stop brings its own space."""
        return "".join(self.spaced([part for part in parts if part]))

    def spaced(self, parts: list[str]) -> list[str]:
        """The parts, each but the last ending with the space that its last sign needs."""
        return [part + (" " if part[-1:].isascii() else "") for part in parts[:-1]] + parts[-1:]

    def title(self, path: str) -> str:
        """A plan field's name; the path itself for figures of the estimator."""
        spec = find_field(path)
        return self.tr(spec.title) if spec else path

    def exact(self, value: float | None, unit: str) -> str:
        """A number with its unit, in full: for those who calculate again."""
        if value is None:
            return self.tr("unknown")
        if unit == "share":
            return self.percent(value, EXACT_DIGITS)
        if unit.startswith((f"{self.currency}/", "currency")):
            rest = unit.partition("/")[2]
            return self.money_full(value) + (f"/{self.unit(rest)}" if rest else "")
        shown = self.number(value, EXACT_DIGITS)
        return shown if unit in NO_UNIT else f"{shown}{formatting.NBSP}{self.unit(unit)}"

    def value(self, path: str, value: Any, *, exact: bool = False) -> str:
        """A plan field's value with its unit: as people say it, or in full."""
        spec = find_field(path)
        unit = spec.unit if spec and spec.path == path else ""
        if value is None:
            return self.tr("not given")
        if isinstance(value, bool):
            return self.tr("yes") if value else self.tr("no")
        if isinstance(value, (int, float)):
            return self.exact(float(value), unit) if exact else self.quantity(float(value), unit)
        if isinstance(value, str):
            return formatting.date_long(value, self.lang) if unit == "date" else self._choice(value)
        return shorten(self._structure(value), LONGEST_VALUE)

    def _choice(self, value: str) -> str:
        """A choice in the words of a report, else in those of the form; technical names stay as they are."""
        if value in CHOICES or value in SHARDING_STAGES:
            return self.word(CHOICES, value)
        return self.word(CHOICE_WORDS, value)

    def change(self, change: Change) -> str:
        """A field before and after."""
        before, after = (self.value(change.path, value) for value in (change.before, change.after))
        return f"{self.title(change.path)}: {before}{ARROW}{after}"

    def risk_cell(self, item: Recommendation) -> Cell:
        """The three risks of an action, a mark and a letter each."""
        letters = (
            (self.tr("Effect"), item.risk.effect),
            (self.tr("Stability"), item.risk.stability),
            (self.tr("Governance"), item.risk.governance),
        )
        return tuple(Run(f"{name} {level}", "muted" if level == 0 else "", level) for name, level in letters)

    def _structure(self, value: Any) -> str:
        """Lists and tables of a plan in one line, in words."""
        if isinstance(value, BaseModel):
            titles = {
                self.tr(info.title or key): getattr(value, key)
                for key, info in type(value).model_fields.items()
            }
            return ", ".join(
                self._structure(item) if isinstance(item, str) else f"{title} {self._structure(item)}"
                for title, item in titles.items()
                if item is not None
            )
        if isinstance(value, dict):
            return "; ".join(f"{key}: {self._structure(item)}" for key, item in value.items()) or self.tr(
                "none"
            )
        if isinstance(value, (list, tuple)):
            return "; ".join(self._structure(item) for item in value) or self.tr("none")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self.number(value)
        return self.word({**CATEGORIES, **ROLE_TITLES}, value) if isinstance(value, str) else str(value)


def shorten(text: str, longest: int) -> str:
    """The text, its middle left out when it is too long for its place."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 3
    return f"{text[:head].rstrip()}{ELLIPSIS}{text[-(longest - head - len(ELLIPSIS)) :].lstrip()}"


def cut(text: str, longest: int) -> str:
    """The text, its end left out when it is too long for its place."""
    return text if len(text) <= longest else text[: longest - len(ELLIPSIS)].rstrip() + ELLIPSIS


def plain(text: str, tone: str = "") -> Cell:
    """A cell of one line."""
    return (Run(text, tone),)

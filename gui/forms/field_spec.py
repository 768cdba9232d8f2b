"""A plan field as a form shows it: which editor, what its text means, what repairs it. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from engine.plan import FieldSpec, Plan, field_specs, get_value
from engine.text import N_, Message
from engine.traces import provenance
from gui.formatting import field_text, number, parse_quantity, unit_label
from gui.forms.tables import CHOICE_WORDS, EDITORS, HIDDEN_UNITS
from gui.i18n import translator

EXACT_BELOW = 1e6
"""Counts below this are written out."""


class EntryError(ValueError):
    """The text in a field means no value of it; `message` says what is accepted."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.render())
        self.message = message


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form; `editor` is a key of the type map in make_editor.py."""

    spec: FieldSpec
    editor: str

    @property
    def path(self) -> str:
        """Dotted path in the plan."""
        return self.spec.path

    @property
    def takes_range(self) -> bool:
        """Whether low, central and high can be given instead of one value."""
        return self.editor == "quantity" and self.spec.kind == "number"

    def choices(self, lang: str) -> list[tuple[str, str]]:
        """Values and their words, for a choice."""
        tr = translator(lang).tr
        return [(key, tr(CHOICE_WORDS.get(key, key))) for key in self.spec.choices]

    def unit_text(self, currency: str, lang: str) -> str:
        """What stands beside the field."""
        return "" if self.spec.unit in HIDDEN_UNITS else unit_label(self.spec.unit, currency, lang)

    def text_of(self, value: Any, lang: str) -> str:
        """The normal form of a value; empty for "not given"."""
        if value is None:
            return ""
        if isinstance(value, str):
            return translator(lang).tr(value) if value in self.spec.words else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        if self.spec.kind == "whole" and value < EXACT_BELOW:
            return number(value, lang)
        text = field_text(value, self.spec.unit, lang)
        # The unit column leaves seconds to the text, which may say them in hours.
        return f"{text}\u00a0s" if self.spec.unit == "s" and not text[-1].isalpha() else text

    def value_of(self, text: str, currency: str, lang: str) -> Any:
        """The value a text means. Errors: QuantityError or EntryError, both with a `message`."""
        clean = text.strip()
        if self.editor == "date":
            return self._date(clean)
        if self.editor != "quantity":
            return clean or (None if self.spec.nullable else "")
        if not clean:
            if self.spec.nullable:
                return None
            raise EntryError(self.spec.accepted())
        tr = translator(lang).tr
        for word in self.spec.words:
            if clean.casefold() in (word.casefold(), tr(word).casefold()):
                return word
        # Unit conversion leaves dust in the last bits (99.9 % / 100); nobody types thirteen digits.
        value = float(f"{parse_quantity(clean, self.spec.unit, currency):.13g}")
        if self.spec.kind != "whole":
            return value
        if not float(value).is_integer():
            raise EntryError(self.spec.accepted())
        return int(value)

    def accepts(self, value: Any) -> bool:
        """Whether a number lies within the field's bounds; other values always pass."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        spec = self.spec
        low, high = spec.minimum, spec.maximum
        above = low is None or (value > low if spec.exclusive_minimum else value >= low)
        below = high is None or (value < high if spec.exclusive_maximum else value <= high)
        return above and below

    def repair(self, value: Any) -> Any:
        """The nearest accepted number, for the link beside an error; None when there is none to offer."""
        if self.accepts(value) or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        spec = self.spec
        nearest: float | None
        if spec.minimum is not None and value <= spec.minimum:
            nearest, inclusive = spec.minimum, not spec.exclusive_minimum
        else:
            nearest, inclusive = spec.maximum, not spec.exclusive_maximum
        if nearest is None or not inclusive:
            return None
        return int(nearest) if spec.kind == "whole" else float(nearest)

    def _date(self, text: str) -> str | None:
        if not text:
            return None
        clean = text.replace("/", "-").replace(".", "-")
        try:
            year, month, day = (int(part) for part in clean.split("-"))
            return date(year, month, day).isoformat()
        except ValueError:
            raise EntryError(
                Message(N_("A date that exists, as year-month-day, for example 2027-03-01."))
            ) from None


def form_field(path: str) -> FormField:
    """The form's view of the plan field at `path`."""
    spec = field_specs()[path]
    return FormField(spec, EDITORS.get(path) or _editor(spec))


def provenance_of(plan: Plan, path: str) -> tuple[str, str, str]:
    """Kind, source and date of a field's value; "default" when nobody gave it."""
    return provenance(plan, path)


def value_at(plan: Plan, path: str) -> Any:
    """The value of a field; None where its section is absent."""
    return get_value(plan, path)


def _editor(spec: FieldSpec) -> str:
    if spec.kind in ("number", "whole"):
        return "quantity"
    if spec.kind == "boolean":
        return "tristate" if spec.nullable else "flag"
    return "choice" if spec.kind == "choice" else "text"

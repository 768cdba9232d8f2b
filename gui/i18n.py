"""One way to translate for widgets, command line, PDF and rules: gettext catalogues, no Qt."""

from __future__ import annotations

import gettext
from functools import cache
from pathlib import Path

from engine.text import Message, Param, Quantity, Term

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}
"""Language code -> its own name, in the order of the language menu."""

DOMAIN = "flopwise"
ASSETS = Path(__file__).resolve().parent.parent / "assets"


class Translator:
    """Texts in one language. English is the source, so it needs no catalogue."""

    def __init__(self, code: str) -> None:
        if code not in LANGUAGES:
            raise ValueError(f"language {code!r}; accepted: {', '.join(LANGUAGES)}")
        self.code = code
        self._catalogue = gettext.translation(
            DOMAIN, localedir=str(ASSETS / "i18n"), languages=[code], fallback=True
        )

    def tr(self, source: str) -> str:
        """The text in this language; the source itself where no translation exists."""
        # gettext answers the empty string with the catalogue's header.
        return self._catalogue.gettext(source) if source else source

    def trn(self, singular: str, plural: str, n: int) -> str:
        """The form of a counted text that fits `n`; the number itself is filled in by the caller."""
        return self._catalogue.ngettext(singular, plural, n)

    def render(self, message: Message, currency: str = "") -> str:
        """A message as text: template, terms and nested messages translated, quantities formatted.

        `currency` is the plan's, for quantities counted in "currency".
        """
        text = self.tr(message.template)
        if not message.params:
            return text
        return text.format(**{name: self._shown(value, currency) for name, value in message.params.items()})

    def _shown(self, value: Param, currency: str) -> str:
        # Unit names are translated too, so the formatter needs this module: imported late.
        from gui import formatting

        if isinstance(value, Quantity):
            return formatting.quantity(value.value, value.unit, self.code, currency)
        if isinstance(value, Message):
            return self.render(value, currency)
        if isinstance(value, Term):
            return self.tr(value.text)
        if isinstance(value, str):
            return value
        return formatting.number(value, self.code, digits=4 if isinstance(value, float) else None)


@cache
def translator(code: str) -> Translator:
    """The translator of a language, read once."""
    return Translator(code)


_current = translator("en")


def set_language(code: str) -> None:
    """Make `code` the language of the window and the command line."""
    global _current
    _current = translator(code)


def language() -> str:
    """Code of the current language."""
    return _current.code


def tr(source: str) -> str:
    """The text in the current language."""
    return _current.tr(source)


def trn(singular: str, plural: str, n: int) -> str:
    """The form of a counted text that fits `n`, in the current language."""
    return _current.trn(singular, plural, n)


def render(message: Message, currency: str = "") -> str:
    """A message as text in the current language."""
    return _current.render(message, currency)

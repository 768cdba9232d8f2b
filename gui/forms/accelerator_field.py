"""The accelerator picker: catalogue entries by name, or one with its own figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from gui.forms.editors import ChoiceEditor
from gui.forms.field_spec import FormField
from gui.i18n import tr

OWN = "own"
"""Committed when the user asks for an accelerator with own figures."""


class AcceleratorField(ChoiceEditor):
    """A choice whose entries arrive later, from the catalogue."""

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(field, name, [], parent)
        self._shown: Any = None
        self._known: Mapping[str, str] = {}

    def set_catalogue(self, names: Mapping[str, str]) -> None:
        """Offer these accelerators: id to name."""
        self._known = names
        options: list[tuple[Any, str]] = sorted(names.items(), key=lambda item: item[1].casefold())
        self.set_options([*options, (OWN, tr("Own figures"))])
        if self._shown is not None:
            self.show_value(self._shown, "")

    def show_value(self, value: Any, currency: str) -> None:
        self._shown = value
        super().show_value(value, currency)

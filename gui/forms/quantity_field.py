"""Quantities as people type them: with any unit of their kind, in magnitudes, or as a word like "auto"."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.forms.editors import LineEditor
from gui.forms.field_spec import FormField


class QuantityField(LineEditor):
    """A number with a unit. On leaving it shows the normal form; what is no number stays as typed."""

    def __init__(self, field: FormField, name: str, parent: QWidget | None = None) -> None:
        assert field.editor == "quantity"
        super().__init__(field, name, parent)

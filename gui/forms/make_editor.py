"""Field specification to widget: the type map, with its registered exceptions."""

from __future__ import annotations

from collections.abc import Callable

from gui.forms.accelerator_field import AcceleratorField
from gui.forms.editors import ChecksEditor, ChoiceEditor, Editor, FlagEditor, LineEditor
from gui.forms.field_spec import FormField
from gui.forms.quantity_field import QuantityField
from gui.forms.rows_field import RowsField
from gui.i18n import language, tr
from gui.models.words import CATEGORY_WORDS


def make_editor(field: FormField, name: str) -> Editor:
    """The editor of a field."""
    return MAKERS[field.editor](field, name)


def _choice(field: FormField, name: str) -> Editor:
    return ChoiceEditor(field, name, list(field.choices(language())))


def _tristate(field: FormField, name: str) -> Editor:
    return ChoiceEditor(field, name, [(None, tr("not known")), (True, tr("yes")), (False, tr("no"))])


def _categories(field: FormField, name: str) -> Editor:
    return ChecksEditor(field, name, [(key, tr(words)) for key, words in CATEGORY_WORDS.items()])


MAKERS: dict[str, Callable[[FormField, str], Editor]] = {
    "quantity": QuantityField,
    "choice": _choice,
    "tristate": _tristate,
    "flag": FlagEditor,
    "text": LineEditor,
    "date": LineEditor,
    "accelerator": AcceleratorField,
    "rows": RowsField,
    "checks": _categories,
}

"""Field specification to widget: the type map, with its registered exceptions."""

from __future__ import annotations

from collections.abc import Callable

from engine.text import N_
from gui.forms.accelerator_field import AcceleratorField
from gui.forms.editors import ChecksEditor, ChoiceEditor, Editor, FlagEditor, LineEditor
from gui.forms.field_spec import FormField
from gui.forms.quantity_field import QuantityField
from gui.forms.rows_field import RowsField
from gui.forms.tables import EMPTY_WORDS
from gui.i18n import language, tr
from gui.models.words import CATEGORY_WORDS


def make_editor(field: FormField, name: str) -> Editor:
    """The editor of a field."""
    return MAKERS[field.editor](field, name)


def _choice(field: FormField, name: str) -> Editor:
    empty = [(None, tr(EMPTY_WORDS.get(field.path, N_("not known"))))] if field.spec.nullable else []
    return ChoiceEditor(field, name, [*empty, *field.choices(language())])


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

"""Tables of measurements held against the models: the shipped ones, and a user's own. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.catalog import load_catalog
from engine.errors import InputError
from engine.text import N_, Message
from engine.validation.published import validate_published, validate_text, validate_unseen
from engine.validation.results import ValidationResult
from gui.i18n import tr


@dataclass(frozen=True, slots=True)
class Validated:
    """A table against the models; `unseen` the same rows under constants fitted without their sources."""

    source: str
    result: ValidationResult
    unseen: ValidationResult | None = None


def validate_shipped(kind: str) -> Validated:
    """A shipped table (a key of VALIDATIONS) against the shipped constants."""
    found = validate_published(kind, load_catalog())
    unseen = validate_unseen(found) if kind == "training" else None
    return Validated(tr("published measurements"), found, unseen)


def validate_file(kind: str, path: Path) -> Validated:
    """A user's table. Errors: InputError for a file that cannot be read or lacks columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError("FILE", path.name, Message(N_("a readable CSV file in UTF-8"))) from error
    return Validated(path.name, validate_text(kind, text, load_catalog()))

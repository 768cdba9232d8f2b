"""Read a model's config.json from a file, a folder or standard input. Qt-free."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.importers.hf_config import ConfigImport, read_config
from engine.importers.hf_config.parsing import MAX_BYTES
from engine.importers.hf_config.summary import summarise
from engine.text import N_, Message
from gui.i18n import render

CONFIG_FILE = "config.json"


def import_model(
    source: str, *, context: int | None = None, value_bytes: float = 2.0, honour_windows: bool = True
) -> dict[str, Any]:
    """Plain data of the import-model command. Errors: InputError for what cannot be read or is no model."""
    return summarise(
        load_model(source),
        render=render,
        context=context,
        value_bytes=value_bytes,
        honour_windows=honour_windows,
    )


def load_model(source: str) -> ConfigImport:
    """The network of a config.json, of a folder that holds one, or of standard input for "-"."""
    path = Path(source)
    try:
        if source == "-":
            content = _standard_input()
        else:
            path = path / CONFIG_FILE if path.is_dir() else path
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        # Some editors write a byte-order mark.
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError("CONFIG", source, Message(N_("a readable config.json in UTF-8"))) from error
    return read_config(text, name="" if source == "-" else _name(path))


def _standard_input() -> bytes:
    raw = getattr(sys.stdin, "buffer", None)
    if raw is None:
        return (sys.stdin.read() if sys.stdin else "").encode()
    content: bytes = raw.read(MAX_BYTES + 1)
    return content


def _name(path: Path) -> str:
    """Name shown for a model: that of its folder where the file has the usual name."""
    return path.resolve().parent.name if path.name == CONFIG_FILE else path.stem

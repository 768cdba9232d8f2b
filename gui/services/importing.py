"""Networks from outside: a config.json (file, folder, pasted text) or a well-known model. Qt-free."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from engine.catalog.presets import Preset, load_presets
from engine.errors import InputError
from engine.importers.hf_config import ConfigImport, read_config
from engine.importers.hf_config.adopting import adopt_import, adopt_preset
from engine.importers.hf_config.parsing import MAX_BYTES
from engine.importers.hf_config.summary import summarise
from engine.plan import Plan
from engine.text import N_, Message
from gui.i18n import render

CONFIG_FILE = "config.json"


@dataclass(frozen=True, slots=True)
class Network:
    """A network to look at and, maybe, to take into the plan; `source` says where it is from."""

    found: ConfigImport
    source: str
    preset: Preset | None = None

    def summary(
        self, *, context: int | None = None, value_bytes: float = 2.0, honour_windows: bool = True
    ) -> dict[str, Any]:
        """What it comes to, as the plain data of the import-model command."""
        return summarise(
            self.found,
            render=render,
            context=context,
            value_bytes=value_bytes,
            honour_windows=honour_windows,
        )

    def adopt(self, plan: Plan) -> Plan:
        """The plan with this network, its fields marked with their source. Errors: PlanErrors."""
        today = date.today().isoformat()
        if self.preset is not None:
            return adopt_preset(plan, self.preset, date=today)
        return adopt_import(plan, self.found, source=self.source, date=today, render=render)


def import_model(
    source: str, *, context: int | None = None, value_bytes: float = 2.0, honour_windows: bool = True
) -> dict[str, Any]:
    """Plain data of the import-model command. Errors: InputError for what cannot be read or is no model."""
    network = load_network(source)
    return network.summary(context=context, value_bytes=value_bytes, honour_windows=honour_windows)


def load_network(source: str) -> Network:
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
        accepted = Message(N_("a readable config.json in UTF-8"))
        raise InputError("CONFIG", path.name or source, accepted) from error
    name = "" if source == "-" else _name(path)
    return Network(read_config(text, name=name), path.name if source != "-" else CONFIG_FILE)


def network_of_text(text: str) -> Network:
    """The network of a pasted config.json. Errors: InputError."""
    return Network(read_config(text), CONFIG_FILE)


def network_of_preset(key: str) -> Network:
    """A well-known model."""
    preset = load_presets()[key]
    found = ConfigImport(preset.architecture, preset.publisher, "", (), (), (), ())
    return Network(found, preset.source, preset)


def preset_names() -> Mapping[str, str]:
    """Well-known models: key to name."""
    return {key: preset.name for key, preset in load_presets().items()}


def _standard_input() -> bytes:
    raw = getattr(sys.stdin, "buffer", None)
    if raw is None:
        return (sys.stdin.read() if sys.stdin else "").encode()
    content: bytes = raw.read(MAX_BYTES + 1)
    return content


def _name(path: Path) -> str:
    """Name shown for a model: that of its folder where the file has the usual name."""
    return path.resolve().parent.name if path.name == CONFIG_FILE else path.stem

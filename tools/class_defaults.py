"""Write the defaults of published model classes that the config.json reader needs.

Run in an environment that has the transformers package, which a user of the program never needs:

    python tools/class_defaults.py engine/importers/hf_config/data

Only keys the reader asks for are kept, as they stand in the class, before it computes one from another.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

_FUNCTIONS = {"max", "min", "int", "len", "sum", "is_list", "ceil", "round_up"}
_PARTS = ("text_config", "vision_config")


def main(folder: Path) -> None:
    """Write class_defaults.json beside the tables it is made for."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    wanted = _wanted_keys(folder)
    defaults = {}
    for model_type in sorted(CONFIG_MAPPING):
        try:
            config = CONFIG_MAPPING[model_type]
        except Exception as error:  # a class whose own needs are not installed
            print(model_type, error, file=sys.stderr)
            continue
        found = {key: value for key, value in _defaults(config).items() if key in wanted and _plain(value)}
        parts = {f"{key}.type": part for key, part in _parts(config).items()}
        if found or parts:
            defaults[model_type] = dict(sorted((found | parts).items()))
    source = f"transformers {transformers.__version__}, configuration classes"
    table = {"source": source, "defaults": defaults}
    text = json.dumps(table, indent=None, separators=(",", ":"), sort_keys=True)
    (folder / "class_defaults.json").write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")


def _wanted_keys(folder: Path) -> set[str]:
    """Keys of names.toml, and names the expressions of the other tables read."""
    names = tomllib.loads((folder / "names.toml").read_text(encoding="utf-8"))
    wanted = {key for rows in names.values() for name, keys in rows.items() for key in (name, *keys)}
    for file in ("families.toml", "towers.toml"):
        wanted |= _names(tomllib.loads((folder / file).read_text(encoding="utf-8")))
    return wanted


def _names(table: Any) -> set[str]:
    if isinstance(table, dict):
        return {name for value in table.values() for name in _names(value)} | set(table)
    if isinstance(table, list):
        return {item for item in table if isinstance(item, str)}
    try:
        nodes = ast.walk(ast.parse(str(table), mode="eval"))
    except SyntaxError:
        return set()
    return {node.id for node in nodes if isinstance(node, ast.Name)} - _FUNCTIONS


def _defaults(config: type) -> dict[str, Any]:
    """Defaults as the class states them."""
    found = {}
    for field in dataclasses.fields(config):
        if field.default is not dataclasses.MISSING:
            found[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
    return found


def _plain(value: Any) -> bool:
    if value is None or (isinstance(value, float) and not re.fullmatch(r"-?\d+(\.\d+)?", repr(value))):
        return False
    if isinstance(value, list | tuple):
        return len(value) <= 64 and all(_plain(item) for item in value)
    return isinstance(value, bool | int | float | str)


def _parts(config: type) -> dict[str, str]:
    """Model types of the parts of a larger network."""
    found = {}
    for key in _PARTS:
        part = getattr(config, "sub_configs", {}).get(key)
        model_type = getattr(part, "model_type", "")
        if isinstance(model_type, str) and model_type:
            found[key] = model_type
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))

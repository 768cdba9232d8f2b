"""Which objects of a config.json hold the language network and its vision and audio towers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.importers.hf_config import tables
from engine.importers.hf_config.fields import Fields

TEXT_KEYS = (
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config.text_config",
    "language_model_config",
    "decoder_config",
    "llm_cfg",
)
TOWER_KEYS = (
    "vision_config",
    "visual",
    "vision_encoder_config",
    "audio_config",
    "speech_config",
    "audio_encoder_config",
)
_SHARED = ("tie_word_embeddings", "architectures", "torch_dtype", "dtype", "quantization_config")


@dataclass(frozen=True, slots=True)
class Parts:
    """The language part with its path and model type, the type of the whole, and its towers by key."""

    text: Mapping[str, Any]
    path: str
    text_type: str
    outer: Mapping[str, Any]
    outer_type: str
    towers: Mapping[str, Mapping[str, Any]]


def split(data: Mapping[str, Any]) -> Parts:
    """The parts of a config.json. A nested language part takes from the whole what it does not say itself."""
    outer_type = _type_of(data)
    path, found = _nested(data)
    outer = _inside(data, path.rpartition(".")[0])
    shared = {key: data[key] for key in _SHARED if key in data}
    own = {k: v for k, v in found.items() if v is not None or k not in shared}
    text = {**shared, **own, **_of_whole(data)} if path else data
    text_type = _word(found.get("model_type")) if path else outer_type
    text_type = text_type or (tables.family(outer_type) or {}).get("text_type", "") or outer_type
    towers = {key: value for key in TOWER_KEYS if isinstance(value := outer.get(key), dict)}
    return Parts(text, f"{path}." if path else "", text_type, outer, outer_type, towers)


def _type_of(data: Mapping[str, Any]) -> str:
    """The type a file names; else what its class or a key of its own tells."""
    named, classes = _word(data.get("model_type")), data.get("architectures")
    first = _word(classes[0]) if isinstance(classes, list) and classes else ""
    known = tables.aliases()
    if named:
        return known["pairs"].get(f"{named}/{first}", named)
    by_key = next((family for key, family in known["signatures"].items() if key in data), "")
    return known["architectures"].get(first, by_key)


def _of_whole(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What newer versions of the library take from the whole although the language part has it too."""
    version, tied = data.get("transformers_version"), data.get("tie_word_embeddings")
    newer = isinstance(version, str) and version[:1].isdigit() and not version.startswith(("3.", "4."))
    return {"tie_word_embeddings": tied} if newer and isinstance(tied, bool) else {}


def fields_of(data: Mapping[str, Any], model_type: str, path: str) -> Fields:
    """Named values of a language part. A type that is not known is read as the generic family."""
    family = family_of(model_type)
    return Fields(data, family or generic(), tables.class_defaults(model_type), path)


def family_of(model_type: str) -> Mapping[str, Any] | None:
    """Traits of a type; a language part of a larger network goes by its plain name too."""
    for name in (model_type, model_type.removesuffix("_model").removesuffix("_text")):
        found = tables.family(name) if name else None
        if found is not None:
            return found
    return None


def generic() -> Mapping[str, Any]:
    """Traits of a type that is not known."""
    return tables.family("generic") or {}


def _nested(data: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    for key in TEXT_KEYS:
        found = _inside(data, key)
        if found and found is not data:
            return key, found
    return "", data


def _inside(data: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    found: Any = data
    for part in path.split(".") if path else ():
        found = found.get(part) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""

"""Loading the catalogue from the package's data, with a planner's own rows over it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from engine.catalog.catalog import Catalog
from engine.catalog.overlay import Overlay, read_overlay
from engine.catalog.rows import EDITION
from engine.catalog.tables import DATA_FILES
from engine.errors import InputError
from engine.text import N_

_DIGITS = 12


def load_catalog(overlay: Path | None = None) -> Catalog:
    """The catalogue, cached; with `overlay` a CSV of own rows lies over it (see `read_overlay`).

    Raises InputError for an overlay that cannot be read or has problems.
    """
    if overlay is None:
        return _load(None, 0, 0)
    try:
        found = overlay.stat()
    except OSError:
        raise InputError("catalog.overlay", str(overlay.name), N_("a readable UTF-8 CSV file")) from None
    # Size and time are in the cache key, so that an edited file is read again.
    return _load(overlay, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4)
def _load(overlay: Path | None, _size: int, _changed_ns: int) -> Catalog:
    digest = hashlib.sha256()
    texts: dict[str, str] = {}
    folder = files("engine.catalog") / "data"
    for name in sorted(DATA_FILES):
        content = (folder / name).read_bytes()
        digest.update(content)
        texts[name] = content.decode("utf-8")
    shipped = Catalog(_version(digest.hexdigest()), MappingProxyType(texts), Overlay())
    if overlay is None:
        return shipped
    own = read_overlay(overlay, facts=shipped.facts, accelerator_ids=_known_ids(shipped))
    digest.update(overlay.read_bytes())
    return Catalog(_version(digest.hexdigest()), shipped.texts, own)


def _version(digest: str) -> str:
    return f"{EDITION}+{digest[:_DIGITS]}"


def _known_ids(catalog: Catalog) -> tuple[str, ...]:
    return (*catalog.accelerators, *catalog.incomplete_accelerators)

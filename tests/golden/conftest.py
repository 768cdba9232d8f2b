"""The catalogue, read once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.catalog import Catalog, load_catalog

sys.path.insert(0, str(Path(__file__).parent.parent / "engine"))


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()

"""The catalogue, read once, and the plans the engine's tests start from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.catalog import Catalog, load_catalog

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()

"""The catalogue, and the switch that writes the golden files anew: `pytest tests/golden --update-golden`."""

from __future__ import annotations

import pytest

from engine.catalog import Catalog, load_catalog


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden/*.json anew")


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    # The option exists only when this folder is named on the command line.
    return bool(request.config.getoption("--update-golden", default=False))

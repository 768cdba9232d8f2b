"""One small network a family comes to exactly what its model class comes to."""

from __future__ import annotations

import pytest
from config_cases import Counted, counted_networks

from engine.architecture.counting import count_parameters
from engine.importers.hf_config import import_data

NETWORKS = counted_networks()


def test_there_are_many_families() -> None:
    assert len({item.model_type for item in NETWORKS}) >= 120


@pytest.mark.parametrize("counted", NETWORKS, ids=lambda counted: counted.model_type)
def test_count_is_that_of_the_class(counted: Counted) -> None:
    found = import_data(counted.config)
    assert count_parameters(found.architecture).total == counted.total + counted.buffers
    assert found.is_exact, (found.assumed, found.unsupported)

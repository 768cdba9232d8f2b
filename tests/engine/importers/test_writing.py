"""A network written as a file reads back as the same network."""

from __future__ import annotations

import json

import pytest
from architecture_cases import architectures
from config_cases import Counted, counted_networks
from hypothesis import given, settings

from engine.errors import InputError
from engine.importers.hf_config import import_data, read_config, write_config
from engine.importers.hf_config.writing import OWN_TYPE
from engine.plan.architecture import Architecture


@settings(max_examples=200)
@given(a=architectures())
def test_any_network_survives(a: Architecture) -> None:
    text = json.dumps(write_config(a), allow_nan=False)
    found = read_config(text)
    assert found.architecture == a
    assert found.is_exact and found.model_type == OWN_TYPE


@pytest.mark.parametrize("counted", counted_networks(), ids=lambda counted: counted.model_type)
def test_networks_of_every_family_survive(counted: Counted) -> None:
    a = import_data(counted.config, "named").architecture
    assert read_config(json.dumps(write_config(a))).architecture == a


def test_a_name_given_at_reading_wins() -> None:
    a = import_data(counted_networks()[0].config, "first").architecture
    assert read_config(json.dumps(write_config(a)), name="second").architecture.model_name == "second"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"hidden_size": "64"}, "hidden_size"),
        ({"hidden_size": -1}, "hidden_size"),
        ({"unheard_of": 1}, "unheard_of"),
        ({"num_hidden_layers": None}, "num_hidden_layers"),
        ({"layer_groups": [{"count": 1}]}, "num_hidden_layers"),
        ({"layer_groups": 3}, "layer_groups"),
        ({"details": {"norm_weights": 7}}, "norm_weights"),
    ],
)
def test_a_damaged_file_of_our_own_is_refused_by_its_field(changes: dict[str, object], field: str) -> None:
    a = import_data({"model_type": "llama"}).architecture
    with pytest.raises(InputError) as caught:
        import_data({**write_config(a), **changes})
    assert field in caught.value.field

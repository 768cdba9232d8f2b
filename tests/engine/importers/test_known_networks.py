"""Published networks come out with their published sizes."""

from __future__ import annotations

import json
import time

import pytest
from config_cases import Known, config, known_networks

from engine.architecture.counting import count_parameters
from engine.importers.hf_config import import_data, read_config, write_config
from engine.importers.hf_config.summary import COMPONENTS, summarise

NETWORKS = known_networks()
each = pytest.mark.parametrize("known", NETWORKS, ids=lambda known: known.name)

NEARLY = {"Qwen/Qwen2-57B-A14B", "bigcode/starcoder2-15b", "meta-llama/Llama-3.2-90B-Vision-Instruct"}
"""Published totals that differ from the class in their last digits, or are rounded."""


def test_there_are_enough_of_many_kinds() -> None:
    assert len(NETWORKS) >= 60
    assert len({known.config["model_type"] for known in NETWORKS}) >= 45


@each
def test_total_is_the_published_one(known: Known) -> None:
    total = count_parameters(import_data(known.config).architecture).total
    assert total == pytest.approx(known.total, rel=0.005)
    if not known.is_rounded and known.name not in NEARLY:
        assert total == known.total


@each
def test_active_parameters_are_near_the_published_ones(known: Known) -> None:
    # Publishers differ in whether they count embeddings.
    active = count_parameters(import_data(known.config).architecture).active
    if known.active:
        assert active == pytest.approx(known.active, rel=0.15)
    else:
        assert 0 < active <= count_parameters(import_data(known.config).architecture).total


@each
def test_nothing_is_guessed_or_left_out(known: Known) -> None:
    found = import_data(known.config)
    assert found.is_exact, (found.assumed, found.unsupported)


@each
def test_components_add_up(known: Known) -> None:
    counts = count_parameters(import_data(known.config).architecture)
    assert sum(getattr(counts, name) for name in COMPONENTS) == counts.total
    assert all(getattr(counts, name) >= 0 for name in COMPONENTS)


@each
def test_names_in_the_file_change_nothing(known: Known) -> None:
    renamed = {
        **known.config,
        "_name_or_path": "someone/Other-900B",
        "architectures": ["OtherForCausalLM"],
        "transformers_version": "9.9",
    }
    plain, other = import_data(known.config), import_data(renamed, "Another-7B-A1B")
    assert count_parameters(other.architecture) == count_parameters(plain.architecture)


@each
def test_written_it_reads_back(known: Known) -> None:
    found = import_data(known.config, known.name).architecture
    text = json.dumps(write_config(found))
    assert read_config(text).architecture == found


@each
def test_summary_repeats_the_counts(known: Known) -> None:
    found = import_data(known.config)
    data = summarise(found, render=lambda message: message.render())
    counts = count_parameters(found.architecture)
    assert data["parameters_total"] == counts.total == data["weight_bytes"]["fp8"]
    assert data["weight_bytes"]["bf16"] == 2 * counts.total
    assert data["kv_bytes"]["context"] == (found.architecture.max_position_embeddings or 4096)
    json.dumps(data, allow_nan=False)


def test_every_field_says_which_key_gave_it() -> None:
    for known in NETWORKS:
        read = {item.field: item.key for item in import_data(known.config).read}
        assert len(read) >= 2, known.name
        for field, key in read.items():
            assert _has(known.config, key), (known.name, field, key)


def _has(data: object, path: str) -> bool:
    for part in path.split("."):
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


def test_one_import_is_quick() -> None:
    # Tables are read once; a busy machine has slow moments, so the best of a few counts.
    for known in NETWORKS:
        import_data(known.config)
    times = []
    for known in NETWORKS:
        text = json.dumps(dict(known.config))
        best = min(_seconds(text) for _ in range(3))
        times.append(best)
    assert max(times) < 0.020


def _seconds(text: str) -> float:
    start = time.process_time()
    count_parameters(read_config(text).architecture)
    return time.process_time() - start


@pytest.mark.parametrize(
    ("name", "checkpoint", "own_matrices"),
    [("zai-org/GLM-4.5", 358_337_791_296, 2), ("zai-org/GLM-4.5-Air", 110_468_824_832, 2)],
)
def test_checkpoints_hold_the_layer_that_predicts_further_tokens(
    name: str, checkpoint: int, own_matrices: int
) -> None:
    """These files hold the further layer, with an embedding and a head of its own, beside the network."""
    a = import_data(config(name)).architecture
    counts = count_parameters(a)
    own = own_matrices * a.vocab_size * a.hidden_size
    assert counts.total + counts.prediction + own == checkpoint

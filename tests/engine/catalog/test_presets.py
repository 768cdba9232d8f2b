"""Every shipped network has its published size and cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError

import pytest

from engine.architecture.cache import kv_bytes, state_bytes
from engine.architecture.counting import count_parameters
from engine.catalog import Preset, load_presets
from engine.importers.hf_config import import_data, write_config
from engine.plan.architecture import Architecture

PRESETS = load_presets()

FIGURES: Mapping[str, Callable[[Architecture], float]] = {
    "kv_bytes_per_token": lambda a: kv_bytes(a, 1),
    "kv_bytes_at_context": lambda a: kv_bytes(a, a.max_position_embeddings or 0),
    "state_bytes": state_bytes,
    "embedding_parameters": lambda a: count_parameters(a).embedding,
}

each = pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)


def test_there_are_the_well_known_ones() -> None:
    assert len(PRESETS) >= 40
    assert {"Llama-3.1-8B", "DeepSeek-V3", "Kimi-K2", "gpt-oss-120b", "Gemma-3-27B", "bge-m3"} <= set(PRESETS)


@each
def test_count_is_within_half_a_percent_of_the_published_total(preset: Preset) -> None:
    counted = count_parameters(preset.architecture).total
    assert counted == pytest.approx(preset.published_parameters, rel=0.005)
    # A total that is given to the last digit is met to the last digit.
    if preset.published_parameters % 1_000_000:
        assert counted == preset.published_parameters


@each
def test_a_second_known_figure_holds(preset: Preset) -> None:
    assert preset.checked
    for name, value in preset.checked.items():
        assert FIGURES[name](preset.architecture) == value, name


@each
def test_every_preset_says_where_its_shape_can_be_read(preset: Preset) -> None:
    assert preset.publisher
    assert preset.basis in ("verified", "memory")
    assert preset.source.startswith("https://")
    assert preset.architecture.model_name == preset.name


@each
def test_written_as_a_file_it_reads_back(preset: Preset) -> None:
    assert import_data(write_config(preset.architecture)).architecture == preset.architecture


def test_presets_cannot_be_changed() -> None:
    preset = PRESETS["Llama-3.1-8B"]
    with pytest.raises(FrozenInstanceError):
        preset.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        PRESETS["other"] = preset  # type: ignore[index]
    assert load_presets() is PRESETS

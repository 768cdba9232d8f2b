"""Kernel codes and constants name exactly what the plan's choices name."""

from __future__ import annotations

from typing import get_args

import pytest

from engine import codes
from engine.performance.training_constants import STACKS
from engine.plan import field_specs
from engine.plan.workload import TrainingStack


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("workload.kind", codes.WORKLOAD_KINDS),
        ("training.precision", codes.TRAINING_PRECISIONS),
        ("serving.weight_precision", codes.SERVING_PRECISIONS),
        ("cluster.price_mode", codes.PRICE_MODES),
        ("reliability.checkpoint_mode", codes.CHECKPOINT_MODES),
        ("training.stack", STACKS),
    ],
)
def test_choices_are_those_the_kernels_know(path: str, names: tuple[str, ...]) -> None:
    assert set(field_specs()[path].choices) == set(names)


def test_layout_choices_are_those_the_kernels_know() -> None:
    for path, names in (
        ("layout.sharding", codes.SHARDING_STAGES),
        ("layout.recompute", codes.RECOMPUTE_MODES),
    ):
        spec = field_specs()[path]
        assert {*spec.choices, *spec.words} - {"auto"} == set(names)


def test_stacks_of_measured_runs_are_the_same() -> None:
    assert set(get_args(TrainingStack)) == set(STACKS)

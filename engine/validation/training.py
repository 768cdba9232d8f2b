"""Published training speeds against the step model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog, load_catalog
from engine.performance.training import training_step
from engine.validation.cases import (
    NEEDED_COLUMNS,
    Constants,
    TrainingCase,
    stack_constants,
    stack_inputs,
    training_cases,
)
from engine.validation.results import RowResult, ValidationResult, gather
from engine.validation.tables import DataRow, read_rows

METRIC = "tokens_per_s_per_gpu"


def predict_speeds(cases: Sequence[TrainingCase], constants: Constants) -> FloatArray:
    """Tokens a second and accelerator of every case, shape (cases,), in one kernel call."""
    if not cases:
        return np.zeros(0)
    step = training_step(
        stack_inputs([case.model for case in cases]),
        stack_inputs([case.hardware for case in cases]),
        stack_inputs([case.layout for case in cases]),
        stack_inputs([case.run for case in cases]),
        stack_constants(cases, constants),
    )
    return np.asarray(step.tokens_per_s_per_gpu, dtype=float)


def measured_speed(row: DataRow) -> float | None:
    """The published tokens a second and accelerator, from the iteration time where only that is given."""
    speed = row.measured(METRIC)
    if speed is not None:
        return speed
    iteration, batch = row.measured("iter_time_s"), row.measured("global_batch_seqs")
    length, count = row.measured("seq_len"), row.measured("n_gpus")
    if iteration is None or batch is None or length is None or count is None:
        return None
    return batch * length / (iteration * count)

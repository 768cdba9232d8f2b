"""Published memory peaks and their parts against the memory model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog, load_catalog
from engine.catalog.accelerators import GIB
from engine.performance.flops import count_parameters
from engine.performance.inputs import ModelShape
from engine.performance.memory import TrainingMemory, training_memory
from engine.performance.training_constants import (
    Facts,
    MemoryConstants,
    family_key,
    resolve_memory_constants,
)
from engine.text import N_, Message
from engine.validation.cases import TrainingCase, stack_inputs, training_case
from engine.validation.results import RowResult, ValidationResult, gather
from engine.validation.tables import DataRow, RowProblem, read_cases, read_rows

NEEDED_COLUMNS = ("gpu", "component")
MEASURED_COLUMNS = ("measured_gib", "mem_gb")
"""Where a file has its figure [GiB]; tables of runs with a memory column give peaks."""
BAND = "memory_factor"
LAYERS_ONLY = "params+optimizer"
_PARTS = {
    "peak": ("total_bytes",),
    "total": ("total_bytes",),
    "weights": ("weights",),
    "params": ("weights",),
    "parameters": ("weights",),
    "gradients": ("gradients",),
    "optimizer": ("optimizer",),
    "activations": ("activations",),
    LAYERS_ONLY: ("weights", "gradients", "optimizer"),
}
"""Names a table gives to a figure, and the parts of the model that make it up."""


def validate_memory(text: str, catalog: Catalog | None = None) -> ValidationResult:
    """Predict every row of a file of published memory figures [GiB] and compare where it gives one.

    Needs the columns `gpu` and `component` (peak, activations, params+optimizer, ...). Blanks are filled as
    for training runs; sequence parallelism is on where the row's recomputation says so, else as the stack
    has it. Measured columns are never read for a prediction. Raises InputError naming a missing column.
    """
    facts = catalog or load_catalog()
    rows = read_rows(text, NEEDED_COLUMNS)
    cases, skipped = read_cases(rows, lambda row: _case(row, facts))
    predicted = predict_memory(cases, facts)
    found = [_result(case, float(gib), facts) for case, gib in zip(cases, predicted, strict=True)]
    return gather(len(rows), skipped, found)


def measured_peak(row: DataRow) -> float | None:
    """The published figure of a row [GiB], None where it gives none."""
    return next((found for name in MEASURED_COLUMNS if (found := row.measured(name)) is not None), None)


def _case(row: DataRow, catalog: Catalog) -> TrainingCase:
    """One row, whose measured part must be one that is modelled."""
    _parts(row)
    return training_case(row, catalog)


def predict_memory(cases: Sequence[TrainingCase], catalog: Facts) -> FloatArray:
    """The figure [GiB] that each case's component names, shape (cases,), in one kernel call."""
    if not cases:
        return np.zeros(0)
    with np.errstate(all="ignore"):
        memory = _memory(cases, catalog)
    picked = [_part_of(memory, case, index, len(cases)) for index, case in enumerate(cases)]
    return np.array(picked) / GIB


def _memory(cases: Sequence[TrainingCase], catalog: Facts) -> TrainingMemory:
    return training_memory(
        stack_inputs([_counted(case) for case in cases]),
        stack_inputs([case.layout for case in cases]),
        stack_inputs([case.run for case in cases]),
        stack_inputs([case.hardware for case in cases]),
        _constants(cases, catalog),
    )


def _counted(case: TrainingCase) -> ModelShape:
    """The network a figure counts: parameters with optimizer are published for the layers alone.

    Figure 1 of arXiv 2205.05198 is 18 bytes on 12*L*h^2, without embeddings and head. Input and output
    embeddings are one matrix where that comes nearer to the row's own number of parameters.
    """
    if case.row.text("component").casefold().replace(" ", "") == LAYERS_ONLY:
        return replace(case.model, vocab_size=1.0)
    billions = case.row.positive("params_total_B")
    if billions is None:
        return case.model
    tied = replace(case.model, tie_word_embeddings=1.0)
    return min((case.model, tied), key=lambda m: abs(float(count_parameters(m).total) - billions * 1e9))


def _part_of(memory: TrainingMemory, case: TrainingCase, index: int, rows: int) -> float:
    values = (np.broadcast_to(getattr(memory, name), (rows,))[index] for name in _parts(case.row))
    return float(sum(values))


def _parts(row: DataRow) -> tuple[str, ...]:
    word = row.text("component").casefold().replace(" ", "") or "peak"
    found = _PARTS.get(word)
    if found is None:
        raise RowProblem(Message(N_("component {name} is not modelled"), {"name": word[:40]}))
    return found


def _constants(cases: Sequence[TrainingCase], catalog: Facts) -> MemoryConstants:
    found = [_case_constants(case, catalog) for case in cases]
    columns: dict[str, Any] = {
        field.name: np.array([getattr(item, field.name) for item in found], float)
        for field in fields(MemoryConstants)
    }
    return MemoryConstants(**columns)


def _case_constants(case: TrainingCase, catalog: Facts) -> MemoryConstants:
    constants = resolve_memory_constants(catalog, stack=case.stack.name, precision=case.precision)
    word = case.row.text("recompute").casefold()
    if "seq-parallel" in word or "sequence parallel" in word:
        return replace(constants, sequence_parallel=1.0)
    return replace(constants, sequence_parallel=0.0) if "tp only" in word else constants


def _result(case: TrainingCase, gib: float, catalog: Catalog) -> RowResult:
    band = catalog.fact("training", BAND)
    assert band.low is not None and band.high is not None
    component = case.row.text("component").casefold()
    groups = (
        f"component {component}",
        "moe" if case.is_moe else "dense",
        f"family {family_key(case.accelerator.family)}",
        f"stack {case.stack.name}",
        f"source {case.source}",
    )
    measured = measured_peak(case.row)
    return RowResult(
        case.id, "memory_gib", measured, gib, gib * band.low, gib * band.high, case.scored, groups
    )

"""Published training speeds against the step model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog, load_catalog
from engine.performance.bands import step_time_band
from engine.performance.own_runs import RunSpread, run_spread, stack_factor
from engine.performance.training import TrainingStep, training_step
from engine.performance.training_constants import Facts, family_key
from engine.validation.cases import (
    NEEDED_COLUMNS,
    TrainingCase,
    stack_constants,
    stack_inputs,
    training_cases,
)
from engine.validation.results import ErrorSummary, RowResult, ValidationResult, gather, summarise
from engine.validation.tables import DataRow, is_sensible, read_rows

METRIC = "tokens_per_s_per_gpu"


def predict_speeds(cases: Sequence[TrainingCase], constants: Facts) -> FloatArray:
    """Tokens a second and accelerator of every case, shape (cases,), in one kernel call."""
    if not cases:
        return np.zeros(0)
    with np.errstate(all="ignore"):
        step = _step(cases, constants)
    return np.asarray(step.tokens_per_s_per_gpu, dtype=float)


def _step(cases: Sequence[TrainingCase], constants: Facts) -> TrainingStep:
    return training_step(
        stack_inputs([case.model for case in cases]),
        stack_inputs([case.hardware for case in cases]),
        stack_inputs([case.layout for case in cases]),
        stack_inputs([case.run for case in cases]),
        stack_constants(cases, constants),
    )


def measured_speed(row: DataRow) -> float | None:
    """The published tokens a second and accelerator, from the iteration time where only that is given."""
    speed = row.measured(METRIC)
    if speed is not None:
        return speed
    iteration, batch = row.measured("iter_time_s"), row.measured("global_batch_seqs")
    length, count = row.measured("seq_len"), row.measured("n_gpus")
    if iteration is None or batch is None or length is None or count is None:
        return None
    speed = batch * length / (iteration * count)
    return speed if is_sensible(speed) else None


def validate_training(text: str, catalog: Catalog | None = None) -> ValidationResult:
    """Predict every row of a file of published runs and compare with its speed where it gives one.

    Valid for files with the columns of the published-run tables; only `gpu` must be there. Predictions take
    the shipped constants and never read a measured or derived column. Raises InputError naming a missing
    column.
    """
    facts = catalog or load_catalog()
    rows = read_rows(text, NEEDED_COLUMNS)
    cases, skipped = training_cases(rows, facts)
    speeds = predict_speeds(cases, facts)
    found = [_result(case, float(speed), facts) for case, speed in zip(cases, speeds, strict=True)]
    return gather(len(rows), skipped, found, _calibrated(cases, found, facts))


def _result(case: TrainingCase, speed: float, catalog: Catalog) -> RowResult:
    family = case.accelerator.family
    band = step_time_band(
        catalog,
        is_moe=case.is_moe,
        family=family,
        precision=case.precision,
        known_stack=case.stack.known,
    )
    assert band.low is not None and band.high is not None
    framework = case.row.text("framework") or case.stack.name
    groups = (
        "moe" if case.is_moe else "dense",
        f"family {family_key(family)}",
        f"precision {case.precision}",
        f"stack {case.stack.name}" if case.stack.known else "stack unknown",
        f"framework {framework}",
        f"source {case.source}",
    )
    measured = measured_speed(case.row)
    # A step takes low to high times what is predicted, so that the speed is its inverse.
    return RowResult(
        case.id, METRIC, measured, speed, speed / band.high, speed / band.low, case.scored, groups
    )


def _calibrated(
    cases: Sequence[TrainingCase], rows: Sequence[RowResult], catalog: Catalog
) -> dict[str, ErrorSummary]:
    """Errors once every framework has one factor, each row's found from the other rows of its framework."""
    members: dict[str, list[RowResult]] = {}
    for case, row in zip(cases, rows, strict=True):
        if row.scored and row.measured is not None and is_sensible(row.predicted):
            members.setdefault(case.row.text("framework").casefold(), []).append(row)
    spread = run_spread(catalog)
    corrected = [row for group in members.values() for row in _left_out(group, spread)]
    return {"one factor per framework": summarise(corrected)}


def _left_out(rows: Sequence[RowResult], spread: RunSpread) -> list[RowResult]:
    """Rows of one framework, each corrected by the calibration factor that the others give."""
    logs = np.array([np.log(row.predicted / row.measured) for row in rows if row.measured])
    factors = [stack_factor(np.delete(logs, index), spread).factor for index in range(len(rows))]
    return [
        replace(row, predicted=row.predicted / f, low=row.low / f, high=row.high / f)
        for row, f in zip(rows, factors, strict=True)
    ]

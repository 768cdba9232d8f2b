"""The shipped tables of published measurements against the model, fitted with and without their sources."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files

import numpy as np

from engine.catalog import Catalog
from engine.errors import InputError
from engine.validation.inference import validate_inference
from engine.validation.memory import validate_memory
from engine.validation.results import RowResult, ValidationResult, gather
from engine.validation.totals import validate_totals
from engine.validation.training import validate_training

LEFT_OUT = "left_out_training.csv"
"""Written by engine.performance.calibration: for each row, ln(predicted / measured) of constants fitted
without any row of its source."""

_TABLES: Mapping[str, tuple[str, Callable[[str, Catalog], ValidationResult]]] = {
    "training": ("runs_dev.csv", validate_training),
    "memory": ("memory_points_dev.csv", validate_memory),
    "totals": ("totals_dev.csv", validate_totals),
    "inference": ("inference_runs_dev.csv", validate_inference),
}


def validate_published(kind: str, catalog: Catalog) -> ValidationResult:
    """The shipped table of a kind (training, memory, totals or inference) against the shipped constants.

    Constants were fitted to rows of these tables: see `validate_unseen`. Errors: InputError for another kind.
    """
    if kind not in _TABLES:
        raise InputError("kind", kind, ", ".join(_TABLES))
    name, validate = _TABLES[kind]
    return validate(published_text(name), catalog)


def validate_unseen(found: ValidationResult) -> ValidationResult:
    """Training rows as predicted by constants fitted without their source; other rows are left out."""
    table = csv.DictReader(io.StringIO(published_text(LEFT_OUT)))
    ratios = {row["id"]: float(np.exp(float(row["ln_ratio"]))) for row in table}
    rows = [
        _moved(row, row.measured * ratios[row.id])
        for row in found.per_row
        if row.id in ratios and row.measured is not None
    ]
    return gather(len(rows), (), rows)


def _moved(row: RowResult, predicted: float) -> RowResult:
    """A row with another prediction and the band that moves with it."""
    factor = predicted / row.predicted
    return replace(row, predicted=predicted, low=row.low * factor, high=row.high * factor)


def published_text(name: str) -> str:
    """The text of a shipped table."""
    return (files("engine.validation") / "data" / name).read_text(encoding="utf-8")

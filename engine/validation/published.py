"""The shipped tables of published measurements against the model, fitted with and without their sources."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from engine.catalog import Catalog
from engine.errors import InputError
from engine.validation.inference import validate_inference
from engine.validation.memory import validate_memory
from engine.validation.results import RowResult, ValidationResult, gather
from engine.validation.tables import shipped_text
from engine.validation.totals import validate_totals
from engine.validation.training import validate_training

LEFT_OUT = "left_out_training.csv"
"""Written by engine.performance.calibration: for each row, ln(predicted / measured) of constants fitted
without any row of its source."""

VALIDATIONS: Mapping[str, Callable[[str, Catalog], ValidationResult]] = {
    "training": validate_training,
    "memory": validate_memory,
    "totals": validate_totals,
    "inference": validate_inference,
}
"""What can be validated, and how a file of it is held against the models."""
_SHIPPED: Mapping[str, str] = {
    "training": "runs_dev.csv",
    "memory": "memory_points_dev.csv",
    "totals": "totals_dev.csv",
    "inference": "inference_runs_dev.csv",
}


def validate_text(kind: str, text: str, catalog: Catalog) -> ValidationResult:
    """A table of a kind (a key of VALIDATIONS) against the models. Errors: InputError naming the fault."""
    if kind not in VALIDATIONS:
        raise InputError("kind", kind, ", ".join(VALIDATIONS))
    return VALIDATIONS[kind](text, catalog)


def validate_published(kind: str, catalog: Catalog) -> ValidationResult:
    """The shipped table of a kind (a key of VALIDATIONS) against the shipped constants.

    Constants were fitted to rows of these tables: see `validate_unseen`. Errors: InputError for another kind.
    """
    return validate_text(kind, shipped_text(_SHIPPED[kind]) if kind in _SHIPPED else "", catalog)


def validate_unseen(found: ValidationResult) -> ValidationResult:
    """Training rows as predicted by constants fitted without their source; other rows are left out."""
    table = csv.DictReader(io.StringIO(shipped_text(LEFT_OUT)))
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

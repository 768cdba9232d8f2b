"""The fitted factor of the memory model and its band: `python -m engine.validation.memory_fit FILE.csv ...`.

Everything else in the memory model is counted; one factor stands for fragmentation and small buffers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.arrays import BoolArray, FloatArray
from engine.catalog import Catalog, load_catalog
from engine.validation.cases import TrainingCase, training_cases
from engine.validation.efficiencies import HIGH, KEY, VALUE, read_table, write_table
from engine.validation.fitting import FittedFacts
from engine.validation.memory import MEASURED_COLUMNS, measured_peak, predict_memory
from engine.validation.tables import read_rows

FACTOR = "memory_overhead_factor"
FACTORS = np.linspace(1.0, 1.2, 41)
RESIDUAL_SCALE = 0.08
"""Relative error from which a row pulls less than in proportion."""
BAND = (0.1, 0.9)
DIGITS = 4
_SAME = (
    "model_name",
    "n_layers",
    "n_heads",
    "gpu",
    "n_gpus",
    "dtype",
    "seq_len",
    "tp",
    "pp",
    "cp",
    "vpp",
    "micro_batch",
    "recompute",
)


@dataclass(frozen=True)
class MemoryFit:
    """The factor, and measured over predicted peaks of every row [ratio, shape (rows,)] with its source out.

    `low` and `high` bound its 10-90 % band, every source weighing alike; errors are of the same predictions.
    """

    sources: tuple[str, ...]
    factor: float
    fitted: FloatArray
    held_out: FloatArray
    low: float
    high: float
    median_error: float
    p90_error: float


@dataclass(frozen=True)
class _Peaks:
    """Published peaks [GiB] and the model's, which is fixed + factor * moving; shape (rows,)."""

    sources: tuple[str, ...]
    measured: FloatArray
    fixed: FloatArray
    moving: FloatArray

    def ratio(self, factor: float) -> FloatArray:
        """Measured over predicted."""
        return np.asarray(self.measured / (self.fixed + factor * self.moving))

    def weights(self) -> FloatArray:
        """Weight of every row: the sources share alike."""
        return np.array([1.0 / self.sources.count(source) for source in self.sources])


def fit_memory(texts: Sequence[str], catalog: Catalog) -> MemoryFit:
    """Fit the factor to the peaks of some files, and again without each source in turn.

    A peak that several files repeat counts once. Minimises the sum over rows of
    weight * (sqrt(1 + (ln(measured/predicted) / RESIDUAL_SCALE)^2) - 1) over FACTORS.
    """
    peaks = _read_peaks(texts, catalog)
    factor = _best_factor(peaks, np.ones(len(peaks.sources), dtype=bool))
    held_out = np.zeros(len(peaks.sources))
    for source in sorted(set(peaks.sources)):
        held = np.array([name == source for name in peaks.sources])
        held_out[held] = peaks.ratio(_best_factor(peaks, ~held))[held]
    errors = np.abs(1.0 / held_out - 1.0)
    low, high = (_weighted_quantile(held_out, peaks.weights(), share) for share in BAND)
    return MemoryFit(
        sources=peaks.sources,
        factor=factor,
        fitted=peaks.ratio(factor),
        held_out=held_out,
        low=low,
        high=high,
        median_error=float(np.median(errors)),
        p90_error=float(np.quantile(errors, 0.9)),
    )


def _read_peaks(texts: Sequence[str], catalog: Catalog) -> _Peaks:
    cases: dict[tuple[str, ...], tuple[TrainingCase, float]] = {}
    for text in texts:
        found, _ = training_cases(read_rows(text, ("gpu",)), catalog)
        for case in found:
            measured = measured_peak(case.row)
            if measured is not None and case.row.text("component").casefold() in ("", "peak"):
                key = (case.source, f"{measured:g}", *(case.row.text(column) for column in _SAME))
                cases.setdefault(key, (case, measured))
    rows = [case for case, _ in cases.values()]
    plain, twice = (predict_memory(rows, FittedFacts(catalog, {FACTOR: value})) for value in (1.0, 2.0))
    moving = twice - plain
    published = np.array([measured for _, measured in cases.values()])
    return _Peaks(tuple(case.source for case in rows), published, plain - moving, moving)


def _best_factor(peaks: _Peaks, kept: BoolArray) -> float:
    weights = peaks.weights()[kept]

    def misfit(factor: float) -> float:
        residuals = np.log(peaks.ratio(factor)[kept]) / RESIDUAL_SCALE
        return float((weights * (np.sqrt(1.0 + residuals**2) - 1.0)).sum())

    return float(min(FACTORS, key=misfit))


def _weighted_quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(np.interp(share, reached, values[order]))


def updated_table(table: str, found: MemoryFit) -> str:
    """The text of efficiencies.csv with the fitted factor, its errors and its band in it."""
    rounded = f"{{:.{DIGITS}g}}".format
    values: Mapping[str, tuple[str | None, str | None, str | None]] = {
        FACTOR: (rounded(found.factor), None, None),
        "memory_error_median": (rounded(found.median_error), "", rounded(found.p90_error)),
        "memory_factor": ("1", rounded(found.low), rounded(found.high)),
    }
    rows = read_table(table)
    for row in rows:
        new = values.get(row[KEY].removeprefix("training."))
        if new is not None:
            row[VALUE : HIGH + 1] = [
                old if value is None else value for old, value in zip(row[VALUE : HIGH + 1], new, strict=True)
            ]
    return write_table(rows)


def describe(found: MemoryFit) -> str:
    """The report of a fit for a terminal."""
    lines = [f"{len(found.sources)} peaks, factor {found.factor:g}"]
    for title, ratios in (("in-sample", found.fitted), ("leave-one-source-out", found.held_out)):
        errors = np.abs(1.0 / ratios - 1.0)
        lines.append(f"{title}: median {np.median(errors):.1%}, p90 {np.quantile(errors, 0.9):.1%}")
    for source in sorted(set(found.sources)):
        errors = np.abs(1.0 / found.held_out[[name == source for name in found.sources]] - 1.0)
        lines.append(f"  {source}: n {errors.size}, median {np.median(errors):.1%} left out")
    lines.append(f"band of measured over predicted: {found.low:.3f} .. {found.high:.3f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fit from the command line. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m engine.validation.memory_fit")
    names = ", ".join(MEASURED_COLUMNS)
    parser.add_argument("files", type=Path, nargs="+", help=f"CSV files of published peaks ({names})")
    parser.add_argument("--write", type=Path, metavar="FILE", help="efficiencies.csv to update")
    options = parser.parse_args(arguments)
    found = fit_memory([path.read_text(encoding="utf-8") for path in options.files], load_catalog())
    sys.stdout.write(describe(found) + "\n")
    if options.write is not None:
        options.write.write_text(updated_table(options.write.read_text("utf-8"), found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Fitting the training constants to published runs: robust, weighted by source, near stated priors."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from engine.arrays import BoolArray, FloatArray
from engine.catalog import Catalog, Fact
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.training import training_step
from engine.validation.cases import TrainingCase, stack_constants, stack_inputs
from engine.validation.tables import shipped_text
from engine.validation.training import measured_speed

PRIORS = "training_priors.csv"
PREFIX = "training."
RESIDUAL_SCALE = 0.08
"""Relative error from which a row pulls less than in proportion: about how well published runs repeat."""
SOURCE_POWER = 0.5
"""Rows of a source with n of them weigh n^-power each, so that one large table does not rule."""
STEPS = 40
DIGITS = 3
"""Significant digits of a fitted constant: below what the data tell, above what the machine may change."""


@dataclass(frozen=True, slots=True)
class Prior:
    """One fitted constant: where it is expected, log-normal spread, and the constants that take its value."""

    key: str
    value: float
    spread: float
    tied: tuple[str, ...]


def read_priors() -> tuple[Prior, ...]:
    """The constants that are fitted, from the package's own table."""
    text = shipped_text(PRIORS)
    rows = csv.DictReader(io.StringIO(text))
    return tuple(
        Prior(r["key"], float(r["prior"]), float(r["spread"]), tuple(r["tied"].split())) for r in rows
    )


class FittedFacts:
    """The catalogue's training facts with fitted values over them."""

    def __init__(self, catalog: Catalog, values: Mapping[str, float]) -> None:
        found = dict(catalog.constants(PREFIX))
        for key, value in values.items():
            found[PREFIX + key] = replace(found[PREFIX + key], value=value)
        self._facts: Mapping[str, Fact] = found

    def constants(self, prefix: str) -> Mapping[str, Fact]:
        """All training facts; the prefix is theirs."""
        return self._facts


@dataclass(frozen=True)
class FitData:
    """Cases with a measurement, stacked once: what a fit evaluates again and again."""

    cases: tuple[TrainingCase, ...]
    model: ModelShape
    hardware: Hardware
    layout: LayoutInputs
    run: TrainingRun
    measured: FloatArray
    weights: FloatArray
    catalog: Catalog

    @classmethod
    def of(cls, cases: Sequence[TrainingCase], catalog: Catalog) -> FitData:
        """The usable cases of a file: not doubtful, with a measured speed.

        Repeats of a configuration in older releases share its weight: they tell how a stack improved.
        """
        pairs = [(c, m) for c in cases if c.usable and (m := measured_speed(c.row)) is not None]
        found = [case for case, _ in pairs]
        return cls(
            cases=tuple(found),
            model=stack_inputs([case.model for case in found]),
            hardware=stack_inputs([case.hardware for case in found]),
            layout=stack_inputs([case.layout for case in found]),
            run=stack_inputs([case.run for case in found]),
            measured=np.array([speed for _, speed in pairs]),
            weights=_weights(found),
            catalog=catalog,
        )

    def subset(self, keep: BoolArray) -> FitData:
        """The cases that a mask keeps, shape (cases,)."""
        return FitData.of([case for case, kept in zip(self.cases, keep, strict=True) if kept], self.catalog)

    def log_ratio(self, values: Mapping[str, float]) -> FloatArray:
        """ln(predicted / measured) of every case under some constants, shape (cases,)."""
        constants = stack_constants(self.cases, FittedFacts(self.catalog, values))
        step = training_step(self.model, self.hardware, self.layout, self.run, constants)
        return np.asarray(np.log(step.tokens_per_s_per_gpu / self.measured), dtype=float)


def _weights(cases: Sequence[TrainingCase]) -> FloatArray:
    """Weight of every residual: repeats share one configuration's, and large sources weigh less a row."""
    repeats = Counter(case.configuration for case in cases)
    shares = np.array([1.0 / repeats[case.configuration] for case in cases])
    names, place = np.unique([case.source for case in cases], return_inverse=True)
    sizes = np.bincount(place, weights=shares, minlength=len(names))
    return np.asarray(sizes[place] ** -SOURCE_POWER * np.sqrt(shares), dtype=float)


def expand(priors: Sequence[Prior], exponents: FloatArray) -> dict[str, float]:
    """Constants from log-steps off their priors, tied ones included."""
    found = [prior.value * float(np.exp(step)) for prior, step in zip(priors, exponents, strict=True)]
    return {
        key: value for prior, value in zip(priors, found, strict=True) for key in (prior.key, *prior.tied)
    }


def fit_constants(data: FitData, priors: Sequence[Prior]) -> dict[str, float]:
    """The constants that fit best, rounded so that a last digit does not depend on the machine.

    Minimises the sum over rows of weight^2 * soft_l1(ln(predicted/measured) / RESIDUAL_SCALE) and over
    constants of soft_l1(ln(value/prior) / spread).
    """
    spreads = np.array([prior.spread for prior in priors])

    def residuals(exponents: FloatArray) -> FloatArray:
        misfit = data.weights * data.log_ratio(expand(priors, exponents)) / RESIDUAL_SCALE
        return np.concatenate([misfit, exponents / spreads])

    found = least_squares(residuals, np.zeros(len(priors)), loss="soft_l1", max_nfev=STEPS, x_scale=spreads)
    return {key: float(f"{value:.{DIGITS}g}") for key, value in expand(priors, found.x).items()}


def leave_one_source_out(data: FitData, priors: Sequence[Prior]) -> FloatArray:
    """ln(predicted / measured) of every case under constants fitted without its source, shape (cases,)."""
    found = np.zeros(len(data.cases))
    for source in sorted({case.source for case in data.cases}):
        held = np.array([case.source == source for case in data.cases])
        values = fit_constants(data.subset(~held), priors)
        found[held] = data.subset(held).log_ratio(values)
    return found

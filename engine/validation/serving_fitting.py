"""Predictions of serving rows under any constants, and fitting the constants to published measurements."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import least_squares

from engine.arrays import Array, BoolArray, FloatArray
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving import find_latency_floor, serve_instance
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_runs import (
    Run,
    batch_first_token_s,
    batch_throughput,
    closed_loop,
    open_loop,
)
from engine.performance.serving_step import ServingCase, ServingInputs, max_batch
from engine.validation.fitting import DIGITS, Prior, expand
from engine.validation.serving_cases import OFFLINE, RATE, SERVER, STATIC, ServingRow, stack_rows
from engine.validation.tables import shipped_text

PRIORS = "serving_priors.csv"
RESIDUAL_SCALE = 0.15
"""Relative error from which a row pulls less the farther off it is: what is no property of the network or
the accelerator (a cold start, a mislabelled cap) must not move a constant.
"""
KIND_WEIGHTS = {"tpot": 1.0, "output": 5.0, "total": 1.0, "ttft": 0.3}
"""Pull of a metric: first tokens wait for a benchmark's bursts, which an instance does not explain."""
RELATIVE_KINDS = ("output", "ttft")
"""Metrics fitted by predicted/measured - 1, the others by its logarithm: their long tail is of stalls that
no prediction should meet half-way.
"""
SOURCE_POWER = 0.5
STEPS = 60


def read_serving_priors() -> tuple[Prior, ...]:
    """The constants that are fitted, from the package's own table."""
    text = shipped_text(PRIORS)
    rows = csv.DictReader(io.StringIO(text))
    return tuple(Prior(r["key"], float(r["prior"]), float(r["spread"]), ()) for r in rows)


@dataclass(frozen=True)
class ServingData:
    """Rows stacked once: what a validation predicts and a fit evaluates again and again, shape (rows,)."""

    rows: tuple[ServingRow, ...]
    model: ModelShape
    hardware: Hardware
    load: ServingInputs
    constants: ServingConstants
    concurrency: FloatArray
    requests: FloatArray
    rate: FloatArray
    replicas: FloatArray

    @classmethod
    def of(cls, rows: Sequence[ServingRow], constants: ServingConstants) -> ServingData:
        """Stack rows; concurrency, requests and rate become those of one instance."""
        model, hardware, load = stack_rows(rows)
        replicas = np.array([row.replicas for row in rows])
        return cls(
            rows=tuple(rows),
            model=model,
            hardware=hardware,
            load=load,
            constants=constants,
            concurrency=np.array([row.concurrency for row in rows]) / replicas,
            requests=np.array([row.requests for row in rows]) / replicas,
            rate=np.array([row.rate for row in rows]) / replicas,
            replicas=replicas,
        )

    def subset(self, keep: BoolArray) -> ServingData:
        """The rows that a mask keeps, shape (rows,)."""
        kept = [row for row, wanted in zip(self.rows, keep, strict=True) if wanted]
        return ServingData.of(kept, self.constants)

    def predict(self, values: Mapping[str, float] | None = None) -> FloatArray:
        """Every row in the unit of its metric, shape (rows,), under the constants with `values` over them."""
        constants = replace(self.constants, **(values or {}))
        with np.errstate(all="ignore"):
            return _predict(self, constants)

    @cached_property
    def parts(self) -> tuple[tuple[ServingData, BoolArray], ...]:
        """The rows by how they were driven and what they measure: themselves, and which they are."""
        keys = np.array([f"{row.mode} {row.kind}" for row in self.rows])
        return tuple((self.subset(keys == key), keys == key) for key in sorted(set(keys)))


def _predict(data: ServingData, constants: ServingConstants) -> FloatArray:
    found = np.full(len(data.rows), np.nan)
    for part, rows in data.parts:
        case = ServingCase(part.model, part.hardware, part.load, constants)
        found[rows] = _predict_alike(part, case)
    return found


def _predict_alike(data: ServingData, case: ServingCase) -> FloatArray:
    """Rows of one mode and kind. One whose weights do not fit by a little ran all the same: it takes a batch
    of one.
    """
    mode, kind = data.rows[0].mode, data.rows[0].kind
    room = np.maximum(max_batch(case), 1.0)
    if kind == "ttft" and mode == STATIC:
        return 1e3 * batch_first_token_s(case, data.concurrency)
    if kind in ("output", "total"):
        output = _output_tokens_per_s(mode, data, case, room) * data.replicas
        every = 1.0 + np.asarray(data.load.input_tokens) / data.load.output_tokens
        return np.asarray(output * (every if kind == "total" else 1.0))
    run = _run(mode, data, case, room)
    return 1e3 * np.asarray(run.tpot_s if kind == "tpot" else run.ttft_s)


def _output_tokens_per_s(mode: str, data: ServingData, case: ServingCase, room: FloatArray) -> Array:
    if mode == STATIC:
        return batch_throughput(case, room, data.concurrency)
    if mode == OFFLINE:
        return batch_throughput(case, room, data.requests)
    return _run(mode, data, case, room).output_tokens_per_s


def _run(mode: str, data: ServingData, case: ServingCase, room: FloatArray) -> Run:
    if mode == SERVER:
        return _server(data, case)
    if mode == RATE:
        return open_loop(case, data.rate)
    return closed_loop(case, data.concurrency, room)


def _server(data: ServingData, case: ServingCase) -> Run:
    """The highest load within the scenario's own limits, as its rules ask for; 99th percentiles of rows that
    give them are the limits' own 95th. A TTFT limit that the model misses even without load was kept all the
    same: such a row goes by its TPOT limit alone.
    """
    floor = find_latency_floor(case.model, case.hardware, case.load, case.constants)
    kept = np.where(floor.ttft_s > case.load.ttft_slo_s, np.inf, case.load.ttft_slo_s)
    load = replace(case.load, ttft_slo_s=kept)
    found = serve_instance(case.model, case.hardware, load, case.constants)
    tail = np.array([row.tail for row in data.rows])
    tpot = np.where(tail, found.tpot_s_p95, found.tpot_s)
    ttft = np.where(tail, found.ttft_s_p95, found.ttft_s)
    return Run(found.occupancy, tpot, ttft, found.output_tokens_per_s)


def measured_values(rows: Sequence[ServingRow]) -> FloatArray:
    """The rows' measurements, NaN where there is none, shape (rows,)."""
    found = [row.row.measured("value") for row in rows]
    return np.array([np.nan if value is None else value for value in found])


def fit_rows(data: ServingData) -> ServingData:
    """The rows a fit takes: scored, with a measurement."""
    measured = measured_values(data.rows)
    return data.subset(np.array([row.scored for row in data.rows]) & np.isfinite(measured))


def _weights(rows: Sequence[ServingRow]) -> FloatArray:
    """Weight of every row by its metric and by the size of its table: large ones weigh less a row."""
    keys = [f"{row.table} {row.kind}" for row in rows]
    sizes = Counter(keys)
    raw = np.array(
        [KIND_WEIGHTS[r.kind] * sizes[key] ** -SOURCE_POWER for r, key in zip(rows, keys, strict=True)]
    )
    return np.asarray(raw / raw.mean(), dtype=float)


def fit_serving(
    data: ServingData, priors: Sequence[Prior], start: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The constants that fit best, rounded so that a last digit does not depend on the machine.

    Minimises the sum over rows of ln(1 + weight * (error / RESIDUAL_SCALE)^2) and over constants of
    ln(1 + (ln(value/prior) / spread)^2); the error is ln(predicted/measured), or predicted/measured - 1 for
    RELATIVE_KINDS. `start`: where to begin, the priors when None.
    """
    measured, weights = measured_values(data.rows), np.sqrt(_weights(data.rows))
    relative = np.isin([row.kind for row in data.rows], RELATIVE_KINDS)
    spreads = np.array([prior.spread for prior in priors])

    def residuals(steps: FloatArray) -> FloatArray:
        ratio = data.predict(expand(priors, steps)) / measured
        error = np.where(relative, ratio - 1.0, np.log(ratio))
        misfit = np.nan_to_num(weights * error / RESIDUAL_SCALE, nan=1e3, posinf=1e3, neginf=-1e3)
        return np.concatenate([misfit, steps / spreads])

    first = np.array([np.log((start or {}).get(p.key, p.value) / p.value) for p in priors])
    found = least_squares(residuals, first, loss="cauchy", max_nfev=STEPS, x_scale=spreads)
    return {key: float(f"{value:.{DIGITS}g}") for key, value in expand(priors, found.x).items()}


def leave_groups_out(
    data: ServingData, priors: Sequence[Prior], groups: Sequence[str], start: Mapping[str, float]
) -> FloatArray:
    """ln(predicted / measured) of every row under constants fitted without its group, shape (rows,).

    `start` only says where the searches begin: from a fit to all rows they end sooner.
    """
    found, measured = np.zeros(len(data.rows)), measured_values(data.rows)
    names = np.array(groups)
    for name in sorted(set(groups)):
        held = names == name
        values = fit_serving(data.subset(~held), priors, start)
        found[held] = np.log(data.subset(held).predict(values) / measured[held])
    return found

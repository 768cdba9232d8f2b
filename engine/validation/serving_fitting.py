"""Predictions of serving rows under any constants, and fitting the constants to published measurements."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from engine.arrays import BoolArray, FloatArray
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving import serve_instance
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
RESIDUAL_SCALE = 0.05
"""Relative error from which a row pulls less than in proportion: half of how well engines agree."""
KIND_WEIGHTS = {"tpot": 1.0, "output": 2.5, "total": 1.0, "ttft": 0.3}
"""Pull of a metric: first tokens wait for a benchmark's bursts, which an instance does not explain."""
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
            return _predict(self, ServingCase(self.model, self.hardware, self.load, constants))


def _predict(data: ServingData, case: ServingCase) -> FloatArray:
    """A row whose weights do not fit by a little ran all the same: it takes a batch of one."""
    mode, kind = np.array([r.mode for r in data.rows]), np.array([r.kind for r in data.rows])
    room = np.maximum(max_batch(case), 1.0)
    loop = closed_loop(case, data.concurrency, room)
    tpot, ttft, output = loop.tpot_s, loop.ttft_s, loop.output_tokens_per_s
    for name, run in ((SERVER, _server(data, case)), (RATE, open_loop(case, data.rate))):
        picked = mode == name
        tpot = np.where(picked, run.tpot_s, tpot)
        ttft = np.where(picked, run.ttft_s, ttft)
        output = np.where(picked, run.output_tokens_per_s, output)
    ttft = np.where(mode == STATIC, batch_first_token_s(case, data.concurrency), ttft)
    output = np.where(mode == STATIC, batch_throughput(case, room, data.concurrency), output)
    output = np.where(mode == OFFLINE, batch_throughput(case, room, data.requests), output) * data.replicas
    every = output * (1.0 + np.asarray(data.load.input_tokens) / data.load.output_tokens)
    chosen = [kind == name for name in ("tpot", "ttft", "output", "total")]
    return np.asarray(np.select(chosen, [1e3 * tpot, 1e3 * ttft, output, every], default=np.nan), dtype=float)


def _server(data: ServingData, case: ServingCase) -> Run:
    """The highest load within the scenario's own limits, as its rules ask for; 99th percentiles of rows that
    give them are the limits' own 95th.
    """
    found = serve_instance(case.model, case.hardware, case.load, case.constants)
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

    Minimises the sum over rows of soft_l1(weight^(1/2) * ln(predicted/measured) / RESIDUAL_SCALE) and over
    constants of soft_l1(ln(value/prior) / spread). `start`: where to begin, the priors when None.
    """
    measured, weights = measured_values(data.rows), np.sqrt(_weights(data.rows))
    spreads = np.array([prior.spread for prior in priors])

    def residuals(steps: FloatArray) -> FloatArray:
        ratio = np.log(data.predict(expand(priors, steps)) / measured)
        misfit = np.nan_to_num(weights * ratio / RESIDUAL_SCALE, nan=1e3, posinf=1e3, neginf=-1e3)
        return np.concatenate([misfit, steps / spreads])

    first = np.array([np.log((start or {}).get(p.key, p.value) / p.value) for p in priors])
    found = least_squares(residuals, first, loss="soft_l1", max_nfev=STEPS, x_scale=spreads)
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

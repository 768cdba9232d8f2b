"""Calibrating the training model with a planner's own measured runs: one factor per software stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.errors import FlopwiseError, InputError
from engine.lowering import lower
from engine.performance.training import training_step
from engine.performance.training_constants import DEFAULT_STACK
from engine.plan import Plan
from engine.text import N_, Message, Quantity
from engine.values import PlanValues

PRIOR_SPREAD = "training.own_run_prior_spread"
REPEATABILITY = "training.own_run_repeatability"
_DECILE = 1.2815515655446004
"""Standard deviations from the middle of a normal distribution to its 90th percentile."""


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A measured run: the stack it ran on, and predicted and measured tokens/s per accelerator."""

    stack: str
    predicted: float
    measured: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class StackFactor:
    """What runs say of a stack: `factor` on predicted step time [ratio], its 10-90 % band, and from what."""

    factor: float
    low: float
    high: float
    runs: int
    provenance: Message


@dataclass(frozen=True, slots=True)
class RunSpread:
    """How far stacks differ from the model (`stacks`) and runs of one from each other (`runs`), as ln."""

    stacks: float
    runs: float


def run_spread(catalog: Catalog) -> RunSpread:
    """The catalogue's spreads. Errors: FlopwiseError for a missing row."""
    return RunSpread(_fact(catalog, PRIOR_SPREAD), _fact(catalog, REPEATABILITY))


def calibrate_own_runs(runs: Sequence[OwnRun], catalog: Catalog) -> Mapping[str, StackFactor]:
    """One factor on step time for every stack that has runs.

    Valid for runs near the planned one in network and accelerators. The factor is the median of
    ln(predicted/measured), drawn towards 1 by the spread expected between stacks; the band holds what the
    runs leave open and how well runs repeat. Equations, n runs, spread t between stacks, repeatability r:
    ln factor = median * n / (n + (r/t)^2); band = +-1.2816*sqrt(r^2 + r^2/(n + (r/t)^2)).
    Raises InputError for a speed that is no number above 0.
    """
    spread = run_spread(catalog)
    logs: dict[str, list[float]] = {}
    for run in runs:
        logs.setdefault(run.stack, []).append(_log_ratio(run))
    return {stack: stack_factor(np.array(values), spread, stack) for stack, values in sorted(logs.items())}


def stack_factor(logs: FloatArray, spread: RunSpread, stack: str = "") -> StackFactor:
    """The factor that runs on one stack give; logs: ln(predicted/measured), shape (runs,)."""
    count = float(logs.size)
    weight = count + (spread.runs / spread.stacks) ** 2
    # The median, scaled to the number of runs: one run on a sick cluster must not move the rest.
    centre = float(np.median(logs)) * count / weight if count else 0.0
    open_share = 1.0 / weight if count else (spread.stacks / spread.runs) ** 2
    width = _DECILE * spread.runs * float(np.sqrt(1.0 + open_share))
    return StackFactor(
        factor=float(np.exp(centre)),
        low=float(np.exp(centre - width)),
        high=float(np.exp(centre + width)),
        runs=int(count),
        provenance=Message(
            N_("calibrated with {runs} own runs on {stack}; published runs alone: factor 1"),
            {"runs": Quantity(count, "runs"), "stack": stack},
        ),
    )


def own_run(plan: Plan, catalog: Catalog, measured: float, *, stack: str = DEFAULT_STACK) -> OwnRun:
    """A measured run of a plan whose layout is given: its speed is predicted without any calibration.

    measured [tokens/s/accelerator]; stack: the name the factor will go by. Raises InputError for a layout
    left to the engine, which a measured run cannot have.
    """
    inputs = lower(PlanValues(plan, catalog))
    if inputs.training is None:
        raise InputError("workload.kind", plan.workload.kind, Message(N_("a training")))
    step = training_step(
        inputs.model, inputs.hardware, inputs.training.layout, inputs.training.run, inputs.training.constants
    )
    predicted = float(step.tokens_per_s_per_gpu)
    if not np.isfinite(predicted):
        raise InputError("layout", "auto", Message(N_("the layout of the measured run")))
    return OwnRun(stack, predicted, measured, plan.meta.name)


def _log_ratio(run: OwnRun) -> float:
    for field, value in (("measured", run.measured), ("predicted", run.predicted)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"own_runs.{field}", value, Message(N_("tokens a second, a number above 0")))
    return float(np.log(run.predicted / run.measured))


def _fact(catalog: Catalog, key: str) -> float:
    group, _, name = key.partition(".")
    value = catalog.fact(group, name).value
    if value is None:
        raise FlopwiseError(Message(N_("the catalogue lacks {key}"), {"key": key}))
    return value

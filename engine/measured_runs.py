"""Calibrating the training model with a planner's own measured runs: one factor per software stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.caching import Held
from engine.catalog import Catalog, Fact
from engine.errors import FlopwiseError, InputError
from engine.lowering import lower
from engine.performance.training import training_step
from engine.performance.training_constants import DEFAULT_STACK
from engine.plan import Plan, apply_patch, get_value
from engine.plan.cluster import ACCELERATOR_FIGURES
from engine.plan.workload import MEASURED_AS
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


def own_run(plan: Plan, catalog: Catalog, measured: float, *, stack: str | None = None) -> OwnRun:
    """A measured run of a plan whose layout is given: its speed is predicted without any calibration.

    measured [tokens/s/accelerator]; stack: the name the factor will go by, None = the plan's. Raises
    InputError for a layout left to the engine, which a measured run cannot have.
    """
    inputs = lower(PlanValues(plan, catalog))
    if inputs.training is None or plan.training is None:
        raise InputError("workload.kind", plan.workload.kind, Message(N_("a training")))
    step = training_step(
        inputs.model, inputs.hardware, inputs.training.layout, inputs.training.run, inputs.training.constants
    )
    predicted = float(step.tokens_per_s_per_gpu)
    if not np.isfinite(predicted):
        raise InputError("layout", "auto", Message(N_("the layout of the measured run")))
    return OwnRun(stack or plan.training.stack or DEFAULT_STACK, predicted, measured, plan.meta.name)


def measured_time_factor(plan: Plan, catalog: Catalog) -> Fact | None:
    """The factor on step time that the plan's own measured runs give its stack, with its 10-90 % band.

    None when no run is on that stack. Errors: InputError naming the run whose layout is not known.
    """
    assert plan.training is not None
    return _time_factor(plan.model_dump_json(include=_RELEVANT), Held(plan, catalog))


@lru_cache(maxsize=256)
def _time_factor(_key: str, held: Held) -> Fact | None:
    plan, catalog = held.plan, held.catalog
    assert plan.training is not None
    runs = [_run_of(plan, catalog, index) for index in range(len(plan.training.measured_runs))]
    found = calibrate_own_runs(runs, catalog).get(plan.training.stack or DEFAULT_STACK)
    if found is None:
        return None
    root = catalog.fact("training", "time_factor")
    source = found.provenance.render()
    return replace(root, value=found.factor, low=found.low, high=found.high, mark="own", source=source)


def _run_of(plan: Plan, catalog: Catalog, index: int) -> OwnRun:
    """One of the plan's measured runs, predicted as the plan with that run's own settings."""
    assert plan.training is not None
    run, field = plan.training.measured_runs[index], f"training.measured_runs.{index}"
    given = run.model_dump(exclude_none=True)
    settings = {path: given[name] for name, path in MEASURED_AS.items() if name in given}
    free = [path for path in MEASURED_AS.values() if get_value(plan, path) == "auto" and path not in settings]
    if free:
        # What was measured had some layout; guessing it would calibrate by a guess.
        needed = Message(N_("a run, or a plan, that gives: {names}"), {"names": ", ".join(free)})
        raise InputError(field, "auto", needed)
    moved = run.accelerator not in (None, plan.cluster.accelerator)
    figures: dict[str, Any] = dict.fromkeys(ACCELERATOR_FIGURES) if moved else {}
    changed = {**figures, **settings, "training.measured_runs": ()}
    try:
        return own_run(apply_patch(plan, changed), catalog, run.tokens_per_s_per_gpu, stack=run.stack)
    except InputError as error:
        raise InputError(field, error.value, error.accepted) from error


_RELEVANT: Any = {"architecture": True, "training": True, "layout": True, "cluster": True}


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

"""estimate(plan, catalog) -> Estimate: what one plan costs, takes and needs, with its trace and its band."""

from __future__ import annotations

import numpy as np

from engine.catalog import Catalog
from engine.cost.ledger import unknown_items
from engine.evaluation import Outcome, evaluate
from engine.figures import figure_list, resource_list
from engine.lowering import KernelInputs, lower
from engine.notes import plan_notes
from engine.plan import Plan
from engine.possibility import require_possible
from engine.resolution import resolve
from engine.results import Driver, Estimate
from engine.traces import cost_line
from engine.uncertainty.bands import Draws, draw_totals, tornado
from engine.values import PlanValues

DEFAULT_DRAWS = 2000


def estimate(plan: Plan, catalog: Catalog, *, seed: int = 0, draws: int = DEFAULT_DRAWS) -> Estimate:
    """Price a plan.

    Parameters: plan; catalog; seed of the draws; draws [count], 0 leaves out the band and the tornado.
    Returns: the ledger, metrics, resources, percentiles of the total [plan currency] and the drivers.
    Errors: InputError naming the field for what cannot be estimated. A layout that overflows memory is
    priced all the same, with `feasible` false and a note.
    """
    settled, choices = resolve(plan, catalog)
    values = PlanValues(settled, catalog)
    inputs = lower(values)
    outcome = evaluate(inputs, settled.scope)
    require_possible(plan, settled, inputs, outcome)
    sampled = draw_totals(values, draws=draws, seed=seed) if draws else None
    drivers = tornado(values) if draws else ()
    return _assemble(settled, values, inputs, outcome, sampled, drivers).model_copy(
        update={"choices": choices, "draws": draws, "seed": seed}
    )


def _assemble(
    plan: Plan,
    values: PlanValues,
    inputs: KernelInputs,
    outcome: Outcome,
    sampled: Draws | None,
    drivers: tuple[Driver, ...],
) -> Estimate:
    unknown = tuple(unknown_items(outcome.lines, plan.scope))
    percentile = (lambda share: sampled.percentile(share)) if sampled else (lambda share: None)
    ask_share = plan.finance.ask_percentile
    ask = percentile(ask_share)
    return Estimate(
        currency=plan.meta.currency,
        total=float(outcome.total),
        p10=percentile(10),
        p50=percentile(50),
        p80=percentile(80),
        p90=percentile(90),
        ask=None if ask is None else ask * (1.0 + plan.finance.contingency),
        complete=not unknown,
        unknown=unknown,
        scope=plan.scope.model_dump(mode="json"),
        lines=tuple(cost_line(line, values) for line in outcome.lines if not np.all(line.amount == 0)),
        metrics=figure_list(inputs, outcome, plan.scope),
        resources=resource_list(plan, inputs, outcome),
        drivers=drivers,
        notes=plan_notes(plan, inputs, outcome, unknown),
        feasible=bool(np.all(outcome.feasible_code == 0)),
    )

"""From kernel lines and terms to CostLines with formula and the provenance of each input."""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.arrays import Array
from engine.cost.ledger import Line, Term
from engine.plan import Plan, find_field
from engine.results import CostLine, Trace, TraceInput
from engine.values import PlanValues


def known(value: Array) -> float | None:
    """A kernel number as shown: None for what nobody knows."""
    number = float(np.asarray(value))
    return number if np.isfinite(number) else None


def cost_line(line: Line, values: PlanValues) -> CostLine:
    """One scalar ledger line with its trace."""
    behaviour: Literal["fixed", "variable"] = "fixed" if line.spec.behaviour == "fixed" else "variable"
    return CostLine(
        category=line.spec.category,
        item=line.spec.item,
        phase=line.spec.phase,
        quantity=known(line.quantity),
        unit=line.spec.unit,
        unit_price=known(line.unit_price),
        amount=known(line.amount),
        behaviour=behaviour,
        commitment="committed" if float(np.asarray(line.committed)) > 0 else "elastic",
        in_scope=line.in_scope(values.plan.scope),
        start_day=float(np.asarray(line.start_day)),
        end_day=float(np.asarray(line.end_day)),
        trace=Trace(
            formula=line.spec.formula,
            inputs=tuple(trace_input(name, term, values) for name, term in line.terms.items()),
        ),
    )


def trace_input(name: str, term: Term, values: PlanValues) -> TraceInput:
    """One input of a formula, with where its value came from."""
    kind, source, date = provenance(values.plan, term.path)
    if term.source:
        kind, source, date = "catalogue", term.source, term.date
    if term.path is None and not term.source:
        kind = "computed"
    return TraceInput(
        name=name,
        value=known(term.value),
        unit=term.unit,
        path=term.path,
        provenance=kind,
        source=source,
        date=date,
    )


def provenance(plan: Plan, path: str | None) -> tuple[str, str, str]:
    """Kind, source and date of a field's value: the plan's own record, else entered or default."""
    if path is None:
        return "computed", "", ""
    if path in plan.provenance:
        record = plan.provenance[path]
        return record.kind, record.source, record.date
    spec = find_field(path)
    if spec is None or spec.path != path:  # a position inside a list or table was written by somebody
        return "entered", "", ""
    node: object = plan
    for part in path.split("."):
        node = getattr(node, part, None)
    return ("default" if node == spec.default else "entered"), "", ""

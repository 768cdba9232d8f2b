"""The ledger: what one line is, and sums over lines. Amounts are in the plan's currency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from engine.arrays import Array, FloatArray
from engine.plan.money import Scope

HOURS_PER_DAY = 24.0
HOURS_PER_MONTH = 8760.0 / 12.0
DAYS_PER_MONTH = 365.0 / 12.0
SECONDS_PER_HOUR = 3600.0
GPU_HOURS = "GPU-h"
"""Unit of accelerator hours."""


@dataclass(frozen=True, slots=True)
class Term:
    """One named number of a formula: value, unit, and the plan field it comes from, if any."""

    value: Array
    unit: str = ""
    path: str | None = None
    source: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class LineSpec:
    """What is fixed about a ledger line. `switch` names the scope switch that can take it out of scope."""

    category: str
    item: str
    phase: str
    unit: str
    behaviour: str
    formula: str
    switch: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One ledger line, scalar or in rows; NaN stands for unknown. Days count from the plan's start."""

    spec: LineSpec
    quantity: Array
    unit_price: Array
    terms: Mapping[str, Term] = field(default_factory=dict)
    committed: Array = 0.0
    start_day: Array = 0.0
    end_day: Array = 0.0

    @property
    def amount(self) -> FloatArray:
        """Quantity times unit price [plan currency]; nothing bought costs nothing, whatever its price."""
        quantity = np.asarray(self.quantity, dtype=float)
        return np.where(quantity == 0.0, 0.0, quantity * self.unit_price)

    def in_scope(self, scope: Scope) -> bool:
        """Whether the plan's scope counts this line."""
        switched_on = self.spec.switch is None or bool(getattr(scope, self.spec.switch))
        return switched_on and self.spec.category in scope.categories


def total(lines: Iterable[Line], scope: Scope) -> FloatArray:
    """Sum of the known amounts in scope [plan currency], element-wise over rows."""
    amounts = [np.nan_to_num(line.amount, nan=0.0, posinf=np.inf) for line in lines if line.in_scope(scope)]
    return np.asarray(sum(amounts, start=np.zeros(())), dtype=float)


def unknown_items(lines: Iterable[Line], scope: Scope) -> list[str]:
    """Items in scope whose amount is not known for some row."""
    return [ln.spec.item for ln in lines if ln.in_scope(scope) and bool(np.any(np.isnan(ln.amount)))]

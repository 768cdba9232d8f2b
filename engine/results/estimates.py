"""What one plan costs, takes and needs."""

from __future__ import annotations

from typing import Any, Literal

from engine.results.base import Result
from engine.text import Message


class TraceInput(Result):
    """One input of a formula: value with unit, and where it came from."""

    name: str
    value: float | str | None
    unit: str = ""
    path: str | None = None
    provenance: str = "default"
    source: str = ""
    date: str = ""


class Trace(Result):
    """How a number was computed: the formula in words and what went into it."""

    formula: str
    inputs: tuple[TraceInput, ...] = ()


class CostLine(Result):
    """One line of the ledger. `amount` is quantity x unit price, None when the price is unknown."""

    category: str
    item: str
    phase: str
    quantity: float | None
    unit: str
    unit_price: float | None
    amount: float | None
    behaviour: Literal["fixed", "variable"]
    commitment: Literal["committed", "elastic"]
    in_scope: bool
    start_day: float = 0.0
    end_day: float = 0.0
    trace: Trace


class Metric(Result):
    """A figure that is not money in the ledger, with the unit it is counted in."""

    key: str
    title: str
    value: float | None
    unit: str
    trace: Trace | None = None


class ResourceUse(Result):
    """Average and peak need of one resource."""

    resource: str
    unit: str
    average: float | None
    peak: float | None


class Choice(Result):
    """A field left to the engine ("auto" or empty) and the value it took."""

    path: str
    value: Any
    why: Message


class Driver(Result):
    """One bar of the tornado: an input at its P10 and P90, and the total at each."""

    path: str
    title: str
    unit: str
    low: float
    high: float
    total_low: float
    total_high: float
    share_of_variance: float


class Estimate(Result):
    """What one plan costs, takes and needs."""

    currency: str
    total: float
    p10: float | None
    p50: float | None
    p80: float | None
    p90: float | None
    ask: float | None
    complete: bool
    unknown: tuple[str, ...]
    scope: dict[str, Any]
    lines: tuple[CostLine, ...]
    metrics: tuple[Metric, ...]
    resources: tuple[ResourceUse, ...]
    choices: tuple[Choice, ...] = ()
    drivers: tuple[Driver, ...] = ()
    notes: tuple[Message, ...] = ()
    feasible: bool = True
    draws: int = 0
    seed: int = 0

    def metric(self, key: str) -> float | None:
        """Value of the metric `key`, None when it is unknown or absent."""
        return next((m.value for m in self.metrics if m.key == key), None)

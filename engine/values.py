"""Reading a plan's numbers for the kernel: overrides first, then the plan, then the catalogue.

An override is an array (draws, candidates, a sweep) that stands in for one field; everything else stays a
plain float, so that one reading serves one plan and a million rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.arrays import Array
from engine.catalog import Catalog, Fact
from engine.defaults import default_fact
from engine.plan import Plan, get_value

UNKNOWN = float("nan")
"""How the kernel carries a number nobody knows; it becomes None ("unknown") at the edge, never 0."""


@dataclass(frozen=True)
class PlanValues:
    """One plan read against one catalogue, with array overrides by field path."""

    plan: Plan
    catalog: Catalog
    overrides: Mapping[str, Array] = field(default_factory=dict)

    def number(self, path: str) -> Array:
        """The number at `path` [the field's unit]: override, plan, catalogue; NaN when nobody knows it."""
        if path in self.overrides:
            return self.overrides[path]
        value = None if path.startswith("model.") else get_value(self.plan, path)
        if isinstance(value, bool | int | float):
            return float(value)
        return self.fact_number(default_fact(self.plan, self.catalog, path))

    def number_or(self, path: str, fallback: float) -> Array:
        """As `number`, with a fallback that the engine computes itself where the field is empty."""
        if path in self.overrides:
            return self.overrides[path]
        value = get_value(self.plan, path)
        return float(value) if isinstance(value, bool | int | float) else fallback

    def code(self, path: str, choices: tuple[str, ...]) -> Array:
        """The integer code of a choice, as position in `choices`; -1 for "auto"."""
        if path in self.overrides:
            return self.overrides[path]
        value = get_value(self.plan, path)
        return float(choices.index(value)) if value in choices else -1.0

    def fact(self, group: str, key: str) -> float:
        """A catalogue fact's value; NaN when the catalogue lacks it."""
        return self.fact_number(self.catalog.find(group, key))

    def fact_number(self, fact: Fact | None) -> float:
        """A fact's value, converted to the plan's currency when it is money."""
        if fact is None or fact.value is None:
            return UNKNOWN
        return fact.value * self.exchange_rate(fact.currency)

    def exchange_rate(self, currency: str | None) -> float:
        """Plan currency per unit of `currency`; NaN when no exchange rate was entered."""
        own = self.plan.meta.currency
        if currency is None or currency == own:
            return 1.0
        rates = self.plan.finance.fx_rates
        if f"{currency}/{own}" in rates:
            return rates[f"{currency}/{own}"].rate
        if f"{own}/{currency}" in rates:
            return 1.0 / rates[f"{own}/{currency}"].rate
        return UNKNOWN

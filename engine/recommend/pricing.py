"""Pricing a change: the plan with the change, estimated again. No percentages are ever stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.cost.ledger import unknown_items
from engine.errors import Cancelled, FlopwiseError
from engine.evaluation import Outcome, evaluate
from engine.lowering import KernelInputs, lower
from engine.plan import Plan, apply_patch
from engine.possibility import require_possible
from engine.resolution import resolve
from engine.uncertainty.bands import draw_totals
from engine.values import PlanValues


@dataclass(frozen=True, slots=True)
class Priced:
    """One plan variant, central values: the settled plan, kernel inputs, outcome, total [plan currency]."""

    plan: Plan
    inputs: KernelInputs
    outcome: Outcome
    total: float
    duration_h: float
    feasible: bool
    unknown: frozenset[str]


class Pricer:
    """Re-estimates variants of one plan and remembers them; rules, pricing and combination share one."""

    def __init__(
        self,
        plan: Plan,
        catalog: Catalog,
        *,
        seed: int = 0,
        draws: int = 2000,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._cancelled = cancelled
        self.plan = plan
        self.catalog = catalog
        self.seed = seed
        self.draws = draws
        self._central: dict[str, Priced | None] = {}
        self._sampled: dict[str, FloatArray] = {}
        self.base = self._estimate({})
        self._central[_key({})] = self.base

    def central(self, patch: Mapping[str, Any]) -> Priced | None:
        """The plan with `patch`, at central values; None when the patched plan is not possible at all."""
        key = _key(patch)
        if key not in self._central:
            try:
                self._central[key] = self._estimate(patch)
            except FlopwiseError:
                self._central[key] = None
        return self._central[key]

    def usable(self, patch: Mapping[str, Any]) -> Priced | None:
        """The variant when it may stand for the plan: possible, as feasible, and with no new unknown price.

        A line whose price nobody knows would look like a saving; it never is one.
        """
        priced = self.central(patch)
        if priced is None or not priced.unknown <= self.base.unknown:
            return None
        return priced if priced.feasible or not self.base.feasible else None

    def totals(self, patch: Mapping[str, Any]) -> FloatArray:
        """Total of every draw with `patch` [plan currency], on common random numbers."""
        key = _key(patch)
        if key not in self._sampled:
            priced = self.central(patch)
            assert priced is not None
            sampled = draw_totals(PlanValues(priced.plan, self.catalog), draws=self.draws, seed=self.seed)
            self._sampled[key] = sampled.totals
        return self._sampled[key]

    def _estimate(self, patch: Mapping[str, Any]) -> Priced:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
        plan = apply_patch(self.plan, patch) if patch else self.plan
        settled, _ = resolve(plan, self.catalog)
        inputs = lower(PlanValues(settled, self.catalog))
        outcome = evaluate(inputs, settled.scope)
        require_possible(plan, settled, inputs, outcome)
        return Priced(
            plan=settled,
            inputs=inputs,
            outcome=outcome,
            total=float(outcome.total),
            duration_h=float(outcome.duration_h),
            feasible=bool(np.all(outcome.feasible_code == 0)),
            unknown=frozenset(unknown_items(outcome.lines, settled.scope)),
        )


def _key(patch: Mapping[str, Any]) -> str:
    return json.dumps(patch, sort_keys=True, default=str)

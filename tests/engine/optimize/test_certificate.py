"""Differential evolution as a second road to the optimum of cluster size and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import small_plan
from scipy.optimize import differential_evolution

from engine.catalog import Catalog
from engine.errors import FlopwiseError
from engine.estimation import estimate
from engine.optimize.certificate import evolve
from engine.optimize.layout import FIELDS, search_layouts
from engine.optimize.search import optimize
from engine.plan import Plan, apply_patch

SIZES = [8, 16, 32]
PEOPLE = [{"role": "ml_engineer", "fte": 4.0}]  # makes time cost money, so that size matters


def plan_of(**fields: Any) -> Plan:
    return small_plan({"people.roles": PEOPLE, "training.tokens": 2e11}, **fields)


def enumerated(plan: Plan, catalog: Catalog) -> float:
    """Least total over the sizes, each with its fastest layout and best interval."""
    totals = []
    for size in SIZES:
        best = search_layouts(plan, catalog, size, free=frozenset(FIELDS)).best()
        assert best is not None
        variant = apply_patch(plan, {**best, "cluster.accelerator_count": size})
        totals.append(estimate(variant, catalog, draws=0).total)
    return min(totals)


def test_the_engines_evolution_agrees_with_the_enumeration(catalog: Catalog) -> None:
    plan = plan_of()
    found = evolve(plan, catalog, SIZES, generations=60)
    assert found is not None and found.evaluated > 1000
    assert found.total == pytest.approx(enumerated(plan, catalog), rel=1e-6)


def test_an_evolution_over_whole_estimates_agrees_too(catalog: Catalog) -> None:
    """Written here: it sees only estimate(), plan by plan, and none of the engine's search."""
    plan = plan_of()
    options: list[tuple[str, list[Any]]] = [
        ("cluster.accelerator_count", SIZES),
        ("layout.tensor_parallel", [1, 2, 4]),
        ("layout.pipeline_parallel", [1, 2]),
        ("layout.micro_batch", [4, 8, 16]),
        ("layout.sharding", ["zero1", "zero3"]),
        ("layout.recompute", ["none", "selective", "full"]),
    ]
    seen: dict[tuple[int, ...], float] = {}

    def cost(position: Any) -> float:
        key = tuple(round(float(x)) for x in position)
        if key not in seen:
            patch = {path: values[index] for (path, values), index in zip(options, key, strict=True)}
            try:
                found = estimate(apply_patch(plan, patch), catalog, draws=0)
                seen[key] = found.total if found.feasible else 1e30
            except FlopwiseError:
                seen[key] = 1e30
        return seen[key]

    found = differential_evolution(
        cost,
        bounds=[(0, len(values) - 1) for _, values in options],
        integrality=[True] * len(options),
        seed=1,
        popsize=15,
        maxiter=40,
        tol=0.0,
        polish=False,
    )
    # The engine's set is larger, so its best is at least as good; the fields left out do not matter here.
    best = enumerated(plan, catalog)
    assert best <= found.fun * (1 + 1e-9)
    assert found.fun == pytest.approx(best, rel=0.01)


def test_nothing_that_fits_is_none(catalog: Catalog) -> None:
    late = plan_of(schedule__deadline_days=0.0001)
    assert evolve(late, catalog, SIZES, generations=5) is None


def test_a_certified_search_reports_bound_and_gap(catalog: Catalog) -> None:
    result = optimize(plan_of(), catalog, certify=True, objective="cost")
    certificate = result.certificate
    assert certificate.bound is not None and certificate.gap is not None
    assert "evolution" in certificate.method
    assert 0.0 <= certificate.gap < 1e-3
    assert result.best.total <= certificate.bound * (1 + certificate.gap) * (1 + 1e-9)
    assert np.isfinite(certificate.bound)

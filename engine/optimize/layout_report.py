"""What the layouts of the plan's own cluster look like: the fastest, the frontier, the bound, the reasons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.catalog import Catalog
from engine.catalog.accelerators import GIB
from engine.evaluation import run_training_step
from engine.lowering import lower
from engine.optimize.layout import AUTO_MEMORY_SHARE, FIELDS, LayoutGrid, evaluate_layouts
from engine.plan import Plan, get_value
from engine.results import LayoutOption, LayoutReport
from engine.values import PlanValues

SHOWN = 20
"""Fastest layouts that are listed."""


def report_layouts(plan: Plan, catalog: Catalog) -> LayoutReport:
    """All layouts of the plan's cluster and batch, evaluated at once. The plan's own layout must be given."""
    assert plan.training is not None
    count = int(float(np.asarray(PlanValues(plan, catalog).number("cluster.accelerator_count"))))
    grid = evaluate_layouts(plan, catalog, count, free=frozenset(FIELDS))
    speed = plan.training.global_batch_tokens / count
    fastest = _options(grid, grid.fastest(SHOWN), speed)
    bound = grid.lower_bound_s if np.isfinite(grid.lower_bound_s) else None
    return LayoutReport(
        accelerators=count,
        evaluated=int(grid.step_time_s.size),
        fastest=fastest,
        frontier=_options(grid, grid.frontier(), speed),
        excluded=grid.excluded(),
        now=_own(plan, catalog, speed),
        lower_bound_s=bound,
        gap=fastest[0].step_time_s / bound - 1.0 if fastest and bound else None,
    )


def _options(grid: LayoutGrid, rows: Sequence[int], speed: float) -> tuple[LayoutOption, ...]:
    return tuple(
        LayoutOption(
            settings=grid.settings(row),
            step_time_s=float(grid.step_time_s[row]),
            tokens_per_s_per_gpu=speed / float(grid.step_time_s[row]),
            memory_gib=float(grid.memory_bytes[row]) / GIB,
        )
        for row in rows
    )


def _own(plan: Plan, catalog: Catalog, speed: float) -> LayoutOption | None:
    """The plan's own layout, None when it cannot run."""
    inputs = lower(PlanValues(plan, catalog))
    assert inputs.training is not None
    step, memory, _ = run_training_step(inputs, inputs.training, AUTO_MEMORY_SHARE)
    time = float(np.asarray(step.step_time_s))
    if not np.isfinite(time):
        return None
    return LayoutOption(
        settings={path: get_value(plan, path) for path in FIELDS},
        step_time_s=time,
        tokens_per_s_per_gpu=speed / time,
        memory_gib=float(np.asarray(memory.total_bytes)) / GIB,
    )

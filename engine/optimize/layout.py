"""Every feasible parallel layout of a training plan, evaluated at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.arrays import Array, BoolArray, FloatArray
from engine.caching import Held
from engine.catalog import Catalog
from engine.codes import RECOMPUTE_MODES, SHARDING_STAGES
from engine.evaluation import run_training_step
from engine.lowering import lower
from engine.performance.feasibility import FEASIBLE, FREE_STAGE_SLOTS, REASONS
from engine.plan import Plan
from engine.values import PlanValues

FIELDS = (
    "layout.tensor_parallel",
    "layout.pipeline_parallel",
    "layout.context_parallel",
    "layout.expert_parallel",
    "layout.virtual_pipeline",
    "layout.micro_batch",
    "layout.sharding",
    "layout.recompute",
)
_SPLITS = (FIELDS[0], FIELDS[1], FIELDS[2], FIELDS[4])
"""Fields that divide the cluster and the layers; the others multiply what is left."""
AUTO_MEMORY_SHARE = 0.92
"""A layout the engine chooses itself leaves this margin: the memory model is not exact."""
_TENSOR_LIMIT, _PIPELINE_LIMIT, _CONTEXT_LIMIT, _VIRTUAL_LIMIT, _MICRO_LIMIT = 64, 128, 32, 12, 16
"""Largest values searched: nobody has run wider splits to advantage."""


@dataclass(frozen=True, slots=True)
class LayoutGrid:
    """All layouts tried for one cluster size: columns, step time [s], memory [byte], reason codes.

    `lower_bound_s` [s] is the least time of a step's arithmetic over the rows.
    """

    columns: dict[str, FloatArray]
    step_time_s: FloatArray
    memory_bytes: FloatArray
    codes: FloatArray
    lower_bound_s: float

    def best(self) -> dict[str, Any] | None:
        """The fastest feasible layout as plan values; ties go to the simplest (first) one."""
        times = np.where(self.codes == FEASIBLE, self.step_time_s, np.inf)
        index = int(np.argmin(times)) if times.size else 0
        if not times.size or not np.isfinite(times[index]):
            return None
        return self.settings(index)

    def settings(self, index: int) -> dict[str, Any]:
        """A row as plan values."""
        return {path: _plan_value(path, self.columns[path][index]) for path in FIELDS}

    def fastest(self, most: int) -> list[int]:
        """Rows of the fastest feasible layouts, at most `most`, the fastest first."""
        rows = np.flatnonzero(self.codes == FEASIBLE)
        order = np.argsort(self.step_time_s[rows], kind="stable")
        return [int(row) for row in rows[order[:most]]]

    def frontier(self) -> list[int]:
        """Rows that no other feasible layout beats in both time and memory, the fastest first."""
        rows = np.flatnonzero(self.codes == FEASIBLE)
        order = rows[np.lexsort((self.memory_bytes[rows], self.step_time_s[rows]))]
        memory = self.memory_bytes[order]
        least = np.minimum.accumulate(memory) if memory.size else memory
        leads = np.concatenate([[True], memory[1:] < least[:-1]]) if memory.size else np.zeros(0, bool)
        return [int(row) for row in order[leads]]

    def excluded(self) -> dict[str, int]:
        """How many layouts each reason left out."""
        counts = zip(*np.unique(self.codes, return_counts=True), strict=True)
        return {REASONS[int(code)]: int(n) for code, n in counts if code != FEASIBLE}


@dataclass(frozen=True, slots=True)
class LayoutSearch:
    """What a search found, without its rows: small enough to remember many of them."""

    setting: dict[str, Any] | None
    step_time_s: float
    evaluated: int
    excluded: dict[str, int]

    def best(self) -> dict[str, Any] | None:
        """The fastest feasible layout as plan values, None when none fits."""
        return self.setting


def _plan_value(path: str, value: float) -> Any:
    if path == "layout.sharding":
        return SHARDING_STAGES[int(value)]
    if path == "layout.recompute":
        return RECOMPUTE_MODES[int(value)]
    return int(value)


def search_layouts(plan: Plan, catalog: Catalog, count: int, *, free: frozenset[str]) -> LayoutSearch:
    """The fastest layout of `count` accelerators that varies the `free` fields and keeps the others.

    Exhaustive, see `evaluate_layouts`. Remembered: the estimate, the rules and the search ask alike.
    """
    key = plan.model_dump_json(include=_RELEVANT)
    return _search(key, count, free, Held(plan, catalog))


def evaluate_layouts(plan: Plan, catalog: Catalog, count: int, *, free: frozenset[str]) -> LayoutGrid:
    """Time and memory of every layout of `count` accelerators over the `free` fields, in one kernel call.

    Exhaustive over all divisors of cluster, heads, experts and batch up to a limit each; a pipeline may leave
    FREE_STAGE_SLOTS layer slots free. Memory is the filter, with a margin of 1 - AUTO_MEMORY_SHARE.
    """
    grid = _enumerate(plan, count, free)
    overrides: dict[str, Array] = {**grid, "cluster.accelerator_count": float(count)}
    inputs = lower(PlanValues(plan, catalog, overrides))
    assert inputs.training is not None
    step, memory, codes = run_training_step(inputs, inputs.training, AUTO_MEMORY_SHARE)
    shape = grid[FIELDS[0]].shape
    return LayoutGrid(
        grid,
        np.array(np.broadcast_to(step.step_time_s, shape)),
        np.array(np.broadcast_to(memory.total_bytes, shape)),
        np.array(np.broadcast_to(codes, shape), dtype=float),
        float(np.min(step.lower_bound_s)),
    )


_RELEVANT: Any = {
    "architecture": True,
    "training": True,
    "layout": True,
    "cluster": {
        "accelerator",
        "accelerators_per_node",
        "accelerator_spec",
        "nic_gbps_per_gpu",
        "scale_up_domain",
    },
}
"""What a layout depends on: prices and reliability change often and must not empty the cache."""


@lru_cache(maxsize=512)
def _search(key: str, count: int, free: frozenset[str], held: Held) -> LayoutSearch:
    grid = evaluate_layouts(held.plan, held.catalog, count, free=free)
    rows = grid.fastest(1)
    setting = grid.settings(rows[0]) if rows else None
    time = float(grid.step_time_s[rows[0]]) if rows else float("inf")
    return LayoutSearch(setting, time, int(grid.step_time_s.size), grid.excluded())


def forget_layouts() -> None:
    """Empty the memory of searches, so that a benchmark times the search itself."""
    _search.cache_clear()


def layout_options(plan: Plan, count: int) -> dict[str, tuple[float, ...]]:
    """Values of every layout field that a cluster of `count` accelerators may take, as kernel numbers."""
    training, a = plan.training, plan.architecture
    assert training is not None
    sequences = sequences_per_step(plan)
    heads, layers = a.num_attention_heads, a.num_hidden_layers
    return {
        "layout.tensor_parallel": _common(heads, count, _TENSOR_LIMIT),
        "layout.pipeline_parallel": tuple(p for p in _common(0, count, _PIPELINE_LIMIT) if p <= layers),
        "layout.context_parallel": _common(0, count, _CONTEXT_LIMIT),
        "layout.expert_parallel": _common(a.num_experts, count, count) if a.num_experts else (1.0,),
        "layout.virtual_pipeline": tuple(float(v) for v in range(1, _VIRTUAL_LIMIT + 1)),
        "layout.micro_batch": _common(0, sequences, _MICRO_LIMIT),
        "layout.sharding": (1.0, 2.0),
        "layout.recompute": (0.0, 1.0, 2.0),
    }


def sequences_per_step(plan: Plan) -> int:
    """Whole sequences in one optimiser step."""
    assert plan.training is not None
    return max(1, round(plan.training.global_batch_tokens / plan.training.sequence_length))


def _enumerate(plan: Plan, count: int, free: frozenset[str]) -> dict[str, FloatArray]:
    """The product of all values of the free fields, less rows that cannot divide cluster or batch.

    Splits of the cluster are made and thinned first, so that the product never grows to what is thrown away.
    """
    options = layout_options(plan, count)
    values = {
        path: np.asarray(options[path] if path in free else (_fixed(plan, path),), dtype=float)
        for path in FIELDS
    }
    splits = _product({path: values[path] for path in _SPLITS})
    splits = _thinned(splits, _divide_cluster(splits, count, plan.architecture.num_hidden_layers))
    others = _product({path: values[path] for path in FIELDS if path not in _SPLITS})
    rows, repeats = splits[_SPLITS[0]].size, others["layout.micro_batch"].size
    columns = {path: np.repeat(column, repeats) for path, column in splits.items()}
    columns |= {path: np.tile(column, rows) for path, column in others.items()}
    return _thinned(columns, _divide_batch(columns, count, sequences_per_step(plan)))


def _product(values: dict[str, FloatArray]) -> dict[str, FloatArray]:
    mesh = np.meshgrid(*values.values(), indexing="ij")
    return dict(zip(values, (axis.ravel() for axis in mesh), strict=True))


def _thinned(columns: dict[str, FloatArray], keep: BoolArray) -> dict[str, FloatArray]:
    """The rows to keep; all of them when none is left, so that the reason can be told."""
    return {path: column[keep] for path, column in columns.items()} if keep.any() else columns


def _fixed(plan: Plan, path: str) -> float:
    value = getattr(plan.layout, path.rpartition(".")[2])
    codes: dict[str, tuple[str, ...]] = {
        "layout.sharding": SHARDING_STAGES,
        "layout.recompute": RECOMPUTE_MODES,
    }
    return float(codes[path].index(value)) if path in codes else float(value)


def _divide_cluster(columns: dict[str, FloatArray], count: int, layers: int) -> BoolArray:
    tp, pp, cp, vpp = (columns[path] for path in _SPLITS)
    chunks = pp * vpp
    spare = np.ceil(layers / chunks) * chunks - layers
    whole = (spare <= FREE_STAGE_SLOTS) & (chunks <= layers) & ((vpp == 1) | (pp > 1))
    keep: BoolArray = (count % (tp * pp * cp) == 0) & whole
    return keep


def _divide_batch(columns: dict[str, FloatArray], count: int, sequences: int) -> BoolArray:
    tp, pp, cp, _ = (columns[path] for path in _SPLITS)
    replicas = np.maximum(count / (tp * pp * cp), 1.0)
    whole = sequences % (replicas * columns["layout.micro_batch"]) == 0
    keep: BoolArray = whole & ((columns["layout.sharding"] < 2) | (pp == 1))
    return keep


def _common(number: int, other: int, limit: int) -> tuple[float, ...]:
    """Divisors up to `limit` that two numbers share; 0 is divided by everything."""
    return tuple(float(d) for d in range(1, min(other, limit) + 1) if number % d == 0 and other % d == 0)

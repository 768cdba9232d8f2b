"""Timings of the program on this machine, against its budgets. Qt-free."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.lowering import lower
from engine.optimize.layout import FIELDS, evaluate_layouts, forget_layouts
from engine.optimize.search import optimize
from engine.performance.serving_step import ServingCase, decode_step_s
from engine.plan import Plan, apply_patch
from engine.uncertainty.bands import draw_totals
from engine.values import PlanValues
from gui.report.pdf import write_pdf
from gui.services.review import compose_review
from gui.services.templates import template_plan
from rules.evaluation import recommend

_TEMPLATE = "pretraining-70b-h100"
_SERVICE_TEMPLATE = "online-70b-chat"
_SERVICE_LAYOUT = {"layout.tensor_parallel": 4, "layout.pipeline_parallel": 1}
_BATCHES = np.arange(1.0, 200_001.0) % 1024.0 + 1.0
"""Batches of the decode steps that are timed, far more than a fleet search meets."""
_405B: dict[str, Any] = {
    "architecture.hidden_size": 16384,
    "architecture.num_hidden_layers": 126,
    "architecture.num_attention_heads": 128,
    "architecture.num_key_value_heads": 8,
    "architecture.intermediate_size": 53248,
    "training.global_batch_tokens": 16_777_216.0,
    "cluster.accelerator_count": 16_384,
}
"""Llama-3.1-405B on 16,384 accelerators: the largest published dense run."""


def run_benchmarks(catalog: Catalog) -> dict[str, dict[str, Any]]:
    """Each figure as {"value", "unit"}; the best of a few runs, after one to warm up."""
    plan = template_plan(_TEMPLATE)
    large = apply_patch(plan, _405B | dict.fromkeys(FIELDS, "auto"))
    layouts, seconds = _layout_rate(large, catalog)
    values = PlanValues(plan, catalog)
    return {
        "layouts_per_second": _figure(layouts / seconds, "1/s"),
        "estimate_ms": _figure(1000.0 * _best(lambda: estimate(plan, catalog, draws=0), 20), "ms"),
        "optimize_16k_s": _figure(_best(lambda: _cold(lambda: optimize(large, catalog)), 1), "s"),
        "recommend_s": _figure(_best(lambda: recommend(plan, catalog), 3), "s"),
        "decode_steps_per_second": _figure(_decode_rate(catalog), "1/s"),
        "monte_carlo_10k_s": _figure(_best(lambda: draw_totals(values, draws=10_000, seed=0), 3), "s"),
        "report_s": _figure(_best(lambda: _write_report(plan, catalog), 2), "s"),
    }


def _figure(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}


def _best(action: Callable[[], object], runs: int) -> float:
    action()
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return min(found)


def _cold(action: Callable[[], object]) -> object:
    """Run with an empty layout cache, so that the search itself is timed."""
    forget_layouts()
    return action()


def _layout_rate(plan: Plan, catalog: Catalog) -> tuple[int, float]:
    """How many layouts, time and memory of each, one search of a large cluster evaluates, and its seconds."""
    free = frozenset(FIELDS)
    rows = int(evaluate_layouts(plan, catalog, 16_384, free=free).codes.size)
    return rows, _best(lambda: evaluate_layouts(plan, catalog, 16_384, free=free), 3)


def _decode_rate(catalog: Catalog) -> float:
    """Decode steps evaluated a second, each of its own batch."""
    inputs = lower(PlanValues(apply_patch(template_plan(_SERVICE_TEMPLATE), _SERVICE_LAYOUT), catalog))
    assert inputs.service is not None
    case = ServingCase(inputs.model, inputs.hardware, inputs.service.load, inputs.service.constants)
    return _BATCHES.size / _best(lambda: decode_step_s(case, _BATCHES), 5)


def _write_report(plan: Plan, catalog: Catalog) -> None:
    with TemporaryDirectory() as folder:
        write_pdf(compose_review(plan, catalog, with_search=False), Path(folder) / "report.pdf", "en")

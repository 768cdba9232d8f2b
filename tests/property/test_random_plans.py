"""Valid plans at random: estimate() answers or refuses by name, and its sums hold."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plan_cases import LLAMA_8B, LLAMA_70B, SMALL, refusal, serving_plan, training_plan

from engine.catalog import Catalog, load_catalog
from engine.errors import FlopwiseError
from engine.estimation import estimate
from engine.plan import Plan
from engine.plan.money import CATEGORIES
from engine.results import Estimate
from rules.evaluation import recommend

FACTS = load_catalog()
EXPERTS = {**SMALL, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 1024}
SIZES = st.sampled_from([1, 2, 4, 8, "auto"])
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


AROUND: dict[str, st.SearchStrategy[Any]] = {
    "cluster.accelerator": st.sampled_from(sorted(FACTS.accelerators)),
    "cluster.price_mode": st.sampled_from(["on_demand", "reserved", "spot", "owned"]),
    "cluster.price_per_gpu_hour": maybe(st.floats(0, 50)),
    "cluster.commitment_term_months": maybe(st.sampled_from([1.0, 6.0, 12.0, 36.0])),
    "cluster.busy_share": st.floats(0.01, 1.0),
    "meta.currency": st.sampled_from(["USD", "CNY", "EUR"]),
    "finance.fx_rates": st.sampled_from([{}, {"USD/CNY": {"rate": 7.1, "date": "2026-12-02"}}]),
    "finance.tax_rate": st.floats(0, 1),
    "scope.categories": st.lists(st.sampled_from(CATEGORIES), unique=True),
    "scope.include_retries": st.booleans(),
    "scope.include_experiments": st.booleans(),
    "people.roles": st.lists(
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["ml_engineer", "infra_engineer", "data_engineer", "manager"]),
                "fte": st.floats(0, 50),
                "months": maybe(st.floats(0, 40)),
                "monthly_cost": maybe(st.floats(0, 1e5)),
            }
        ),
        max_size=3,
    ),
    "operations.energy_included": st.booleans(),
    "operations.support_share": st.floats(0, 1),
    "data.acquisition_cost": maybe(st.floats(0, 1e7)),
    "network.egress_gb": st.floats(0, 1e7),
    "schedule.deadline_days": maybe(st.floats(0.1, 4000)),
    "schedule.cost_of_delay_per_day": maybe(st.floats(0, 1e5)),
    "governance.budget": maybe(st.floats(0, 1e9)),
}
TRAINING: dict[str, st.SearchStrategy[Any]] = {
    **AROUND,
    "architecture": st.sampled_from([SMALL, LLAMA_8B, LLAMA_70B, EXPERTS]),
    "training.tokens": st.floats(1e6, 1e14),
    "training.sequence_length": st.sampled_from([512, 2048, 4096, 32768]),
    "training.global_batch_tokens": st.sampled_from([2.0**k for k in range(14, 25)]) | st.floats(1e4, 1e8),
    "training.precision": st.sampled_from(["bf16", "fp16", "fp8", "mxfp8", "nvfp4"]),
    "cluster.accelerator_count": st.sampled_from([1, 8, 24, 64, 256, 1000, 4096, "auto"]),
    "layout": st.fixed_dictionaries(
        {
            "tensor_parallel": SIZES,
            "pipeline_parallel": SIZES,
            "context_parallel": SIZES,
            "expert_parallel": SIZES,
            "virtual_pipeline": SIZES,
            "micro_batch": SIZES,
            "sharding": st.sampled_from(["zero0", "zero1", "zero3", "auto"]),
            "recompute": st.sampled_from(["none", "selective", "full", "auto"]),
        }
    )
    | st.just({}),
    "reliability": st.fixed_dictionaries(
        {
            "failures_per_node_day": maybe(st.floats(0, 1000)),
            "checkpoint_interval_s": st.just("auto") | st.floats(1e-3, 1e8),
            "checkpoint_mode": st.sampled_from(["sync", "async"]),
            "checkpoint_write_s": maybe(st.floats(1e-3, 1e6)),
            "restart_s": maybe(st.floats(0, 1e7)),
            "spare_nodes": st.integers(0, 50),
        }
    ),
    "experiments.runs": st.integers(0, 100),
    "experiments.run_share": st.floats(0, 1),
    "experiments.failed_share": st.floats(0, 1),
    "storage.checkpoints_kept": st.just("all") | st.integers(1, 1000),
    "storage.months_after_run": st.floats(0, 120),
}
SERVING: dict[str, st.SearchStrategy[Any]] = {
    **AROUND,
    "architecture": st.sampled_from([SMALL, LLAMA_8B, LLAMA_70B, EXPERTS]),
    "serving.requests_per_second": st.floats(1e-3, 1e5),
    "serving.input_tokens": st.floats(1, 1e5),
    "serving.output_tokens": st.floats(1, 1e4),
    "serving.profile": st.sampled_from(["chat", "code", "flat"])
    | st.lists(st.floats(0, 10), min_size=168, max_size=168),
    "serving.peak_to_mean": maybe(st.floats(1, 100)),
    "serving.growth_per_month": st.floats(-0.5, 0.5),
    "serving.arrival_cv": st.floats(0, 10),
    "serving.weight_precision": st.sampled_from(["bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4"]),
    "serving.kv_precision": st.sampled_from(["bf16", "fp16", "fp8", "int8"]),
    "serving.ttft_slo_ms": st.floats(1, 1e5),
    "serving.tpot_slo_ms": st.floats(1, 1e4),
    "serving.autoscale": st.booleans(),
    "serving.prefix_hit_rate": st.floats(0, 1),
    "serving.instances": st.just("auto") | st.integers(1, 1000),
    "layout": st.sampled_from([{}, {"tensor_parallel": 1, "pipeline_parallel": 1}, {"tensor_parallel": 8}]),
    "schedule.horizon_months": st.floats(0.1, 60),
}


def patches(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Any few fields, each at a valid value."""
    return st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=9).flatmap(
        lambda names: st.fixed_dictionaries({name: fields[name] for name in names})
    )


def assert_holds(found: Estimate) -> None:
    known = [line.amount for line in found.lines if line.in_scope and line.amount is not None]
    assert math.isfinite(found.total) and found.total >= 0
    assert all(math.isfinite(amount) and amount >= 0 for amount in known)
    assert math.isclose(found.total, math.fsum(known), rel_tol=1e-9, abs_tol=1e-9)
    assert found.complete == (not found.unknown)
    unknown = {line.item for line in found.lines if line.in_scope and line.amount is None}
    assert unknown == set(found.unknown)
    assert found.p10 is not None and found.p50 is not None and found.p90 is not None
    assert found.p10 <= found.p50 <= found.p90
    for metric in found.metrics:
        assert metric.value is None or math.isfinite(metric.value)


def check(plan: Plan, catalog: Catalog) -> None:
    error = refusal(lambda: assert_holds(estimate(plan, catalog, draws=16)))
    assert error is None or str(error)


@settings(max_examples=250, suppress_health_check=QUIET)
@given(patch=patches(TRAINING))
def test_training_plans(catalog: Catalog, patch: dict[str, Any]) -> None:
    check(training_plan(patch), catalog)


@settings(max_examples=150, suppress_health_check=QUIET)
@given(patch=patches(SERVING))
def test_services(catalog: Catalog, patch: dict[str, Any]) -> None:
    check(serving_plan(patch), catalog)


@settings(max_examples=40, suppress_health_check=QUIET)
@given(patch=patches(TRAINING) | patches(SERVING), kind=st.sampled_from(["training", "serving"]))
def test_recommendations_of_any_plan_hold_together(
    catalog: Catalog, patch: dict[str, Any], kind: str
) -> None:
    fields, make = (TRAINING, training_plan) if kind == "training" else (SERVING, serving_plan)
    plan = make({path: value for path, value in patch.items() if path in fields})
    try:
        found = recommend(plan, catalog, draws=32)
    except FlopwiseError:
        return
    shares = [card.saving.in_plan or 0.0 for card in found.recommendations if card.chosen]
    scale = max(found.baseline_total, 1.0)
    assert math.isclose(math.fsum(shares), found.joint_saving.gross, rel_tol=1e-9, abs_tol=1e-9 * scale)
    assert found.joint_saving.gross <= found.baseline_total + 1e-9 * scale
    worth = [card.risk_adjusted for card in found.recommendations]
    assert worth == sorted(worth, reverse=True)
    for card in found.recommendations:
        assert math.isfinite(card.saving.gross) and math.isfinite(card.risk_adjusted)
        assert card.saving.p10 <= card.saving.p50 <= card.saving.p90
        assert not (card.chosen and card.conditional)

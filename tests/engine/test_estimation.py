"""estimate(): the ledger, the figures and what is unknown."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from plan_cases import LLAMA_8B, serving_plan, small_plan, training_plan

from engine.catalog import Catalog
from engine.errors import FlopwiseError, InputError
from engine.estimation import estimate
from engine.plan import Plan
from engine.results import Estimate


def priced(plan: Plan, catalog: Catalog) -> Estimate:
    return estimate(plan, catalog, draws=0)


def figure(found: Estimate, key: str) -> float:
    value = found.metric(key)
    assert value is not None
    return value


EVERY_COST: dict[str, Any] = {
    "people.roles": [{"role": "manager", "fte": 1.0}, {"role": "ml_engineer", "fte": 3.0, "months": 4.0}],
    "data.acquisition_cost": 1000.0,
    "data.preparation_cost": 2000.0,
    "network.egress_gb": 1e5,
    "network.cross_region_gb": 1e5,
    "operations.monthly_cost": 500.0,
    "operations.support_share": 0.05,
    "operations.energy_included": False,
    "experiments.runs": 5,
    "reliability.spare_nodes": 1,
    "storage.items": [{"name": "logs", "size_gb": 10.0, "months": 3.0}],
    "schedule.deadline_days": 100.0,
    "schedule.cost_of_delay_per_day": 10.0,
    "finance.tax_rate": 0.1,
}


@pytest.mark.parametrize("make", [training_plan, serving_plan, small_plan])
@pytest.mark.parametrize("patch", [{}, EVERY_COST])
def test_the_total_is_the_sum_of_the_lines_in_scope(
    catalog: Catalog, make: Any, patch: dict[str, Any]
) -> None:
    found = priced(make(patch), catalog)
    amounts = [line.amount for line in found.lines if line.in_scope]
    assert found.total == pytest.approx(math.fsum(amount for amount in amounts if amount), rel=1e-12)
    assert found.complete and not found.unknown


def test_every_cost_has_its_line(catalog: Catalog) -> None:
    items = {line.item for line in priced(training_plan(EVERY_COST), catalog).lines}
    assert len(items) >= 20
    categories = {line.category for line in priced(training_plan(EVERY_COST), catalog).lines}
    assert categories == {
        "compute", "people", "data", "failures", "storage", "network", "energy", "operations",
    }  # fmt: skip


def test_an_amount_is_its_quantity_times_its_price(catalog: Catalog) -> None:
    for line in priced(training_plan(EVERY_COST), catalog).lines:
        assert line.quantity is not None and line.unit_price is not None
        assert line.amount == pytest.approx(line.quantity * line.unit_price, rel=1e-12)


@pytest.mark.parametrize(
    ("switch", "category"), [("include_retries", "failures"), ("include_experiments", "compute")]
)
def test_scope_switches_lower_the_total_and_keep_the_lines_in_sight(
    catalog: Catalog, switch: str, category: str
) -> None:
    whole = priced(training_plan(EVERY_COST | {"finance.tax_rate": 0.0}), catalog)
    part = priced(training_plan(EVERY_COST | {"finance.tax_rate": 0.0, f"scope.{switch}": False}), catalog)
    out = [line for line in part.lines if not line.in_scope]
    assert out and category in {line.category for line in out}
    assert whole.total - part.total == pytest.approx(math.fsum(line.amount or 0.0 for line in out), rel=1e-9)
    assert {line.item for line in part.lines} == {line.item for line in whole.lines}


def test_a_missing_price_is_unknown_and_never_nothing(catalog: Catalog) -> None:
    """No seller lists this accelerator: the hours stand, their amounts do not, and the total says so."""
    spec = {
        "memory_gib": 80.0,
        "memory_bandwidth_gb_per_s": 3350.0,
        "peak_tflops": {"bf16": 989.0, "fp8": 1979.0},
        "scale_up_gb_per_s": 450.0,
        "power_w": 700.0,
        "accelerators_per_node": 8,
    }
    found = priced(training_plan({"cluster.accelerator": "ours", "cluster.accelerator_spec": spec}), catalog)
    main = next(line for line in found.lines if line.item == "Main run, useful work")
    assert main.quantity and main.amount is None and main.unit_price is None
    assert not found.complete and "Main run, useful work" in found.unknown
    assert found.total == pytest.approx(
        math.fsum(line.amount for line in found.lines if line.amount is not None and line.in_scope)
    )
    assert found.total > 0  # storage is known
    assert any("Main run, useful work" in note.render() for note in found.notes)
    free = priced(
        training_plan(
            {
                "cluster.accelerator": "ours",
                "cluster.accelerator_spec": spec,
                "cluster.price_per_gpu_hour": 0.0,
            }
        ),
        catalog,
    )
    assert free.complete and free.unknown == ()  # a price of 0 is a price


def test_without_an_exchange_rate_foreign_prices_are_unknown(catalog: Catalog) -> None:
    found = priced(training_plan({"meta.currency": "EUR"}), catalog)
    assert not found.complete
    assert {"Main run, useful work", "Data sets"} <= set(found.unknown)
    rate = {"USD/EUR": {"rate": 0.9, "date": "2026-12-02"}}
    known = priced(training_plan({"meta.currency": "EUR", "finance.fx_rates": rate}), catalog)
    assert known.complete and known.currency == "EUR"
    assert known.total == pytest.approx(0.9 * priced(training_plan(), catalog).total, rel=1e-9)


def test_speed_hours_and_tokens_agree(catalog: Catalog) -> None:
    found = priced(training_plan(), catalog)
    useful = next(line for line in found.lines if line.item == "Main run, useful work").quantity
    assert useful == pytest.approx(2.4e12 / figure(found, "tokens_per_s_per_gpu") / 3600)
    assert figure(found, "duration_h") * 64 * figure(found, "goodput") == pytest.approx(useful)
    assert figure(found, "gpu_hours") == pytest.approx(
        math.fsum(line.quantity or 0.0 for line in found.lines if line.unit == "GPU-h")
    )
    assert figure(found, "effective_tokens_per_gpu_hour") == pytest.approx(
        2.4e12 / figure(found, "gpu_hours")
    )
    assert figure(found, "cost_per_million_tokens") == pytest.approx(found.total / 2.4e6)


def test_mfu_is_model_flops_over_peak(catalog: Catalog) -> None:
    """By hand: 6 N D plus attention, over the bf16 peak; MFU must follow speed and not be a constant."""
    for count in (64, 128, 512):
        found = priced(training_plan({"cluster.accelerator_count": count}), catalog)
        flops_a_token = 6 * 70.55e9 + 12 * 80 * 8192 * 8192 / 2
        speed = figure(found, "tokens_per_s_per_gpu")
        peaks = [speed * flops_a_token / peak for peak in (989e12, 1979e12)]
        assert min(abs(figure(found, "mfu") / peak - 1) for peak in peaks) < 0.05


def test_mfu_differs_between_plans(catalog: Catalog) -> None:
    mfu = {
        figure(priced(training_plan(patch), catalog), "mfu")
        for patch in (
            {},
            {"layout.recompute": "full"},
            {"training.precision": "bf16"},
            {"cluster.accelerator_count": 2048},
        )
    }
    assert len(mfu) == 4
    slowest = priced(training_plan({"layout.recompute": "full"}), catalog)
    assert figure(slowest, "mfu") < figure(priced(training_plan(), catalog), "mfu")


def test_memory_is_counted_in_binary_units(catalog: Catalog) -> None:
    found = priced(training_plan(), catalog)
    usable = figure(found, "memory_capacity_gib")
    assert usable == pytest.approx(catalog.accelerator("h100-sxm").memory_bytes / 1024**3)
    assert 78 < usable <= 80  # 80 GiB less what the driver keeps; read as decimal gigabytes it were 74
    assert 0 < figure(found, "memory_gib_per_gpu") < usable


def test_checkpoints_grow_in_binary_units(catalog: Catalog) -> None:
    found = priced(training_plan({"storage.checkpoints_kept": "all"}), catalog)
    bytes_each = 70.553706496e9 * catalog.fact("failures", "checkpoint_bytes_per_parameter").value
    weeks = figure(found, "duration_h") / 24 / 7
    assert figure(found, "checkpoint_growth_gib_per_week") == pytest.approx(
        figure(found, "checkpoints_written") * bytes_each / 1024**3 / weeks, rel=1e-6
    )


def test_restart_time_lowers_goodput(catalog: Catalog) -> None:
    found = [
        priced(training_plan({"reliability.restart_s": restart_s}), catalog)
        for restart_s in (0.0, 600.0, 36000.0)
    ]
    goodput = [figure(item, "goodput") for item in found]
    assert goodput[0] > goodput[1] > goodput[2]
    # Ten hours lost for each 150 h of work: a loss of about 1/15 that must show.
    assert goodput[0] / goodput[2] - 1 == pytest.approx(36000 / 3600 / 150, rel=0.05)
    assert figure(found[2], "restart_share") > figure(found[1], "restart_share") > 0


def test_late_over_budget_and_overflowing_plans_say_so(catalog: Catalog) -> None:
    notes = [
        note.render()
        for note in priced(
            training_plan({"schedule.deadline_days": 10.0, "governance.budget": 1000.0}), catalog
        ).notes
    ]
    assert any("later than the deadline" in note for note in notes)
    assert any("more than the budget" in note for note in notes)
    overflowing = priced(training_plan({"layout.micro_batch": 4}), catalog)
    assert not overflowing.feasible and any("of memory on each GPU" in n.render() for n in overflowing.notes)
    assert not priced(training_plan(), catalog).notes


def test_open_choices_are_filled_and_listed(catalog: Catalog) -> None:
    found = priced(training_plan({"layout": {}, "cluster.accelerator_count": "auto"}), catalog)
    chosen = {choice.path: choice.value for choice in found.choices}
    assert {"cluster.accelerator_count", "layout.tensor_parallel", "layout.recompute"} <= set(chosen)
    assert found.feasible
    fixed = priced(training_plan(chosen), catalog)
    assert fixed.total == pytest.approx(found.total, rel=1e-12) and fixed.choices == ()


def test_workloads_that_cannot_be_estimated_yet_are_refused_by_name(catalog: Catalog) -> None:
    with pytest.raises(FlopwiseError) as caught:
        priced(training_plan({"workload.kind": "multimodal_training"}), catalog)
    assert isinstance(caught.value, InputError)
    assert caught.value.field == "workload.kind"


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"cluster.accelerator_count": 63}, "cluster.accelerator_count"),
        ({"layout.pipeline_parallel": 3, "cluster.accelerator_count": 48}, "layout.pipeline_parallel"),
        (
            {"training.global_batch_tokens": 8192.0, "layout.virtual_pipeline": 1},
            "training.global_batch_tokens",
        ),
        ({"layout.tensor_parallel": 3, "cluster.accelerator_count": 48}, "layout.tensor_parallel"),
    ],
)
def test_layouts_that_cannot_exist_are_refused_by_name(
    catalog: Catalog, patch: dict[str, Any], field: str
) -> None:
    with pytest.raises(InputError) as caught:
        priced(training_plan(patch), catalog)
    assert caught.value.field == field


def test_a_network_no_cluster_of_this_size_holds_is_refused(catalog: Catalog) -> None:
    big = {
        **LLAMA_8B,
        "hidden_size": 16384,
        "intermediate_size": 65536,
        "num_hidden_layers": 128,
        "num_attention_heads": 128,
    }
    with pytest.raises(InputError) as caught:
        priced(training_plan({"architecture": big, "layout": {}, "cluster.accelerator_count": 8}), catalog)
    assert caught.value.field == "cluster.accelerator_count"


def test_the_ask_adds_the_contingency_to_its_percentile(catalog: Catalog) -> None:
    plan = training_plan({"finance.contingency": 0.1, "finance.ask_percentile": 90.0})
    found = estimate(plan, catalog, draws=200)
    assert found.ask == pytest.approx(1.1 * (found.p90 or 0.0))


def test_percentiles_are_in_order_and_hold_the_middle(catalog: Catalog) -> None:
    busy = {"serving.requests_per_second": 400.0, "cluster.price_per_gpu_hour": None}
    for plan in (training_plan(), serving_plan(busy)):
        found = estimate(plan, catalog, draws=1000)
        assert None not in (found.p10, found.p50, found.p80, found.p90)
        assert found.p10 < found.p50 < found.p80 < found.p90
        assert found.p10 < found.total < found.p90
        assert found.p50 == pytest.approx(found.total, rel=0.1)


def test_without_draws_there_is_no_band(catalog: Catalog) -> None:
    found = priced(training_plan(), catalog)
    assert (found.p10, found.p50, found.p90, found.ask, found.drivers) == (None, None, None, None, ())


def test_an_estimate_is_json_without_nan(catalog: Catalog) -> None:
    for plan in (training_plan({"meta.currency": "EUR"}), serving_plan()):
        text = estimate(plan, catalog, draws=50).model_dump_json()
        json.loads(text, parse_constant=pytest.fail)

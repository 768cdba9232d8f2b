"""A batch job from plan to estimate: lines that add up, figures, the band, encoders, rules of scope."""

from __future__ import annotations

import pytest
from plan_cases import LLAMA_70B, batch_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import apply_patch
from engine.results import Estimate

SPOT = {"cluster.price_mode": "spot", "reliability.preemptions_per_node_hour": 0.5}
ENCODER = {
    "architecture": {
        "kind": "encoder",
        "model_name": "BERT large",
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
        "vocab_size": 30522,
    },
    "serving.input_tokens": 512.0,
    "serving.weight_precision": "bf16",
}
KEYS = {
    "gpu_hours",
    "duration_h",
    "requests_per_s",
    "output_tokens_per_s_per_instance",
    "instances_peak",
    "gpus_per_instance",
    "batch",
    "max_batch",
    "cost_per_million_input_tokens",
    "cost_per_million_output_tokens",
    "cost_per_request",
    "deadline_slack_h",
    "interruptions",
    "memory_gib_per_gpu",
    "feasible_code",
    "idle_gpu_hours",
}


def figure(found: Estimate, key: str) -> float:
    value = found.metric(key)
    assert value is not None, key
    return value


def hours(found: Estimate, item: str) -> float:
    return sum(line.quantity or 0.0 for line in found.lines if line.item == item)


def test_every_figure_is_there_and_known(catalog: Catalog) -> None:
    found = estimate(batch_plan(), catalog, draws=0)
    assert {metric.key for metric in found.metrics if metric.value is not None} >= KEYS
    assert found.feasible and found.complete


def test_gpu_hours_are_what_three_gpus_are_held_for(catalog: Catalog) -> None:
    found = estimate(batch_plan({"cluster.busy_share": 1.0}), catalog, draws=0)
    held = 3.0 * figure(found, "duration_h")
    assert figure(found, "gpu_hours") == pytest.approx(held)
    named = ("Batch job, useful work", "Starting the instances", "Interrupted and repeated")
    assert sum(hours(found, item) for item in named) == pytest.approx(held)
    assert hours(found, "Starting the instances") == pytest.approx(3.0 * 600.0 / 3600.0)
    assert found.total == pytest.approx(2.0 * held)


def test_unit_costs_give_the_total_back(catalog: Catalog) -> None:
    found = estimate(batch_plan(), catalog, draws=0)
    assert figure(found, "cost_per_request") * 1e6 == pytest.approx(found.total)
    tokens_in, tokens_out = 1e6 * 1000.0 / 1e6, 1e6 * 300.0 / 1e6
    both = figure(found, "cost_per_million_input_tokens") * tokens_in
    both += figure(found, "cost_per_million_output_tokens") * tokens_out
    assert both == pytest.approx(found.total)
    assert figure(found, "requests_per_s") == pytest.approx(1e6 / figure(found, "duration_h") / 3600.0)


def test_what_interruptions_cost_can_be_left_out_of_scope(catalog: Catalog) -> None:
    rough = batch_plan({**SPOT, "cluster.price_per_gpu_hour": 1.0})
    every = estimate(rough, catalog, draws=0)
    without = estimate(apply_patch(rough, {"scope.include_retries": False}), catalog, draws=0)
    repeated = hours(every, "Interrupted and repeated")
    assert repeated > 0 and every.total - without.total == pytest.approx(repeated)
    assert figure(every, "interruptions") == pytest.approx(
        figure(every, "duration_h") * 3 * (0.5 + 0.0), rel=0.05
    )
    calm = estimate(batch_plan({"cluster.price_per_gpu_hour": 1.0}), catalog, draws=0)
    assert figure(calm, "duration_h") < figure(every, "duration_h")


def test_the_models_own_error_moves_cost_and_time(catalog: Catalog) -> None:
    found = estimate(batch_plan(), catalog, draws=500)
    assert found.p10 is not None and found.p90 is not None
    assert found.p10 < 0.95 * found.total < found.total < 1.05 * found.total < found.p90
    driver = next(item for item in found.drivers if item.path == "model.throughput_factor")
    assert driver.total_low > found.total > driver.total_high


def test_idle_hours_cost_their_energy_and_no_accelerator(catalog: Catalog) -> None:
    free = {"batch.idle_gpu_hours_per_week": 1e5}
    found = estimate(batch_plan(free), catalog, draws=0)
    assert found.total == 0.0 and figure(found, "idle_gpu_hours") > 1.0
    assert figure(found, "gpu_hours") == 0.0
    paid = {"operations.energy_included": False, "operations.energy_price_per_kwh": 0.1}
    powered = estimate(batch_plan({**free, **paid}), catalog, draws=0)
    kwh = hours(powered, "Electricity")
    power = catalog.accelerator("h100-sxm").tdp_w
    assert power is not None and powered.total == pytest.approx(0.1 * kwh)
    assert kwh == pytest.approx(
        figure(found, "idle_gpu_hours") * power / 1000.0 * catalog.fact("energy", "pue").value
    )


def test_a_commitment_longer_than_the_job_is_paid_in_full(catalog: Catalog) -> None:
    patch = {"cluster.price_mode": "reserved", "cluster.commitment_term_months": 12.0}
    found = estimate(batch_plan(patch), catalog, draws=0)
    assert figure(found, "gpu_hours") == pytest.approx(3.0 * 8760.0)


def test_stored_items_people_and_tax_are_counted(catalog: Catalog) -> None:
    items = [{"name": "answers", "size_gb": 100.0, "months": 2.0}]
    roles = [{"role": "ml_engineer", "fte": 1.0, "months": 0.5, "monthly_cost": 1000.0}]
    patch = {"storage.items": items, "people.roles": roles, "finance.tax_rate": 0.1}
    found = estimate(batch_plan(patch), catalog, draws=0)
    assert hours(found, "Further stored items") == 200.0
    assert {line.category for line in found.lines} >= {"storage", "people", "operations"}
    untaxed = sum(line.amount or 0.0 for line in found.lines if line.item != "Tax")
    assert found.total == pytest.approx(1.1 * untaxed)


def test_delay_counts_from_the_jobs_own_deadline(catalog: Catalog) -> None:
    late = {"cluster.accelerator_count": 1, "batch.deadline_hours": 1.0, "cluster.busy_share": 1.0}
    found = estimate(batch_plan({**late, "schedule.cost_of_delay_per_day": 240.0}), catalog, draws=0)
    without = estimate(batch_plan(late), catalog, draws=0)
    assert found.total - without.total == pytest.approx(10.0 * (figure(found, "duration_h") - 1.0))


def test_an_encoder_has_no_output_to_pay_for(catalog: Catalog) -> None:
    found = estimate(batch_plan(ENCODER), catalog, draws=0)
    assert found.feasible
    for key in ("output_tokens_per_s_per_instance", "cost_per_million_output_tokens"):
        assert found.metric(key) is None
    assert figure(found, "cost_per_million_input_tokens") * 512.0 == pytest.approx(found.total)
    longer = estimate(batch_plan({**ENCODER, "serving.output_tokens": 4000.0}), catalog, draws=0)
    assert longer.total == pytest.approx(found.total)


def test_accelerators_bought_are_a_resource(catalog: Catalog) -> None:
    found = estimate(batch_plan({"cluster.busy_share": 1.0}), catalog, draws=0)
    use = next(item for item in found.resources if item.resource == "Accelerators")
    assert use.peak == 3.0 and use.average == pytest.approx(3.0)


def test_a_cap_holds_down_the_batch_and_its_memory(catalog: Catalog) -> None:
    free, capped = (estimate(batch_plan({"batch.max_batch": cap}), catalog, draws=0) for cap in (None, 20))
    assert figure(capped, "batch") == 20.0 < figure(free, "batch")
    assert figure(capped, "memory_gib_per_gpu") < figure(free, "memory_gib_per_gpu")
    assert figure(capped, "max_batch") == figure(free, "max_batch")
    assert figure(free, "memory_gib_per_gpu") < figure(free, "memory_capacity_gib")


def test_a_wider_split_is_one_larger_instance(catalog: Catalog) -> None:
    patch = {"architecture": LLAMA_70B, "layout.tensor_parallel": 4, "cluster.accelerator_count": 11}
    found = estimate(batch_plan({**patch, "batch.deadline_hours": 1000.0}), catalog, draws=0)
    assert (figure(found, "instances_peak"), figure(found, "gpus_per_instance")) == (2.0, 4.0)
    assert hours(found, "GPUs beyond whole instances") == pytest.approx(3.0 * figure(found, "duration_h"))

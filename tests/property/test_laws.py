"""Laws that hold for any plan."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plan_cases import LLAMA_70B, serving_plan, small_plan, training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import Plan, apply_patch
from engine.results import Estimate

QUIET = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
PRICE = "cluster.price_per_gpu_hour"
SPEC: dict[str, Any] = {
    "memory_gib": 80.0,
    "memory_bandwidth_gb_per_s": 3350.0,
    "peak_tflops": {"bf16": 989.0, "fp8": 1979.0},
    "scale_up_gb_per_s": 450.0,
    "power_w": 700.0,
    "accelerators_per_node": 8,
}
BASES = {
    "training": training_plan(),
    "small": small_plan(),
    "serving": serving_plan({"cluster.price_mode": "on_demand", "cluster.commitment_term_months": None}),
}
bases = pytest.mark.parametrize("base", list(BASES))


def priced(plan: Plan, catalog: Catalog, **patch: Any) -> Estimate:
    changed = {name.replace("__", "."): value for name, value in patch.items()}
    return estimate(apply_patch(plan, changed), catalog, draws=0)


def figure(found: Estimate, key: str) -> float:
    value = found.metric(key)
    assert value is not None
    return value


@bases
@QUIET
@given(low=st.floats(0.0, 20.0), span=st.floats(0.01, 20.0), share=st.floats(0.0, 1.0))
def test_the_total_is_linear_in_the_price(
    catalog: Catalog, base: str, low: float, span: float, share: float
) -> None:
    at = [
        priced(BASES[base], catalog, cluster__price_per_gpu_hour=low + part * span).total
        for part in (0.0, share, 1.0)
    ]
    assert at[1] == pytest.approx(at[0] + share * (at[2] - at[0]), rel=1e-9, abs=1e-9)


@bases
def test_a_price_of_zero_is_a_price(catalog: Catalog, base: str) -> None:
    free = priced(BASES[base], catalog, cluster__price_per_gpu_hour=0.0)
    paid = priced(BASES[base], catalog, cluster__price_per_gpu_hour=3.0)
    assert free.complete and free.unknown == ()
    assert paid.total - free.total == pytest.approx(3.0 * figure(paid, "gpu_hours"), rel=1e-9)
    assert all(line.amount == 0.0 for line in free.lines if line.unit == "GPU-h")


@QUIET
@given(tokens=st.floats(1e9, 4e12), factor=st.floats(1.0, 100.0))
def test_useful_hours_are_in_proportion_to_tokens(catalog: Catalog, tokens: float, factor: float) -> None:
    hours = [
        next(line.quantity for line in priced(training_plan(), catalog, training__tokens=value).lines
             if line.item == "Main run, useful work")
        for value in (tokens, tokens * 2, tokens * factor)
    ]  # fmt: skip
    assert hours[0] is not None and hours[1] is not None and hours[2] is not None
    assert hours[1] == 2.0 * hours[0]
    assert hours[2] == pytest.approx(factor * hours[0], rel=1e-12)


@QUIET
@given(slow=st.floats(200.0, 10_000.0), factor=st.floats(1.0, 10.0), kind=st.sampled_from(["train", "serve"]))
def test_more_memory_bandwidth_is_never_slower(
    catalog: Catalog, slow: float, factor: float, kind: str
) -> None:
    base = (
        training_plan()
        if kind == "train"
        else serving_plan(
            {"architecture": LLAMA_70B, "layout.tensor_parallel": 4, "serving.tpot_slo_ms": 400.0}
        )
    )
    found = []
    for bandwidth in (slow, slow * factor):
        spec = {**SPEC, "memory_bandwidth_gb_per_s": bandwidth}
        found.append(
            priced(
                base,
                catalog,
                cluster__accelerator="ours",
                cluster__accelerator_spec=spec,
                cluster__price_per_gpu_hour=2.0,
            )
        )
    if kind == "train":
        assert figure(found[1], "step_time_s") <= figure(found[0], "step_time_s") * (1 + 1e-12)
    elif found[0].feasible:
        assert found[1].feasible
        assert found[1].total <= found[0].total * (1 + 1e-12)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("reliability.restart_s", [0.0, 600.0, 3600.0, 36000.0]),
        ("reliability.detection_s", [0.0, 60.0, 3600.0]),
        ("reliability.checkpoint_write_s", [1.0, 20.0, 200.0, 2000.0]),
        ("reliability.failures_per_node_day", [0.0, 0.001, 0.02, 0.5]),
    ],
)
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("interval", ["auto", 7000.0])
def test_what_goes_wrong_lowers_goodput(
    catalog: Catalog, path: str, values: list[float], mode: str, interval: Any
) -> None:
    plan = training_plan({"reliability.checkpoint_mode": mode, "reliability.checkpoint_interval_s": interval})
    found = [priced(plan, catalog, **{path: value}) for value in values]
    goodput = [figure(item, "goodput") for item in found]
    assert goodput == sorted(goodput, reverse=True)
    if mode == "sync" or path != "reliability.checkpoint_write_s":
        assert all(before > after for before, after in zip(goodput, goodput[1:], strict=False))
        bills = [item.metric("gpu_hours") or 0.0 for item in found]
        assert all(before < after for before, after in zip(bills, bills[1:], strict=False))


@QUIET
@given(rate=st.floats(0.01, 200.0))
def test_a_bill_in_another_currency_is_the_bill_times_the_rate(catalog: Catalog, rate: float) -> None:
    for plan in (training_plan({"people.roles": [{"role": "manager", "fte": 1.0}]}), BASES["small"]):
        foreign = priced(
            plan,
            catalog,
            meta__currency="CNY",
            finance__fx_rates={"USD/CNY": {"rate": rate, "date": "2026-12-02"}},
        )
        assert foreign.complete
        assert foreign.total == pytest.approx(rate * priced(plan, catalog).total, rel=1e-9)
        inverse = priced(
            plan,
            catalog,
            meta__currency="CNY",
            finance__fx_rates={"CNY/USD": {"rate": 1 / rate, "date": "2026-12-02"}},
        )
        assert inverse.total == pytest.approx(foreign.total, rel=1e-9)


@QUIET
@given(daily=st.floats(0.0, 1e6), early=st.floats(0.1, 200.0))
def test_delay_costs_its_days(catalog: Catalog, daily: float, early: float) -> None:
    base = priced(training_plan(), catalog)
    deadline = figure(base, "duration_h") / 24 - early
    late = priced(
        training_plan(), catalog, schedule__deadline_days=deadline, schedule__cost_of_delay_per_day=daily
    )
    assert late.total - base.total == pytest.approx(daily * early, rel=1e-6, abs=1e-3)


@QUIET
@given(share=st.floats(0.05, 1.0))
def test_paid_hours_are_working_hours_over_the_busy_share(catalog: Catalog, share: float) -> None:
    busy = figure(priced(training_plan(), catalog, cluster__busy_share=1.0), "gpu_hours")
    found = figure(priced(training_plan(), catalog, cluster__busy_share=share), "gpu_hours")
    assert found == pytest.approx(busy / share, rel=1e-9)


@bases
@pytest.mark.parametrize(
    "patch",
    [
        {"scope.include_retries": False},
        {"scope.include_experiments": False},
        {"scope.categories": ["compute"]},
    ],
)
def test_a_narrower_scope_never_costs_more(catalog: Catalog, base: str, patch: dict[str, Any]) -> None:
    plan = apply_patch(BASES[base], {"experiments.runs": 3})
    assert priced(plan, catalog, **patch).total <= priced(plan, catalog).total


@QUIET
@given(count=st.sampled_from([32, 64, 128, 256, 512, 1024]))
def test_more_accelerators_finish_sooner(catalog: Catalog, count: int) -> None:
    hours = [
        figure(priced(training_plan(), catalog, cluster__accelerator_count=size), "duration_h")
        for size in (count, 2 * count)
    ]
    assert hours[1] < hours[0]
    assert 2 * hours[1] >= hours[0] * (1 - 1e-9)  # never more than twice as fast


@QUIET
@given(rate=st.floats(1.0, 2000.0), factor=st.floats(1.0, 20.0))
def test_more_traffic_never_needs_fewer_instances(catalog: Catalog, rate: float, factor: float) -> None:
    found = [
        priced(BASES["serving"], catalog, serving__requests_per_second=value)
        for value in (rate, rate * factor)
    ]
    assert figure(found[1], "instances_peak") >= figure(found[0], "instances_peak")
    assert found[1].total >= found[0].total * (1 - 1e-12)


@QUIET
@given(hits=st.floats(0.0, 0.95), better=st.floats(0.0, 1.0))
def test_a_better_cache_never_costs_more(catalog: Catalog, hits: float, better: float) -> None:
    busy = apply_patch(BASES["serving"], {"serving.requests_per_second": 500.0})
    found = [
        priced(busy, catalog, serving__prefix_hit_rate=value)
        for value in (hits, hits + (1.0 - hits) * better)
    ]
    assert found[1].total <= found[0].total * (1 + 1e-12)


@QUIET
@given(seed=st.integers(0, 1000))
def test_draws_depend_on_the_seed_alone(catalog: Catalog, seed: int) -> None:
    first, again = (estimate(training_plan(), catalog, draws=64, seed=seed) for _ in range(2))
    assert first == again
    assert estimate(training_plan(), catalog, draws=64, seed=seed + 1).p50 != first.p50


def test_a_layout_that_overflows_never_fits_again_with_a_larger_micro_batch(catalog: Catalog) -> None:
    plan = training_plan({"layout.virtual_pipeline": 1})
    fits = [priced(plan, catalog, layout__micro_batch=size).feasible for size in (1, 2, 4, 8, 16, 32, 64)]
    assert fits == sorted(fits, reverse=True) and fits[0] and not fits[-1]

"""Fleets: published shares of waste, growth, spares, and a simulated week's worst hour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.arrays import FloatArray
from engine.catalog import load_catalog
from engine.codes import SERVING_PRECISIONS
from engine.performance.fleet import Fleet, fleet_hours, load_factors
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.queueing import instances_needed
from engine.performance.serving import (
    InstancePerformance,
    serve_instance,
)
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import ServingInputs
from tests.engine.performance.serving_simulation import Scenario, simulate_fleet

CATALOG = load_catalog()
CONSTANTS = ServingConstants.from_facts(CATALOG.constants("serving."))
CHAT, CODE = (np.array(CATALOG.traffic_profile(name)) for name in ("chat", "code"))
FP8 = float(SERVING_PRECISIONS.index("fp8"))

LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
H100 = Hardware(1978.9e12, 989.4e12, 79.65 * 2**30, 3.35e12, 450e9, 8.0, 50e9, 8.0)
# Azure 2023 conversations: mean lengths
LOAD = ServingInputs(10.0, 1155.0, 211.0, 0.0, FP8, FP8, 4.0, 1.0, 1.0, 0.05, 1.0, 1024.0)
INSTANCE = serve_instance(LLAMA_70B, H100, LOAD, CONSTANTS)
CAPACITY = float(INSTANCE.requests_per_s_capacity)
POLICY = {
    "peak_to_mean": np.nan,
    "growth_per_month": 0.0,
    "horizon_months": 12.0,
    "autoscale": 0.0,
    "cold_start_s": 600.0,
    "spare_instances": 1.0,
    "headroom": 0.0,
    "burst": 1.15,
}


def fleet(
    mean_instances: float | FloatArray,
    profile: FloatArray = CHAT,
    instance: InstancePerformance = INSTANCE,
    constants: ServingConstants = CONSTANTS,
    **changes: float | FloatArray,
) -> Fleet:
    """A fleet whose mean load equals the fluid capacity of so many instances."""
    load = replace(LOAD, requests_per_second=np.asarray(mean_instances) * CAPACITY)
    return fleet_hours(load, instance, profile, constants=constants, **{**POLICY, **changes})


@pytest.mark.parametrize(
    ("profile", "used", "saved"), [(CHAT, (0.45, 0.52), (0.32, 0.38)), (CODE, (0.26, 0.29), (0.59, 0.64))]
)
def test_fluid_fleets_show_the_published_waste(
    profile: FloatArray, used: tuple[float, float], saved: tuple[float, float]
) -> None:
    # The published shares count load over capacity alone: no waiting, no staffing margin.
    fluid = replace(CONSTANTS, staffing_beta_p95=0.0, utilisation_ceiling=1.0)
    instant = replace(INSTANCE, ttft_s=0.0)
    loads = np.array([5.0, 10.0, 30.0, 100.0])
    static = fleet(loads, profile, instant, fluid)
    scaled = fleet(loads, profile, instant, fluid, autoscale=1.0)
    utilisation = np.asarray(static.utilisation_mean)
    saving = 1.0 - np.asarray(scaled.instances_mean) / np.asarray(static.instances_mean)
    assert used[0] <= utilisation.min()
    assert utilisation.max() <= used[1]
    assert saved[0] - 0.005 <= saving.min()
    assert saving.max() <= saved[1] + 0.005


def test_staffed_chat_fleets_stay_near_the_published_waste() -> None:
    # Staffing for the 95th percentile costs a small fleet a few points of utilisation.
    loads = np.array([5.0, 100.0])
    static, scaled = fleet(loads), fleet(loads, autoscale=1.0)
    saving = 1.0 - np.asarray(scaled.instances_mean) / np.asarray(static.instances_mean)
    assert np.asarray(static.utilisation_mean) == pytest.approx([0.46, 0.52], abs=0.05)
    assert saving == pytest.approx([0.32, 0.38], abs=0.03)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 500), st.floats(0, 86400), st.floats(1, 6), st.floats(-0.1, 0.2))
def test_autoscaling_never_pays_for_more(load: float, cold: float, peak: float, growth: float) -> None:
    common = {"cold_start_s": cold, "peak_to_mean": peak, "growth_per_month": growth}
    static, scaled = fleet(load, **common), fleet(load, autoscale=1.0, **common)
    assert scaled.instances_mean <= static.instances_mean
    assert scaled.instances_peak == static.instances_peak


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 300), st.floats(1, 3), st.sampled_from([0.0, 1.0]))
def test_instances_are_monotone_in_load(load: float, factor: float, autoscale: float) -> None:
    less, more = fleet(np.array([load, load * factor]), autoscale=autoscale).hourly_instances
    assert np.all(more >= less)


@given(st.floats(1.0, 12.0))
def test_a_given_peak_keeps_the_mean_and_the_order(peak: float) -> None:
    factors = load_factors(CHAT, peak)
    assert float(factors.max()) == pytest.approx(peak)
    assert float(factors.mean()) == pytest.approx(1.0, abs=1e-4)
    assert factors.min() >= 0.0
    assert np.all(np.diff(factors[np.argsort(CHAT)]) >= 0.0)


def test_profiles_keep_their_own_peak_and_any_scale() -> None:
    assert load_factors(3.0 * CHAT, np.nan) == pytest.approx(CHAT / CHAT.mean())
    assert float(load_factors(np.ones(168), 2.0).mean()) == pytest.approx(1.0, abs=1e-4)
    assert np.all(load_factors(np.ones(168), np.nan) == 1.0)


def test_a_flat_static_fleet_pays_for_its_peak() -> None:
    flat = fleet(10.0, np.ones(168), autoscale=1.0)
    assert flat.instances_mean == flat.instances_peak


def test_growth_is_paid_month_by_month() -> None:
    grown = fleet(50.0, growth_per_month=0.1, horizon_months=3.0)
    months = [fleet(50.0 * 1.1**month) for month in range(3)]
    assert float(grown.instances_mean) == pytest.approx(np.mean([float(m.instances_mean) for m in months]))
    assert grown.instances_peak == months[2].instances_peak
    served = sum(50.0 * 1.1**month for month in range(3))
    paid = sum(float(m.instances_mean) for m in months)
    assert float(grown.utilisation_mean) == pytest.approx(served / paid)


def test_what_stands_above_a_base_is_counted_hour_by_hour() -> None:
    bases = np.array([0.0, 1.0, 20.0, 47.5, 1e6])
    grown = fleet(
        40.0, autoscale=1.0, growth_per_month=0.1, horizon_months=2.5, base_instances=bases, keep_weeks=True
    )
    lasts = [float(week.months) for week in grown.weeks]
    assert lasts == [1.0, 1.0, 0.5]
    for base, found in zip(bases, np.asarray(grown.instances_elastic), strict=True):
        above = sum(
            months * max(0.0, float(need) - base) / 168
            for months, week in zip(lasts, grown.weeks, strict=True)
            for need in week.instances
        )
        assert found == pytest.approx(above / 2.5, abs=1e-9)
    assert grown.instances_elastic[0] == grown.instances_mean
    assert grown.instances_elastic[-1] == 0.0


def test_weeks_are_kept_only_where_asked_for() -> None:
    assert fleet(10.0).weeks == ()
    (only,) = fleet(10.0, autoscale=1.0, keep_weeks=True).weeks
    assert np.array_equal(only.instances, fleet(10.0, autoscale=1.0).hourly_instances)
    assert float(only.months) == 12.0


def test_a_longer_cold_start_keeps_more_running() -> None:
    none, hour, half_day = fleet(
        50.0, autoscale=1.0, cold_start_s=np.array([0.0, 600.0, 43200.0])
    ).instances_mean
    assert none < hour < half_day


def test_scaling_starts_a_cold_start_ahead() -> None:
    # One busy hour: the hour before it must already run the instances.
    profile = np.full(168, 0.1)
    profile[10] = 20.0
    hours = fleet(10.0, profile, autoscale=1.0, cold_start_s=3600.0).hourly_instances
    assert np.flatnonzero(hours == hours.max()).tolist() == [9, 10]


def test_spares_and_availability_add_instances() -> None:
    base = fleet(20.0, spare_instances=0.0)
    assert float(fleet(20.0).instances_peak) == float(base.instances_peak) + 1.0
    insured = fleet(20.0, spare_instances=0.0, instance_availability=0.98, availability=0.9999)
    assert float(insured.instances_peak) > float(base.instances_peak) + 1.0


def test_a_rescaled_capacity_holds_slots_longer() -> None:
    slower = replace(INSTANCE, requests_per_s_capacity=CAPACITY / 2)
    strict = replace(CONSTANTS, staffing_beta_p95=10.0)
    found = fleet(20.0, np.ones(168), slower, strict, burst=1.0, spare_instances=0.0)
    held = float(INSTANCE.ttft_s) + 2 * 211.0 * float(INSTANCE.tpot_s_p95)
    in_service = 20.0 * CAPACITY * held
    assert found.instances_peak == np.ceil((in_service + 10 * np.sqrt(in_service)) / float(INSTANCE.batch))


def test_an_instance_without_capacity_makes_an_unknown_fleet() -> None:
    broken = serve_instance(
        LLAMA_70B, H100, replace(LOAD, tensor_parallel=1.0, weight_precision_code=0.0), CONSTANTS
    )
    result = fleet(10.0, instance=broken)
    assert np.isnan(result.instances_peak)
    assert np.isnan(result.utilisation_mean)


def simulate(
    instance: InstancePerformance, rate: float, arrival_cv: float, instances: int, seed: int
) -> tuple[list[float], list[float]]:
    """TTFT and TPOT [s] of ten minutes' requests."""
    scenario = Scenario(LLAMA_70B, H100, LOAD, CONSTANTS, int(instance.batch))
    return simulate_fleet(scenario, rate, arrival_cv, instances, seconds=600.0, seed=seed)


def percentiles(instances: int, arrival_cv: float, load_factor: float = 1.0) -> tuple[float, float]:
    """95th percentiles of TTFT and TPOT [s] over many runs at the highest rate the fleet is sized for.

    One instance alone takes three times the runs: eight of them leave 3 % of noise in the percentile.
    """
    rate = instances * CAPACITY
    for _ in range(4):  # the batch depends on how many instances share the arrivals
        load = replace(LOAD, requests_per_second=rate, arrival_cv=arrival_cv)
        instance = serve_instance(LLAMA_70B, H100, load, CONSTANTS)
        rate = highest_rate(instance, instances, arrival_cv)
    rate *= load_factor
    runs = [
        simulate(instance, rate, arrival_cv, instances, seed) for seed in range(24 if instances == 1 else 8)
    ]
    ttft, tpot = (np.concatenate(values) for values in zip(*runs, strict=True))
    return float(np.quantile(ttft, 0.95)), float(np.quantile(tpot, 0.95))


def highest_rate(instance: InstancePerformance, instances: int, arrival_cv: float) -> float:
    """The highest rate [requests/s] for which so many instances are enough."""
    rates = np.linspace(0.05, 1.0, 400) * instances * float(instance.requests_per_s_capacity)
    needed = instances_needed(
        requests_per_s=rates,
        batch=instance.batch,
        capacity_per_s=instance.requests_per_s_capacity,
        service_s=instance.ttft_s + LOAD.output_tokens * np.asarray(instance.tpot_s_p95),
        arrival_cv=arrival_cv,
        headroom=0.0,
        beta=CONSTANTS.staffing_beta_p95,
        utilisation_ceiling=CONSTANTS.utilisation_ceiling,
    )
    return float(rates[needed <= instances].max())


@pytest.mark.parametrize(("instances", "arrival_cv"), [(1, 1.0), (4, 1.0), (4, 2.0)])
def test_the_chosen_fleet_meets_its_targets_in_simulation(instances: int, arrival_cv: float) -> None:
    ttft, tpot = percentiles(instances, arrival_cv)
    # Filled to the last request; a whole number of instances mostly leaves more, and headroom comes on top.
    assert tpot <= LOAD.tpot_slo_s * (1.19 if instances == 1 else 1.1)
    assert ttft <= LOAD.ttft_slo_s * (1.03 if instances == 1 else 1.0)


def test_the_simulation_can_fail() -> None:
    assert percentiles(1, 1.0, load_factor=1.3)[1] > LOAD.tpot_slo_s

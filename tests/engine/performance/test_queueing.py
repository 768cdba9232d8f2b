"""Queueing: published staffing figures, exact limits, and spares against the binomial counted by hand."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.performance.queueing import (
    availability_reached,
    instances_needed,
    length_in_tail,
    peakedness,
    prefill_wait_s,
    prompt_queue,
    spares_for_availability,
    staffed_slots,
)

POLICY = {"beta": 2.5, "utilisation_ceiling": 0.95}


def needed(requests_per_s: float, **changes: float) -> float:
    """Instances of 100 slots and 10 requests/s each."""
    case = {
        "batch": 100.0,
        "capacity_per_s": 10.0,
        "service_s": 10.0,
        "arrival_cv": 1.0,
        "headroom": 0.0,
    }
    return float(instances_needed(requests_per_s=requests_per_s, **{**case, **POLICY, **changes}))


def test_poisson_arrivals_have_peakedness_one() -> None:
    assert peakedness(1.0) == pytest.approx(1.0)
    assert peakedness(0.0) == pytest.approx(0.5)


def test_slots_hold_the_95th_percentile_of_poisson_occupancy() -> None:
    # With unlimited slots the requests in service are Poisson; the rule must not fall below its p95.
    occupancy = np.random.default_rng(1).poisson(200.0, 200_000)
    slots = staffed_slots(in_service=200.0, arrival_cv=1.0, beta=2.5)
    assert float(np.mean(occupancy <= slots)) > 0.95


def test_wait_equals_pollaczek_khinchine_for_equal_prompts() -> None:
    # M/D/1 at rho 0.5 and service 1 s waits rho*s/(2*(1-rho)) = 0.5 s.
    wait = prefill_wait_s(requests_per_s=0.5, prefill_s=1.0, length_sigma=0.0, arrival_cv=1.0)
    assert float(wait) == pytest.approx(0.5)


def test_wait_equals_a_simulated_queue() -> None:
    rng = np.random.default_rng(7)
    count, sigma, rate = 400_000, 0.8, 0.6
    service = rng.lognormal(-(sigma**2) / 2, sigma, count)
    gaps = rng.exponential(1 / rate, count)
    # Lindley's recursion, unrolled: wait = S_n - min over earlier partial sums.
    walk = np.concatenate([[0.0], np.cumsum(service[:-1] - gaps[1:])])
    simulated = float(np.mean(walk - np.minimum.accumulate(walk)))
    wait = prefill_wait_s(requests_per_s=rate, prefill_s=1.0, length_sigma=sigma, arrival_cv=1.0)
    assert float(wait) == pytest.approx(simulated, rel=0.1)


def test_prompts_that_outrun_the_prefill_wait_for_ever() -> None:
    wait = prefill_wait_s(requests_per_s=np.array([1.0, 2.0]), prefill_s=1.0, length_sigma=0, arrival_cv=1)
    assert np.all(np.isinf(wait))


def test_length_percentile_matches_samples() -> None:
    lengths = np.random.default_rng(3).lognormal(np.log(1155) - 0.5, 1.0, 400_000)
    predicted = length_in_tail(mean_tokens=1155.0, length_sigma=1.0, tail_share=0.05)
    assert float(predicted) == pytest.approx(float(np.quantile(lengths, 0.95)), rel=0.02)
    assert float(length_in_tail(mean_tokens=1155.0, length_sigma=0.0, tail_share=0.05)) == 1155.0


def test_instances_of_a_case_by_hand() -> None:
    # N = 40*10 = 400 in service, slots = 400 + 2.5*20 = 450, instances = ceil(4.5).
    assert needed(40.0) == 5.0
    # Ten times the load needs less than ten times the slots: 4000 + 158 slots.
    assert needed(400.0) == 43.0  # the ceiling of 95 % binds: 400/9.5 = 42.1


def test_burstier_arrivals_and_headroom_need_more() -> None:
    assert needed(40.0, arrival_cv=4.0) > needed(40.0)
    assert needed(40.0, headroom=0.5) == 9.0


def test_no_traffic_keeps_one_instance_and_no_capacity_is_unknown() -> None:
    assert needed(0.0) == 1.0
    assert np.isnan(needed(5.0, batch=0.0, capacity_per_s=0.0))


@given(st.floats(0, 1e4), st.floats(1, 10), st.floats(0, 5))
def test_instances_are_monotone_in_load(rate: float, factor: float, cv: float) -> None:
    assert needed(rate * factor, arrival_cv=cv) >= needed(rate, arrival_cv=cv)


@pytest.mark.parametrize(("count", "up", "target"), [(4, 0.95, 0.999), (20, 0.99, 0.9999), (1, 0.9, 0.99)])
def test_spares_are_the_fewest_that_meet_the_target(count: int, up: float, target: float) -> None:
    def works(extra: int) -> float:
        total = count + extra
        return sum(comb(total, k) * up**k * (1 - up) ** (total - k) for k in range(count, total + 1))

    expected = next(extra for extra in range(100) if works(extra) >= target)
    found = spares_for_availability(needed=float(count), instance_availability=up, availability=target)
    assert float(found) == expected


def test_instances_that_never_fail_need_no_spares() -> None:
    found = spares_for_availability(
        needed=np.array([3.0, np.nan]), instance_availability=1, availability=0.999
    )
    assert found[0] == 0.0
    assert np.isnan(found[1])


@given(st.integers(1, 30), st.integers(0, 5), st.floats(0.5, 1.0))
def test_availability_is_the_binomial_counted_by_hand(needed: int, spares: int, up: float) -> None:
    total = needed + spares
    chance = sum(comb(total, k) * up**k * (1.0 - up) ** (total - k) for k in range(needed, total + 1))
    reached = float(availability_reached(needed=needed, spares=spares, instance_availability=up))
    assert reached == pytest.approx(chance, abs=1e-12)


def test_too_few_instances_are_never_enough() -> None:
    assert float(availability_reached(needed=5.0, spares=-1.0, instance_availability=1.0)) == 0.0
    assert np.isnan(availability_reached(needed=np.nan, spares=0.0, instance_availability=0.9))


def test_fleets_beyond_counting_have_an_availability() -> None:
    reached = availability_reached(needed=1e30, spares=2.0, instance_availability=0.999)
    assert float(reached) == pytest.approx(0.0, abs=1e-12)
    assert float(spares_for_availability(needed=1e30, instance_availability=0.999, availability=0.9)) == 32.0


def test_prompts_wait_as_in_an_mg1_queue() -> None:
    """Poisson arrivals at one instance: the chance is the load, the mean Pollaczek-Khinchine's."""
    queue = prompt_queue(requests_per_s=0.6, prefill_s=1.0, length_sigma=0.0, arrival_cv=1.0, instances=1.0)
    assert float(queue.own[0]) == pytest.approx(0.6)
    assert float(queue.own[0] * queue.own[1]) == pytest.approx(0.6 / (2.0 * 0.4))
    assert float(queue.in_tail_s(0.05)) > float(queue.mean_s)
    assert float(queue.in_tail_s(0.7)) == pytest.approx(0.0)


@pytest.mark.parametrize("cv", [1.5, 2.0, 4.0])
def test_the_chance_of_a_queue_solves_its_equation(cv: float) -> None:
    load = np.array([0.1, 0.4, 0.8, 0.95])
    queue = prompt_queue(requests_per_s=load, prefill_s=1.0, length_sigma=0.0, arrival_cv=cv, instances=1.0)
    chance = queue.burst[0]
    np.testing.assert_allclose(chance, (1.0 + cv**2 * (1.0 - chance) / load) ** (-1.0 / cv**2), rtol=1e-6)
    assert np.all(chance > load)


@pytest.mark.parametrize(("cv", "instances"), [(2.0, 1), (4.0, 3)])
def test_bursts_wait_as_in_simulation(cv: float, instances: int) -> None:
    """Gamma gaps, exponential prompts, the first free of some instances: the tail within a third."""
    rng = np.random.default_rng(3)
    count, load = 200_000, 0.5
    gaps = rng.gamma(1.0 / cv**2, cv**2 / (load * instances), count)
    work = rng.exponential(1.0, count)
    free = np.zeros(instances)
    waits = np.empty(count)
    for index, (at, own) in enumerate(zip(np.cumsum(gaps), work, strict=True)):
        first = int(np.argmin(free))
        waits[index] = max(free[first] - at, 0.0)
        free[first] = max(free[first], at) + own
    # exp(sigma^2) = 2 is the spread of exponential work.
    sigma = float(np.sqrt(np.log(2.0)))
    queue = prompt_queue(
        requests_per_s=load, prefill_s=1.0, length_sigma=sigma, arrival_cv=cv, instances=float(instances)
    )
    assert float(queue.in_tail_s(0.05)) == pytest.approx(float(np.quantile(waits, 0.95)), rel=0.33)


def test_a_queue_that_only_grows_never_ends() -> None:
    queue = prompt_queue(requests_per_s=2.0, prefill_s=1.0, length_sigma=1.0, arrival_cv=1.0, instances=1.0)
    assert np.isinf(queue.mean_s) and np.isinf(queue.in_tail_s(0.05))

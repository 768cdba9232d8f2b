"""The combined goodput: its shares, its limits and its optimum, row by row and mixed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.reliability import availability, checkpointing, spares

pytestmark = pytest.mark.filterwarnings("error")
SHARES = ("useful_share", "checkpoint_share", "rework_share", "restart_share", "stalled_share")
LLAMA_RATE = 419 / (2048 * 54)


def _inputs(**changes: object) -> availability.ReliabilityInputs:
    base = availability.ReliabilityInputs(
        failures_per_node_day=LLAMA_RATE,
        node_count=2048.0,
        job_failures_per_hour=0.0,
        preemptions_per_node_hour=0.0,
        checkpoint_interval_s=1116.29637,
        checkpoint_write_s=60.0,
        checkpoint_background_s=0.0,
        checkpoint_async=0.0,
        slowdown_while_writing=0.0,
        restart_s=300.0,
        downtime_s=0.0,
        spare_nodes=0.0,
        repair_s=0.0,
    )
    return replace(base, **changes)


def _sum(found: availability.Goodput) -> np.ndarray:
    return np.sum([np.asarray(getattr(found, name)) for name in SHARES], axis=0)


def test_blocking_case() -> None:
    found = availability.compute_goodput(_inputs())
    assert found.goodput == found.useful_share == pytest.approx(0.875832315, rel=2e-9)
    assert found.mttf_s == pytest.approx(11135.0835322, rel=1e-11)
    assert availability.find_optimal_interval_s(_inputs()) == pytest.approx(1116.29637, rel=5e-9)


def test_shares_of_the_blocking_case() -> None:
    """Each share from its own definition: mean time per segment over the mean segment."""
    found, mttf, span = availability.compute_goodput(_inputs()), 86400 * 54 / 419, 1176.29637
    segment, failures = 1274.55490, np.expm1(span / mttf)
    assert found.checkpoint_share == pytest.approx(60 / segment, rel=1e-8)
    assert found.restart_share == pytest.approx(failures * mttf * np.expm1(300 / mttf) / segment, rel=1e-8)
    assert found.rework_share == pytest.approx((mttf * failures - span) / segment, rel=1e-8)
    assert found.stalled_share == 0.0


def test_async_case() -> None:
    inputs = _inputs(
        failures_per_node_day=86400 / (2048 * 6490.384615),
        checkpoint_interval_s=600.0,
        checkpoint_write_s=5.0,
        checkpoint_background_s=300.0,
        checkpoint_async=1.0,
        slowdown_while_writing=0.05,
        downtime_s=120.0,
    )
    found = availability.compute_goodput(inputs)
    assert found.goodput == pytest.approx(0.827466750, rel=2e-9)
    assert _sum(found) == pytest.approx(1.0, abs=1e-15)


def test_stalls_for_repairs_stretch_everything_alike() -> None:
    spared = availability.compute_goodput(_inputs(spare_nodes=20.0, repair_s=2 * 86400.0))
    # 0.0390 of the time, as tabulated for a load of 15.52 nodes in repair.
    assert spared.stalled_share == pytest.approx(0.0390421168, rel=1e-4)
    alone = availability.compute_goodput(_inputs())
    for name in SHARES[:-1]:
        ratio = getattr(spared, name) / getattr(alone, name)
        assert ratio == pytest.approx(1 - spared.stalled_share, rel=1e-12)
    load = 2048 * LLAMA_RATE * 2
    assert spared.stalled_share == pytest.approx(
        spares.stalled_share(spare_nodes=20, repair_load=load), rel=1e-12
    )


def test_no_failures() -> None:
    inputs = _inputs(
        failures_per_node_day=0.0,
        checkpoint_interval_s=np.array([940.0, np.inf]),
        repair_s=1e5,
        restart_s=1e9,
    )
    found = availability.compute_goodput(inputs)
    np.testing.assert_allclose(found.goodput, [0.94, 1.0], rtol=1e-15)
    np.testing.assert_array_equal(found.rework_share, 0.0)
    np.testing.assert_array_equal(found.restart_share, 0.0)
    np.testing.assert_array_equal(found.mttf_s, np.inf)
    np.testing.assert_array_equal(availability.find_optimal_interval_s(inputs), np.inf)


def test_background_fields_count_only_where_async() -> None:
    inputs = _inputs(
        checkpoint_async=np.array([0.0, 1.0]), checkpoint_background_s=3000.0, slowdown_while_writing=0.1
    )
    found, blocking = availability.compute_goodput(inputs), availability.compute_goodput(_inputs())
    assert found.goodput[0] == blocking.goodput
    np.testing.assert_array_equal(found.interval_s, [1116.29637, 3000 * 0.9 - 60])
    best = availability.find_optimal_interval_s(inputs)
    assert best[0] == availability.find_optimal_interval_s(_inputs())
    assert best[1] == checkpointing.optimal_async_interval_s(
        stall_s=60.0, background_s=3000.0, mttf_s=blocking.mttf_s, slowdown=0.1
    )


def test_every_cause_of_failure_counts() -> None:
    rate = {"failures_per_node_day": 0.0, "node_count": 10.0}
    for causes, hours in (
        ({"failures_per_node_day": 0.24}, 10.0),
        ({"job_failures_per_hour": 0.25}, 4.0),
        ({"preemptions_per_node_hour": 0.01}, 10.0),
    ):
        found = availability.compute_goodput(_inputs(**(rate | causes)))
        assert found.mttf_s == pytest.approx(3600 * hours)
        assert found.goodput < 1116.29637 / 1176.29637


def test_throughput_peaks_at_a_finite_size() -> None:
    nodes = np.arange(1.0, 30001.0)
    inputs = _inputs(failures_per_node_day=6.5e-3, node_count=nodes, restart_s=600.0)
    best = replace(inputs, checkpoint_interval_s=availability.find_optimal_interval_s(inputs))
    share = np.asarray(availability.compute_goodput(best).goodput)
    peak = int(np.argmax(nodes * share))
    assert nodes[peak] == 17161
    np.testing.assert_allclose(
        share[[peak, 2047, 4095, 8191, 16383]], [0.302450, 0.793286, 0.681438, 0.519634, 0.316490], atol=6e-7
    )


def test_published_bounds() -> None:
    # Goodput above 0.90 at 3.093 h leaves at most 18.6 min for restart and half an interval, to first order.
    llama = availability.compute_goodput(
        _inputs(checkpoint_write_s=0.0, checkpoint_interval_s=600.0, restart_s=816.0)
    )
    assert llama.goodput == pytest.approx(0.90, abs=0.005)
    # A failure each 18 min, restart 10 min, goodput 0.44 (arXiv:2602.00277) imply an interval of 9.167 min.
    stalled = availability.compute_goodput(
        _inputs(
            failures_per_node_day=80.0,
            node_count=1.0,
            checkpoint_write_s=0.0,
            checkpoint_interval_s=9.167 * 60,
            restart_s=600.0,
        )
    )
    assert stalled.goodput == pytest.approx(0.44, abs=2e-5)


tens = st.floats(-2, 6).map(lambda exponent: 10.0**exponent)
zero_or_tens = st.one_of(st.just(0.0), tens)
any_inputs = st.builds(
    availability.ReliabilityInputs,
    failures_per_node_day=st.one_of(st.just(0.0), st.floats(1e-5, 10)),
    node_count=st.integers(1, 20000).map(float),
    job_failures_per_hour=st.one_of(st.just(0.0), st.floats(1e-4, 10)),
    preemptions_per_node_hour=st.one_of(st.just(0.0), st.floats(1e-4, 1)),
    checkpoint_interval_s=st.one_of(tens, st.just(np.inf)),
    checkpoint_write_s=zero_or_tens,
    checkpoint_background_s=zero_or_tens,
    checkpoint_async=st.sampled_from([0.0, 1.0]),
    slowdown_while_writing=st.floats(0, 0.99),
    restart_s=zero_or_tens,
    downtime_s=zero_or_tens,
    spare_nodes=st.integers(0, 60).map(float),
    repair_s=zero_or_tens,
)


@given(any_inputs)
def test_shares_sum_to_one(inputs: availability.ReliabilityInputs) -> None:
    found = availability.compute_goodput(inputs)
    assert _sum(found) == pytest.approx(1.0, abs=1e-15)
    assert all(0.0 <= getattr(found, name) <= 1.0 for name in SHARES)


@pytest.mark.parametrize(
    "name",
    ["failures_per_node_day", "job_failures_per_hour", "checkpoint_write_s", "restart_s", "downtime_s"],
)
@given(inputs=any_inputs, more=st.floats(0.1, 100))
def test_goodput_falls(name: str, inputs: availability.ReliabilityInputs, more: float) -> None:
    share = availability.compute_goodput(inputs).goodput
    worse = availability.compute_goodput(replace(inputs, **{name: getattr(inputs, name) + more})).goodput
    assert worse <= share * (1 + 1e-12)


@pytest.mark.parametrize("name", ["restart_s", "downtime_s", "checkpoint_write_s", "repair_s"])
def test_goodput_falls_strictly(name: str) -> None:
    share = availability.compute_goodput(_inputs()).goodput
    worse = availability.compute_goodput(_inputs(**{name: 1000.0})).goodput
    assert worse < share - 0.01


@settings(max_examples=50)
@given(any_inputs)
def test_optimum_beats_a_grid(inputs: availability.ReliabilityInputs) -> None:
    best = availability.find_optimal_interval_s(inputs)
    top = availability.compute_goodput(replace(inputs, checkpoint_interval_s=best)).goodput
    grid = replace(inputs, checkpoint_interval_s=np.geomspace(1e-4, 1e9, 1001))
    assert np.max(availability.compute_goodput(grid).goodput) <= top * (1 + 1e-12)


@settings(max_examples=20)
@given(st.lists(any_inputs, min_size=2, max_size=6))
def test_mixed_rows_equal_single_rows(rows: list[availability.ReliabilityInputs]) -> None:
    names = availability.ReliabilityInputs.__slots__
    together = availability.ReliabilityInputs(
        **{name: np.array([getattr(row, name) for row in rows]) for name in names}
    )
    single = [availability.compute_goodput(row).goodput for row in rows]
    np.testing.assert_allclose(availability.compute_goodput(together).goodput, single, rtol=1e-13)
    best = [availability.find_optimal_interval_s(row) for row in rows]
    np.testing.assert_allclose(availability.find_optimal_interval_s(together), best, rtol=1e-13)

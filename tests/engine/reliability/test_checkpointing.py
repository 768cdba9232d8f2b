"""Blocking and background checkpoints against published points, brute force, simulation and properties."""

from __future__ import annotations

from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.reliability import checkpointing

pytestmark = pytest.mark.filterwarnings("error")

# mttf, write, restart, downtime, young, daly, optimum, segment [s]; goodput, goodput at young's interval.
# A: Llama 3 405B, 419 interruptions in 54 days (arXiv:2407.21783); B: 2048 nodes of RSC-1 at 6.5 failures per
# 1000 node-days (arXiv:2410.21680); C, D: made up. Each was confirmed by a simulation of 4e6 segments.
CASES = {
    "A": (86400 * 54 / 419, 60, 300, 0, 1155.94551, 1116.29155, 1116.29637, 1274.55490, 0.875832315,
          0.875778770),
    "B": (86400 / (2048 * 0.0065), 600, 900, 0, 2790.78153, 2405.11443, 2405.95534, 4391.86300, 0.547821129,
          0.545546239),
    "C": (3600, 1200, 600, 300, 2939.38769, 2193.82080, 2199.96068, 7239.71892, 0.303873769, 0.295683906),
    "D": (86400, 120, 600, 0, 4553.67983, 4474.03119, 4474.03367, 4751.24420, 0.941655172, 0.941647579),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_blocking_case(name: str) -> None:
    mttf, write, restart, downtime, young, daly, optimum, segment, share, share_at_young = CASES[name]
    pair = {"write_s": write, "mttf_s": mttf}
    down = {"restart_s": restart, "downtime_s": downtime}
    found = checkpointing.optimal_interval_s(**pair)
    assert found == pytest.approx(optimum, rel=5e-9)
    assert checkpointing.young_interval_s(**pair) == pytest.approx(young, rel=5e-9)
    assert checkpointing.daly_interval_s(**pair) == pytest.approx(daly, rel=5e-9)
    assert checkpointing.expected_segment_s(interval_s=found, **pair, **down) == pytest.approx(
        segment, rel=5e-9
    )
    assert checkpointing.goodput(interval_s=found, **pair, **down) == pytest.approx(share, rel=5e-9)
    assert checkpointing.goodput(interval_s=young, **pair, **down) == pytest.approx(share_at_young, rel=5e-9)


def test_cases_in_one_call() -> None:
    table = np.array(list(CASES.values()), dtype=np.float64).T
    found = checkpointing.optimal_interval_s(write_s=table[1], mttf_s=table[0])
    share = checkpointing.goodput(
        interval_s=found, write_s=table[1], mttf_s=table[0], restart_s=table[2], downtime_s=table[3]
    )
    np.testing.assert_allclose(share, table[8], rtol=5e-9)


# (mttf/write, optimum, goodput) in units of a write of 1 with a restart of 5, where first order breaks.
@pytest.mark.parametrize(
    ("mttf", "optimum", "share"),
    [
        (10000, 140.755, 0.985432),
        (1000, 44.0572, 0.951175),
        (100, 13.4835, 0.822971),
        (20, 5.67621, 0.557769),
        (5, 2.53380, 0.181453),
        (2, 1.39658, 0.0247658),
        (1, 0.841406, 0.00106860),
    ],
)
def test_where_first_order_breaks(mttf: float, optimum: float, share: float) -> None:
    found = checkpointing.optimal_interval_s(write_s=1.0, mttf_s=mttf)
    assert found == pytest.approx(optimum, rel=4e-6)
    assert checkpointing.goodput(interval_s=found, write_s=1, mttf_s=mttf, restart_s=5) == pytest.approx(
        share, rel=4e-6
    )


# Nodes, failures per node-day, restart, interval, write [min] of arXiv:2410.21680; goodput by the exact form.
@pytest.mark.parametrize(
    ("nodes", "rate", "restart", "interval", "write", "share"),
    [
        (2048, 0.0065, 10, 60, 0, 0.682110),
        (2048, 0.0065, 10, 10, 1, 0.787391),
        (2048, 0.00234, 10, 30, 1, 0.888610),
        (12500, 0.00234, 2, 2, 0, 0.940817),
    ],
)
def test_effective_training_time_ratio(
    nodes: int, rate: float, restart: float, interval: float, write: float, share: float
) -> None:
    found = checkpointing.goodput(
        interval_s=60 * interval, write_s=60 * write, mttf_s=86400 / (nodes * rate), restart_s=60 * restart
    )
    assert found == pytest.approx(share, abs=6e-7)


# interval, stall, background, mttf, restart, downtime, slowdown, goodput; confirmed by simulation.
ASYNC_CASES = {
    "A1": (600, 5, 120, 86400 * 54 / 419, 300, 0, 0.0, 0.929315662),
    "A2": (600, 5, 300, 6490.384615, 300, 120, 0.05, 0.827466750),
    "A3": (1800, 30, 900, 3600, 600, 0, 0.03, 0.491977987),
}


@pytest.mark.parametrize("name", ASYNC_CASES)
def test_async_case(name: str) -> None:
    interval, stall, background, mttf, restart, downtime, slowdown, share = ASYNC_CASES[name]
    found = checkpointing.async_goodput(
        interval_s=interval,
        stall_s=stall,
        background_s=background,
        mttf_s=mttf,
        restart_s=restart,
        downtime_s=downtime,
        slowdown=slowdown,
    )
    assert found == pytest.approx(share, rel=2e-9)


def test_snapshot_waits_for_the_write_in_flight() -> None:
    times = {"stall_s": 5.0, "background_s": 300.0, "slowdown": 0.05}
    floor = 300.0 * 0.95 - 5.0
    assert checkpointing.effective_interval_s(interval_s=60.0, **times) == floor
    assert checkpointing.effective_interval_s(interval_s=600.0, **times) == 600.0
    down = {"mttf_s": 6490.0, "restart_s": 300.0}
    assert checkpointing.async_goodput(interval_s=60.0, **times, **down) == checkpointing.async_goodput(
        interval_s=floor, **times, **down
    )


def _scaled_optimum(ratio: float) -> float:
    """Root of (1 - y) exp(y + x) = 1 to 50 digits, in units of the mean time to failure."""
    getcontext().prec = 60
    x = Decimal(ratio)
    low, high = Decimal(0), Decimal(1)
    for _ in range(190):
        y = (low + high) / 2
        low, high = (low, y) if (1 - y) * (y + x).exp() < 1 else (y, high)
    return float(low)


@pytest.mark.parametrize("exponent", [-30, -16, -12, -8, -6, -5.0001, -4.9999, -3, -1, 0, 0.5, 1])
def test_optimum_to_many_digits(exponent: float) -> None:
    ratio = 10.0**exponent
    found = checkpointing.optimal_interval_s(write_s=ratio, mttf_s=1.0)
    assert found == pytest.approx(_scaled_optimum(ratio), rel=3e-11)


def _log_time_per_work(interval: np.ndarray, write: float) -> np.ndarray:
    """log(E[segment]/tau) without restart, mean time to failure 1, without overflow: the objective."""
    span = interval + write
    return span + np.log(-np.expm1(-span)) - np.log(interval)


def _brute_force(write: float) -> float:
    """Smallest objective on a log grid refined ten times around its best point."""
    low, high = np.log(1e-9), np.log(1e3)
    for _ in range(10):
        grid = np.linspace(low, high, 2001)
        value = _log_time_per_work(np.exp(grid), write)
        best = int(np.argmin(value))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 2000)]
    return float(value.min())


@pytest.mark.parametrize("write", 10.0 ** np.random.default_rng(20).uniform(-12, 3, 30))
def test_optimum_against_brute_force(write: float) -> None:
    found = np.asarray(checkpointing.optimal_interval_s(write_s=write, mttf_s=1.0))
    # Logarithms: an absolute difference of 1e-6 is a relative one in the objective.
    assert _log_time_per_work(found, write) == pytest.approx(_brute_force(write), abs=1e-6, rel=1e-14)


def test_segment_against_simulation() -> None:
    generator = np.random.default_rng(7)
    interval, write, mttf, restart, downtime, runs = 900.0, 300.0, 2000.0, 400.0, 100.0, 20_000

    def attempts(span: float) -> tuple[int, float]:
        """Failures before `span` passes without one, and the time of these failed attempts."""
        lost, count = 0.0, 0
        while (life := generator.exponential(mttf)) < span:
            lost, count = lost + life, count + 1
        return count, lost

    times = np.empty(runs)
    for run in range(runs):
        failures, lost = attempts(interval + write)
        times[run] = interval + write + lost
        for _ in range(failures):
            again, wasted = attempts(restart)
            times[run] += (1 + again) * downtime + wasted + restart
    expected = checkpointing.expected_segment_s(
        interval_s=interval, write_s=write, mttf_s=mttf, restart_s=restart, downtime_s=downtime
    )
    assert abs(times.mean() - expected) < 3.5 * times.std() / np.sqrt(runs)


def test_daly_changes_form_at_twice_the_mean() -> None:
    write = np.array([1.9, 2.0, 3.0])
    found = checkpointing.daly_interval_s(write_s=write, mttf_s=1.0)
    np.testing.assert_allclose(found, [np.sqrt(3.8) * (1 + np.sqrt(0.95) / 3 + 1.9 / 18) - 1.9, 1.0, 1.0])


def test_long_writes_make_the_interval_the_mean() -> None:
    assert checkpointing.optimal_interval_s(write_s=1e6, mttf_s=1e3) == pytest.approx(1e3, rel=1e-15)
    assert checkpointing.daly_interval_s(write_s=1e6, mttf_s=1e3) == 1e3


def test_free_writes_and_no_failures() -> None:
    write, mttf = np.array([0.0, 0.0, 60.0]), np.array([1e4, np.inf, np.inf])
    found = checkpointing.optimal_interval_s(write_s=write, mttf_s=mttf)
    np.testing.assert_array_equal(found, [0.0, np.inf, np.inf])
    share = checkpointing.goodput(
        interval_s=found, write_s=write, mttf_s=mttf, restart_s=100.0, downtime_s=50.0
    )
    np.testing.assert_allclose(share, [np.exp(-0.01) / 1.005, 1.0, 1.0], rtol=1e-15)
    assert checkpointing.goodput(interval_s=940, write_s=60, mttf_s=np.inf, restart_s=1e9) == pytest.approx(
        0.94
    )
    assert checkpointing.expected_segment_s(interval_s=940, write_s=60, mttf_s=np.inf, restart_s=1e9) == 1000
    assert checkpointing.goodput(interval_s=0.0, write_s=60.0, mttf_s=1e4, restart_s=0.0) == 0.0
    assert checkpointing.goodput(interval_s=np.inf, write_s=60.0, mttf_s=1e4, restart_s=0.0) == 0.0


def test_hopeless_rows_overflow_silently() -> None:
    hopeless = {
        "write_s": np.array([1e9, 1.0, 1e308]),
        "mttf_s": 1.0,
        "restart_s": np.array([0.0, 1e6, 1e308]),
    }
    segment = checkpointing.expected_segment_s(interval_s=1e308, **hopeless)
    np.testing.assert_array_equal(segment, np.inf)
    np.testing.assert_array_equal(checkpointing.goodput(interval_s=1e308, **hopeless), 0.0)


positive = st.floats(-3, 7).map(lambda exponent: 10.0**exponent)
times = st.fixed_dictionaries(
    {
        "interval_s": positive,
        "write_s": positive,
        "mttf_s": positive,
        "restart_s": positive,
        "downtime_s": positive,
    }
)


@given(times)
def test_goodput_is_a_share_and_inverts_the_segment(inputs: dict[str, float]) -> None:
    share = checkpointing.goodput(**inputs)
    assert 0.0 <= share <= 1.0
    segment = checkpointing.expected_segment_s(**inputs)
    if np.isfinite(segment):
        assert share * segment == pytest.approx(inputs["interval_s"], rel=1e-11)


@pytest.mark.parametrize("name", ["write_s", "restart_s", "downtime_s"])
@given(inputs=times, factor=st.floats(1.01, 100))
def test_goodput_falls_with_every_delay(name: str, inputs: dict[str, float], factor: float) -> None:
    share = checkpointing.goodput(**inputs)
    worse = checkpointing.goodput(**(inputs | {name: inputs[name] * factor}))
    assert worse <= share
    # Strictly, where the change is larger than rounding: a goodput that forgets one term must not pass.
    if share > 1e-9 and inputs[name] > 1e-6 * min(inputs["mttf_s"], inputs["interval_s"] + inputs["mttf_s"]):
        assert worse < share


@given(inputs=times, factor=st.floats(1.01, 100))
def test_goodput_falls_with_the_failure_rate(inputs: dict[str, float], factor: float) -> None:
    worse = checkpointing.goodput(**(inputs | {"mttf_s": inputs["mttf_s"] / factor}))
    assert worse <= checkpointing.goodput(**inputs)


@given(inputs=times)
def test_async_without_background_equals_blocking(inputs: dict[str, float]) -> None:
    stall = inputs["write_s"]
    rest = {name: value for name, value in inputs.items() if name != "write_s"}
    found = checkpointing.async_goodput(stall_s=stall, background_s=0.0, slowdown=0.0, **rest)
    assert found == checkpointing.goodput(**inputs)
    best = checkpointing.optimal_async_interval_s(stall_s=stall, background_s=0.0, mttf_s=inputs["mttf_s"])
    assert best == checkpointing.optimal_interval_s(write_s=stall, mttf_s=inputs["mttf_s"])


@given(inputs=times, background=positive, slowdown=st.floats(0, 0.95))
def test_async_against_the_published_form(
    inputs: dict[str, float], background: float, slowdown: float
) -> None:
    stall, mttf = inputs["write_s"], inputs["mttf_s"]
    interval = max(inputs["interval_s"], background * (1 - slowdown) - stall)
    period = interval + stall + slowdown * background
    if max(period + background, inputs["restart_s"]) > 300 * mttf:
        return
    kept = np.exp(-(interval + stall + background) / mttf) / -np.expm1(-period / mttf)
    expected = interval * kept / (np.exp(inputs["restart_s"] / mttf) * (mttf + inputs["downtime_s"]))
    rest = {name: value for name, value in inputs.items() if name != "write_s"}
    found = checkpointing.async_goodput(stall_s=stall, background_s=background, slowdown=slowdown, **rest)
    assert found == pytest.approx(expected, rel=1e-9)


@settings(max_examples=50)
@given(stall=positive, background=positive, mttf=positive, slowdown=st.floats(0, 0.95))
def test_async_optimum_beats_a_grid(stall: float, background: float, mttf: float, slowdown: float) -> None:
    times = {"stall_s": stall, "background_s": background, "mttf_s": mttf, "slowdown": slowdown}
    best = checkpointing.optimal_async_interval_s(**times)
    assert best + stall + slowdown * background >= background * (1 - 1e-12)
    grid = best * np.geomspace(1e-3, 1e3, 2001)
    shares = checkpointing.async_goodput(interval_s=grid, restart_s=0.0, **times)
    assert np.max(shares) <= checkpointing.async_goodput(interval_s=best, restart_s=0.0, **times) * (
        1 + 1e-12
    )

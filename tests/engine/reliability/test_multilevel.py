"""Two levels of checkpoints against simulated cases, a dense solve of the linear system and limits."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.reliability import checkpointing, multilevel

pytestmark = pytest.mark.filterwarnings("error")
T1 = multilevel.MultilevelInputs(1 / 21600, 1 / 172800, 5.0, 90.0, 120.0, 900.0)
T2 = multilevel.MultilevelInputs(1 / 7200, 1 / 86400, 2.0, 300.0, 60.0, 1800.0)


# Simulation: 0.93341 +- 1.8e-4 and 0.85130 +- 3.1e-4.
@pytest.mark.parametrize(
    ("inputs", "interval", "count", "share", "pattern"),
    [(T1, 300, 12, 0.933681190, 3855.70582), (T2, 120, 30, 0.851364229, 4228.50747)],
)
def test_goodput(
    inputs: multilevel.MultilevelInputs, interval: float, count: int, share: float, pattern: float
) -> None:
    found = multilevel.multilevel_goodput(inputs, interval_s=interval, segment_count=count)
    assert found == pytest.approx(share, rel=1e-9)
    assert count * interval / found == pytest.approx(pattern, rel=2e-9)


@pytest.mark.parametrize(
    ("inputs", "interval", "count", "share"),
    [(T1, 446.674683, 12, 0.937586362), (T2, 161.278763, 43, 0.867532769)],
)
def test_best_pattern(inputs: multilevel.MultilevelInputs, interval: float, count: int, share: float) -> None:
    found = multilevel.find_pattern(inputs)
    assert found.segment_count == count
    assert found.interval_s == pytest.approx(interval, rel=1e-6)
    assert found.goodput == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize(
    ("inputs", "interval", "count", "share"),
    [(T1, 464.758, 12, 0.937547585), (T2, 169.706, 42, 0.867480566)],
)
def test_first_order_pattern(
    inputs: multilevel.MultilevelInputs, interval: float, count: int, share: float
) -> None:
    found = multilevel.first_order_pattern(inputs)
    assert (found.interval_s, found.segment_count) == (pytest.approx(interval, abs=5e-4), count)
    assert found.goodput == pytest.approx(share, rel=1e-8)


def test_patterns_of_rows() -> None:
    both = multilevel.MultilevelInputs(
        *(np.array([getattr(one, item.name) for one in (T1, T2)]) for item in fields(T1))
    )
    found = multilevel.find_pattern(both)
    np.testing.assert_array_equal(found.segment_count, [12, 43])
    np.testing.assert_allclose(found.goodput, [0.937586362, 0.867532769], rtol=1e-9)


def _solved(inputs: multilevel.MultilevelInputs, interval: float, count: int) -> float:
    """Goodput by a dense solve of the whole system in E_1..E_m, U_1..U_m, V."""
    first, second = inputs.local_rate_per_s, inputs.remote_rate_per_s
    total, size = first + second, 2 * count + 1
    matrix, right = np.eye(size), np.empty(size)

    def failed(span: float) -> float:
        return float(-np.expm1(-total * span))

    def state(row: int, span: float, following: int | None, local: int) -> None:
        q = failed(span)
        right[row] = q / total
        if following is not None:
            matrix[row, following] -= 1 - q
        matrix[row, local] -= q * first / total
        matrix[row, size - 1] -= q * second / total

    for i in range(count):
        last = i == count - 1
        cost = inputs.remote_write_s if last else inputs.local_write_s
        state(i, interval + cost, None if last else i + 1, count + i)
        state(count + i, inputs.local_restart_s, i, count + i)
    q = failed(inputs.remote_restart_s)
    right[-1] = q / total
    matrix[-1, 0] -= 1 - q
    matrix[-1, -1] -= q
    return float(count * interval / np.linalg.solve(matrix, right)[0])


@settings(max_examples=60)
@given(
    rates=st.tuples(st.floats(1e-6, 1e-3), st.floats(1e-7, 1e-3)),
    times=st.tuples(*[st.floats(1, 1500)] * 4),
    interval=st.floats(10, 3000),
    count=st.integers(1, 12),
)
def test_against_a_dense_solve(
    rates: tuple[float, float], times: tuple[float, ...], interval: float, count: int
) -> None:
    inputs = multilevel.MultilevelInputs(*rates, *times)
    found = multilevel.multilevel_goodput(inputs, interval_s=interval, segment_count=count)
    assert 0.0 <= found <= 1.0
    # The dense system is singular to rounding when a pattern almost never ends; it is no oracle there.
    assume(found > 1e-6)
    assert found == pytest.approx(_solved(inputs, interval, count), rel=1e-7)


def test_one_level_is_the_blocking_form() -> None:
    times = {"interval_s": 600.0, "mttf_s": 7200.0}
    remote_only = multilevel.MultilevelInputs(0.0, 1 / 7200, 5.0, 90.0, 120.0, 900.0)
    found = multilevel.multilevel_goodput(remote_only, interval_s=600.0, segment_count=1)
    assert found == pytest.approx(checkpointing.goodput(write_s=90.0, restart_s=900.0, **times), rel=1e-13)
    local_only = multilevel.MultilevelInputs(1 / 7200, 0.0, 30.0, 30.0, 120.0, 900.0)
    found = multilevel.multilevel_goodput(local_only, interval_s=600.0, segment_count=9)
    assert found == pytest.approx(checkpointing.goodput(write_s=30.0, restart_s=120.0, **times), rel=1e-13)


def test_almost_hopeless_recovery_keeps_its_digits() -> None:
    inputs = multilevel.MultilevelInputs(1 / 100, 0.0, 30.0, 30.0, 4000.0, 900.0)
    found = multilevel.multilevel_goodput(inputs, interval_s=60.0, segment_count=3)
    expected = checkpointing.goodput(interval_s=60.0, write_s=30.0, mttf_s=100.0, restart_s=4000.0)
    assert found == pytest.approx(expected, rel=1e-12)
    assert 0.0 < found < 1e-17


def test_no_failures_and_hopeless_rows() -> None:
    inputs = multilevel.MultilevelInputs(
        np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0]), 5.0, 60.0, 1e5, 900.0
    )
    found = multilevel.multilevel_goodput(inputs, interval_s=300.0, segment_count=12)
    np.testing.assert_allclose(found, [3600 / (3600 + 11 * 5 + 60), 0.0, 0.0, 0.0], rtol=1e-14, atol=1e-300)


def test_memory_recovery() -> None:
    found = multilevel.memory_recovery_probability(
        machine_count=np.array([16, 16, 128, 2048, 2048]), replicas=2, lost_machines=np.array([2, 3, 2, 2, 1])
    )
    np.testing.assert_allclose(found, [0.933333, 0.800000, 0.992126, 0.999511, 1.0], atol=6e-7)

"""Spare nodes and stragglers against published and tabulated values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc, gammaln

from engine.reliability import spares

pytestmark = pytest.mark.filterwarnings("error")
# 2048 nodes, 3.7887e-3 failures per node-day (arXiv:2407.21783), two days of repair.
LOAD = 2048 * 3.7887e-3 * 2


def test_stalled_share() -> None:
    found = spares.stalled_share(spare_nodes=np.array([12, 16, 20, 24, 28, 32]), repair_load=LOAD)
    expected = [0.280705839, 0.127791384, 0.0390421168, 0.00699906894, 7.06024e-4, 4.16657e-5]
    np.testing.assert_allclose(found, expected, rtol=5e-7)


@given(servers=st.integers(0, 400), load=st.floats(0.01, 300))
def test_erlang_against_the_closed_form(servers: int, load: float) -> None:
    log_last = servers * np.log(load) - load - gammaln(servers + 1)
    log_sum = np.log(gammaincc(servers + 1, load)) if gammaincc(servers + 1, load) > 1e-290 else None
    if log_sum is not None:
        found = spares.erlang_b(server_count=servers, load=load)
        assert found == pytest.approx(np.exp(log_last - log_sum), rel=1e-9, abs=1e-300)


def test_erlang_rows_stop_at_their_own_count() -> None:
    servers, loads = np.array([0, 3, 50, 3]), np.array([2.0, 2.0, 2.0, 0.0])
    found = spares.erlang_b(server_count=servers, load=loads)
    alone = [spares.erlang_b(server_count=s, load=a) for s, a in zip(servers, loads, strict=True)]
    np.testing.assert_array_equal(found, alone)
    np.testing.assert_allclose(found[[0, 1, 3]], [1.0, (8 / 6) / (1 + 2 + 2 + 8 / 6), 0.0])
    assert spares.erlang_b(server_count=5, load=np.inf) == 1.0
    assert spares.erlang_b(server_count=1_000_000, load=3.0) == 0.0


def test_best_spare_count() -> None:
    assert spares.find_spare_count(node_count=2048, repair_load=LOAD) == 28
    inflated = (2048 + 28) / (1 - spares.stalled_share(spare_nodes=28, repair_load=LOAD))
    assert inflated == pytest.approx(2077.4667, abs=5e-5)


@settings(max_examples=30)
@given(nodes=st.integers(1, 20000), share=st.floats(0, 0.05))
def test_best_spare_count_is_the_minimum(nodes: int, share: float) -> None:
    load = nodes * share
    every = np.arange(0, int(load + 10 * np.sqrt(load) + 21))
    cost = (nodes + every) / (1 - spares.stalled_share(spare_nodes=every, repair_load=load))
    assert spares.find_spare_count(node_count=nodes, repair_load=load) == every[np.argmin(cost)]


def test_best_spare_count_of_rows_and_limit() -> None:
    found = spares.find_spare_count(
        node_count=np.array([2048, 2048, 100]), repair_load=np.array([LOAD, 0.0, 0.0])
    )
    np.testing.assert_array_equal(found, [28, 0, 0])
    assert spares.find_spare_count(node_count=2048, repair_load=LOAD, limit=10) == 10


def test_normal_maximum() -> None:
    found = spares.expected_normal_maximum(count=np.array([[1, 2, 8], [128, 2048, 16384]]))
    # n = 1 and 2 in closed form; the others as tabulated for order statistics.
    expected = [[0.0, 1 / np.sqrt(np.pi), 1.42360031], [2.59459737, 3.44179910, 3.97135057]]
    np.testing.assert_allclose(found, expected, atol=6e-9)


def test_straggler_factor() -> None:
    assert spares.straggler_factor(rank_count=2048, step_variation=0.02) == pytest.approx(1.0688, abs=5e-5)
    assert spares.straggler_factor(rank_count=1, step_variation=0.5) == pytest.approx(1.0, abs=1e-12)


def test_slow_node_factor() -> None:
    found = spares.slow_node_factor(node_count=np.array([128, 2048]), slow_probability=1e-3, slowdown=1.1)
    np.testing.assert_allclose(found, [1.012020, 1.087114], atol=6e-7)
    assert spares.slow_node_factor(node_count=4, slow_probability=1.0, slowdown=1.5) == 1.5
    assert spares.slow_node_factor(node_count=4, slow_probability=0.0, slowdown=1.5) == 1.0

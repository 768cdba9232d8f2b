"""Interruptible capacity against simulated cases, the limits and the blocking form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reliability import checkpointing, spot

pytestmark = pytest.mark.filterwarnings("error")


def _inputs(**changes: object) -> spot.SpotInputs:
    base = spot.SpotInputs(
        preemption_rate_per_s=1 / 14400,
        failure_rate_per_s=1 / 86400,
        write_s=30.0,
        emergency_write_s=60.0,
        notice_s=120.0,
        preemption_downtime_s=600.0,
        failure_downtime_s=300.0,
        restart_s=180.0,
    )
    return replace(base, **changes)


S1 = _inputs()
S2 = _inputs(
    preemption_rate_per_s=1 / 3600,
    failure_rate_per_s=1 / 43200,
    write_s=60.0,
    emergency_write_s=90.0,
    preemption_downtime_s=900.0,
    failure_downtime_s=600.0,
    restart_s=300.0,
)


# interval, goodput there (simulation: 0.892964 +- 1.3e-4, 0.693602 +- 1.6e-4), best interval, its goodput.
@pytest.mark.parametrize(
    ("inputs", "interval", "share", "best", "best_share"),
    [
        (S1, 600, 0.892999598, 2316.832, 0.916696953),
        (S2, 1800, 0.693520604, 2504.565, 0.695080060),
    ],
)
def test_noticed_case(
    inputs: spot.SpotInputs, interval: float, share: float, best: float, best_share: float
) -> None:
    assert spot.spot_goodput(inputs, interval) == pytest.approx(share, rel=1e-9)
    found = spot.find_spot_interval_s(inputs)
    assert found == pytest.approx(best, rel=1e-6)
    assert spot.spot_goodput(inputs, found) == pytest.approx(best_share, rel=1e-9)


@pytest.mark.parametrize(
    ("inputs", "best", "best_share"), [(S1, 840.681886, 0.879371197), (S2, 592.131435, 0.606876775)]
)
def test_useless_notice(inputs: spot.SpotInputs, best: float, best_share: float) -> None:
    late = replace(inputs, notice_s=59.0)
    found = spot.find_spot_interval_s(late)
    assert found == pytest.approx(best, rel=1e-8)
    assert spot.spot_goodput(late, found) == pytest.approx(best_share, rel=1e-9)


def test_notice_as_long_as_the_write_is_usable() -> None:
    assert spot.spot_goodput(replace(S1, notice_s=60.0), 600.0) == spot.spot_goodput(S1, 600.0)
    assert spot.spot_goodput(replace(S1, notice_s=59.9), 600.0) < spot.spot_goodput(S1, 600.0)


def test_endless_interval() -> None:
    assert spot.spot_goodput(S2, np.inf) == pytest.approx(0.669300488, rel=1e-9)
    assert spot.spot_goodput(S2, 1e9) == pytest.approx(0.669300488, rel=1e-9)


def test_without_crashes_only_the_notice_is_needed() -> None:
    found = spot.find_spot_interval_s(_inputs(failure_rate_per_s=0.0))
    assert found == np.inf
    # A preemption each 4 h costs the emergency write, the wait and the restart.
    assert spot.spot_goodput(_inputs(failure_rate_per_s=0.0), found) == pytest.approx(14400 / (14400 + 840))


def test_never_interrupted_and_free_writes() -> None:
    inputs = _inputs(
        preemption_rate_per_s=np.array([0.0, 1 / 14400, 0.0]), failure_rate_per_s=np.array([0.0, 1e-5, 0.0]),
        write_s=np.array([30.0, 0.0, 0.0]),
    )  # fmt: skip
    found = spot.find_spot_interval_s(inputs)
    np.testing.assert_array_equal(found, [np.inf, 0.0, np.inf])
    shares = spot.spot_goodput(inputs, found)
    down = 1 / 14400 * (60 + 600 + 180) + 1e-5 * (300 + 180)
    np.testing.assert_allclose(shares, [1.0, 1 / (1 + down), 1.0], rtol=1e-12)
    np.testing.assert_allclose(spot.spot_goodput(inputs, 570.0), [0.95, shares[1], 1.0], rtol=0.05)


rates = st.floats(-9, -2).map(lambda exponent: 10.0**exponent)
spans = st.floats(0, 5).map(lambda exponent: 10.0**exponent)


@given(preempted=rates, crashed=rates, write=spans, interval=spans, restart=spans)
def test_goodput_is_a_share_and_falls_with_restart(
    preempted: float, crashed: float, write: float, interval: float, restart: float
) -> None:
    inputs = _inputs(
        preemption_rate_per_s=preempted, failure_rate_per_s=crashed, write_s=write, restart_s=restart
    )
    share = spot.spot_goodput(inputs, interval)
    assert 0.0 <= share <= 1.0
    worse = spot.spot_goodput(replace(inputs, restart_s=2 * restart), interval)
    assert worse < share or share < 1e-12 or (preempted + crashed) * restart < 1e-14


@given(crashed=rates, write=spans, interval=spans)
def test_without_preemptions_equals_blocking(crashed: float, write: float, interval: float) -> None:
    inputs = _inputs(preemption_rate_per_s=0.0, failure_rate_per_s=crashed, write_s=write)
    expected = checkpointing.goodput(
        interval_s=interval, write_s=write, mttf_s=1 / crashed, restart_s=0.0, downtime_s=480.0
    )
    assert spot.spot_goodput(inputs, interval) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(preempted=rates, crashed=rates, write=st.floats(1, 1e3))
def test_optimum_beats_a_grid(preempted: float, crashed: float, write: float) -> None:
    inputs = _inputs(preemption_rate_per_s=preempted, failure_rate_per_s=crashed, write_s=write)
    best = spot.spot_goodput(inputs, spot.find_spot_interval_s(inputs))
    grid = spot.spot_goodput(inputs, np.geomspace(1e-2, 1e12, 3001))
    assert np.max(grid) <= best * (1 + 1e-11)

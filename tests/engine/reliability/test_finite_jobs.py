"""Jobs of known length: moments, segment counts and short runs with background writes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reliability import checkpointing, finite_jobs

pytestmark = pytest.mark.filterwarnings("error")
LLAMA_MTTF_S = 86400 * 54 / 419

# mttf, write, restart, downtime, optimum, standard deviation of a segment [s], confirmed by simulation.
CASES = [
    (LLAMA_MTTF_S, 60, 300, 0, 1116.29637, 330.513316),
    (86400 / (2048 * 0.0065), 600, 900, 0, 2405.95534, 2376.05581),
    (3600, 1200, 600, 300, 2199.96068, 5069.66138),
    (86400, 120, 600, 0, 4474.03367, 757.208291),
]


@pytest.mark.parametrize(("mttf", "write", "restart", "downtime", "interval", "deviation"), CASES)
def test_standard_deviation(
    mttf: float, write: float, restart: float, downtime: float, interval: float, deviation: float
) -> None:
    found = finite_jobs.compute_segment_moments(
        interval_s=interval, write_s=write, mttf_s=mttf, restart_s=restart, downtime_s=downtime
    )
    assert np.sqrt(found.variance_s2) == pytest.approx(deviation, rel=1e-8)


def test_two_thousand_segments() -> None:
    interval = checkpointing.optimal_interval_s(write_s=60, mttf_s=LLAMA_MTTF_S)
    found = finite_jobs.compute_segment_moments(
        interval_s=interval, write_s=60, mttf_s=LLAMA_MTTF_S, restart_s=300
    )
    assert 2000 * found.mean_s == pytest.approx(2549109.80, rel=1e-8)
    assert np.sqrt(2000 * found.variance_s2) == pytest.approx(14781.005, rel=1e-7)


def test_moments_of_rare_and_hopeless_failures() -> None:
    mttf = np.array([np.inf, 1e18, 1e-3])
    found = finite_jobs.compute_segment_moments(
        interval_s=900.0, write_s=100.0, mttf_s=mttf, restart_s=300.0, downtime_s=50.0
    )
    # One failure in 1e15 segments: its cost squared, 500 s of lost work on average, spread over 1000 s.
    rare = 1e-15 * ((500.0 + 350.0) ** 2 + 1000.0**2 / 12.0)
    np.testing.assert_allclose(found.variance_s2, [0.0, rare, np.inf], rtol=1e-9)


@pytest.mark.parametrize("load", [0.0199, 0.0201, 1e-6, 2.0])
def test_variance_is_smooth_across_the_series(load: float) -> None:
    """Against direct integration of the truncated exponential law, one failure at most."""
    time = (np.arange(200_000) + 0.5) * load / 200_000
    weight = np.exp(-time)
    mean = np.average(time, weights=weight)
    variance = np.average((time - mean) ** 2, weights=weight)
    failures = np.expm1(load)
    expected = failures * variance + failures * (1 + failures) * mean**2
    found = finite_jobs.compute_segment_moments(interval_s=load, write_s=0, mttf_s=1, restart_s=0)
    assert found.variance_s2 == pytest.approx(expected, rel=1e-8)


@given(
    work=st.floats(1, 1e6),
    write=st.floats(0.01, 1e4),
    mttf=st.floats(10, 1e6),
    offset=st.sampled_from([-2, -1, 1, 2]),
)
def test_segment_count_has_no_better_neighbour(work: float, write: float, mttf: float, offset: int) -> None:
    count = float(finite_jobs.find_segment_count(work_s=work, write_s=write, mttf_s=mttf))
    other = count + offset

    def log_wall(segments: float) -> float:
        span = (work / segments + write) / mttf
        return float(np.log(segments) + span + np.log(-np.expm1(-span)))

    assert count >= 1 and count == int(count)
    if other >= 1:
        assert log_wall(count) <= log_wall(other) + 1e-12 * max(1.0, abs(log_wall(other)))


def test_segment_count_limits() -> None:
    count = finite_jobs.find_segment_count(
        work_s=1e5, write_s=np.array([0.0, 60.0]), mttf_s=np.array([1e4, np.inf])
    )
    np.testing.assert_array_equal(count, [np.inf, 1.0])


# segments, background, mttf, downtime, wall time [s]; simulation gave 32407.5 +- 2.0 and 14493.6 +- 2.5.
@pytest.mark.parametrize(
    ("segments", "background", "mttf", "downtime", "wall"),
    [(50, 120, LLAMA_MTTF_S, 0, 32405.762641), (20, 300, 6490.384615, 120, 14494.852792)],
)
def test_short_async_job(segments: int, background: float, mttf: float, downtime: float, wall: float) -> None:
    found = finite_jobs.expected_async_wall_s(
        segment_count=segments,
        interval_s=600,
        stall_s=5,
        background_s=background,
        mttf_s=mttf,
        restart_s=300,
        downtime_s=downtime,
    )
    assert found == pytest.approx(wall, rel=1e-9)


def test_short_async_job_without_background_is_blocking() -> None:
    times = {"interval_s": 600.0, "mttf_s": 5000.0, "restart_s": 300.0, "downtime_s": 60.0}
    found = finite_jobs.expected_async_wall_s(segment_count=7, stall_s=30.0, background_s=0.0, **times)
    assert found == pytest.approx(7 * checkpointing.expected_segment_s(write_s=30.0, **times), rel=1e-12)


def test_long_async_job_meets_the_long_run() -> None:
    times = {"interval_s": 600.0, "stall_s": 5.0, "background_s": 300.0, "mttf_s": 6490.0, "restart_s": 300.0}
    wall = finite_jobs.expected_async_wall_s(segment_count=4000, **times)
    assert 4000 * 600 / wall == pytest.approx(checkpointing.async_goodput(**times), rel=2e-4)


def test_short_async_job_limits() -> None:
    times = {
        "segment_count": 3,
        "interval_s": 600.0,
        "stall_s": 5.0,
        "background_s": 30.0,
        "restart_s": 300.0,
    }
    assert finite_jobs.expected_async_wall_s(mttf_s=np.inf, **times) == 3 * 605 + 30
    assert finite_jobs.expected_async_wall_s(mttf_s=1e-3, **times) == np.inf

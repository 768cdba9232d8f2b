"""Failure rates of jobs against published mean times to failure."""

from __future__ import annotations

import numpy as np
import pytest

from engine.reliability import failures

pytestmark = pytest.mark.filterwarnings("error")


# RSC-1 and RSC-2: 6.50 and 2.34 failures per 1000 node-days (arXiv:2410.21680); Llama 3: 419 in 54 days on
# 2048 nodes (arXiv:2407.21783). Mean times in hours.
@pytest.mark.parametrize(
    ("nodes", "rate", "hours"),
    [
        (128, 6.5e-3, 28.846154),
        (2048, 6.5e-3, 1.802885),
        (16384, 6.5e-3, 0.225361),
        (128, 2.34e-3, 80.128205),
        (2048, 2.34e-3, 5.008013),
        (16384, 2.34e-3, 0.626002),
        (2048, 419 / (2048 * 54), 3.093079),
    ],
)
def test_published_mean_time(nodes: int, rate: float, hours: float) -> None:
    per_s = failures.job_failure_rate_per_s(node_count=nodes, failures_per_node_day=rate)
    assert failures.mttf_s(failure_rate_per_s=per_s) == pytest.approx(3600 * hours, rel=2e-6)


def test_small_jobs_need_a_job_level_term() -> None:
    # 1024-GPU jobs of RSC-1 last 7.9 h; 128 nodes alone would give 28.8 h.
    per_s = failures.job_failure_rate_per_s(
        node_count=128, failures_per_node_day=6.5e-3, job_failures_per_hour=0.0919
    )
    assert failures.mttf_s(failure_rate_per_s=per_s) == pytest.approx(3600 * 7.9, rel=1e-3)


def test_preemptions_count_per_node() -> None:
    per_s = failures.job_failure_rate_per_s(
        node_count=np.array([1, 10]), failures_per_node_day=0.0, preemptions_per_node_hour=0.05
    )
    np.testing.assert_allclose(failures.mttf_s(failure_rate_per_s=per_s), [72000.0, 7200.0])


def test_no_failures_never_come() -> None:
    per_s = failures.job_failure_rate_per_s(node_count=np.array([0, 8]), failures_per_node_day=-0.0)
    mean = failures.mttf_s(failure_rate_per_s=per_s)
    np.testing.assert_array_equal(mean, np.inf)
    np.testing.assert_array_equal(failures.exposure(time_s=np.inf, mttf_s=mean), 0.0)


def test_exposure() -> None:
    found = failures.exposure(
        time_s=np.array([0.0, 30.0, np.inf, 0.0]), mttf_s=np.array([0.0, 60.0, 60.0, 5.0])
    )
    np.testing.assert_array_equal(found, [0.0, 0.5, np.inf, 0.0])

"""How often a job is interrupted, and how many interruptions to expect in a span of time."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, FloatArray

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86400.0


def job_failure_rate_per_s(
    *,
    node_count: Array,
    failures_per_node_day: Array,
    job_failures_per_hour: Array = 0.0,
    preemptions_per_node_hour: Array = 0.0,
) -> Array:
    """Rate at which anything stops the whole job.

    Valid when every node is needed and interruptions are independent (exponential); preemptions of one
    gang come together, so a rate per node measured on single instances overstates them.
    `node_count` [count]; `failures_per_node_day` [1/day a node]; `job_failures_per_hour` [1/h] (software,
    user and system causes that do not grow with size); `preemptions_per_node_hour` [1/h a node].
    Returns [1/s]: lam = n r_f / 86400 + lam_0 / 3600 + n r_p / 3600. No errors: 0 means never.
    Source: Kokolis et al. (arXiv:2410.21680) for n r_f, with a job-level term for small jobs.
    """
    nodes = np.asarray(node_count, dtype=np.float64)
    per_node = np.asarray(failures_per_node_day, dtype=np.float64) / SECONDS_PER_DAY
    preempted = np.asarray(preemptions_per_node_hour, dtype=np.float64) / SECONDS_PER_HOUR
    job_level = np.asarray(job_failures_per_hour, dtype=np.float64) / SECONDS_PER_HOUR
    return nodes * (per_node + preempted) + job_level


def mttf_s(*, failure_rate_per_s: Array) -> Array:
    """Mean time to failure of a job.

    Valid for any rate from 0. `failure_rate_per_s` [1/s]. Returns [s]: 1 / rate, inf for a rate of 0.
    """
    rate = np.asarray(failure_rate_per_s, dtype=np.float64)
    # Adding 0 turns a rate of -0, a rounding of "never", into +0: its mean is +inf.
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(1.0 / (rate + 0.0))


def exposure(*, time_s: Array, mttf_s: Array) -> FloatArray:
    """Mean number of failures in a span of time.

    Valid for any span and mean from 0 to inf. `time_s` [s], `mttf_s` [s]. Returns [count]: time / mttf,
    with 0 for an empty span and for a job that never fails, however long it runs.
    """
    time = np.asarray(time_s, dtype=np.float64)
    mean = np.asarray(mttf_s, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        return np.where((time == 0.0) | np.isposinf(mean), 0.0, time / mean)

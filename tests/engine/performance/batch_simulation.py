"""A batch job played out event by event: instances start, run waves, are interrupted and start again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Pool:
    """What the closed form takes as known: times [s] and the mean time between interruptions [s]."""

    instances: int
    requests: int
    batch: int
    wave_s: float
    cold_start_s: float
    detection_s: float
    mttf_s: float


def instance_wall_s(pool: Pool, requests: int, rng: np.random.Generator) -> float:
    """Time one instance takes for its own share of the requests, in full waves and a shorter last one."""
    now = _start(pool, 0.0, rng)
    left = requests
    while left > 0:
        size = min(pool.batch, left)
        # A shorter wave takes its share of the time; the test's kernel is linear in the batch for that.
        span = pool.wave_s * size / pool.batch
        until = rng.exponential(pool.mttf_s)
        if until < span:
            now = _start(pool, now + until + pool.detection_s, rng)
        else:
            now, left = now + span, left - size
    return now


def makespan_s(pool: Pool, rng: np.random.Generator) -> float:
    """Time until the last instance is done when all take waves from one queue."""
    clocks = np.array([_start(pool, 0.0, rng) for _ in range(pool.instances)])
    left = pool.requests
    while left > 0:
        who = int(np.argmin(clocks))
        until = rng.exponential(pool.mttf_s)
        size = min(pool.batch, left)
        span = pool.wave_s * size / pool.batch
        if until < span:
            clocks[who] = _start(pool, clocks[who] + until + pool.detection_s, rng)
        else:
            clocks[who] += span
            left -= size
    return float(clocks.max())


def _start(pool: Pool, now: float, rng: np.random.Generator) -> float:
    """A cold start that interruptions begin anew."""
    while True:
        until = rng.exponential(pool.mttf_s)
        if until >= pool.cold_start_s:
            return now + pool.cold_start_s
        now += until + pool.detection_s

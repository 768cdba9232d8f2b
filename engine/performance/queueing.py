"""Slots, waiting and spares: what random arrivals need beyond the mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtri

from engine.arrays import Array, FloatArray

_MOST_SPARES = 32
_NEWTON_STEPS = 6
_MOST_TRIALS = 1e9


def peakedness(arrival_cv: Array) -> FloatArray:
    """Variance over mean of the requests in service, seen against Poisson arrivals [ratio].

    z = (1 + CV^2)/2 with the coefficient of variation of the time between requests. [FIT_SERVING] section 5.
    """
    return np.asarray((1.0 + np.square(arrival_cv)) / 2.0)


def staffed_slots(*, in_service: Array, arrival_cv: Array, beta: Array) -> FloatArray:
    """Slots that hold the requests in service at the percentile of beta [count].

    Valid for many slots (a batching engine has tens to hundreds); beta 2.5 is about p95, 3.3 p99.
    slots = N + beta*sqrt(z*N), N = in_service. [FIT_SERVING] section 5.2, checked there by simulation.
    """
    return np.asarray(in_service + beta * np.sqrt(peakedness(arrival_cv) * in_service))


def prefill_wait_s(
    *, requests_per_s: Array, prefill_s: Array, length_sigma: Array, arrival_cv: Array
) -> FloatArray:
    """Mean wait of a prompt for the prefills ahead of it in one instance [s]; inf when they never end.

    M/G/1 with log-normal prompt lengths: W = lambda*E[pf^2]/(2*(1-rho)) * (1+CV^2)/2,
    E[pf^2] = pf^2*exp(sigma^2), rho = lambda*pf. [FIT_SERVING] section 5.3.
    """
    utilisation = np.asarray(requests_per_s * prefill_s)
    second_moment = np.square(prefill_s) * np.exp(np.square(length_sigma))
    free = 1.0 - utilisation
    backlog = requests_per_s * second_moment / 2.0 * peakedness(arrival_cv)
    return np.where(free > 0.0, backlog / np.where(free > 0.0, free, 1.0), np.inf)


@dataclass(frozen=True, slots=True)
class PromptQueue:
    """How prompts wait for those ahead of them, as chance and mean wait [s] of those that do wait.

    `own` is an instance's own queue, `burst` what a burst of arrivals leaves when all instances share it.
    """

    own: tuple[FloatArray, FloatArray]
    burst: tuple[FloatArray, FloatArray]

    @property
    def mean_s(self) -> FloatArray:
        """Mean wait of all prompts [s]; inf when the prompts ahead never end."""
        return np.asarray(np.maximum(self.own[0] * self.own[1], self.burst[0] * self.burst[1]))

    def in_tail_s(self, tail_share: Array) -> FloatArray:
        """The wait that a share of the prompts exceeds [s]: P(W > t) = chance*exp(-t/mean)."""

        def exceeded(chance: FloatArray, mean_s: FloatArray) -> FloatArray:
            some = chance > tail_share
            over = np.log(np.where(some, chance / np.asarray(tail_share), 1.0))
            return np.asarray(np.where(some, mean_s, 0.0) * over)

        return np.asarray(np.maximum(exceeded(*self.own), exceeded(*self.burst)))


def prompt_queue(
    *, requests_per_s: Array, prefill_s: Array, length_sigma: Array, arrival_cv: Array, instances: Array
) -> PromptQueue:
    """Waiting for prefill in one of `instances` that requests are dealt to evenly [requests/s each].

    Own queue: M/G/1 with log-normal prompts, chance rho, wait pf*exp(sigma^2)/2/(1 - rho). Bursts: Gamma
    gaps (CV above 1) before all instances as GI/M/n, chance s with s = E[exp(-(1-s)*gap*n/pf)], wait
    1/(n*(1 - s)) of the same service; dealing evenly takes bursts apart but not away. The larger counts.
    [FIT_SERVING] section 5.3; tests/engine/performance/test_sizing.py judges it by simulation.
    """
    busy = np.asarray(requests_per_s * prefill_s)
    stable = busy < 1.0
    rho = np.clip(busy, 1e-9, 1.0 - 1e-9)
    service = prefill_s * np.exp(np.square(length_sigma)) / 2.0
    met = _chance_of_queue(rho, np.maximum(np.square(arrival_cv), 1.0))
    own = np.where(stable, service / (1.0 - rho), np.inf)
    burst = np.where(stable, service / (np.maximum(instances, 1.0) * (1.0 - met)), np.inf)
    return PromptQueue((rho, own), (met, burst))


def _chance_of_queue(rho: FloatArray, squared_cv: FloatArray) -> FloatArray:
    """Root s < 1 of s = (1 + CV^2*(1-s)/rho)^(-1/CV^2) by Newton from heavy traffic; CV 1 gives rho."""
    if bool(np.all(squared_cv == 1.0)):
        return rho
    chance = np.maximum(1.0 - 2.0 * (1.0 - rho) / (1.0 + squared_cv), rho)
    for _ in range(_NEWTON_STEPS):
        ahead = squared_cv * (1.0 - chance) / rho
        miss = np.log(chance) + np.log1p(ahead) / squared_cv
        slope = 1.0 / chance - 1.0 / (rho * (1.0 + ahead))
        chance = np.clip(chance - miss / slope, rho, 1.0 - 1e-12)
    return np.asarray(chance)


def length_in_tail(*, mean_tokens: Array, length_sigma: Array, tail_share: Array) -> FloatArray:
    """The length that a share of log-normal lengths of a given mean exceeds [tokens]; sigma 0 = all equal.

    x = mean*exp(z*sigma - sigma^2/2), z the normal quantile of 1 - share: 1.645 at the 95th percentile.
    """
    sigma = np.asarray(length_sigma)
    quantile = ndtri(1.0 - np.asarray(tail_share))
    return np.asarray(mean_tokens * np.exp(quantile * sigma - np.square(sigma) / 2.0))


def instances_needed(
    *,
    requests_per_s: Array,
    batch: Array,
    capacity_per_s: Array,
    service_s: Array,
    arrival_cv: Array,
    headroom: Array,
    beta: Array,
    utilisation_ceiling: Array,
) -> FloatArray:
    """Instances that serve an arrival rate within the targets, at least one [count]; NaN without capacity.

    N = lambda*service by Little's law; the larger of slots(N)/batch and lambda/(capacity*ceiling), over the
    share of capacity not kept free, rounded up. `batch` is the slots of an instance, `capacity_per_s` its
    fluid capacity [requests/s], `service_s` TTFT + osl*TPOT with the batch full, `headroom` a share.
    [FIT_SERVING] section 5.2.
    """
    able = (np.asarray(batch) > 0.0) & (np.asarray(capacity_per_s) > 0.0)
    slots_each = np.where(able, batch, 1.0)
    rate_each = np.where(able, capacity_per_s, 1.0)
    in_service = requests_per_s * np.where(able, service_s, 0.0)
    slots = staffed_slots(in_service=in_service, arrival_cv=arrival_cv, beta=beta)
    shares = np.maximum(slots / slots_each, requests_per_s / (rate_each * utilisation_ceiling))
    # Rounding noise of a product must not buy a whole instance.
    count = np.maximum(np.ceil(shares / (1.0 - np.asarray(headroom)) - 1e-9), 1.0)
    return np.where(able, count, np.nan)


def spares_for_availability(
    *, needed: Array, instance_availability: Array, availability: Array
) -> FloatArray:
    """Fewest extra instances so that `needed` work with a probability of at least `availability` [count].

    Instances fail independently, each up a share `instance_availability` of the time; at most 32 spares are
    tried, beyond that 32 is returned.
    """
    needed, up, target = np.broadcast_arrays(needed, instance_availability, availability)
    spares = np.zeros(needed.shape)
    known = np.isfinite(needed)
    for _ in range(_MOST_SPARES):
        short = availability_reached(needed=needed, spares=spares, instance_availability=up) < target
        if not np.any(short):
            break
        spares = spares + short
    return np.where(known, spares, np.nan)


def availability_reached(*, needed: Array, spares: Array, instance_availability: Array) -> FloatArray:
    """Share of time in which at least `needed` of `needed + spares` instances work; NaN where unknown.

    Instances fail independently, each up a share `instance_availability` of the time; fewer instances than
    needed (`spares` below 0) never do. P(up >= n | n + k) = 1 - bdtr(n - 1; n + k, a).
    """
    known = np.isfinite(needed) & np.isfinite(spares)
    # The distribution takes whole trials; beyond this many a spare more or less is nothing.
    count = np.minimum(np.where(known, needed, 1.0), _MOST_TRIALS)
    running = count + np.where(known, spares, 0.0)
    reached = 1.0 - bdtr(count - 1.0, np.maximum(running, count).astype(np.int64), instance_availability)
    return np.where(known, np.where(running < count, 0.0, reached), np.nan)

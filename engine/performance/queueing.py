"""Slots, waiting and spares: what random arrivals need beyond the mean."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from engine.arrays import Array, FloatArray

TAIL_P95 = -float(np.log(0.05))
"""Multiple of the mean at the 95th percentile of an exponential: 3.00."""
NORMAL_P95 = 1.6448536269514722
"""The 95th percentile of the standard normal."""
_MOST_SPARES = 32
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


def length_at_p95(*, mean_tokens: Array, length_sigma: Array) -> FloatArray:
    """The 95th percentile of log-normal lengths of a given mean [tokens]; sigma 0 = all equal.

    x95 = mean*exp(1.645*sigma - sigma^2/2).
    """
    sigma = np.asarray(length_sigma)
    return np.asarray(mean_tokens * np.exp(NORMAL_P95 * sigma - np.square(sigma) / 2.0))


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

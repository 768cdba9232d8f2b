"""How many instances a service pays for, hour by hour of the week and month by month."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from engine.arrays import Array, FloatArray
from engine.performance.queueing import instances_needed, spares_for_availability
from engine.performance.serving import InstancePerformance
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import ServingInputs

_HOURS_OF_DAY = 24
_SECONDS_PER_HOUR = 3600.0
_SHARPNESS = np.square(np.linspace(0.0, 1.0, 4001)) * 400.0
"""Exponents tried when a profile is stretched to a given peak; denser where the peak is low."""


@dataclass(frozen=True, slots=True)
class Week:
    """One month's week: instances in each of its 168 hours, and how many months it stands for."""

    months: Array
    instances: FloatArray


@dataclass(frozen=True, slots=True)
class Fleet:
    """Instances of a service; rows first, the 168 hours last. NaN where the instance has no capacity.

    `instances_peak` [count] is the most ever running, `instances_mean` what is paid on average over the
    horizon, `instances_elastic` its part above the base, `utilisation_mean` the share of the paid fluid
    capacity that serves requests; `hourly_instances` and `hourly_requests_per_s` show the week of the busiest
    month, `needed_peak` [count] what its busiest hour needs without spares. `weeks` holds every month's
    week where it was asked for.
    """

    instances_peak: Array
    instances_mean: Array
    utilisation_mean: Array
    hourly_instances: FloatArray
    hourly_requests_per_s: FloatArray
    needed_peak: Array
    instances_elastic: Array
    weeks: tuple[Week, ...] = ()


def load_factors(profile: FloatArray, peak_to_mean: Array) -> FloatArray:
    """Hourly load over its mean, stretched so that its peak is `peak_to_mean`; NaN keeps the profile's own.

    The profile (168,) may have any positive mean; `peak_to_mean` has the rows' shape; returns rows x 168.
    f' = peak*(f/max f)^gamma with gamma such that the mean stays 1: the order of hours is kept and no hour
    turns negative. A flat profile takes one hump a day. A peak no power can reach (above about 30 for
    office hours) keeps its height in the busiest hours and lets the mean exceed 1.
    """
    shape = np.asarray(profile, dtype=np.float64)
    if float(shape.max()) <= 0.0:
        shape = np.ones_like(shape)
    own = shape / shape.mean()
    peak = np.asarray(peak_to_mean, dtype=np.float64)[..., np.newaxis]
    if bool(np.all(np.isnan(peak))):
        return np.broadcast_to(own, np.broadcast_shapes(peak.shape, own.shape))
    wanted = np.maximum(np.where(np.isnan(peak), 1.0, peak), 1.0)
    relative = _relative_shape(own)
    gamma = np.interp(np.log(wanted), _log_peaks(tuple(relative.tolist())), _SHARPNESS)
    return np.where(np.isnan(peak), own, wanted * np.power(relative, gamma))


def requests_per_instance(instance: InstancePerformance) -> FloatArray:
    """Requests/s an instance of the fleet stands for, those that only take in prompts counted with it; NaN
    without capacity."""
    capacity = np.asarray(instance.requests_per_s_capacity)
    usable = np.where(capacity > 0.0, capacity, np.nan)
    return np.asarray(1.0 / (1.0 / usable + 1.0 / np.asarray(instance.prefill_requests_per_s)))


def _spread(needed: FloatArray, zones: FloatArray) -> FloatArray:
    """Instances over all zones, alike in each, such that all but one zone hold what is needed."""
    left = np.maximum(zones - 1.0, 1.0)
    return np.where(zones > 1.0, np.ceil(needed / left - 1e-9) * zones, needed)


def _column(rows: Array) -> FloatArray:
    """Rows with an axis for the hours."""
    return np.asarray(rows, dtype=np.float64)[..., np.newaxis]


def _busiest_ahead(factors: FloatArray, reach_hours: FloatArray) -> FloatArray:
    """The highest factor from each hour until `reach_hours` later; the week wraps around."""
    busiest = factors
    for ahead in range(1, int(reach_hours.max(initial=0.0)) + 1):
        later = np.maximum(busiest, np.roll(factors, -ahead, axis=-1))
        busiest = np.where(ahead <= reach_hours, later, busiest)
    return busiest


def _time_in_service(load: ServingInputs, instance: InstancePerformance) -> FloatArray:
    """Time a request holds a slot while the batch is full [s].

    A capacity that the caller has rescaled (calibration, a draw of the error band) stretches it alike.
    """
    own = np.asarray(instance.output_tokens_per_s) / load.output_tokens
    capacity = np.asarray(instance.requests_per_s_capacity)
    stretch = np.where(capacity > 0.0, own / np.where(capacity > 0.0, capacity, 1.0), np.nan)
    return np.asarray(instance.ttft_s + load.output_tokens * instance.tpot_s_p95 * stretch)


def _busiest_level(growth: FloatArray, months: FloatArray) -> FloatArray:
    """Load of the busiest month over the first one's."""
    return np.where(growth > 1.0, np.power(growth, np.ceil(months) - 1.0), 1.0)


def _sized_factors(factors: FloatArray, autoscale: Array, cold_start_s: Array) -> FloatArray:
    """The factor each hour is sized for: the week's peak, or the busiest until a cold start later."""
    reach = np.ceil(_column(cold_start_s) / _SECONDS_PER_HOUR - 1e-9)
    peak = factors.max(axis=-1, keepdims=True)
    return np.where(_column(autoscale) > 0.0, _busiest_ahead(factors, reach), peak)


def _spares(
    hours: FloatArray, spare_instances: Array, instance_availability: Array, availability: Array
) -> FloatArray:
    """Instances beside those an hour needs: as planned, or as many as the availability asks for."""
    insured = spares_for_availability(
        needed=hours.max(axis=-1, keepdims=True),
        instance_availability=_column(instance_availability),
        availability=_column(availability),
    )
    return np.maximum(_column(spare_instances), insured)


def _size_hours(
    requests_per_s: FloatArray,
    load: ServingInputs,
    instance: InstancePerformance,
    constants: ServingConstants,
    headroom: Array,
) -> FloatArray:
    """Instances needed in each hour, those that only take in prompts with them, spares not counted."""
    pool = requests_per_s / (_column(instance.prefill_requests_per_s) * (1.0 - _column(headroom)))
    return np.ceil(pool - 1e-9) + instances_needed(
        requests_per_s=requests_per_s,
        batch=_column(instance.batch),
        capacity_per_s=_column(instance.requests_per_s_capacity),
        service_s=_column(_time_in_service(load, instance)),
        arrival_cv=_column(load.arrival_cv),
        headroom=_column(headroom),
        beta=_column(constants.staffing_beta(load.tail_share)),
        utilisation_ceiling=_column(constants.utilisation_ceiling),
    )


@dataclass(slots=True)
class _Months:
    """Sums over the horizon: instance-months paid and above the base, months times the mean rate."""

    paid: FloatArray = field(default_factory=lambda: np.zeros(()))
    elastic: FloatArray = field(default_factory=lambda: np.zeros(()))
    served: FloatArray = field(default_factory=lambda: np.zeros(()))
    weeks: tuple[Week, ...] = ()


def _month_levels(growth: FloatArray, months: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Months that one level of traffic lasts, and the level; the last month may be a part."""
    if bool(np.all(growth == 1.0)):
        yield months, growth
        return
    for month in range(int(np.ceil(months.max()))):
        yield np.clip(months - month, 0.0, 1.0), np.power(growth, month)


def _sum_months(
    hourly: Callable[[FloatArray], FloatArray],
    growth: FloatArray,
    months: FloatArray,
    rate: FloatArray,
    base: FloatArray,
    keep_weeks: bool,
) -> _Months:
    """Add up the months; what an hour needs above the base is its excess over it."""
    sums = _Months()
    for weight, level in _month_levels(growth, months):
        week, lasts = hourly(level), weight[..., 0]
        mean = week.mean(axis=-1)
        above = np.maximum(week - base, 0.0).mean(axis=-1) if base.any() else mean
        sums.paid = sums.paid + lasts * mean
        sums.elastic = sums.elastic + lasts * above
        sums.served = sums.served + (weight * level * rate)[..., 0]
        if keep_weeks:
            sums.weeks = (*sums.weeks, Week(lasts, week))
    return sums


def months_of_growth(growth_per_month: Array, horizon_months: Array) -> Array:
    """Months of the first month's traffic that a growing service sees in its horizon, element-wise.

    sum over m of min(1, horizon - m) * (1 + growth)^m: the last month may be a part.
    """
    growth, months = np.broadcast_arrays(1.0 + np.asarray(growth_per_month, dtype=float), horizon_months)
    seen = np.zeros(months.shape)
    for month in range(int(np.ceil(months.max(initial=0.0)))):
        seen = seen + np.clip(months - month, 0.0, 1.0) * np.power(growth, month)
    return seen


@lru_cache(maxsize=8)
def _log_peaks(relative: tuple[float, ...]) -> FloatArray:
    """Logarithm of peak over mean of a profile raised to each power of _SHARPNESS; slow, hence kept."""
    means = [np.power(relative, gamma).mean() for gamma in _SHARPNESS]
    return -np.log(np.asarray(means, dtype=np.float64))


def _relative_shape(own: FloatArray) -> FloatArray:
    """The profile over its highest hour; a daily hump where every hour is alike."""
    if float(np.ptp(own)) > 0.0:
        return np.asarray(own / own.max())
    angle = 2.0 * np.pi * (np.arange(own.size) % _HOURS_OF_DAY) / _HOURS_OF_DAY
    return np.asarray(np.exp(np.cos(angle - np.pi) - 1.0))


def fleet_hours(
    load: ServingInputs,
    instance: InstancePerformance,
    profile: FloatArray,
    *,
    constants: ServingConstants,
    peak_to_mean: Array,
    growth_per_month: Array,
    horizon_months: Array,
    autoscale: Array,
    cold_start_s: Array,
    spare_instances: Array,
    headroom: Array,
    burst: Array,
    instance_availability: Array = 1.0,
    availability: Array = 0.0,
    zones: Array = 1.0,
    base_instances: Array = 0.0,
    keep_weeks: bool = False,
) -> Fleet:
    """Size a fleet for every hour of the week over a horizon.

    In simulation two or three instances in bursts of CV 4 miss the TTFT target by up to a half.
    The rate of hour h in month m is mean*f(h)*(1+growth)^m; `burst` (peak minute over its hour) multiplies
    what is sized for, not what is served. A static fleet is sized on the busiest hour and resized monthly;
    an autoscaled one (flag 1) on the busiest hour from h until a cold start later, in whole hours. Spares
    are the larger of `spare_instances` and those that `availability` asks for; spread over `zones`, the
    others carry the load when one is lost. `headroom` is the share of capacity kept free.
    `base_instances`, parts allowed, are there every hour; what an hour needs beyond them is elastic.
    Rows' shapes, `profile` (168,). [TRAFFIC] "Using it", [FIT_SERVING] section 5.
    """
    factors = load_factors(profile, peak_to_mean)
    sized = _sized_factors(factors, autoscale, cold_start_s) * _column(burst)
    rate = _column(load.requests_per_second)

    def needed(growth: FloatArray) -> FloatArray:
        return _size_hours(rate * growth * sized, load, instance, constants, headroom)

    def with_spares(hours: FloatArray) -> FloatArray:
        hours = _spread(hours, _column(zones))
        return hours + _spares(hours, spare_instances, instance_availability, availability)

    growth = 1.0 + _column(growth_per_month)
    months = np.maximum(_column(horizon_months), 1.0)
    sums = _sum_months(
        lambda level: with_spares(needed(level)), growth, months, rate, _column(base_instances), keep_weeks
    )
    busiest = _busiest_level(growth, months)
    hours = needed(busiest)
    week = with_spares(hours)
    return Fleet(
        instances_peak=week.max(axis=-1),
        instances_mean=sums.paid / months[..., 0],
        utilisation_mean=sums.served * factors.mean(axis=-1) / (sums.paid * requests_per_instance(instance)),
        hourly_instances=week,
        hourly_requests_per_s=rate * busiest * factors,
        needed_peak=hours.max(axis=-1),
        instances_elastic=sums.elastic / months[..., 0],
        weeks=sums.weeks,
    )

"""Two levels of checkpoints: frequent copies in memory or on local disks, rare ones in remote storage."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.special import exprel, gammaln

from engine.arrays import Array, FloatArray
from engine.reliability.line_search import maximise


@dataclass(frozen=True, slots=True)
class MultilevelInputs:
    """Costs [s] and failure rates [1/s] of both levels.

    `local_rate_per_s` counts failures that a local copy survives, `remote_rate_per_s` those that need the
    remote one; `remote_write_s` is the whole cost of the save that ends a pattern.
    """

    local_rate_per_s: Array
    remote_rate_per_s: Array
    local_write_s: Array
    remote_write_s: Array
    local_restart_s: Array
    remote_restart_s: Array


@dataclass(frozen=True, slots=True)
class Pattern:
    """A run of segments, the last saved remotely: work a segment [s], segments [count], goodput [share]."""

    interval_s: Array
    segment_count: Array
    goodput: Array


@dataclass(frozen=True, slots=True)
class _Step:
    """One segment as E_i = time + fallback V + on E_(i+1), V the time from a remote recovery to the end."""

    time_s: FloatArray
    fallback: FloatArray
    on: FloatArray


def multilevel_goodput(inputs: MultilevelInputs, *, interval_s: Array, segment_count: Array) -> Array:
    """Useful share of wall time with two levels of checkpoints.

    Valid for exponential failures and blocking writes; recoveries can be interrupted. `inputs` see
    `MultilevelInputs`; `interval_s` tau [s] a segment, `segment_count` m [count]. Returns [share]:
    m tau / E_1, E_1 the exact solution of the linear system of segments, local and remote recoveries.
    The first m - 1 segments are alike, so the system is a geometric sum. Source: re-derived; see FTI, SCR.
    """
    interval = np.asarray(interval_s, dtype=np.float64)
    count = np.asarray(segment_count, dtype=np.float64)
    local = _step(inputs, interval + inputs.local_write_s)
    last = _step(inputs, interval + inputs.remote_write_s)
    total = np.asarray(inputs.local_rate_per_s) + np.asarray(inputs.remote_rate_per_s)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        log_kept = np.where(count == 1.0, 0.0, (count - 1.0) * np.log1p(-local.fallback))
        kept = np.exp(log_kept)
        # (1 - kept) / fallback, which tends to m - 1 when nothing falls back to the remote level.
        repeats = np.where(local.fallback == 0.0, count - 1.0, -np.expm1(log_kept) / local.fallback)
        through = kept * last.on
        remote = np.asarray(inputs.remote_restart_s) * exprel(total * inputs.remote_restart_s)
        restarted = -np.expm1(log_kept + np.log1p(-last.fallback))
        pattern = kept * last.time_s + repeats * local.time_s + np.where(restarted > 0, restarted * remote, 0)
        return np.where(through > 0.0, count * interval * through / pattern, 0.0)


def _step(inputs: MultilevelInputs, span_s: FloatArray) -> _Step:
    """Coefficients of one segment of work and write.

    From E = q/l + (1-q) E' + q (l1/l U + l2/l V) and U = q1/l + (1-q1) E + q1 (l1/l U + l2/l V), q = 1 -
    exp(-l span), q1 = 1 - exp(-l R1), after elimination of U. The weights of E' and V add up to 1.
    """
    first = np.asarray(inputs.local_rate_per_s, dtype=np.float64)
    second = np.asarray(inputs.remote_rate_per_s, dtype=np.float64)
    total = first + second
    restart = np.asarray(inputs.local_restart_s, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        local = np.where(total > 0.0, first / total, 0.0)
        remote = np.where(total > 0.0, second / total, 0.0)
        done, failed = np.exp(-total * span_s), -np.expm1(-total * span_s)
        restored, again = np.exp(-total * restart), -np.expm1(-total * restart)
        # Sums of what can happen, not 1 minus the rest: nothing cancels when recovery is hopeless.
        stays = restored * local + np.where(total > 0.0, remote, 1.0)
        away = np.where(stays > 0.0, again * remote / stays, 0.0)
        lost = failed * (remote + local * away)
        leaves = done + lost
        run = span_s * exprel(-total * span_s)
        retry = restart * exprel(-total * restart) / stays
        return _Step((run + failed * local * retry) / leaves, lost / leaves, done / leaves)


def first_order_pattern(inputs: MultilevelInputs) -> Pattern:
    """First-order interval and segment count, with their exact goodput: the start of the search.

    Valid for writes far shorter than the mean times to failure, `local_write_s` > 0 and the remote write
    dearer than the local. `inputs` see `MultilevelInputs`. Returns tau = sqrt(2 c1/l1) [s] and
    m = max(1, round(sqrt(2 (c2 - c1)/l2) / tau)); inf where a rate is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        interval = np.sqrt(2.0 * np.asarray(inputs.local_write_s) / np.asarray(inputs.local_rate_per_s))
        extra = np.maximum(np.asarray(inputs.remote_write_s) - np.asarray(inputs.local_write_s), 0.0)
        span = np.sqrt(2.0 * extra / np.asarray(inputs.remote_rate_per_s))
        count = np.maximum(np.rint(span / interval), 1.0)
    return Pattern(interval, count, multilevel_goodput(inputs, interval_s=interval, segment_count=count))


def find_pattern(inputs: MultilevelInputs, *, segment_limit: int = 1000) -> Pattern:
    """Interval and segment count with the highest goodput.

    Valid for positive rates and writes (else the best pattern has no end). `inputs` see `MultilevelInputs`;
    every count from a third to three times the first-order one of the rows, up to `segment_limit`, is
    tried with its own best interval. Returns the pattern. Source: exhaustive over counts, line search
    within; a denser grid finds nothing better.
    """
    start = first_order_pattern(inputs)
    counts = np.clip(np.asarray(start.segment_count), 1.0, float(segment_limit))
    lowest = max(1, int(np.min(counts) // 3))
    highest = min(segment_limit, int(np.ceil(np.max(counts) * 3.0)))
    tried = np.arange(lowest, highest + 1, dtype=np.float64)
    rows = _with_last_axis(inputs)
    guess = np.asarray(start.interval_s)[..., np.newaxis] * np.ones(tried.shape)
    interval = maximise(
        lambda work: np.asarray(multilevel_goodput(rows, interval_s=work, segment_count=tried)),
        low=guess / 30.0,
        high=guess * 30.0,
    )
    value = np.asarray(multilevel_goodput(rows, interval_s=interval, segment_count=tried))
    best = np.argmax(value, axis=-1)[..., np.newaxis]
    return Pattern(
        np.take_along_axis(interval, best, axis=-1)[..., 0],
        tried[best][..., 0],
        np.take_along_axis(value, best, axis=-1)[..., 0],
    )


def _with_last_axis(inputs: MultilevelInputs) -> MultilevelInputs:
    """The same rows with a last axis of length 1 for the segment counts."""
    columns = {item.name: np.asarray(getattr(inputs, item.name))[..., np.newaxis] for item in fields(inputs)}
    return replace(inputs, **columns)


def memory_recovery_probability(*, machine_count: Array, replicas: Array, lost_machines: Array) -> Array:
    """Chance that the copies in memory survive the loss of several machines at once.

    Valid for machines in groups of `replicas` that hold each other's copies; exact up to 2 m - 1 losses, a
    lower bound beyond. `machine_count` N, `replicas` m, `lost_machines` k [counts]. Returns [share]: 1 for
    k < m, else 1 - (N/m) C(N-m, k-m) / C(N, k), not below 0. Source: Gemini (SOSP 2023), re-derived.
    """
    machines = np.asarray(machine_count, dtype=np.float64)
    copies = np.asarray(replicas, dtype=np.float64)
    lost = np.asarray(lost_machines, dtype=np.float64)
    extra = np.maximum(lost - copies, 0.0)
    log_group_lost = gammaln(lost + 1.0) - gammaln(extra + 1.0)
    log_group_lost += gammaln(machines - copies + 1.0) - gammaln(machines + 1.0)
    return np.where(lost < copies, 1.0, np.maximum(1.0 - machines / copies * np.exp(log_group_lost), 0.0))

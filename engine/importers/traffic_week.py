"""From rows of a traffic file to a week: hourly factors, arrivals, lengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from engine.arrays import BoolArray, FloatArray
from engine.errors import InputError
from engine.importers.traffic_columns import Columns
from engine.importers.traffic_records import RowProblem, TrafficImport
from engine.importers.traffic_times import MICRO, MONDAY_US, Clock
from engine.text import N_, Message

HOURS, DAY = 168, 24
HOUR_US = 3600 * MICRO
_GAP_HOURS = 24
"""So many hours without a request are a hole in the log; fewer are hours without traffic."""
_LEAST_COVER_S = 600.0
"""An hour of which less is covered says too little about it."""
_LEAST_GAPS = 30
_COARSE_S = 5.0
"""Whole seconds say nothing about gaps shorter than a few of them."""
_MOST_CV = 50.0

Ints = NDArray[np.int64]
Complain = Callable[[int, Message], None]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that could be read: times [us since 1970], lines, and tokens in and out, or counts in `first`."""

    columns: Columns
    clock: Clock
    times: Ints
    lines: Ints
    first: FloatArray
    second: FloatArray
    rows: int

    def pick(self, kept: Ints | BoolArray) -> Rows:
        """Some of the rows, in the order asked for."""
        return replace(
            self,
            times=self.times[kept],
            lines=self.lines[kept],
            first=self.first[kept],
            second=self.second[kept],
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """Absolute hours (from Monday 1970-01-05) with what was counted in them and the seconds it covers."""

    hours: Ints
    counts: FloatArray
    seconds: FloatArray


def summarise(
    rows: Rows, complain: Complain, problems: Callable[[], tuple[tuple[RowProblem, ...], int]]
) -> TrafficImport:
    """All figures of the rows. Errors: InputError for less than a day, or no traffic at all."""
    assumed: list[Message] = list(rows.clock.assumptions())
    if np.any(rows.times[1:] < rows.times[:-1]):
        assumed.append(Message(N_("The rows are not in the order of time and were sorted.")))
        rows = rows.pick(np.argsort(rows.times, kind="stable"))
    rows = _without_repeats(rows, complain, assumed)
    hourly = rows.columns.hourly
    cover = _counted(rows, assumed) if hourly else _logged(rows, assumed)
    rates, filled = _week(cover)
    mean = float(rates.mean())
    if mean <= 0.0:
        raise InputError("FILE", 0, Message(N_("traffic: at least one request")))
    if filled:
        text = N_(
            "Hours {hours} of the week have no data: they take the mean of the same hour of other days."
        )
        assumed.append(Message(text, {"hours": hour_ranges(filled)}))
    factors = rates / mean
    lengths = {} if hourly else _lengths(rows, assumed)
    dated = "hour" not in rows.columns.at and rows.clock.form != "relative"
    found, count = problems()
    return TrafficImport(
        kind="hourly" if hourly else "requests",
        rows=rows.rows,
        used=int(rows.times.size),
        first=_iso(int(rows.times[0])) if dated else "",
        last=_iso(int(rows.times[-1])) if dated else "",
        requests_per_second=_digits(mean),
        hourly_factors=tuple(_digits(value) for value in factors.tolist()),
        peak_to_mean=_digits(float(factors.max())),
        arrival_cv=None if hourly else _arrival_cv(rows, assumed),
        input_tokens=lengths.get("input_tokens"),
        output_tokens=lengths.get("output_tokens"),
        input_log_sd=lengths.get("input_log_sd"),
        output_log_sd=lengths.get("output_log_sd"),
        filled=tuple(filled),
        read=dict(rows.columns.names),
        assumed=tuple(assumed),
        problems=found,
        problem_count=count,
    )


def hour_ranges(hours: list[int]) -> str:
    """Hours of the week as ranges of numbers, 0 being Monday 00:00 UTC: 3, 120–167."""
    parts: list[str] = []
    start = previous = hours[0]
    for hour in [*hours[1:], -1]:
        if hour == previous + 1:
            previous = hour
            continue
        parts.append(str(start) if start == previous else f"{start}–{previous}")
        start = previous = hour
    return ", ".join(parts)


def _digits(value: float) -> float:
    """Six significant digits: what a plan file should hold."""
    return float(f"{value:.6g}")


def _iso(micros: int) -> str:
    return datetime.fromtimestamp(micros // MICRO, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# Repeats.


def _without_repeats(rows: Rows, complain: Complain, assumed: list[Message]) -> Rows:
    """Rows without those that are there twice, as far as that can be told."""
    keys = (rows.times,) if rows.columns.hourly else (rows.second, rows.first, rows.times)
    order = np.lexsort(keys)
    same = np.ones(max(0, rows.times.size - 1), dtype=bool)
    for column in keys:
        same &= column[order][1:] == column[order][:-1]
    if not same.any():
        return rows
    has_tokens = {"input_tokens", "output_tokens"} & rows.columns.at.keys()
    if not rows.columns.hourly and not (rows.clock.fractional and has_tokens):
        text = N_(
            "{count} rows equal another one; with times this coarse they count as requests of their own."
        )
        assumed.append(Message(text, {"count": int(same.sum())}))
        return rows
    # A run of equal rows repeats its first line.
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    leader = np.repeat(order[starts], np.diff(np.append(starts, order.size)))
    dropped = order[1:][same]
    for row, first in sorted(zip(dropped.tolist(), leader[1:][same].tolist(), strict=True)):
        complain(
            int(rows.lines[row]),
            Message(N_("repeats line {line} and is left out"), {"line": int(rows.lines[first])}),
        )
    return rows.pick(np.delete(np.arange(rows.times.size), dropped))


# Hours.


def _hour_of(times: Ints) -> Ints:
    return np.asarray((times - MONDAY_US) // HOUR_US, dtype=np.int64)


def _counted(rows: Rows, assumed: list[Message]) -> Coverage:
    """Counts by the hour, or by shorter steps of it."""
    steps = np.diff(np.unique(rows.times))
    step_s = float(np.percentile(steps, 10)) / MICRO if steps.size else 3600.0
    if step_s > 3600.5:
        accepted = Message(
            N_("counts of an hour or less; these are {hours} h apart"), {"hours": round(step_s / 3600, 2)}
        )
        raise InputError("FILE", rows.columns.names.get("timestamp", ""), accepted)
    hours, place = np.unique(_hour_of(rows.times), return_inverse=True)
    if hours.size > 1:
        between = int(hours[-1] - hours[0] + 1 - hours.size)
        if between:
            text = N_("{count} hours between the first and the last have no row: other days stand in.")
            assumed.append(Message(text, {"count": between}))
    seconds = np.minimum(np.bincount(place).astype(float) * step_s, 3600.0)
    counts = np.asarray(np.bincount(place, weights=rows.first), dtype=float)
    return Coverage(hours, counts, seconds)


def _logged(rows: Rows, assumed: list[Message]) -> Coverage:
    """Requests of a log: hours without one count as empty, long holes as not logged."""
    hours, counts = np.unique(_hour_of(rows.times), return_counts=True)
    breaks = np.flatnonzero(np.diff(hours) > _GAP_HOURS)
    starts, ends = np.concatenate(([0], breaks + 1)), np.concatenate((breaks, [hours.size - 1]))
    offsets = np.concatenate(([0], np.cumsum(counts)))
    parts: list[Coverage] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        times = rows.times[offsets[start] : offsets[end + 1]]
        parts.append(_island(times, hours[start : end + 1], counts[start : end + 1].astype(float)))
    if len(parts) > 1:
        text = N_("{count} holes of more than a day are taken as not logged.")
        assumed.append(Message(text, {"count": len(parts) - 1}))
    found = Coverage(
        np.concatenate([part.hours for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.seconds for part in parts]),
    )
    empty = sorted({int(hour) % HOURS for hour in found.hours[(found.counts == 0) & (found.seconds > 0)]})
    if empty:
        text = N_("No request in hours {hours} of the week at least once: counted as no traffic.")
        assumed.append(Message(text, {"hours": hour_ranges(empty)}))
    return found


def _island(times: Ints, hours: Ints, counts: FloatArray) -> Coverage:
    """One stretch of a log: all hours from its first to its last, the edges as far as they are covered."""
    every = np.arange(hours[0], hours[-1] + 1)
    filled = np.zeros(every.size)
    filled[hours - hours[0]] = counts
    seconds = np.full(every.size, 3600.0)
    if times.size > 1:
        # n requests cover n mean gaps: half of one on each side.
        gap = float(times[-1] - times[0]) / (times.size - 1)
        near = max(60.0 * MICRO, gap)
        head = float((times[0] - MONDAY_US) % HOUR_US) - gap / 2.0
        tail = float(HOUR_US - (times[-1] - MONDAY_US) % HOUR_US) - gap / 2.0
        seconds[0] -= max(0.0, head) / MICRO if head > near else 0.0
        seconds[-1] -= max(0.0, tail) / MICRO if tail > near else 0.0
    kept = seconds >= _LEAST_COVER_S
    return Coverage(every[kept], filled[kept], seconds[kept])


def _week(cover: Coverage) -> tuple[FloatArray, list[int]]:
    """Requests a second in each hour of the week, weeks averaged, and the hours filled in."""
    place = np.asarray(cover.hours % HOURS, dtype=np.int64)
    seconds = np.bincount(place, weights=cover.seconds, minlength=HOURS)
    counts = np.bincount(place, weights=cover.counts, minlength=HOURS)
    known = seconds > 0.0
    rates = np.where(known, counts / np.where(known, seconds, 1.0), np.nan)
    by_day = rates.reshape(-1, DAY)
    lacking = np.flatnonzero(np.all(np.isnan(by_day), axis=0))
    if lacking.size:
        accepted = Message(
            N_("at least a whole day of traffic; nothing about hours {hours} of the day (UTC)"),
            {"hours": hour_ranges(lacking.tolist())},
        )
        raise InputError("FILE", f"{DAY - lacking.size} h", accepted)
    filled = np.where(np.isnan(by_day), np.nanmean(by_day, axis=0), by_day)
    return filled.reshape(-1), np.flatnonzero(~known).tolist()


# Arrivals and lengths.


def _arrival_cv(rows: Rows, assumed: list[Message]) -> float | None:
    """Coefficient of variation of the gaps within hours: each hour against its own mean, then pooled."""
    hours = _hour_of(rows.times)
    inside = hours[1:] == hours[:-1]
    gaps = np.diff(rows.times)[inside] / MICRO
    _, place = np.unique(hours[1:][inside], return_inverse=True)
    count = np.bincount(place).astype(float)
    mean = np.bincount(place, weights=gaps) / np.maximum(count, 1.0)
    least = 0.0 if rows.clock.fractional else _COARSE_S
    fit = (count >= _LEAST_GAPS) & (mean > least)
    if not fit.any():
        text = (
            N_("Too few requests an hour to tell how arrivals vary: the plan keeps its own figure.")
            if rows.clock.fractional or not (count >= _LEAST_GAPS).any()
            else N_("Whole seconds are too coarse to tell how arrivals vary: the plan keeps its own figure.")
        )
        assumed.append(Message(text))
        return None
    spread = np.bincount(place, weights=np.square(gaps - mean[place]))[fit] / (count[fit] - 1.0)
    pooled = np.sum(count[fit] * spread / np.square(mean[fit])) / np.sum(count[fit])
    return min(_digits(float(np.sqrt(pooled))), _MOST_CV)


def _lengths(rows: Rows, assumed: list[Message]) -> dict[str, float | None]:
    """Means a request and the standard deviation of their logarithm."""
    found: dict[str, float | None] = {}
    for name, column in (("input", rows.first), ("output", rows.second)):
        if f"{name}_tokens" not in rows.columns.at:
            continue
        mean, some = float(column.mean()), column[column > 0.0]
        if mean < 1.0:
            text = N_("{column}: a mean below one token is not taken over.")
            assumed.append(Message(text, {"column": rows.columns.names[f"{name}_tokens"]}))
            continue
        found[f"{name}_tokens"] = _digits(mean)
        found[f"{name}_log_sd"] = _digits(float(np.log(some).std(ddof=1))) if some.size > 1 else None
    return found

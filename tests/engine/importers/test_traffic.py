"""Own traffic from CSV: known profiles come back, hostile files are refused, a million rows take seconds."""

from __future__ import annotations

import contextlib
import io
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_cases import serving_plan

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.errors import FlopwiseError, InputError
from engine.importers import traffic as module
from engine.importers.traffic import read_stream, read_traffic
from engine.importers.traffic_records import TrafficImport
from engine.plan import apply_patch

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens"


def stamp(seconds: float, start: datetime = MONDAY) -> str:
    return (start + timedelta(seconds=float(seconds))).isoformat(sep=" ", timespec="microseconds")


def log_text(seconds: FloatArray, tokens: tuple[int, int] = (100, 10), start: datetime = MONDAY) -> str:
    rows = [f"{stamp(second, start)},{tokens[0]},{tokens[1]}" for second in seconds]
    return "\n".join([HEADER, *rows]) + "\n"


def arrivals(factors: FloatArray, per_hour: float, rng: np.random.Generator, weeks: int = 1) -> FloatArray:
    """Poisson arrivals with a rate by the hour of the week."""
    hours = np.tile(factors, weeks)
    counts = rng.poisson(hours * per_hour)
    return np.concatenate(
        [3600.0 * hour + np.sort(rng.random(count)) * 3600.0 for hour, count in enumerate(counts)]
    )


def hourly_text(counts: FloatArray, head: str = "hour,requests") -> str:
    return "\n".join([head, *(f"{hour},{count!r}" for hour, count in enumerate(counts.tolist()))])


def rendered(found: TrafficImport) -> str:
    return " ".join(message.render() for message in found.assumed)


# What is known comes back.


@pytest.mark.parametrize("name", ["chat", "code"])
def test_a_log_of_a_known_profile_gives_it_back(catalog: Catalog, name: str) -> None:
    factors = np.array(catalog.traffic_profile(name))
    rng = np.random.default_rng(7)
    per_hour = 150.0
    found = read_traffic(log_text(arrivals(factors, per_hour, rng, weeks=2)))
    # Two weeks of Poisson counts: five standard deviations of each hour.
    noise = 5.0 * np.sqrt(factors / (2.0 * per_hour)) + 0.02
    assert np.all(np.abs(np.array(found.hourly_factors) - factors) < noise)
    assert found.requests_per_second == pytest.approx(per_hour / 3600.0, rel=0.02)
    assert found.peak_to_mean == max(found.hourly_factors)
    assert found.filled == () and found.problems == ()


@given(
    counts=st.lists(st.floats(0.0, 1e6), min_size=168, max_size=168).filter(lambda c: sum(c) > 1.0),
)
@settings(max_examples=40, deadline=None)
def test_hourly_counts_come_back_as_factors(counts: list[float]) -> None:
    found = read_traffic(hourly_text(np.array(counts)))
    mean = sum(counts) / 168
    assert found.requests_per_second == pytest.approx(mean / 3600.0, rel=1e-5)
    assert found.hourly_factors == pytest.approx([c / mean for c in counts], rel=1e-5, abs=1e-9)
    assert found.kind == "hourly" and found.arrival_cv is None and found.input_tokens is None


@given(seed=st.integers(0, 2**31), weeks=st.integers(1, 3), shift=st.integers(0, 167))
@settings(max_examples=20, deadline=None)
def test_weeks_are_averaged_from_any_hour_on(seed: int, weeks: int, shift: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 1000, 168 * weeks)
    start = MONDAY + timedelta(hours=shift)
    rows = [f"{(start + timedelta(hours=i)).isoformat()},{count}" for i, count in enumerate(counts.tolist())]
    found = read_traffic("\n".join(["timestamp,requests", *rows]))
    by_hour = np.roll(counts.reshape(weeks, 168).mean(axis=0), shift)
    assert found.hourly_factors == pytest.approx((by_hour / by_hour.mean()).tolist(), rel=1e-5)


@pytest.mark.parametrize("shape", [0.25, 1.0, 4.0])
def test_the_daily_rhythm_does_not_inflate_the_variability_of_arrivals(shape: float) -> None:
    """Gamma gaps of a known coefficient of variation, under a rate that swings twentyfold over the day."""
    rng = np.random.default_rng(3)
    swing = np.tile(np.where(np.arange(24) < 12, 0.1, 1.9), 2)
    seconds: list[float] = []
    for hour, factor in enumerate(swing):
        gaps = rng.gamma(shape, 1.0 / shape, 4000) * 3600.0 / (900.0 * factor)
        within = np.cumsum(gaps)
        seconds += (3600.0 * hour + within[within < 3600.0]).tolist()
    found = read_traffic(log_text(np.array(seconds)))
    assert found.arrival_cv == pytest.approx(shape**-0.5, rel=0.06)
    plain = np.diff(seconds)
    assert plain.std() / plain.mean() > 1.15 * shape**-0.5, "the rhythm would have shown"


def test_means_and_spread_of_the_lengths() -> None:
    rng = np.random.default_rng(1)
    into, out = np.ceil(rng.lognormal(6.0, 1.1, 3000)), np.ceil(rng.lognormal(4.0, 0.8, 3000))
    seconds = np.sort(rng.random(3000)) * 86400.0
    rows = [f"{stamp(s)},{int(i)},{int(o)}" for s, i, o in zip(seconds, into, out, strict=True)]
    found = read_traffic("\n".join([HEADER, *rows]))
    assert found.input_tokens == pytest.approx(into.mean(), rel=1e-5)
    assert found.output_tokens == pytest.approx(out.mean(), rel=1e-5)
    assert found.input_log_sd == pytest.approx(np.log(into).std(ddof=1), rel=1e-5)
    assert found.output_log_sd == pytest.approx(np.log(out).std(ddof=1), rel=1e-5)


def test_the_fields_go_into_a_plan(catalog: Catalog) -> None:
    rng = np.random.default_rng(5)
    found = read_traffic(log_text(arrivals(np.array(catalog.traffic_profile("chat")), 40.0, rng)))
    plan = apply_patch(serving_plan(serving__peak_to_mean=2.0), found.patch())
    serving = plan.serving
    assert serving is not None and isinstance(serving.profile, tuple) and len(serving.profile) == 168
    assert serving.peak_to_mean is None, "the profile's own peak"
    assert (serving.input_tokens, serving.output_tokens) == (100.0, 10.0)


# Less than a week.


def test_hours_beyond_the_file_take_the_mean_of_their_hour_of_the_day() -> None:
    counts = np.arange(1.0, 49.0)  # Monday and Tuesday
    found = read_traffic(hourly_text(counts))
    rates = np.array(found.hourly_factors) * found.requests_per_second * 3600.0
    assert rates[:48] == pytest.approx(counts, rel=1e-4)
    assert rates[48:].reshape(5, 24) == pytest.approx(
        np.tile((counts[:24] + counts[24:]) / 2, (5, 1)), rel=1e-4
    )
    assert found.filled == tuple(range(48, 168)) and "48–167" in rendered(found)


def test_a_missing_hour_is_named_and_another_day_stands_in() -> None:
    rows = [f"{hour},{10 if hour < 24 else 30}" for hour in range(48) if hour != 30]
    found = read_traffic("\n".join(["hour,requests", *rows]))
    assert 30 in found.filled and "30, 48–167" in rendered(found)
    assert found.hourly_factors[30] == pytest.approx(found.hourly_factors[6])


def test_less_than_a_day_is_refused_with_the_hours_it_lacks() -> None:
    with pytest.raises(InputError, match="20–23"):
        read_traffic(hourly_text(np.ones(20)))
    with pytest.raises(InputError, match="whole day"):
        read_traffic(log_text(np.linspace(0.0, 3600.0 * 15, 500)))


def test_one_day_is_enough() -> None:
    rng = np.random.default_rng(2)
    found = read_traffic(log_text(np.sort(rng.random(5000)) * 86400.0 + 5 * 3600.0))
    assert found.requests_per_second == pytest.approx(5000 / 86400.0, rel=0.01)
    assert max(found.hourly_factors) < 1.35


def test_a_quiet_hour_is_no_traffic_and_a_long_hole_is_not_logged() -> None:
    quiet = np.concatenate([np.arange(0.0, 86400.0, 60.0)[:-180], 86400.0 + np.arange(0.0, 86400.0, 60.0)])
    found = read_traffic(log_text(quiet))
    assert "21–23" in rendered(found) and found.filled == tuple(range(48, 168))
    assert found.hourly_factors[22] == 0.0 and found.hourly_factors[46] > 0.0
    hole = np.concatenate([np.arange(0.0, 86400.0, 60.0), 4 * 86400.0 + np.arange(0.0, 86400.0, 60.0)])
    held = read_traffic(log_text(hole))
    assert held.hourly_factors == pytest.approx([1.0] * 168, rel=0.01)
    assert "holes" in rendered(held) and set(range(24, 96)) <= set(held.filled)


# Forms of time.


@pytest.mark.parametrize(
    ("scale", "says"), [(1.0, ""), (1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")]
)
def test_epochs_of_every_scale_are_the_same_moment(scale: float, says: str) -> None:
    rows = [f"{round((MONDAY.timestamp() + 60 * i) * scale)},5,5" for i in range(2 * 1440)]
    found = read_traffic("\n".join(["ts,prompt_tokens,completion_tokens", *rows]))
    assert found.first == "2026-11-02T00:00:00Z" and found.last == "2026-11-03T23:59:00Z"
    assert says in rendered(found)


def test_zones_are_counted_in_utc() -> None:
    east = timezone(timedelta(hours=8))
    rows = []
    for hour in range(48):
        moment = MONDAY + timedelta(hours=hour)
        rows.append(f"{(moment.astimezone(east) if hour % 2 else moment).isoformat()},{hour + 1}")
    found = read_traffic("\n".join(["time,count", *rows]))
    assert found.hourly_factors[1] == pytest.approx(2 * found.hourly_factors[0], rel=1e-5)
    assert "different zones" in rendered(found)


def test_times_with_and_without_a_zone_do_not_mix() -> None:
    text = f"{HEADER}\n2026-11-02 00:00:00,1,1\n2026-11-02 00:00:01+00:00,1,1\n"
    with pytest.raises(InputError, match="line 3"):
        read_traffic(text)


def test_seconds_from_a_start_begin_on_monday() -> None:
    rows = [f"{30 * i},5,5" for i in range(2880)]
    found = read_traffic("\n".join(["Timestamp,Request tokens,Response tokens", *rows]))
    assert "Monday" in rendered(found) and found.filled == tuple(range(24, 168))


def test_whole_seconds_say_nothing_about_short_gaps() -> None:
    rows = [f"{int(MONDAY.timestamp()) + i // 2},5,5" for i in range(2 * 86400)]
    found = read_traffic("\n".join(["timestamp,input_tokens,output_tokens", *rows]))
    assert found.arrival_cv is None and "Whole seconds" in rendered(found)
    assert "serving.arrival_cv" not in found.patch()
    assert found.used == 2 * 86400, "equal rows are requests of their own"


# Rows with a problem.


def test_bad_rows_are_left_out_by_line() -> None:
    lines = log_text(np.arange(0.0, 86400.0, 30.0) + 0.5).splitlines()
    bad = [
        "x,1,1",
        f"{stamp(9)},-5,1",
        f"{stamp(9)},nan,1",
        f"{stamp(9)},1,inf",
        f"{stamp(9)},1",
        ",,",
        f"{stamp(9)},1,1e99",
    ]
    text = "\n".join(lines[:3] + bad + lines[3:])
    found = read_traffic(text)
    assert [problem.line for problem in found.problems] == [4, 5, 6, 7, 8, 9, 10]
    assert found.problem_count == 7 and found.used == 2880 and found.rows == 2887


def test_repeats_are_left_out_and_name_the_first() -> None:
    lines = log_text(np.arange(0.0, 86400.0, 30.0) + 0.25).splitlines()
    found = read_traffic("\n".join([*lines, lines[5], lines[5], lines[9]]))
    assert [problem.line for problem in found.problems] == [2882, 2883, 2884]
    assert found.problems[0].problem.params["line"] == 6 and found.problems[2].problem.params["line"] == 10
    assert found.used == 2880


def test_an_hour_given_twice_counts_once() -> None:
    text = hourly_text(np.ones(168)) + "\n7,500\n"
    found = read_traffic(text)
    assert found.hourly_factors == pytest.approx([1.0] * 168) and found.problems[0].line == 170


def test_rows_out_of_order_are_sorted_and_said_so() -> None:
    rng = np.random.default_rng(4)
    seconds = np.sort(rng.random(4000)) * 86400.0
    lines = log_text(seconds).splitlines()
    mixed = [lines[0], *(lines[1 + i] for i in rng.permutation(4000))]
    found, plain = read_traffic("\n".join(mixed)), read_traffic("\n".join(lines))
    assert found.hourly_factors == plain.hourly_factors and found.arrival_cv == plain.arrival_cv
    assert "sorted" in rendered(found)


def test_problems_are_all_counted_and_a_hundred_kept() -> None:
    lines = log_text(np.arange(0.0, 86400.0, 30.0) + 0.5).splitlines()
    found = read_traffic("\n".join([*lines, *["?,1,1"] * 500]))
    assert found.problem_count == 500 and len(found.problems) == 100


# Hostile files.

HOSTILE = {
    "empty": b"",
    "blank": b"\n \n\n",
    "header alone": HEADER.encode(),
    "binary": bytes(range(256)) * 40,
    "utf-16": HEADER.encode("utf-16"),
    "latin": b"timestamp,requests\n2026-11-02 00:00:00,\xff\xfe\n",
    "wrong columns": b"a,b,c\n1,2,3\n",
    "hours without counts": b"hour,tokens\n1,2\n",
    "two times": b"timestamp,time,requests\n1,1,1\n",
    "one row": f"{HEADER}\n2026-11-02 00:00:00.5,1,1\n".encode(),
    "no time at all": f"{HEADER}\nx,1,1\ny,1,1\n".encode(),
    "mostly bad": f"{HEADER}\n2026-11-02 00:00:00.5,1,1\nx,1,1\ny,1,1\nz,1,1\n".encode(),
    "all nothing": b"hour,requests\n" + b"\n".join(b"%d,0" % hour for hour in range(168)),
    "daily counts": b"date,requests\n" + b"\n".join(b"2026-11-%02d,9" % day for day in range(2, 12)),
    "negative": b"hour,requests\n" + b"\n".join(b"%d,-1" % hour for hour in range(168)),
    "hour 168": b"hour,requests\n168,4\n",
    "a huge field": b"timestamp,requests\n" + b"9" * 300_000 + b",1\n",
    "an open quote": b'timestamp,requests\n"2026,1\n' + b"1,1\n" * 50_000,
    "carriage returns": b"hour,requests\r0,1\r1,1\r",
    "html": b"<html><body>timestamp</body></html>",
    "json": b'[{"timestamp": 1}]',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    path = tmp_path / "traffic.csv"
    path.write_bytes(HOSTILE[name])
    with pytest.raises(InputError) as refused:
        read_traffic(path)
    assert refused.value.field == "FILE" and refused.value.accepted.render()


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_result_or_a_sentence(content: bytes) -> None:
    for start in (b"", HEADER.encode() + b"\n", b"hour,requests\n", b"timestamp;count\n"):
        with contextlib.suppress(FlopwiseError):
            assert read_stream(io.BytesIO(start + content)).requests_per_second > 0.0


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_gives_a_result_or_a_sentence(content: str) -> None:
    with contextlib.suppress(FlopwiseError):
        assert read_traffic(f"timestamp,requests\n{content}").requests_per_second > 0.0


CELL = st.sampled_from(
    ["", "0", "-1", "nan", "inf", "1e400", "5", "1e308", "2026-11-02", "2026-11-02T01:00:00", "0001-01-01",
     "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00+14:00", "1e15", "99999999999999999999", "١٢", "1_0"]
)  # fmt: skip


@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=30))
@settings(max_examples=200, deadline=None)
def test_odd_cells_never_break_it(rows: list[tuple[str, str, str]]) -> None:
    for head in (HEADER, "timestamp,requests,x", "hour,requests,x"):
        try:
            found = read_traffic("\n".join([head, *(",".join(row) for row in rows)]))
        except FlopwiseError:
            continue
        assert np.isfinite([*found.hourly_factors, found.requests_per_second]).all()


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    path = tmp_path / "large.csv"
    path.write_text(log_text(np.arange(0.0, 86400.0, 600.0)))
    for read in (lambda: read_traffic(path), lambda: read_stream(io.BytesIO(path.read_bytes()))):
        with pytest.raises(InputError, match="256 MiB"):
            read()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="readable"):
        read_traffic(tmp_path / "none.csv")


def test_other_separators_and_a_byte_order_mark() -> None:
    for mark in ";\t|":
        text = "\ufeff" + hourly_text(np.arange(1.0, 169.0)).replace(",", mark)
        assert read_traffic(text).hourly_factors[0] == pytest.approx(1 / 84.5, rel=1e-5)


@pytest.mark.slow
def test_a_million_rows_take_seconds(tmp_path: Path) -> None:
    seconds = np.sort(np.random.default_rng(0).random(1_000_000)) * 7 * 86400.0
    path = tmp_path / "million.csv"
    path.write_text(log_text(seconds))
    start = time.perf_counter()
    found = read_traffic(path)
    assert time.perf_counter() - start < 30.0
    assert found.used == 1_000_000 and found.arrival_cv == pytest.approx(1.0, abs=0.01)

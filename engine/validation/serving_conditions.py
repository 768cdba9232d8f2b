"""How published serving runs were driven where their rows do not say: limits, caps and blanks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from engine.validation.tables import shipped_text

TABLE = "serving_conditions.csv"


@lru_cache(maxsize=1)
def _rows() -> tuple[Mapping[str, str], ...]:
    return tuple(csv.DictReader(io.StringIO(shipped_text(TABLE))))


def _of(kind: str) -> Iterator[Mapping[str, str]]:
    return (row for row in _rows() if row["kind"] == kind)


def assumed(name: str) -> float:
    """A stated assumption by name, in the unit of its row."""
    return next(float(row["value"]) for row in _of("assumed") if row["name"] == name)


def latency_limits(scenario: str, model: str) -> tuple[float, float]:
    """TTFT and TPOT [s] at p99 that a benchmark's scenario asks of a network; the first row that fits."""
    rows = (row for row in _of("limit") if row["name"] == scenario and row["match"] in model)
    found = next(rows)
    return float(found["ttft_s"]), float(found["tpot_s"])


def sequence_cap(engine: str) -> float:
    """Largest batch of a rank [sequences] by the engine's name; the first expression that fits."""
    return next(float(row["value"]) for row in _of("cap") if re.search(row["match"], engine))


def sets_cache_format(benchmark: str, engine: str) -> bool:
    """Whether a benchmark's recipes ask the engine for a cache of 8 bits; both names in small letters."""
    rows = (row for row in _of("cache") if benchmark.startswith(row["name"]))
    return any(re.search(row["match"], engine) for row in rows)

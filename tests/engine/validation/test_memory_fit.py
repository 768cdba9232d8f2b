"""The memory model's fitted factor: the same digits every time, and how well it meets unseen sources."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from engine.catalog import load_catalog
from engine.validation.memory_fit import FACTORS, MemoryFit, describe, fit_memory, main, updated_table
from tests.engine.validation.tables import DATA, blanked, rows_of, shuffled, text_of, write

CATALOG = load_catalog()
FILES = ("memory_points_dev", "runs_dev")


def shipped() -> str:
    return (files("engine.catalog") / "data" / "efficiencies.csv").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found() -> MemoryFit:
    return fit_memory([text_of(name) for name in FILES], CATALOG)


def test_the_shipped_factor_and_band_are_the_fit_to_the_digit(found: MemoryFit) -> None:
    assert updated_table(shipped(), found) == shipped()


def test_sources_left_out_are_met(found: MemoryFit) -> None:
    assert len(found.sources) == 66 and len(set(found.sources)) == 3
    assert found.median_error <= 0.08 and found.p90_error <= 0.25
    inside = np.mean((found.held_out >= found.low) & (found.held_out <= found.high))
    assert inside >= 0.8
    assert FACTORS[0] < found.factor < FACTORS[-1]


def test_repeated_peaks_count_once(found: MemoryFit) -> None:
    twice = fit_memory([text_of(FILES[0]), text_of(FILES[0]), text_of(FILES[1])], CATALOG)
    assert twice.sources == found.sources and twice.factor == found.factor


def test_the_order_of_rows_and_speeds_do_not_matter(found: MemoryFit) -> None:
    speeds = ("measured_value", "tokens_per_s_per_gpu", "tflops_per_gpu", "iter_time_s", "mfu_pct")
    texts = [write(shuffled(rows_of(FILES[0]))), write(blanked(rows_of(FILES[1]), speeds))]
    other = fit_memory(texts, CATALOG)
    assert other.factor == found.factor and other.low == pytest.approx(found.low)


def test_the_command_reports_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "efficiencies.csv"
    table.write_text(shipped().replace("training.memory_factor,1,", "training.memory_factor,1,0.5"), "utf-8")
    assert main([*(str(DATA / f"{name}.csv") for name in FILES), "--write", str(table)]) == 0
    assert "leave-one-source-out" in capsys.readouterr().out
    assert table.read_text(encoding="utf-8") == shipped()


def test_the_report_names_every_source(found: MemoryFit) -> None:
    assert all(source in describe(found) for source in found.sources)

"""The fit of the serving constants: the same digits every time, and how well it meets unseen rows."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from engine.catalog import load_catalog
from engine.performance.serving_calibration import (
    ServingCalibration,
    calibrate_serving,
    describe_serving,
    main,
    network_family,
    updated_serving_table,
)
from engine.validation.serving_fitting import read_serving_priors

RUNS = Path(__file__).resolve().parents[3] / "engine" / "validation" / "data" / "inference_runs_dev.csv"


def shipped() -> str:
    return (files("engine.catalog") / "data" / "efficiencies.csv").read_text(encoding="utf-8")


def median(found: ServingCalibration, residuals: np.ndarray, kind: str) -> float:
    picked = [index for index, row in enumerate(found.data.rows) if row.kind == kind]
    return float(np.median(np.abs(np.expm1(residuals[picked]))))


def check_the_shipped_constants_are_the_fit_to_the_digit(found: ServingCalibration) -> None:
    assert updated_serving_table(shipped(), found.values, found.bands, found.presets) == shipped()


def check_what_is_left_out_is_met(found: ServingCalibration) -> None:
    for how, limits in {
        "source": {"tpot": 0.135, "output": 0.14, "ttft": 0.43},
        "family": {"tpot": 0.125, "output": 0.12, "ttft": 0.37},
        "accelerator": {"tpot": 0.12, "output": 0.125, "ttft": 0.32},
    }.items():
        for kind, limit in limits.items():
            assert median(found, found.fitted, kind) < median(found, found.held_out[how], kind) <= limit


def check_constants_stay_near_their_priors(found: ServingCalibration) -> None:
    for prior in read_serving_priors():
        assert abs(np.log(found.values[prior.key] / prior.value)) < 2.5 * prior.spread, prior.key


def check_bands_cover_what_was_left_out(found: ServingCalibration) -> None:
    for kind, band in (("tpot", "tpot"), ("ttft", "ttft"), ("output", "throughput")):
        picked = [index for index, row in enumerate(found.data.rows) if row.kind == kind]
        left = np.concatenate([values[picked] for values in found.held_out.values()])
        assert 0.75 <= np.mean(np.abs(left) <= found.bands[band]) <= 0.85
    assert 2.0 * found.bands["tpot"] <= np.log(1.8)


def check_the_report_names_every_constant(found: ServingCalibration) -> None:
    text = describe_serving(found)
    assert all(prior.key in text for prior in read_serving_priors())
    assert "left out by source, tpot: n 1713" in text


def test_the_fit_of_the_published_table() -> None:
    # One test, so that parallel workers do not each fit for themselves.
    found = calibrate_serving(RUNS.read_text(encoding="utf-8"), load_catalog())
    check_the_shipped_constants_are_the_fit_to_the_digit(found)
    check_what_is_left_out_is_met(found)
    check_constants_stay_near_their_priors(found)
    check_bands_cover_what_was_left_out(found)
    check_the_report_names_every_constant(found)


def test_versions_of_a_network_are_one_family() -> None:
    assert network_family("Llama-3.1-70B") == network_family("Llama-2-70B") == "llama 70b"
    assert network_family("DeepSeek-R1") == network_family("DeepSeek-V3") == "deepseek"


def test_the_command_reports_a_small_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = RUNS.read_text(encoding="utf-8").splitlines(keepends=True)
    table = tmp_path / "runs.csv"
    table.write_text("".join([lines[0], *lines[1::401]]), encoding="utf-8")
    written = tmp_path / "efficiencies.csv"
    written.write_text(shipped(), encoding="utf-8")
    assert main([str(table), "--write", str(written)]) == 0
    assert "in-sample, tpot" in capsys.readouterr().out
    assert written.read_text(encoding="utf-8") != shipped()

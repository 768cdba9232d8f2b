"""The validate command: JSON for scripts, a table for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gui.cli import main

DATA = Path(__file__).resolve().parents[2] / "engine" / "validation" / "data"
FILES = {
    "training": DATA / "runs_dev.csv",
    "memory": DATA / "memory_points_dev.csv",
    "totals": DATA / "totals_dev.csv",
    "inference": DATA / "inference_runs_disagg_dev.csv",
}
KEYS = {"rows", "predicted", "skipped", "median_abs_error", "p90_abs_error", "groups", "per_row"}


@pytest.mark.parametrize("what", FILES)
def test_json(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", what, str(FILES[what]), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data.keys() >= KEYS
    assert data["rows"] == data["predicted"] + len(data["skipped"])
    assert all(
        {"n", "median_abs_error", "p90_abs_error"} <= group.keys() for group in data["groups"].values()
    )
    row = data["per_row"][0]
    assert {"id", "metric", "measured", "predicted", "low", "high"} <= row.keys()
    assert row["low"] <= row["predicted"] <= row["high"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_table(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "training", str(FILES["training"]), "--lang", language]) == 0
    text = capsys.readouterr().out
    assert ("dense networks" if language == "en" else "稠密网络") in text and "r0220" in text and "%" in text
    assert ("Worst rows" in text) == (language == "en")
    assert max(map(len, text.splitlines())) <= 110


def test_what_cannot_be_read_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"\xff\xfe\x00")
    for path, word in ((tmp_path / "none.csv", "FILE"), (broken, "FILE"), (DATA / "SOURCES.md", "gpu")):
        assert main(["validate", "training", str(path)]) == 2
        assert word in capsys.readouterr().err

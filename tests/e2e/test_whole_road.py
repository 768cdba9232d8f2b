"""The whole road in a real X window: open, edit by keys, recommendations, tick, export in both languages.

Runs in its own process, on DISPLAY when there is one, else under xvfb-run; skipped when neither is there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("drive_window.py")
TIMEOUT_S = 180


def command() -> list[str]:
    """How to start the driver so that it has an X server."""
    run = [sys.executable, str(DRIVER)]
    if os.environ.get("DISPLAY"):
        return run
    xvfb = shutil.which("xvfb-run")
    if xvfb is None:
        pytest.skip("needs an X server: DISPLAY is not set and xvfb-run is not installed")
    return [xvfb, "-a", "-s", "-screen 0 1600x1000x24", *run]


@pytest.fixture(scope="module")
def road(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the driver saw, after the whole road."""
    folder = tmp_path_factory.mktemp("road")
    environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    environment |= {
        "FLOPWISE_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": "xcb",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        [*command(), str(folder)],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    if "could not load the Qt platform plugin" in done.stderr.lower():
        pytest.skip(f"the xcb plugin of Qt cannot be loaded here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return {**found, "folder": str(folder)}


def test_it_was_a_real_window(road: dict[str, object]) -> None:
    assert road["platform"] == "xcb"
    assert road["first_total"] not in ("", "…")


def test_typed_edit_moved_the_total(road: dict[str, object]) -> None:
    assert road["tokens"] == 3e12
    assert road["total_after"] > road["total_before"]  # type: ignore[operator]


def test_ticking_repriced_the_choice(road: dict[str, object]) -> None:
    assert road["fired"] > 0  # type: ignore[operator]
    assert road["chosen_before"] != road["chosen_after"]
    assert road["joint_before"] != road["joint_after"]


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_pdf_of_each_language(road: dict[str, object], lang: str) -> None:
    content = (Path(str(road["folder"])) / f"proposal-{lang}.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"%%EOF" in content[-64:]
    assert road["pages"][lang] >= 3  # type: ignore[index]


def test_nothing_was_complained_about(road: dict[str, object]) -> None:
    assert road["complaints"] == []

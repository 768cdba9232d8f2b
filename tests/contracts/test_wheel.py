"""The built wheel, installed into an empty environment, works from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Taken before the fixtures hide the home folder: pip finds its cache there and need not download Qt again.
USERS_OWN = {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME") if name in os.environ}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("flopwise-*.whl"))


@pytest.mark.slow
def test_every_data_file_travels_in_the_wheel(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    data = [
        path.relative_to(ROOT).as_posix()
        for folder in ("assets", "engine", "rules")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in (".csv", ".toml", ".json", ".typ", ".otf", ".svg", ".mo", ".txt")
    ]
    assert data
    assert not [name for name in data if name not in inside]


@pytest.mark.slow
def test_report_works_from_an_empty_environment_and_another_folder(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    # The lock only limits versions: what gets installed is what the wheel itself declares, and nothing else.
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    limits = ["-c", str(ROOT / "requirements.lock")]
    subprocess.run([*install, *limits, str(wheel)], check=True, env=os.environ | USERS_OWN)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    flopwise = str(environment / "bin" / "flopwise")
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    plan = subprocess.run(
        [flopwise, "template", "pretraining-70b-h100"],
        check=True,
        capture_output=True,
        cwd=elsewhere,
        env=clean,
    ).stdout
    for lang in ("en", "zh_CN"):
        done = subprocess.run(
            [flopwise, "report", "-", "--output", f"{lang}.pdf", "--lang", lang, "--json"],
            input=plan,
            check=True,
            capture_output=True,
            cwd=elsewhere,
            env=clean,
        )
        assert json.loads(done.stdout)["pages"] >= 4
        assert (elsewhere / f"{lang}.pdf").read_bytes().startswith(b"%PDF")

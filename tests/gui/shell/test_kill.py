"""kill -9 at any moment: acknowledged edits are there at the next start, and the database is whole."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ROUNDS = 20

# Builds the real application and edits by the session, as the form does; prints each edit it may rely on.
DRIVER = """
import sys
from PySide6.QtCore import QTimer
from gui.shell.application import build
program = build(["flopwise"])
session = program.session
print("start", int(session.plan.training.tokens), flush=True)
number = int(session.plan.training.tokens)
def edit():
    global number
    number += 1
    assert session.edit({"training.tokens": float(number)})
    print("edit", number, flush=True)
timer = QTimer()
timer.timeout.connect(edit)
timer.start(5)
# Saving a revision is another moment at which a kill may come.
saver = QTimer()
saver.timeout.connect(session.commit)
saver.start(70)
sys.exit(program.app.exec())
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "FLOPWISE_DATA_DIR": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(ROOT),
    }


def numbers(process: subprocess.Popen[str]) -> Iterator[tuple[str, int]]:
    assert process.stdout is not None
    for line in process.stdout:
        word, _, number = line.partition(" ")
        if word in ("start", "edit"):
            yield word, int(number)


def run_and_kill(environment: dict[str, str], edits: int) -> tuple[int, int]:
    """Run until so many edits were acknowledged, kill, and return the restored and the last edited number."""
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    restored = last = 0
    try:
        for count, (word, number) in enumerate(numbers(process)):
            restored = number if word == "start" else restored
            last = number
            if count >= edits:
                break
    finally:
        process.kill()
        # What was printed before the kill was acknowledged too.
        for _, number in numbers(process):
            last = number
        process.wait(10)
    return restored, last


@pytest.mark.slow
def test_twenty_kills_lose_nothing_acknowledged(environment: dict[str, str], tmp_path: Path) -> None:
    chance = random.Random(7)
    last = None
    for turn in range(ROUNDS):
        restored, ended = run_and_kill(environment, chance.randint(3, 40))
        assert ended > restored > 0, f"round {turn}: nothing was edited"
        if last is not None:
            assert restored >= last, f"round {turn}: {last - restored} acknowledged edits are missing"
            # One edit may have been journalled without its acknowledgement; more cannot.
            assert restored <= last + 1
        last = ended
        with sqlite3.connect(tmp_path / "flopwise.sqlite") as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    plans = sqlite3.connect(tmp_path / "flopwise.sqlite").execute("SELECT count(*) FROM plans").fetchone()
    assert plans == (1,)

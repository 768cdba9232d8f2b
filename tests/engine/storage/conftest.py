"""A small plan to vary, an open database, and what it takes to behave like a second window."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.plan import Plan, plan_from_data
from engine.storage import Database, open_database


@pytest.fixture(scope="session")
def make_plan() -> Callable[..., Plan]:
    def build(name: str = "first", tokens: float = 1e9, kind: str = "pretraining") -> Plan:
        data = {
            "meta": {"name": name},
            "workload": {"kind": kind},
            "architecture": {
                "hidden_size": 512,
                "num_hidden_layers": 4,
                "num_attention_heads": 8,
                "intermediate_size": 2048,
                "vocab_size": 32000,
            },
            "training": {"tokens": tokens, "sequence_length": 2048, "global_batch_tokens": 1e6},
            "serving": {"requests_per_second": 1, "input_tokens": 100, "output_tokens": 10},
            "cluster": {"accelerator": "h100-sxm", "accelerator_count": 8},
            "people": {"roles": [{"role": "ml_engineer", "fte": 0.5}]},
            "finance": {"fx_rates": {"USD/CNY": {"rate": 7.1, "date": "2026-12-01"}}},
            "ranges": {"cluster.busy_share": {"low": 0.5, "high": 0.9}},
            "provenance": {"training.tokens": {"kind": "entered", "source": "a colleague"}},
        }
        return plan_from_data(data)

    return build


@pytest.fixture
def plan(make_plan: Callable[..., Plan]) -> Plan:
    return make_plan()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "flopwise.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = open_database(path)
    yield opened
    opened.close()


@pytest.fixture
def other_window(database: Database) -> Iterator[Database]:
    opened = open_database(database.path)
    yield opened
    opened.close()


@pytest.fixture
def run_forked() -> Iterator[Callable[[Callable[[], None]], int]]:
    """Start a function in a process of its own; returns its id. Nothing may be open in this process."""
    started: list[int] = []

    def start(work: Callable[[], None]) -> int:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                work()
                code = 0
            finally:
                os._exit(code)
        started.append(child)
        return child

    yield start
    for child in started:
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            continue


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter; for the tests below that give up the superuser's rights."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """The superuser may write anywhere: become nobody for the test."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)

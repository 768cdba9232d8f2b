"""The runner: newest wins, errors are values, results arrive on the GUI thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject

from gui.shell.engine_runner import EngineRunner, Failure, Job


class Receiver(QObject):
    """Keeps what it was given and in which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[Any] = []
        self.threads: list[int] = []

    def take(self, value: Any) -> None:
        self.values.append(value)
        self.threads.append(threading.get_ident())


@pytest.fixture
def runner(qapp: Any) -> Iterator[EngineRunner]:
    made = EngineRunner()
    yield made
    made.close()


def test_result_arrives_on_the_gui_thread(runner: EngineRunner, qtbot: Any) -> None:
    receiver, worked_in = Receiver(), []
    runner.submit("a", lambda job: worked_in.append(threading.get_ident()) or 7, receiver.take)
    qtbot.waitUntil(lambda: receiver.values == [7])
    assert receiver.threads == [threading.get_ident()]
    assert worked_in != receiver.threads
    assert not runner.is_busy()


def test_newer_request_drops_the_older(runner: EngineRunner, qtbot: Any) -> None:
    receiver, gate, seen, started = Receiver(), threading.Event(), [], threading.Event()

    def slow(job: Job) -> str:
        started.set()
        gate.wait(5)
        seen.append(job.cancelled())
        return "old"

    runner.submit("a", slow, receiver.take)
    assert started.wait(5)
    runner.submit("a", lambda job: "new", receiver.take)
    gate.set()
    qtbot.waitUntil(lambda: receiver.values == ["new"])
    assert seen == [True]
    qtbot.wait(50)
    assert receiver.values == ["new"]


def test_result_that_was_cancelled_after_delivery_began_is_dropped(runner: EngineRunner, qtbot: Any) -> None:
    receiver = Receiver()
    runner.submit("a", lambda job: 1, receiver.take)
    runner.pool.waitForDone(2000)  # the result now waits in the event queue
    runner.cancel("a")
    qtbot.wait(50)
    assert receiver.values == []


def test_error_is_a_value(runner: EngineRunner, qtbot: Any, caplog: pytest.LogCaptureFixture) -> None:
    receiver = Receiver()

    def broken(job: Job) -> None:
        raise ZeroDivisionError("no")

    runner.submit("a", broken, receiver.take)
    qtbot.waitUntil(lambda: len(receiver.values) == 1)
    failure = receiver.values[0]
    assert isinstance(failure, Failure)
    assert failure.text == "ZeroDivisionError: no"
    assert "failed" in caplog.text


def test_receiver_that_is_gone_is_not_called(runner: EngineRunner, qtbot: Any) -> None:
    from shiboken6 import delete

    receiver, other = Receiver(), Receiver()
    runner.submit("a", lambda job: 1, receiver.take)
    runner.submit("b", lambda job: 2, other.take)
    delete(receiver)
    qtbot.waitUntil(lambda: other.values == [2])


def test_progress_is_told_until_cancelled(runner: EngineRunner, qtbot: Any) -> None:
    receiver = Receiver()

    def work(job: Job) -> int:
        job.progress(3_000_000_000, 4_000_000_000)  # beyond 32 bits
        job.cancel()
        job.progress(4_000_000_000, 4_000_000_000)
        return 1

    told: list[Any] = []
    runner.progressed.connect(told.append)
    runner.submit("a", work, receiver.take)
    runner.pool.waitForDone(2000)
    qtbot.wait(50)
    assert told == [(3_000_000_000, 4_000_000_000)]
    assert receiver.values == []


def test_one_thread_only(runner: EngineRunner, qtbot: Any) -> None:
    receiver, running, most = Receiver(), [], []

    def work(job: Job) -> None:
        running.append(1)
        most.append(len(running))
        threading.Event().wait(0.01)
        running.pop()

    for key in "abcde":
        runner.submit(key, work, receiver.take)
    qtbot.waitUntil(lambda: len(receiver.values) == 5)
    assert max(most) == 1

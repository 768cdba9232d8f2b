"""Charts are drawn on the engine's one thread: drawing takes too long for the event loop."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of one request: the owner's number, what it was for, and the value or the error's text."""

    owner: int
    purpose: str
    value: Any
    error: str = ""


class _Task(QRunnable):
    """Plain data and a bound emit: the relay lives on the GUI thread."""

    def __init__(
        self,
        owner: int,
        purpose: str,
        work: Callable[[], Any],
        wanted: Callable[[], bool],
        worker: ChartWorker,
    ) -> None:
        super().__init__()
        self._owner, self._purpose, self._work, self._wanted = owner, purpose, work, wanted
        self._emit = worker.delivered.emit

    def run(self) -> None:
        if not self._wanted():
            return
        try:
            delivery = Delivery(self._owner, self._purpose, self._work())
        except Exception as problem:  # every error of a chart is shown in its place
            _log.exception("chart failed")
            delivery = Delivery(self._owner, self._purpose, None, f"{type(problem).__name__}: {problem}")
        self._emit(delivery)


class ChartWorker(QObject):
    """Runs chart work on `pool`; a newer request of the same owner and purpose replaces a waiting one."""

    delivered = Signal(object)

    def __init__(self, pool: QThreadPool | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = pool if pool is not None else QThreadPool(self)
        if pool is None:
            self._pool.setMaxThreadCount(1)
        self._owners = itertools.count(1)
        self._newest: dict[tuple[int, str], int] = {}

    def owner(self) -> int:
        """A number for one view, to tell its deliveries from others'."""
        return next(self._owners)

    def submit(self, owner: int, purpose: str, work: Callable[[], Any]) -> None:
        """Ask for `work()`; its value arrives by `delivered` unless a newer request overtakes it."""
        key = (owner, purpose)
        ticket = self._newest.get(key, 0) + 1
        self._newest[key] = ticket
        self._pool.start(_Task(owner, purpose, work, lambda: self._newest.get(key) == ticket, self))

    def wait(self, milliseconds: int = 10_000) -> bool:
        """Wait until nothing runs; for closing and for tests."""
        return self._pool.waitForDone(milliseconds)

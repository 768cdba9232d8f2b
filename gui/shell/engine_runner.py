"""The one place that gives work to the engine: one thread, newest request wins, errors are values."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any
from weakref import WeakMethod

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal
from shiboken6 import isValid

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in the engine, delivered in place of a result."""

    error: Exception

    @property
    def text(self) -> str:
        """One line for a log or a details box."""
        return f"{type(self.error).__name__}: {self.error}"


@dataclass(frozen=True, slots=True)
class _Outcome:
    key: str
    ticket: int
    value: Any


class Job:
    """What running work sees of its request: whether it is still wanted, and where to report progress."""

    def __init__(self, report: Callable[[tuple[int, int]], None]) -> None:
        self._stop = Event()
        self._report = report

    def cancelled(self) -> bool:
        """Whether a newer request or the user has made this one useless."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the work to stop; its result will be dropped."""
        self._stop.set()

    def progress(self, done: int, total: int) -> None:
        """Report how far the work has come."""
        if not self.cancelled():
            self._report((done, total))


Work = Callable[[Job], Any]
Receiver = Callable[[Any], None]


class _Task(QRunnable):
    """Holds data and a bound emit only: the relay lives on the GUI thread."""

    def __init__(self, key: str, ticket: int, work: Work, job: Job, emit: Callable[[Any], None]) -> None:
        super().__init__()
        self._key, self._ticket, self._work, self._job, self._emit = key, ticket, work, job, emit

    def run(self) -> None:
        if self._job.cancelled():
            return
        try:
            value = self._work(self._job)
        except Exception as error:  # a bug of the engine must not take the window with it
            if not self._job.cancelled():
                _LOG.exception("engine work %s failed", self._key)
            value = Failure(error)
        if not self._job.cancelled():
            self._emit(_Outcome(self._key, self._ticket, value))


class EngineRunner(QObject):
    """Runs work on one pool thread and hands results to bound methods on the GUI thread.

    A newer request with the same key cancels the older one; results of cancelled requests are dropped.
    """

    progressed = Signal(object)
    _delivered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pool = QThreadPool(self)
        # Several CPU-bound Python threads make the event loop stutter; one does not.
        self.pool.setMaxThreadCount(1)
        self._jobs: dict[str, tuple[int, Job, WeakMethod[Receiver]]] = {}
        self._ticket = 0
        self._delivered.connect(self._deliver)

    def submit(self, key: str, work: Work, receiver: Receiver, priority: int = 0) -> None:
        """Run `work(job)`; its value or a Failure goes to `receiver`, a bound method of a QObject."""
        self.cancel(key)
        self._ticket += 1
        job = Job(self.progressed.emit)
        self._jobs[key] = (self._ticket, job, WeakMethod(receiver))
        self.pool.start(_Task(key, self._ticket, work, job, self._delivered.emit), priority)

    def cancel(self, key: str) -> None:
        """Drop the request under `key`, running or waiting."""
        found = self._jobs.pop(key, None)
        if found is not None:
            found[1].cancel()

    def cancel_all(self) -> None:
        """Drop every request."""
        for key in list(self._jobs):
            self.cancel(key)

    def is_busy(self, key: str | None = None) -> bool:
        """Whether a request under `key` (any, when None) waits or runs."""
        return bool(self._jobs) if key is None else key in self._jobs

    def close(self, milliseconds: int = 10_000) -> None:
        """Drop everything and wait for the thread."""
        self.cancel_all()
        self.pool.clear()
        self.pool.waitForDone(milliseconds)

    def _deliver(self, outcome: _Outcome) -> None:
        found = self._jobs.get(outcome.key)
        if found is None or found[0] != outcome.ticket:
            return
        del self._jobs[outcome.key]
        receiver = found[2]()
        # A page may have been rebuilt meanwhile: its Python object can outlive the widget.
        if receiver is not None and isValid(getattr(receiver, "__self__", None)):
            receiver(outcome.value)

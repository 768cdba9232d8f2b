"""When something goes wrong: a log file, one dialog, and unsaved work found at the next start."""

from __future__ import annotations

import logging
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Protocol

import platformdirs

from gui.i18n import tr, trn
from gui.services.project import Project, Recovered

LOG_NAME = "flopwise.log"
_LOG = logging.getLogger("gui.crash")
_MAX_BYTES = 1_000_000


class ShowCrash(Protocol):
    """Tells the user once that something went wrong."""

    def __call__(self, text: str, details: str) -> None: ...


def log_file() -> Path:
    """The log file in the platform's log folder."""
    return platformdirs.user_log_path("Flopwise", appauthor=False) / LOG_NAME


def start_logging(file: Path | None = None) -> Path | None:
    """Write warnings and errors to the log file, private to the user; None when that is impossible."""
    target = file or log_file()
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        target.touch(mode=0o600)
        handler = RotatingFileHandler(target, maxBytes=_MAX_BYTES, backupCount=2, encoding="utf-8")
    except OSError as error:
        _LOG.warning("no log file: %s", error)
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(min(root.level or logging.WARNING, logging.WARNING))
    return target


class CrashHook:
    """Replaces sys.excepthook: logs everything, shows the first problem only, keeps the program running."""

    def __init__(self, show: ShowCrash, file: Path | None) -> None:
        self._show = show
        self._file = file
        self._told = False

    def install(self) -> None:
        """Catch what nothing else caught, in this thread and in others."""
        sys.excepthook = self.caught
        threading.excepthook = lambda args: self.caught(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log one uncaught exception and tell the user about the first."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        _LOG.critical("uncaught exception", exc_info=(kind, error, trace))
        # Only the GUI thread may open a dialog, and one is enough: broken paint events come again and again.
        if self._told or threading.current_thread() is not threading.main_thread():
            return
        self._told = True
        where = str(self._file) if self._file is not None else tr("(no log file)")
        text = tr("Something went wrong. Your plan is saved. Details are in the log file: {file}").format(
            file=where
        )
        self._show(text, f"{kind.__name__}: {error}")


def recover(project: Project) -> str:
    """Find unsaved work of a killed window; returns a sentence about it, empty when there was none."""
    found = project.recover(tr("{name} (recovered)"))
    return _about(found)


def _about(found: Recovered) -> str:
    parts = []
    if found.plans:
        count = len(found.plans)
        parts.append(
            trn(
                "Unsaved work of {count} plan was recovered.",
                "Unsaved work of {count} plans was recovered.",
                count,
            ).format(count=count)
        )
    if found.copies:
        count = len(found.copies)
        parts.append(
            trn("{count} recovered copy was added.", "{count} recovered copies were added.", count).format(
                count=count
            )
        )
    if found.unreadable:
        parts.append(tr("Some unsaved work cannot be read by this version; it is kept."))
    return " ".join(parts)

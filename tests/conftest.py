"""Fixtures of all tests: a private data folder, no screen unless one was asked for, English text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Before any Qt import: tests never need a screen, except the end-to-end ones, which are started with one.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ["LC_ALL"] = "C.UTF-8"
os.environ["TZ"] = "UTC"
# Outside the private homes, or every test would scan all fonts of the machine again.
os.environ.setdefault("MPLCONFIGDIR", str(ROOT / "build" / "matplotlib"))

# A shared machine has slow moments, so no deadlines; the same examples in every run of the automated tests.
settings.register_profile("flopwise", deadline=None, print_blob=True, derandomize=bool(os.environ.get("CI")))
settings.load_profile("flopwise")

FOLDER_VARIABLES = (
    "HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "FLOPWISE_DATA_DIR",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What lies in tests/e2e is end to end; no mark to forget."""
    for item in items:
        if item.path.is_relative_to(ROOT / "tests" / "e2e"):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(autouse=True)
def _private_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the user's own plans or settings."""
    home = tmp_path_factory.mktemp("home")
    for name in FOLDER_VARIABLES:
        monkeypatch.setenv(name, str(home))
    return home


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Each test starts in English, whatever the one before switched to."""
    from gui.i18n import set_language

    set_language("en")
    yield
    set_language("en")


@pytest.fixture(autouse=True)
def _no_widgets_left() -> Iterator[None]:
    """Deliver pending deletions: a widget that outlives its test crashes the interpreter at its end."""
    yield
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

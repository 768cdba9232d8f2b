"""Fixtures of all tests: a private data folder, no screen unless one was asked for, English text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before any Qt import: tests never need a screen, except the end-to-end ones, which are started with one.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def _private_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No test reads or writes the user's own plans or settings."""
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "FLOPWISE_DATA_DIR"):
        monkeypatch.setenv(name, str(home))
    yield home


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Each test starts in English, whatever the one before switched to."""
    from gui.i18n import set_language

    set_language("en")
    yield
    set_language("en")

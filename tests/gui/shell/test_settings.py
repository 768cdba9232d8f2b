"""Settings survive an ini file, which knows text only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray

from gui.shell.settings import Settings


def test_settings_read_back_in_a_new_object(qapp: Any, tmp_path: Path) -> None:
    file = tmp_path / "window.ini"
    first = Settings(file)
    first.language, first.theme, first.page, first.plan_id = "zh_CN", "dark", "cost", "abc"
    first.geometry = QByteArray(b"\x00\x01\xff")
    first.sync()
    second = Settings(file)
    assert (second.language, second.theme, second.page, second.plan_id) == ("zh_CN", "dark", "cost", "abc")
    assert second.geometry == QByteArray(b"\x00\x01\xff")


def test_nonsense_falls_back(qapp: Any, tmp_path: Path) -> None:
    file = tmp_path / "window.ini"
    file.write_text("[General]\nlanguage=tlh\ntheme=pink\ngeometry=5\n")
    found = Settings(file)
    assert found.language in ("en", "zh_CN")
    assert found.theme in ("light", "dark")
    assert found.geometry.isEmpty()
    assert found.page == "setup"

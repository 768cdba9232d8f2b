"""Colours: the contrast the visual design promises, and one palette for every widget."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QPalette

from gui.shell import theme
from gui.shell.colours import CATEGORY_SERIES, THEMES


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("role", ["text", "muted", "accent", "saving", "warn", "danger"])
@pytest.mark.parametrize("ground", ["surface", "raised", "window"])
def test_text_can_be_read(name: str, role: str, ground: str) -> None:
    found = THEMES[name]
    assert contrast(getattr(found, role), getattr(found, ground)) >= 4.5


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("role", ["saving", "warn", "danger"])
def test_text_on_its_tint_can_be_read(name: str, role: str) -> None:
    found = THEMES[name]
    assert contrast(getattr(found, role), getattr(found, f"{role}_tint")) >= 4.5


@pytest.mark.parametrize("name", THEMES)
def test_controls_and_series_stand_out(name: str) -> None:
    found = THEMES[name]
    assert contrast(found.edge, found.surface) >= 3
    assert contrast(found.on_accent, found.accent) >= 4.5
    assert all(contrast(colour, found.surface) >= 3 for colour in found.series)


def test_categories_keep_their_colours() -> None:
    from engine.plan.money import CATEGORIES

    assert set(CATEGORIES) <= set(CATEGORY_SERIES)


@pytest.mark.parametrize("name", THEMES)
def test_palette_follows_the_theme(qapp: Any, name: str) -> None:
    theme.install(qapp, name)
    palette = qapp.palette()
    assert palette.color(QPalette.ColorRole.Window).name().upper() == THEMES[name].window
    assert palette.color(QPalette.ColorRole.Base).name().upper() == THEMES[name].surface
    assert theme.color("accent").name().upper() == THEMES[name].accent
    assert qapp.font().family() == "Noto Sans SC"
    assert qapp.styleSheet() == ""
    theme.apply(qapp, "light")

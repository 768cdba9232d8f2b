"""Fonts, sizes and colours of charts: the theme's roles in matplotlib's words. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gui.shell.colours import LIGHT, Theme

FONT_FAMILY = "Noto Sans SC"
FONT_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "fonts"
DPI = 96.0
_POINTS_PER_INCH = 72.0

SOLID, DASHED, DOTTED = "-", (0, (5, 3)), (0, (1, 2))


@dataclass(frozen=True, slots=True)
class ChartStyle:
    """How charts look: a theme, and the size of a text pixel (1.0 on screen)."""

    theme: Theme = LIGHT
    zoom: float = 1.0

    def points(self, pixels: float) -> float:
        """Screen pixels as matplotlib points."""
        return pixels * self.zoom * _POINTS_PER_INCH / DPI

    def text(self, role: str = "text", pixels: float = 11, *, bold: bool = False) -> dict[str, Any]:
        """Keyword arguments of a text in a colour role."""
        return {
            "color": getattr(self.theme, role),
            "fontfamily": FONT_FAMILY,
            "fontsize": self.points(pixels),
            "fontweight": "bold" if bold else "normal",
        }

    def series(self, index: int) -> str:
        """Chart colour number `index`."""
        return self.theme.series[index]


@cache
def register_fonts() -> None:
    """Make the shipped faces known to matplotlib, once a process."""
    from matplotlib import font_manager  # late: the window starts without matplotlib

    for face in ("Regular", "Bold"):
        font_manager.fontManager.addfont(str(FONT_FOLDER / f"NotoSansSC-{face}.otf"))

"""The current theme: palette by role, application font, and colours for painted pieces."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from gui.shell.colours import DARK, LIGHT, THEMES, Theme
from gui.shell.style import FlatStyle

__all__ = ["DARK", "LIGHT", "THEMES", "Theme", "apply", "color", "current", "font", "install"]

FONT_FAMILY = "Noto Sans SC"
FONT_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "fonts"
SIZES = {"title": 20, "figure": 22, "card": 15, "body": 13, "hint": 12, "small": 11}

_current: Theme = LIGHT


def current() -> Theme:
    """The theme in force."""
    return _current


def color(role: str, alpha: float = 1.0) -> QColor:
    """The colour of a role of the current theme; `alpha` from 0 to 1."""
    value = QColor(getattr(_current, role))
    value.setAlphaF(alpha)
    return value


def font(size: str = "body", bold: bool = False) -> QFont:
    """The application face in one of the named sizes, with figures of equal width."""
    made = QFont(FONT_FAMILY)
    made.setPixelSize(SIZES[size])
    made.setBold(bold)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def install(app: QApplication, name: str = "light") -> None:
    """Register the fonts, set the flat style and the theme called `name`. Once per process."""
    for face in ("Regular", "Bold"):
        QFontDatabase.addApplicationFont(str(FONT_FOLDER / f"NotoSansSC-{face}.otf"))
    app.setStyle(FlatStyle(current))
    app.setFont(font())
    apply(app, name)


def apply(app: QApplication, name: str) -> None:
    """Make the theme called `name` current and hand its palette to every widget."""
    global _current
    _current = THEMES[name]
    app.setPalette(palette(_current))


def palette(theme: Theme) -> QPalette:
    """The Qt palette of a theme."""
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.surface,
        QPalette.ColorRole.AlternateBase: theme.raised,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.muted,
        QPalette.ColorRole.Button: theme.surface,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.BrightText: theme.danger,
        QPalette.ColorRole.Highlight: theme.select,
        QPalette.ColorRole.HighlightedText: theme.text,
        QPalette.ColorRole.Accent: theme.accent,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.LinkVisited: theme.accent,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Light: theme.raised,
        QPalette.ColorRole.Midlight: theme.raised,
        QPalette.ColorRole.Mid: theme.line,
        QPalette.ColorRole.Dark: theme.edge,
        QPalette.ColorRole.Shadow: theme.line,
    }
    made = QPalette()
    for role, value in roles.items():
        made.setColor(role, QColor(value))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.edge))
    return made

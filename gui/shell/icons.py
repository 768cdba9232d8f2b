"""Single-stroke icons, tinted by colour role when they are made."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.shell import theme

ICON_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "icons"


@cache
def _source(name: str) -> str:
    return (ICON_FOLDER / f"{name}.svg").read_text(encoding="utf-8")


def pixmap(name: str, role: str = "text", side: int = 16, ratio: float = 2.0) -> QPixmap:
    """The icon `name` drawn in the colour of `role`, sharp up to `ratio` device pixels a pixel."""
    image = QPixmap(round(side * ratio), round(side * ratio))
    image.fill(Qt.GlobalColor.transparent)
    tinted = _source(name).replace("currentColor", theme.color(role).name())
    painter = QPainter(image)
    QSvgRenderer(QByteArray(tinted.encode())).render(painter, QRectF(image.rect()))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `name` in the colour of `role` of the current theme."""
    return QIcon(pixmap(name, role))

"""Chips: a short word in a tinted, outlined box."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.shell import theme

TINTS = {"warn": "warn_tint", "saving": "saving_tint", "danger": "danger_tint"}


def draw_chip(painter: QPainter, rect: QRectF, text: str, role: str = "text") -> None:
    """Paint a chip with `text` into `rect`; roles warn, saving and danger get their tint."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color(role if role in TINTS else "edge"), 1))
    painter.setBrush(theme.color(TINTS[role]) if role in TINTS else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setPen(theme.color(role))
    painter.setFont(theme.font("hint"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


class Chip(QWidget):
    """A chip as a widget."""

    def __init__(self, text: str, role: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._role = role
        self.setAccessibleName(text)
        self.setFont(theme.font("hint"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """The word it shows."""
        return self._text

    def set_text(self, text: str, role: str = "text") -> None:
        """Show another word in another role."""
        self._text, self._role = text, role
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 14, metrics.height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_chip(QPainter(self), QRectF(self.rect()), self._text, self._role)

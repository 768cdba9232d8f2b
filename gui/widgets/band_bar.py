"""The P10-P90 bar: a rail, the band on it and a tick at the central value."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.shell import theme


def draw_band(
    painter: QPainter,
    rect: QRectF,
    *,
    low: float,
    high: float,
    p10: float,
    p90: float,
    mark: float,
    role: str = "accent",
    zero: bool = False,
) -> None:
    """Paint a band on the axis low..high into `rect`; `zero` adds a tick at zero."""
    span = (high - low) or 1.0

    def at(value: float) -> float:
        return rect.left() + rect.width() * min(1.0, max(0.0, (value - low) / span))

    middle = rect.center().y()
    painter.fillRect(QRectF(rect.left(), middle - 0.5, rect.width(), 1), theme.color("edge", 0.6))
    painter.fillRect(QRectF(at(p10), middle - 3, max(2.0, at(p90) - at(p10)), 6), theme.color(role, 0.45))
    if zero:
        painter.fillRect(QRectF(at(0.0) - 0.5, middle - 6, 1, 12), theme.color("edge"))
    painter.fillRect(QRectF(at(mark) - 1, middle - 6, 2, 12), theme.color(role))


class BandBar(QWidget):
    """One band on an axis from `low` to `high`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: tuple[float, float, float, float, float] | None = None
        self._role = "accent"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_band(
        self, p10: float, mark: float, p90: float, low: float = 0.0, high: float | None = None
    ) -> None:
        """Show the band; the axis runs from `low` to `high` (default: 10 % beyond P90)."""
        self._values = (low, p90 * 1.1 if high is None else high, p10, p90, mark)
        self.update()

    def set_role(self, role: str) -> None:
        """Draw in the colour of another role."""
        self._role = role
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(88, 14)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._values is None:
            return
        low, high, p10, p90, mark = self._values
        draw_band(
            QPainter(self),
            QRectF(self.rect()),
            low=low,
            high=high,
            p10=p10,
            p90=p90,
            mark=mark,
            role=self._role,
        )

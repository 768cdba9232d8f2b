"""The picture part of a chart view: a drawn image, and its points to step through."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.charts.render import ChartPixels
from gui.charts.table import Mark
from gui.shell import theme

_REACH = 18.0


class Plot(QWidget):
    """Shows drawn pixels. Arrow keys step through the marks and a click picks the nearest."""

    resized = Signal()
    stepped = Signal(object)
    activated = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image: QImage | None = None
        self._pixels: ChartPixels | None = None
        self._at: int | None = None
        self._message = ""
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 120)

    def sizeHint(self) -> QSize:
        return QSize(320, 220)

    def set_pixels(self, pixels: ChartPixels) -> None:
        """Show a newly drawn chart."""
        image = QImage(
            pixels.data, pixels.width, pixels.height, 4 * pixels.width, QImage.Format.Format_RGBA8888
        )
        # The image borrows the bytes; `_pixels` keeps them alive as long as it is shown.
        image.setDevicePixelRatio(pixels.ratio)
        self._image, self._pixels, self._message = image, pixels, ""
        if self._at is not None and self._at >= len(pixels.places):
            self._at = None
        self.update()

    def set_message(self, text: str) -> None:
        """Show a sentence instead of a chart."""
        self._image, self._pixels, self._message, self._at = None, None, text, None
        self.setAccessibleDescription(text)
        self.update()

    def mark(self) -> Mark | None:
        """The mark the keyboard stands on."""
        if self._pixels is None or self._at is None:
            return None
        return self._pixels.table.marks[self._at]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._image is not None:
            painter.drawImage(QPointF(0, 0), self._image)
        if self._message:
            painter.setPen(theme.color("muted"))
            painter.drawText(
                self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._message
            )
        if self._pixels is not None and self._at is not None and self.hasFocus():
            x, y = self._pixels.places[self._at]
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.drawEllipse(QPointF(x, y), 9, 9)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count = len(self._pixels.places) if self._pixels is not None else 0
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: count - 1}
        key = Qt.Key(event.key())
        if count and key in steps:
            start = -1 if steps[key] > 0 else 0
            self._step_to(((start if self._at is None else self._at) + steps[key]) % count)
        elif count and key in ends:
            self._step_to(ends[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.mark() is not None:
            self.activated.emit(self.mark())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if self._pixels is None or not self._pixels.places:
            return
        at = event.position()
        distances = [(at - QPointF(x, y)).manhattanLength() for x, y in self._pixels.places]
        nearest = min(range(len(distances)), key=distances.__getitem__)
        if distances[nearest] <= _REACH:
            self._step_to(nearest)
            self.activated.emit(self.mark())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _step_to(self, index: int) -> None:
        self._at = index
        mark = self.mark()
        self.setAccessibleDescription(mark.text if mark is not None else "")
        self.stepped.emit(mark)
        self.update()

"""A card: title, optional note or chip at the right, body."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.shell import theme
from gui.widgets.labels import Label


class Card(QWidget):
    """A surface with a one-pixel line round it; put widgets into `body`, a chip or buttons into `head`."""

    def __init__(
        self, title: str = "", *, note: str = "", margin: int = 16, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(margin, margin if not title else 12, margin, margin)
        outer.setSpacing(8)
        self.head = QHBoxLayout()
        self.head.setSpacing(6)
        self.note = Label(note, size="hint", role="muted")
        if title:
            self.title = Label(title, size="card", bold=True)
            self.head.addWidget(self.title)
            self.head.addStretch(1)
            self.head.addWidget(self.note)
            outer.addLayout(self.head)
        self.body = QVBoxLayout()
        self.body.setSpacing(6)
        outer.addLayout(self.body)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.setBrush(theme.color("surface"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

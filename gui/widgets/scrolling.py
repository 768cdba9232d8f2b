"""Scroll areas without frames."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.shell import theme


def quiet_scroll_area(content: QWidget, ground: str = "surface") -> QScrollArea:
    """A frameless vertical scroll area round `content`, on the colour of `ground`; no Tab stop."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for widget in (area, area.viewport()):
        palette = widget.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.color(ground))
        palette.setColor(QPalette.ColorRole.Base, theme.color(ground))
        widget.setPalette(palette)
    area.setWidget(content)
    return area

"""Painted marks that never rest on colour alone: provenance, risk, check states."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.text import N_
from gui.i18n import tr
from gui.shell import theme

RISK_WORDS = (N_("0 none"), N_("1 low"), N_("2 medium"), N_("3 high"))
RISK_ROLES = ("muted", "saving", "warn", "danger")
POLYGONS = {
    "triangle": ((0.0, -1.0), (1.0, 0.85), (-1.0, 0.85)),
    "diamond": ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)),
}
"""Corners of filled marks in units of half their size, from the centre."""
RISK_SHAPES = ("ring", "disc", "triangle", "square")
PROVENANCE = {
    "entered": ("square", "accent", N_("entered")),
    "default": ("hollow_square", "muted", N_("default")),
    "imported": ("arrow", "accent", N_("imported")),
    "assumed": ("triangle", "muted", N_("assumed")),
    "measured": ("ring", "saving", N_("measured")),
    "catalogue": ("hollow_square", "muted", N_("catalogue")),
    "optimised": ("diamond", "accent", N_("optimised")),
}


def draw_mark(painter: QPainter, rect: QRectF, shape: str, role: str) -> None:
    """Paint one shape (disc, ring, square, hollow_square, triangle, diamond, arrow) into `rect`."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = theme.color(role)
    centre, half = rect.center(), min(rect.width(), rect.height()) / 2
    hollow = shape in ("ring", "hollow_square", "arrow")
    painter.setPen(QPen(colour, 1.6) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else colour)
    if shape in ("disc", "ring"):
        painter.drawEllipse(centre, half - 1, half - 1)
    elif shape in ("square", "hollow_square"):
        painter.drawRect(QRectF(centre.x() - half + 1, centre.y() - half + 1, 2 * half - 2, 2 * half - 2))
    elif shape == "arrow":
        tip = QPointF(centre.x(), centre.y() + half - 2)
        painter.drawLine(QPointF(centre.x(), centre.y() - half), tip)
        painter.drawPolyline(
            QPolygonF([tip + QPointF(-half + 2, -half + 2), tip, tip + QPointF(half - 2, -half + 2)])
        )
        painter.drawLine(QPointF(rect.left(), rect.bottom()), QPointF(rect.right(), rect.bottom()))
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x * half, y * half) for x, y in POLYGONS[shape]]))
    painter.restore()


def risk_word(level: int, letter: str = "") -> str:
    """ "1 low S": level, word, and the letter of the dimension that rules."""
    return f"{tr(RISK_WORDS[level])} {letter}".strip()


def ruling_dimension(effect: int, stability: int, governance: int) -> str:
    """The letter (E, S, G) of the worst dimension, empty when there is no risk at all."""
    levels = {"E": effect, "S": stability, "G": governance}
    worst = max(levels.values())
    return next(letter for letter, level in levels.items() if level == worst) if worst else ""


def draw_risk(painter: QPainter, rect: QRectF, level: int, letter: str = "") -> None:
    """Paint the risk badge, mark and words, into `rect`."""
    box = QRectF(rect.left(), rect.center().y() - 5.5, 11, 11)
    draw_mark(painter, box, RISK_SHAPES[level], RISK_ROLES[level])
    painter.setPen(theme.color(RISK_ROLES[level]))
    painter.setFont(theme.font("hint"))
    painter.drawText(
        rect.adjusted(17, 0, 0, 0),
        Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
        risk_word(level, letter),
    )


class Mark(QWidget):
    """A shape with a word beside it."""

    def __init__(self, shape: str, role: str, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shape, self._role, self._text = shape, role, text
        self.setFont(theme.font("hint"))
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_mark(self, shape: str, role: str, text: str) -> None:
        """Show another shape and word."""
        self._shape, self._role, self._text = shape, role, text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The word beside the shape."""
        return self._text

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(18 + metrics.horizontalAdvance(self._text), metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(14, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_mark(painter, QRectF(1, self.height() / 2 - 4.5, 9, 9), self._shape, self._role)
        painter.setPen(theme.color("muted"))
        box = QRectF(self.rect()).adjusted(17, 0, 0, 0)
        shown = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)


class RiskBadge(QWidget):
    """The worst risk of an action: shape, word, colour and the letter of the ruling dimension."""

    def __init__(self, effect: int, stability: int, governance: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = max(effect, stability, governance)
        self._letter = ruling_dimension(effect, stability, governance)
        self.setFont(theme.font("hint"))
        self.setAccessibleName(risk_word(self._level, self._letter))

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(
            22 + metrics.horizontalAdvance(risk_word(self._level, self._letter)), metrics.height() + 2
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_risk(QPainter(self), QRectF(self.rect()), self._level, self._letter)

"""Small painted bar lists for side panels: shares of a total, and what moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.shell import theme

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One bar: `value` sets its length, the texts stand at the right, `colour` is #RRGGBB (empty: no bar)."""

    label: str
    value: float
    text: str
    share: str
    colour: str = ""


class ShareBars(QWidget):
    """Labelled bars with an amount and a share, the last row the total under a line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ShareRow, ...] = ()
        self._total: ShareRow | None = None
        self._stale = False
        self.setFont(theme.font())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_rows(self, rows: Sequence[ShareRow], total: ShareRow) -> None:
        """Show other bars."""
        self._rows, self._total = tuple(rows), total
        spoken = [f"{row.label} {row.text} {row.share}" for row in (*rows, total)]
        self.setAccessibleName("; ".join(spoken))
        self.updateGeometry()
        self.update()

    def texts(self) -> list[str]:
        """Everything written in it, row by row."""
        return [
            text
            for row in (*self._rows, *([self._total] if self._total else []))
            for text in (row.label, row.text)
        ]

    def set_stale(self, stale: bool) -> None:
        """Draw the figures in the muted colour."""
        self._stale = stale
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, 22 * len(self._rows) + 30)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = self.fontMetrics()
        rows = (*self._rows, *([self._total] if self._total else []))
        if not rows:
            return
        share_width = 48
        amount_width = max(metrics.horizontalAdvance(row.text) for row in rows) + 8
        label_width = min(
            max(metrics.horizontalAdvance(row.label) for row in rows) + 10,
            max(60, self.width() - share_width - amount_width - 60),
        )
        bar_width = max(20, self.width() - label_width - amount_width - share_width)
        longest = max((row.value for row in self._rows), default=0.0) or 1.0
        ink = theme.color("muted" if self._stale else "text")
        for index, row in enumerate(rows):
            last = row is self._total
            top = index * 22 + (6 if last else 0)
            if last:
                painter.setPen(QPen(theme.color("edge"), 1))
                painter.drawLine(0, top - 2, self.width(), top - 2)
            self._row(
                painter,
                row,
                QRectF(0, top, self.width(), 22),
                (label_width, bar_width, amount_width),
                longest,
                ink,
                last,
            )

    def _row(
        self, painter: QPainter, row: ShareRow, box: QRectF, widths: tuple[float, float, float],
        longest: float, ink: QColor, bold: bool,
    ) -> None:  # fmt: skip
        label_width, bar_width, amount_width = widths
        painter.setFont(theme.font(bold=bold))
        painter.setPen(theme.color("text"))
        label = painter.fontMetrics().elidedText(
            row.label, Qt.TextElideMode.ElideMiddle, int(label_width) - 6
        )
        painter.drawText(QRectF(0, box.top(), label_width, 22), _LEFT, label)
        if row.colour:
            length = max(1.0, bar_width * row.value / longest)
            painter.fillRect(QRectF(label_width, box.top() + 5, length, 12), QColor(row.colour))
        painter.setPen(ink)
        painter.drawText(QRectF(label_width + bar_width, box.top(), amount_width, 22), _RIGHT, row.text)
        painter.setFont(theme.font("hint"))
        painter.setPen(theme.color("muted"))
        painter.drawText(QRectF(box.right() - 46, box.top(), 46, 22), _RIGHT, row.share)


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """One input: the total at its low and high end, and the texts of the two input values."""

    label: str
    total_low: float
    total_high: float
    low: str
    high: str


class SpreadBars(QWidget):
    """What moves the total: hollow toward the input's low end, filled toward its high end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[SpreadRow, ...] = ()
        self._centre = 0.0
        self._ends: tuple[str, str, str] = ("", "", "")
        self.setFont(theme.font("hint"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_rows(self, rows: Sequence[SpreadRow], centre: float, ends: tuple[str, str, str]) -> None:
        """Show other inputs round the total `centre`; `ends` label the axis: left, centre, right."""
        self._rows, self._centre, self._ends = tuple(rows), centre, ends
        self.setAccessibleName("; ".join(f"{row.label}: {row.low}, {row.high}" for row in rows))
        self.updateGeometry()
        self.update()

    def texts(self) -> list[str]:
        """The labels, row by row."""
        return [row.label for row in self._rows]

    def sizeHint(self) -> QSize:
        return QSize(260, 36 * len(self._rows) + 20)

    def limits(self) -> tuple[float, float]:
        """Ends of the axis."""
        values = [end for row in self._rows for end in (row.total_low, row.total_high)] or [0.0]
        reach = max(abs(value - self._centre) for value in values) or 1.0
        return self._centre - reach, self._centre + reach

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._rows:
            return
        painter = QPainter(self)
        low, high = self.limits()
        left, right = 62.0, self.width() - 62.0

        def at(value: float) -> float:
            return left + (right - left) * (value - low) / (high - low)

        bottom = 36 * len(self._rows)
        for index, row in enumerate(self._rows):
            self._row(painter, row, index * 36.0, at)
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font("small"))
        axis = QRectF(0, bottom + 2, self.width(), 16)
        painter.drawText(axis.adjusted(left - 60, 0, 0, 0), _LEFT, self._ends[0])
        painter.drawText(axis, Qt.AlignmentFlag.AlignCenter, self._ends[1])
        painter.drawText(axis.adjusted(0, 0, -(self.width() - right) + 60, 0), _RIGHT, self._ends[2])

    def _row(self, painter: QPainter, row: SpreadRow, top: float, at) -> None:  # type: ignore[no-untyped-def]
        painter.setFont(theme.font("hint"))
        painter.setPen(theme.color("text"))
        label = painter.fontMetrics().elidedText(row.label, Qt.TextElideMode.ElideMiddle, self.width())
        painter.drawText(QRectF(0, top, self.width(), 17), _LEFT, label)
        centre = at(self._centre)
        painter.setFont(theme.font("small"))
        for value, text, filled in ((row.total_low, row.low, False), (row.total_high, row.high, True)):
            end = at(value)
            bar = QRectF(min(centre, end), top + 19, max(1.0, abs(end - centre)), 11)
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.setBrush(theme.color("accent") if filled else Qt.BrushStyle.NoBrush)
            painter.drawRect(bar)
            painter.setPen(theme.color("muted"))
            painter.fillRect(QRectF(centre - 0.5, top + 17, 1, 16), theme.color("text"))
            if end < centre or (end == centre and not filled):
                painter.drawText(QRectF(0, top + 17, end - 4, 15), _RIGHT, text)
            else:
                painter.drawText(QRectF(end + 4, top + 17, self.width() - end - 4, 15), _LEFT, text)

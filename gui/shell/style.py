"""Flat drawing over Fusion: one-pixel edges, a two-pixel focus ring, no gradients."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QStyleOptionFrame,
    QStyleOptionSlider,
    QStyleOptionToolButton,
    QWidget,
)

from gui.shell.colours import Theme

RADIUS = 4.0


class FlatStyle(QProxyStyle):
    """Fusion with the panels, boxes and scroll bars of the visual design.

    Widgets tell their part by dynamic properties: `role` = "primary" or "danger" on buttons,
    `problem` = "danger" or "warn" on fields, `segment` = True on the parts of a segmented choice.
    """

    def __init__(self, theme: Callable[[], Theme]) -> None:
        super().__init__("Fusion")
        self._theme = theme

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        kind = QStyle.PrimitiveElement
        if element in (kind.PE_PanelLineEdit, kind.PE_FrameLineEdit):
            frameless = isinstance(option, QStyleOptionFrame) and option.lineWidth == 0
            self._field(painter, option, widget, frameless=frameless)
        elif element == kind.PE_PanelButtonCommand:
            self._button(painter, option, widget)
        elif element == kind.PE_PanelButtonTool:
            self._tool(painter, option)
        elif element == kind.PE_FrameFocusRect:
            self._ring(painter, option.rect)
        elif element == kind.PE_IndicatorCheckBox:
            self._check(painter, option)
        elif element == kind.PE_Frame:
            self._outline(painter, option.rect, QColor(self._theme().line), 1)
        else:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element == QStyle.ControlElement.CE_HeaderSection:
            painter.fillRect(option.rect, QColor(self._theme().raised))
            painter.setPen(QPen(QColor(self._theme().line), 1))
            painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
            return
        super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control == QStyle.ComplexControl.CC_ComboBox:
            self._field(painter, option, widget)
            centre = QPointF(option.rect.right() - 13, option.rect.center().y() + 1)
            self._chevron(painter, centre, bool(option.state & QStyle.StateFlag.State_Enabled))
        elif control == QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            self._scroll_bar(painter, option)
        elif control == QStyle.ComplexControl.CC_ToolButton and isinstance(option, QStyleOptionToolButton):
            plain = QStyleOptionToolButton(option)
            # The arrow of a menu button would sit on the icon.
            plain.features = plain.features & ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
            super().drawComplexControl(control, plain, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control == QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            return self._scroll_part(option, part)
        if control == QStyle.ComplexControl.CC_ComboBox and part == QStyle.SubControl.SC_ComboBoxEditField:
            return option.rect.adjusted(7, 1, -24, -1)
        return super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        fixed = {
            QStyle.PixelMetric.PM_ScrollBarExtent: 10,
            QStyle.PixelMetric.PM_IndicatorWidth: 16,
            QStyle.PixelMetric.PM_IndicatorHeight: 16,
            QStyle.PixelMetric.PM_ScrollView_ScrollBarSpacing: 0,
        }
        return fixed[metric] if metric in fixed else super().pixelMetric(metric, option, widget)

    def styleHint(self, hint, option=None, widget=None, data=None) -> int:  # type: ignore[no-untyped-def]
        if hint == QStyle.StyleHint.SH_EtchDisabledText:
            return 0
        if hint == QStyle.StyleHint.SH_ComboBox_Popup:
            return 0
        return super().styleHint(hint, option, widget, data)

    def _outline(
        self, painter: QPainter, rect: QRect, pen: QColor, width: int, fill: QColor | None = None
    ) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(pen, width))
        painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        inset = width / 2
        painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)
        painter.restore()

    def _field(
        self, painter: QPainter, option: QStyleOption, widget: QWidget | None, *, frameless: bool = False
    ) -> None:
        theme = self._theme()
        fill = QColor(theme.surface)
        if frameless:
            painter.fillRect(option.rect, fill)
            return
        problem = widget.property("problem") if widget is not None else None
        focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        colour = getattr(theme, problem) if problem else theme.accent if focus else theme.edge
        self._outline(
            painter,
            option.rect,
            QColor(colour if enabled else theme.line),
            2 if focus or problem else 1,
            fill,
        )

    def _button(self, painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
        theme = self._theme()
        role = widget.property("role") if widget is not None else None
        state = option.state
        enabled = bool(state & QStyle.StateFlag.State_Enabled)
        down = bool(state & (QStyle.StateFlag.State_Sunken | QStyle.StateFlag.State_On))
        hover = bool(state & QStyle.StateFlag.State_MouseOver) and enabled
        fill = QColor(theme.select if down else theme.raised if hover else theme.surface)
        edge = QColor(theme.edge if enabled else theme.line)
        if role == "primary" and enabled:
            fill = QColor(theme.accent)
            if hover or down:
                fill.setAlphaF(0.88)
            edge = QColor(theme.accent)
        segment = widget.property("segment") if widget is not None else None
        if segment:
            self._segment(painter, option.rect, edge, fill, segment)
        else:
            self._outline(painter, option.rect, edge, 1, fill)
        if state & QStyle.StateFlag.State_HasFocus:
            if role == "primary":
                self._outline(painter, option.rect.adjusted(2, 2, -2, -2), QColor(theme.on_accent), 1)
            else:
                self._ring(painter, option.rect)

    def _segment(self, painter: QPainter, rect: QRect, edge: QColor, fill: QColor, place: str) -> None:
        """One part of a segmented choice: round corners and double lines are cut off where parts meet."""
        left = 0 if place == "first" else 8
        right = 0 if place == "last" else 8
        painter.save()
        painter.setClipRect(rect)
        self._outline(painter, rect.adjusted(-left, 0, right, 0), edge, 1, fill)
        if place != "first":
            painter.fillRect(rect.left(), rect.top(), 1, rect.height(), edge)
        painter.restore()

    def _tool(self, painter: QPainter, option: QStyleOption) -> None:
        theme = self._theme()
        down = option.state & (QStyle.StateFlag.State_Sunken | QStyle.StateFlag.State_On)
        hover = option.state & QStyle.StateFlag.State_MouseOver
        if down or hover:
            fill = QColor(theme.select if down else theme.raised)
            self._outline(painter, option.rect, fill, 1, fill)
        if option.state & QStyle.StateFlag.State_HasFocus:
            self._ring(painter, option.rect)

    def _ring(self, painter: QPainter, rect: QRect) -> None:
        self._outline(painter, rect, QColor(self._theme().accent), 2)

    def _check(self, painter: QPainter, option: QStyleOption) -> None:
        theme = self._theme()
        state = option.state
        enabled = bool(state & QStyle.StateFlag.State_Enabled)
        filled = bool(state & QStyle.StateFlag.State_On)
        mark = QColor(theme.accent if enabled else theme.line)
        box = QRect(option.rect)
        self._outline(
            painter, box, mark if filled else QColor(theme.edge), 1, mark if filled else QColor(theme.surface)
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, top, side = box.x(), box.y(), box.width()
        if filled:
            painter.setPen(QPen(QColor(theme.on_accent), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            points = [(0.25, 0.52), (0.43, 0.70), (0.76, 0.32)]
            painter.drawPolyline(QPolygonF([QPointF(left + side * x, top + side * y) for x, y in points]))
        elif state & QStyle.StateFlag.State_NoChange:
            painter.setPen(QPen(QColor(theme.muted), 2))
            painter.drawLine(
                QPointF(left + side * 0.28, top + side / 2), QPointF(left + side * 0.72, top + side / 2)
            )
        painter.restore()

    def _chevron(self, painter: QPainter, centre: QPointF, enabled: bool) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme()
        painter.setPen(QPen(QColor(theme.muted if enabled else theme.line), 1.5))
        offsets = [QPointF(-4, -2), QPointF(0, 2), QPointF(4, -2)]
        painter.drawPolyline(QPolygonF([centre + offset for offset in offsets]))
        painter.restore()

    def _scroll_bar(self, painter: QPainter, option: QStyleOptionSlider) -> None:
        if option.maximum <= option.minimum:
            return
        handle = self._scroll_part(option, QStyle.SubControl.SC_ScrollBarSlider).adjusted(2, 2, -2, -2)
        theme = self._theme()
        active = option.state & QStyle.StateFlag.State_MouseOver
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.edge if active else theme.line))
        painter.drawRoundedRect(handle, 3, 3)
        painter.restore()

    def _scroll_part(self, option: QStyleOptionSlider, part: QStyle.SubControl) -> QRect:
        parts = QStyle.SubControl
        if part in (parts.SC_ScrollBarAddLine, parts.SC_ScrollBarSubLine):
            return QRect()
        if part == parts.SC_ScrollBarGroove:
            return QRect(option.rect)
        horizontal = option.orientation == Qt.Orientation.Horizontal
        length = option.rect.width() if horizontal else option.rect.height()
        span = max(1, option.maximum - option.minimum + option.pageStep)
        size = max(24, int(length * option.pageStep / span))
        start = QStyle.sliderPositionFromValue(
            option.minimum, option.maximum, option.sliderPosition, max(0, length - size), option.upsideDown
        )
        first, last = {
            parts.SC_ScrollBarSlider: (start, size),
            parts.SC_ScrollBarSubPage: (0, start),
            parts.SC_ScrollBarAddPage: (start + size, max(0, length - start - size)),
        }.get(part, (0, 0))
        origin = option.rect.topLeft()
        if horizontal:
            return QRect(origin.x() + first, origin.y(), last, option.rect.height())
        return QRect(origin.x(), origin.y() + first, option.rect.width(), last)

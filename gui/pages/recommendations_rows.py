"""The ranked table: painting of its rows and its keyboard."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from engine.results import Recommendation
from gui.charts.bubble import alone_range
from gui.i18n import tr
from gui.models.indices import Index
from gui.models.recommendations import (
    ACTION,
    ADJUSTED,
    ALONE,
    BAND,
    CHIPS_ROLE,
    EFFORT,
    IN_PLAN,
    ITEM_ROLE,
    MONEY_COLUMNS,
    NOTE_ROLE,
    PREVIOUS_ROLE,
    RANK,
    RISK,
    STATE,
    TICK,
    RecommendationsModel,
)
from gui.pages.rows import PAD, RowDelegate, draw_text, prepare_table, text_width
from gui.shell import theme
from gui.widgets.band_bar import draw_band
from gui.widgets.chips import draw_chip
from gui.widgets.marks import draw_risk

ROW = 47
_BOX = 16
_NARROW, _WIDE = 760, 960
_RANK_WIDTH = 34
_BAND_WIDTH = {True: 68, False: 100}


class RecommendationDelegate(RowDelegate):
    """One delegate for all columns; each column has a painter of its own."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(ROW, view)
        self._view = view
        self.range = (0.0, 1.0)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_width(index), ROW)

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        # The table ticks on a click anywhere in the cell; the base would tick a second time on the box.
        return False

    def paint_cell(self, painter: QPainter, rect: QRect, index: Index) -> None:
        item: Recommendation = index.data(ITEM_ROLE)
        column = index.column()
        if column == TICK:
            self._paint_tick(painter, rect, index)
        elif column == ACTION:
            _paint_action(painter, rect, index, muted=item.state == "dismissed")
        elif column in MONEY_COLUMNS:
            _paint_money(painter, rect, index, item)
        elif column == BAND:
            self._paint_band(painter, rect, item)
        elif column == RISK:
            draw_risk(
                painter,
                QRectF(rect),
                item.risk.worst,
                index.data().rpartition(" ")[2] if item.risk.worst else "",
            )
        else:
            align = Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole))
            draw_text(
                painter, rect, index.data() or "", role="muted" if column != EFFORT else "text", align=align
            )

    def _paint_tick(self, painter: QPainter, rect: QRect, index: Index) -> None:
        option = QStyleOptionButton()
        option.rect = _tick_box(rect)
        on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        option.state = QStyle.StateFlag.State_On if on else QStyle.StateFlag.State_Off
        if enabled:
            option.state |= QStyle.StateFlag.State_Enabled
        style = self._view.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, option, painter, self._view)

    def _paint_band(self, painter: QPainter, rect: QRect, item: Recommendation) -> None:
        role = "danger" if item.saving.p50 < 0 else "saving"
        low, high = self.range
        saving = item.saving
        draw_band(
            painter,
            QRectF(rect),
            low=low,
            high=high,
            p10=saving.p10,
            p90=saving.p90,
            mark=saving.p50,
            role=role,
            zero=True,
        )


def _paint_action(painter: QPainter, rect: QRect, index: Index, *, muted: bool) -> None:
    """Title with its chips above, the muted finding below."""
    top = QRect(rect.left(), rect.top() + 4, rect.width(), 20)
    bottom = QRect(rect.left(), rect.top() + 25, rect.width(), 17)
    title, chips = index.data() or "", index.data(CHIPS_ROLE)
    metrics = QFontMetrics(theme.font("hint"))
    wanted = [(text, role, metrics.horizontalAdvance(text) + 14) for text, role in chips]
    room = top.width() - min(text_width(title, bold=True), int(top.width() * 0.62)) - 8
    shown = []
    for text, role, width in wanted:
        if width + 6 <= room:
            shown.append((text, role, width))
            room -= width + 6
    taken = sum(width + 6 for *_, width in shown)
    title_rect = top.adjusted(0, 0, -taken, 0)
    draw_text(
        painter,
        title_rect,
        title,
        bold=True,
        role="muted" if muted else "text",
        elide=Qt.TextElideMode.ElideMiddle,
    )
    left = top.left() + min(text_width(title, bold=True), title_rect.width()) + 8
    for text, role, width in shown:
        draw_chip(painter, QRectF(left, top.top() + 1, width, 18), text, role)
        left += width + 6
    draw_text(painter, bottom, index.data(NOTE_ROLE), role="muted", size="hint")


def _paint_money(painter: QPainter, rect: QRect, index: Index, item: Recommendation) -> None:
    """A figure; below it, struck out, what it was before the last tick."""
    text, previous = index.data() or "", index.data(PREVIOUS_ROLE)
    negative = text.startswith("\u2212")
    chosen = index.column() == IN_PLAN and item.chosen
    role = "danger" if negative else "saving" if chosen else "text" if index.column() != ALONE else "muted"
    line = rect if previous is None else QRect(rect.left(), rect.top() + 4, rect.width(), 20)
    draw_text(
        painter, line, text, role=role, bold=index.column() == ADJUSTED, align=Qt.AlignmentFlag.AlignRight
    )
    if previous is None:
        return
    face = theme.font("hint")
    face.setStrikeOut(True)
    painter.setFont(face)
    painter.setPen(theme.color("muted"))
    below = QRect(rect.left(), rect.top() + 25, rect.width(), 17)
    painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, previous)


def _tick_box(rect: QRect) -> QRect:
    return QRect(rect.left(), rect.center().y() - _BOX // 2 + 1, _BOX, _BOX)


def _width(index: Index) -> int:
    """Width a cell asks for; the action column takes what is left."""
    column = index.column()
    if column == TICK:
        return _BOX + 2 * PAD
    if column == RISK:
        return text_width(index.data() or "", "hint") + 17 + 2 * PAD + 4
    if column in (ACTION, BAND):
        return 120
    return text_width(index.data() or "", bold=column == ADJUSTED) + 2 * PAD + 4


class RecommendationsTable(QTableView):
    """Space ticks the row, Enter asks for the detail, Del for dismissal, Alt with arrows sorts the column."""

    row_selected = Signal(object)
    detail_requested = Signal()
    dismiss_requested = Signal()

    def __init__(self, model: RecommendationsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ranked = model
        self.setModel(model)
        prepare_table(self, tr("Recommendations"), ROW, sortable=True)
        self._delegate = RecommendationDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setSortingEnabled(True)
        self.sortByColumn(RANK, Qt.SortOrder.AscendingOrder)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in (ACTION, BAND, TICK, RANK):
            mode = QHeaderView.ResizeMode.Stretch if column == ACTION else QHeaderView.ResizeMode.Fixed
            header.setSectionResizeMode(column, mode)
        header.resizeSection(TICK, _BOX + 2 * PAD)
        header.resizeSection(RANK, _RANK_WIDTH)
        model.modelReset.connect(self._select_first)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(lambda _: self.detail_requested.emit())

    def fit(self) -> None:
        """Set the common axis of the bands after the figures changed."""
        items = self._ranked.items()
        low, high = alone_range(items) if items else (0.0, 1.0)
        self._delegate.range = (low, high)
        self.viewport().update()

    def current_item(self) -> Recommendation | None:
        """The selected recommendation, if any."""
        index = self.currentIndex()
        return self._ranked.item(index.row()) if index.isValid() else None

    def select(self, name: str) -> None:
        """Make the row of an id current."""
        row = self._ranked.row_of(name)
        if row >= 0:
            self.setCurrentIndex(self._ranked.index(row, ACTION))

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.row() != previous.row() or not previous.isValid():
            self.row_selected.emit(self.current_item())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, key = self.currentIndex(), Qt.Key(event.key())
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            up = key == Qt.Key.Key_Up
            self.sortByColumn(
                index.column(), Qt.SortOrder.AscendingOrder if up else Qt.SortOrder.DescendingOrder
            )
        elif key == Qt.Key.Key_Space and index.isValid():
            self._toggle(index.row())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.detail_requested.emit()
        elif key == Qt.Key.Key_Delete and index.isValid():
            self.dismiss_requested.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        narrow = self.width() < _NARROW
        self.setColumnHidden(EFFORT, narrow)
        self.setColumnHidden(STATE, self.width() < _WIDE)
        self.horizontalHeader().resizeSection(BAND, _BAND_WIDTH[narrow])
        super().resizeEvent(event)

    def _clicked(self, index: QModelIndex) -> None:
        if index.column() == TICK:
            self._toggle(index.row())

    def _toggle(self, row: int) -> None:
        index = self._ranked.index(row, TICK)
        on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        self._ranked.setData(
            index, Qt.CheckState.Unchecked if on else Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole
        )

    def _select_first(self) -> None:
        if self._ranked.rowCount():
            self.setCurrentIndex(self._ranked.index(0, ACTION))
        else:
            self.row_selected.emit(None)

"""Painting of table rows shared by the pages: ground, hairline, one text; and how tables behave."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.shell import theme

Index = QModelIndex | QPersistentModelIndex

PAD = 8


def paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Fill a cell: current row, hovered row or plain; a hairline under it."""
    state = option.state
    if state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, theme.color("select"))
    elif state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(option.rect, theme.color("raised"))
    else:
        painter.fillRect(option.rect, theme.color("surface"))
    bottom = QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1)
    painter.fillRect(bottom, theme.color("line"))


def draw_text(
    painter: QPainter, rect: QRect, text: str, *, role: str = "text", size: str = "body", bold: bool = False,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft, elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """One line of text in a colour role; it gives way at the end when there is no room."""
    face = theme.font(size, bold)
    painter.setFont(face)
    painter.setPen(theme.color(role))
    shown = QFontMetrics(face).elidedText(text, elide, rect.width())
    painter.drawText(rect, (align & Qt.AlignmentFlag.AlignHorizontal_Mask) | Qt.AlignmentFlag.AlignVCenter, shown)


def text_width(text: str, size: str = "body", *, bold: bool = False) -> int:
    """Pixels a text takes in one of the named sizes."""
    return QFontMetrics(theme.font(size, bold)).horizontalAdvance(text)


class RowDelegate(QStyledItemDelegate):
    """Paints a plain cell; `height` is that of its rows. Subclasses change `paint_cell`."""

    def __init__(self, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        text = index.data(Qt.ItemDataRole.DisplayRole) or ""
        return QSize(text_width(text, bold=self.is_bold(index)) + 2 * PAD, self._height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        paint_ground(painter, option)
        self.paint_cell(painter, option.rect.adjusted(PAD, 0, -PAD, -1), index)
        painter.restore()

    def is_bold(self, index: Index) -> bool:
        """Whether a cell's text is bold."""
        return False

    def role(self, index: Index) -> str:
        """Colour role of a cell's text."""
        return "text"

    def paint_cell(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Paint what stands in a cell."""
        align = Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole) or Qt.AlignmentFlag.AlignLeft)
        text = index.data(Qt.ItemDataRole.DisplayRole) or ""
        draw_text(painter, rect, text, role=self.role(index), bold=self.is_bold(index), align=align)


def prepare_view(view: QAbstractItemView, name: str) -> None:
    """What all tables share: whole rows, no Tab trap, hover, pixel scrolling, a name."""
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setTabKeyNavigation(False)
    view.setFrameShape(QAbstractItemView.Shape.NoFrame)
    view.setMouseTracking(True)


def prepare_table(view: QTableView, name: str, row_height: int) -> None:
    """As `prepare_view`, for a flat table with rows of one height."""
    prepare_view(view, name)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.verticalHeader().hide()
    view.verticalHeader().setMinimumSectionSize(row_height)
    view.verticalHeader().setDefaultSectionSize(row_height)
    prepare_header(view.horizontalHeader())


def prepare_header(header: QHeaderView) -> None:
    """A header in hint size that does not jump."""
    header.setFont(theme.font("hint"))
    header.setHighlightSections(False)
    header.setMinimumSectionSize(24)
    header.setFixedHeight(32)
    header.setSectionsClickable(True)

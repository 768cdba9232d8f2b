"""Painting of table rows shared by the pages: ground, hairline, one text; and how tables behave."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QSplitterHandle,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.models.indices import Index
from gui.shell import theme

PAD = 8
_SLACK = 4
"""Rounded text widths may fall short of what is drawn."""
_SORT_MARK = 14


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
    painter: QPainter,
    rect: QRect,
    text: str,
    *,
    role: str = "text",
    size: str = "body",
    bold: bool = False,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """One line of text in a colour role; it gives way at the end when there is no room."""
    face = theme.font(size, bold)
    painter.setFont(face)
    painter.setPen(theme.color(role))
    shown = QFontMetrics(face).elidedText(text, elide, rect.width())
    painter.drawText(
        rect, (align & Qt.AlignmentFlag.AlignHorizontal_Mask) | Qt.AlignmentFlag.AlignVCenter, shown
    )


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
        return QSize(text_width(text, bold=self.is_bold(index)) + 2 * PAD + _SLACK, self._height)

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


def prepare_table(view: QTableView, name: str, row_height: int, *, sortable: bool = False) -> None:
    """As `prepare_view`, for a flat table with rows of one height."""
    prepare_view(view, name)
    view.setHorizontalHeader(Header(view, sortable=sortable))
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.verticalHeader().hide()
    view.verticalHeader().setMinimumSectionSize(row_height)
    view.verticalHeader().setDefaultSectionSize(row_height)


class Header(QHeaderView):
    """A header whose texts stand exactly over the cells, with the sort mark beside the text."""

    def __init__(self, parent: QWidget, *, sortable: bool = False) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._sortable = sortable
        self.setFont(theme.font("hint"))
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)
        self.setFixedHeight(32)
        self.setSectionsClickable(sortable)
        self.setStretchLastSection(False)

    def sectionSizeFromContents(self, section: int) -> QSize:
        mark = _SORT_MARK if self._sortable and self._text(section) else 0
        return QSize(text_width(self._text(section), "hint") + 2 * PAD + _SLACK + mark, 32)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        painter.fillRect(rect, theme.color("raised"))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.color("line"))
        data = self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        align = Qt.AlignmentFlag(data or Qt.AlignmentFlag.AlignLeft) & Qt.AlignmentFlag.AlignHorizontal_Mask
        inside, text = rect.adjusted(PAD, 0, -PAD, -1), self._text(section)
        sorted_here = (
            self._sortable and self.isSortIndicatorShown() and self.sortIndicatorSection() == section
        )
        draw_text(painter, inside, text, role="text" if sorted_here else "muted", size="hint", align=align)
        if sorted_here and text:
            self._paint_sort_mark(painter, inside, text, right=align == Qt.AlignmentFlag.AlignRight)
        painter.restore()

    def _text(self, section: int) -> str:
        model = self.model()
        return (model.headerData(section, Qt.Orientation.Horizontal) or "") if model is not None else ""

    def _paint_sort_mark(self, painter: QPainter, inside: QRect, text: str, *, right: bool) -> None:
        wide = text_width(text, "hint")
        x = inside.right() - wide - 8 if right else inside.left() + wide + 8
        y, down = inside.center().y() + 1, self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        tip, base = (y + 3, y - 2) if down else (y - 3, y + 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("text"))
        painter.drawPolygon(QPolygonF([QPointF(x - 3.5, base), QPointF(x + 3.5, base), QPointF(x, tip)]))


class GapSplitter(QSplitter):
    """Two cards above each other; the plain gap between them can be dragged.

    `share` is the upper one's part in per cent; 100 leaves the lower one the height it asks for.
    """

    def __init__(self, upper: QWidget, lower: QWidget, share: int, gap: int = 16) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setHandleWidth(gap)
        self.setChildrenCollapsible(False)
        for widget, part in ((upper, share), (lower, 100 - share)):
            self.addWidget(widget)
            self.setStretchFactor(self.count() - 1, part)
        if share < 100:
            self.setSizes([share * 10, 1000 - share * 10])

    def createHandle(self) -> QSplitterHandle:
        return _PlainHandle(self.orientation(), self)


class _PlainHandle(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing is drawn: the gap itself is the handle."""

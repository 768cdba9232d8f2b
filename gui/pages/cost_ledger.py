"""The ledger of the cost page: a tree with a pinned total row."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelection,
    QModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QTreeView, QVBoxLayout, QWidget

from engine.results import CostLine, Estimate
from gui.formatting import amount_full, band, money_short, percent
from gui.i18n import language, tr, trn
from gui.models.indices import Index
from gui.models.ledger import (
    AMOUNT,
    CATEGORY_ROLE,
    COMMITMENT,
    ITEM,
    KIND,
    LINE_ROLE,
    OUT_OF_SCOPE,
    PRICE,
    QUANTITY,
    SHARE,
    UNIT,
    LedgerModel,
)
from gui.pages.rows import PAD, Header, RowDelegate, draw_text, prepare_view
from gui.shell import theme
from gui.widgets.card import Card
from gui.widgets.labels import Label

ROW = 28
_INDENT = 20
_COMMITMENT_FROM, _KIND_FROM = 730, 640


class _Delegate(RowDelegate):
    """Group rows bold with their colour; units and kinds muted; unknown amounts in warn."""

    def is_bold(self, index: Index) -> bool:
        return index.sibling(index.row(), 0).data(CATEGORY_ROLE) is not None

    def role(self, index: Index) -> str:
        first = index.sibling(index.row(), 0)
        group, line = first.data(CATEGORY_ROLE), first.data(LINE_ROLE)
        if group == OUT_OF_SCOPE or (line is not None and not line.in_scope):
            return "muted"
        if line is not None and line.amount is None and index.column() in (QUANTITY, PRICE, AMOUNT):
            return "warn"
        return "muted" if index.column() in (UNIT, KIND, COMMITMENT) else "text"

    def paint_cell(self, painter: QPainter, rect: QRect, index: Index) -> None:
        group = index.data(CATEGORY_ROLE)
        if index.column() == ITEM and group is not None:
            square = QRectF(rect.left(), rect.center().y() - 4, 10, 10)
            if group == OUT_OF_SCOPE:
                painter.setPen(QPen(theme.color("edge"), 1))
                painter.drawRect(square)
            else:
                painter.fillRect(square, theme.current().category(group))
            rect = rect.adjusted(18, 0, 0, 0)
        super().paint_cell(painter, rect, index)


class LedgerTree(QTreeView):
    """The tree; emits `line_selected` with the line, or None on a group."""

    line_selected = Signal(object)
    columns_moved = Signal()

    def __init__(self, model: LedgerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ledger = model
        self.setModel(model)
        prepare_view(self, tr("Ledger"))
        self.setItemDelegate(_Delegate(ROW, self))
        self.setIndentation(_INDENT)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setExpandsOnDoubleClick(True)
        header = Header(self)
        self.setHeader(header)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(ITEM, QHeaderView.ResizeMode.Stretch)
        header.setSectionsMovable(False)
        header.sectionResized.connect(self.columns_moved)
        header.geometriesChanged.connect(self.columns_moved)

    def show_estimate(self, estimate: Estimate) -> None:
        """Show another estimate; expansion and the selected line stay."""
        line = self.current_line()
        closed = {
            self.model().index(row, 0).data(CATEGORY_ROLE)
            for row in range(self.model().rowCount())
            if not self.isExpanded(self.model().index(row, 0))
        }
        self._ledger.set_estimate(estimate)
        for row in range(self._ledger.rowCount()):
            index = self._ledger.index(row, 0)
            self.setExpanded(index, index.data(CATEGORY_ROLE) not in closed)
        index = self._ledger.find(line.category, line.item) if line is not None else QModelIndex()
        self.setCurrentIndex(index if index.isValid() else self._largest(estimate))

    def current_line(self) -> CostLine | None:
        """The selected ledger line, if any."""
        return self._ledger.line(self.currentIndex())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.line_selected.emit(self.current_line())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setColumnHidden(COMMITMENT, self.width() < _COMMITMENT_FROM)
        self.setColumnHidden(KIND, self.width() < _KIND_FROM)
        super().resizeEvent(event)
        self.columns_moved.emit()

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        line = QRect(rect.left(), rect.bottom(), rect.width(), 1)
        selected = self.selectionModel().isRowSelected(index.row(), index.parent())
        painter.fillRect(rect, theme.color("select" if selected else "surface"))
        painter.fillRect(line, theme.color("line"))
        if not self._ledger.hasChildren(index):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("muted"), 1.5))
        x, y = rect.right() - 8, rect.center().y()
        if self.isExpanded(index):
            painter.drawPolyline([QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)])
        else:
            painter.drawPolyline([QPointF(x - 2, y - 4), QPointF(x + 2, y), QPointF(x - 2, y + 4)])
        painter.restore()

    def _largest(self, estimate: Estimate) -> QModelIndex:
        known = [line for line in estimate.lines if line.in_scope and line.amount is not None]
        if not known:
            return QModelIndex()
        largest = max(known, key=lambda line: line.amount or 0.0)
        return self._ledger.find(largest.category, largest.item)


class TotalRow(QWidget):
    """The total under the tree, in line with its columns: it never scrolls away."""

    def __init__(self, tree: LedgerTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self._estimate: Estimate | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        tree.columns_moved.connect(self.update)

    def show_estimate(self, estimate: Estimate) -> None:
        """Show another total."""
        self._estimate = estimate
        self.setAccessibleName(tr("Total in scope") + f": {amount_full(estimate.total, language())}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, ROW + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._estimate is None:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("raised"))
        painter.fillRect(QRect(0, 0, self.width(), 1), theme.color("edge"))
        title = tr("Total in scope") if self._estimate.complete else tr("At least, incomplete")
        amount = amount_full(self._estimate.total, language())
        draw_text(painter, self._cell(ITEM), title, bold=True)
        draw_text(painter, self._cell(AMOUNT), amount, bold=True, align=Qt.AlignmentFlag.AlignRight)
        draw_text(painter, self._cell(SHARE), percent(1.0, language()), align=Qt.AlignmentFlag.AlignRight)

    def _cell(self, column: int) -> QRect:
        header = self._tree.header()
        left, width = header.sectionViewportPosition(column), header.sectionSize(column)
        return QRect(left + PAD, 0, width - 2 * PAD, self.height())


class LedgerCard(Card):
    """Tree, total and the line that names the band and what is unknown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(margin=1, parent=parent)
        self.model = LedgerModel(self)
        self.tree = LedgerTree(self.model)
        self._total = TotalRow(self.tree)
        self._foot = Label(size="hint", role="muted", wrap=True)
        self._foot.setContentsMargins(PAD + 2, 4, PAD, 6)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.setSpacing(0)
        self.body.setSpacing(0)
        self.body.addWidget(self.tree, 1)
        self.body.addWidget(self._total)
        self.body.addWidget(self._foot)

    def show_estimate(self, estimate: Estimate) -> None:
        """Show an estimate in all parts."""
        self.tree.show_estimate(estimate)
        self._total.show_estimate(estimate)
        self._foot.setText(_foot_text(estimate))
        self._foot.set_role("muted" if estimate.complete else "warn")

    def set_stale(self, stale: bool) -> None:
        """Say whether the figures are from before the last edit."""
        if stale:
            self._foot.setText("○ " + tr("from before the last edit"))


def _foot_text(estimate: Estimate) -> str:
    lang = language()
    parts = [tr("Central estimate in full.")]
    if estimate.p10 is not None and estimate.p90 is not None and estimate.p50 is not None:
        text = tr("P10–P90 {band}, P50 {middle}.")
        middle = money_short(estimate.p50, estimate.currency, lang)
        parts.append(
            text.format(band=band(estimate.p10, estimate.p90, estimate.currency, lang), middle=middle)
        )
    if estimate.unknown:
        count = len(estimate.unknown)
        text = trn("{count} line is unknown: {names}.", "{count} lines are unknown: {names}.", count)
        parts.append(text.format(count=count, names=tr(", ").join(tr(name) for name in estimate.unknown)))
    else:
        parts.append(tr("Nothing unknown."))
    return " ".join(parts)

"""Candidates of the search: rows with their marks, and "Use this" on each."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QStyleOptionViewItem, QTableView, QWidget

from engine.results import Candidate, Optimisation
from gui.i18n import tr
from gui.models.candidates import (
    CANDIDATE_ROLE,
    CHANGES,
    GOODPUT,
    MARK,
    MFU,
    NAME,
    SAVES,
    TOTAL,
    USE,
    CandidatesModel,
)
from gui.models.indices import Index
from gui.pages.rows import PAD, RowDelegate, prepare_table, text_width
from gui.widgets.buttons import Button
from gui.widgets.marks import draw_mark

ROW = 40
_SIDE = 11


class CandidateDelegate(RowDelegate):
    """Marks as in the charts: now a ring, the best a diamond, the frontier a disc."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_SIDE + 2 * PAD, ROW) if index.column() == MARK else super().sizeHint(option, index)

    def is_bold(self, index: Index) -> bool:
        return index.column() == TOTAL or (index.column() == NAME and _shape(index)[0] != "disc")

    def role(self, index: Index) -> str:
        text = index.data() or ""
        if index.column() == SAVES and text != "–":
            return "danger" if text.startswith("\u2212") else "saving"
        plain = not index.data(CANDIDATE_ROLE).changes
        return "muted" if plain and index.column() == CHANGES else "text"

    def paint_cell(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if index.column() == MARK:
            shape, role = _shape(index)
            box = QRectF(rect.left(), rect.center().y() - _SIDE / 2 + 0.5, _SIDE, _SIDE)
            draw_mark(painter, box, shape, role)
        elif index.column() != USE:
            super().paint_cell(painter, rect, index)


def _shape(index: Index) -> tuple[str, str]:
    item: Candidate = index.data(CANDIDATE_ROLE)
    model = index.model()
    assert isinstance(model, CandidatesModel)
    if not item.changes:
        return "ring", "text"
    if model.is_best(index.row()):
        return "diamond", "saving"
    return "disc", "accent" if item.on_frontier else "muted"


class CandidatesTable(QTableView):
    """Enter or the row's button asks for its candidate by `use_requested`."""

    use_requested = Signal(object)

    def __init__(self, model: CandidatesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._candidates = model
        self.setModel(model)
        prepare_table(self, tr("Candidates"), ROW)
        self.setItemDelegate(CandidateDelegate(ROW, self))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(CHANGES, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(USE, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(USE, text_width(tr("Use this"), "hint") + 48)

    def show_search(self, found: Optimisation | None, currency: str) -> None:
        """Show another search."""
        self._candidates.set_optimisation(found, currency)
        training = found is not None and any(item.mfu is not None for item in found.candidates)
        for column in (MFU, GOODPUT):
            self.setColumnHidden(column, not training)
        for row in range(self._candidates.rowCount()):
            if self._candidates.candidate(row).changes:
                self.setIndexWidget(self._candidates.index(row, USE), self._button(row))
        if self._candidates.rowCount():
            self.setCurrentIndex(self._candidates.index(min(1, self._candidates.rowCount() - 1), NAME))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._use(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _button(self, row: int) -> QWidget:
        holder = QWidget()
        line = QHBoxLayout(holder)
        line.setContentsMargins(0, 0, PAD, 0)
        button = Button(tr("Use this"), small=True)
        button.setAccessibleName(tr("Use this: {name}").format(name=self._candidates.index(row, NAME).data()))
        button.clicked.connect(lambda: self._use(row))
        line.addWidget(button)
        return holder

    def _use(self, row: int) -> None:
        candidate = self._candidates.candidate(row)
        if candidate.changes:
            self.use_requested.emit(candidate)

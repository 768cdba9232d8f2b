"""How a headline figure was computed: formula, inputs, where they come from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QVBoxLayout, QWidget

from engine.results import Trace
from gui.formatting import quantity
from gui.i18n import language, tr
from gui.models.words import field_value
from gui.widgets.buttons import Button
from gui.widgets.labels import Label
from gui.widgets.marks import PROVENANCE, Mark


class TracePopup(QDialog):
    """A small window beside the page; Esc closes it."""

    def __init__(self, title: str, value: str, trace: Trace, currency: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(460)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addWidget(Label(f"{title}: {value}", size="card", bold=True))
        column.addWidget(Label(tr(trace.formula), wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        for row, item in enumerate(trace.inputs):
            grid.addWidget(Label(tr(item.name)), row, 0)
            if isinstance(item.value, int | float):
                shown = quantity(item.value, item.unit, language(), currency)
            else:
                shown = field_value(item.path or "", item.value, currency, language())
            grid.addWidget(Label(shown), row, 1, Qt.AlignmentFlag.AlignRight)
            shape, role, word = PROVENANCE.get(item.provenance, PROVENANCE["default"])
            grid.addWidget(Mark(shape, role, tr(word)), row, 2)
            grid.addWidget(
                Label(", ".join(p for p in (item.source, item.date) if p), size="hint", role="muted"), row, 3
            )
        column.addLayout(grid)
        close = Button(tr("Close"))
        close.clicked.connect(self.close)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)

"""How a ledger line is computed: the formula in words, the numbers put in, and where each came from."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QScrollArea, QSizePolicy, QWidget

from engine.results import CostLine, TraceInput
from gui.formatting import date_short, money_full, quantity, unit_label
from gui.i18n import language, tr
from gui.models.ledger import quantity_text
from gui.models.words import BEHAVIOUR_WORDS, COMMITMENT_WORDS, word
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel, Label
from gui.widgets.marks import PROVENANCE, Mark

_HEIGHT = 188
_COMPUTED = ("ring", "muted")


class TraceCard(Card):
    """Shows one line's trace, or says how to get one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("How it is computed"), parent=parent)
        self.formula = Label(role="text", wrap=True)
        self.numbers = Label(bold=True, wrap=True)
        self._inputs = QWidget()
        self._grid = QGridLayout(self._inputs)
        self._grid.setContentsMargins(0, 2, 8, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(3, 1)
        self._scroll = QScrollArea()
        self._scroll.setWidget(self._inputs)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(tr("Inputs of the formula"))
        self._scroll.viewport().setAutoFillBackground(False)
        self._inputs.setAutoFillBackground(False)
        self.body.setSpacing(4)
        self.body.addWidget(self.formula)
        self.body.addWidget(self.numbers)
        self.body.addWidget(self._scroll, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 130)

    def show_line(self, line: CostLine | None, currency: str) -> None:
        """Show the trace of a ledger line; None explains what would stand here."""
        self._clear()
        self.numbers.setVisible(line is not None)
        self._scroll.setVisible(line is not None)
        if line is None:
            self.title.setText(tr("How it is computed"))
            self.note.setText("")
            self.formula.setText(tr("Select an item to see its formula and the numbers in it."))
            return
        self.title.setText(tr("{item}: how it is computed").format(item=tr(line.item)))
        behaviour = word(BEHAVIOUR_WORDS, line.behaviour, language())
        self.note.setText(f"{behaviour} · {word(COMMITMENT_WORDS, line.commitment, language())}")
        self.formula.setText(_sentence(tr(line.trace.formula)))
        self.numbers.setText(substituted(line, currency, language()))
        for row, entry in enumerate(line.trace.inputs):
            self._add_input(row, entry, currency)
        self._grid.setRowStretch(len(line.trace.inputs), 1)

    def _add_input(self, row: int, entry: TraceInput, currency: str) -> None:
        value = Label(input_text(entry, currency, language()), size="hint")
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(Label(tr(entry.name), size="hint", role="muted"), row, 0)
        self._grid.addWidget(value, row, 1)
        shape, role, text = provenance_mark(entry)
        self._grid.addWidget(Mark(shape, role, text), row, 2)
        self._grid.addWidget(ElidedLabel(_source(entry), size="hint", role="muted"), row, 3)

    def _clear(self) -> None:
        self._grid.setRowStretch(self._grid.rowCount() - 1, 0)
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def substituted(line: CostLine, currency: str, lang: str) -> str:
    """ "806,196 GPU-h x $6.88 = $5,546,629"; unknown parts say so."""
    unit = "" if line.unit in ("lot", "") else f" {unit_label(line.unit, currency, lang)}"
    count = quantity_text(line.quantity, lang) + unit
    price, amount = money_full(line.unit_price, currency, lang), money_full(line.amount, currency, lang)
    return f"{count} × {price} = {amount}"


def input_text(entry: TraceInput, currency: str, lang: str) -> str:
    """An input's value with its unit."""
    if isinstance(entry.value, str):
        return tr(entry.value)
    return quantity(entry.value, entry.unit, lang, currency)


def provenance_mark(entry: TraceInput) -> tuple[str, str, str]:
    """Shape, colour role and word of where an input came from."""
    if entry.provenance in PROVENANCE:
        shape, role, text = PROVENANCE[entry.provenance]
        return shape, role, tr(text)
    return (*_COMPUTED, tr("computed") if entry.provenance == "computed" else tr(entry.provenance))


def _source(entry: TraceInput) -> str:
    dated = date_short(entry.date, language()) if entry.date else ""
    return " · ".join(part for part in (dated, entry.source) if part)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" if language() == "en" else text

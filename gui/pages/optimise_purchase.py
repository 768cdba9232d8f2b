"""Purchase of a service: the cheapest mix of base and hours as they come, its proof, one step to take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.errors import FlopwiseError
from engine.results import PurchaseMix
from gui.charts.canvas import ChartView
from gui.charts.purchase import PurchaseData, draw_base_cost, draw_base_hours
from gui.formatting import number, percent, quantity
from gui.i18n import language, render, tr, trn
from gui.models.purchase import mix_text, offer_name, proof_text, saving_text
from gui.pages.optimise_view import SearchedView
from gui.shell.engine_runner import Failure
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

if TYPE_CHECKING:
    from gui.shell.session import Session

JOB = "purchase"


class PurchaseView(SearchedView):
    """Two charts at the left, the mix and its offers at the right; searched when it is looked at."""

    use_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        self.cost = ChartView(session.chart_worker, tr("Cost against the committed base"))
        self.hours = ChartView(session.chart_worker, tr("Hours of the base"))
        charts = QVBoxLayout()
        charts.setSpacing(12)
        charts.addWidget(self.cost, 1)
        charts.addWidget(self.hours, 1)
        row.addLayout(charts, 3)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(12)
        row.addWidget(quiet_scroll_area(content, ground="window"), 2)

    def _ask(self) -> None:
        session, plan = self._session, self._session.plan
        clear_layout(self._column)
        self._say(tr("Searching purchases…"))
        session.runner.submit(JOB, lambda job: session.composer.purchase(plan), self._show)

    def _say(self, text: str) -> None:
        for chart in (self.cost, self.hours):
            chart.show_message(text)

    def _show(self, found: Any) -> None:
        if isinstance(found, Failure) or not isinstance(found, PurchaseMix):
            self._refuse(found)
            return
        data = PurchaseData(found, self._session.currency)
        if found.curve.x:
            self.cost.show_chart(draw_base_cost, data)
        self.hours.show_chart(draw_base_hours, data)
        clear_layout(self._column)
        self._column.addWidget(self._mix_card(found))
        self._column.addWidget(self._offers_card(found))
        self._column.addStretch(1)

    def _refuse(self, found: Any) -> None:
        """Say that nothing was found, and beside it which field is to be mended."""
        self._say(tr("No purchase can be priced."))
        if isinstance(found, Failure) and isinstance(found.error, FlopwiseError):
            card = Card(tr("Cheapest purchase"))
            message = render(found.error.message, self._session.currency)
            card.body.addWidget(Label(message, role="muted", wrap=True))
            self._column.addWidget(card)
            self._column.addStretch(1)

    def _mix_card(self, mix: PurchaseMix) -> Card:
        lang, currency = language(), self._session.currency
        card = Card(tr("Cheapest purchase"))
        text = mix_text(mix, lang)
        card.body.addWidget(Label(text[:1].upper() + text[1:], bold=True, wrap=True))
        saving = saving_text(mix, currency, lang)
        role = "saving" if mix.changes and mix.baseline_total is not None else "muted"
        card.body.addWidget(Label(saving[:1].upper() + saving[1:], role=role, wrap=True))
        card.body.addWidget(Label(proof_text(mix, currency, lang), size="hint", role="muted", wrap=True))
        card.body.addWidget(Label(_searched_text(mix), size="hint", role="muted", wrap=True))
        button = Button(tr("Use this"), small=True)
        button.setAccessibleName(tr("Use this purchase"))
        button.setEnabled(bool(mix.changes))
        button.clicked.connect(lambda: self.use_requested.emit(mix.changes))
        row = QHBoxLayout()
        row.addWidget(button)
        row.addStretch(1)
        card.body.addLayout(row)
        return card

    def _offers_card(self, mix: PurchaseMix) -> Card:
        lang, currency = language(), self._session.currency
        card = Card(tr("Offers"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        right = Qt.AlignmentFlag.AlignRight
        for column, head in enumerate((tr("Price"), tr("Pays from")), start=1):
            grid.addWidget(Label(head, size="hint", role="muted"), 0, column, right)
        for place, offer in enumerate(mix.offers, start=1):
            price = quantity(offer.price_per_gpu_hour, "currency/GPU-h", lang, currency)
            share = "" if offer.break_even is None else percent(offer.break_even, lang, 3)
            grid.addWidget(Label(offer_name(offer, lang), wrap=True), place, 0)
            grid.addWidget(Label(price), place, 1, right)
            grid.addWidget(Label(share), place, 2, right)
        grid.setColumnStretch(0, 1)
        card.body.addLayout(grid)
        notes = [tr("Pays from: share of the service's hours from which a committed GPU costs less.")]
        notes += [_use_text(mix)] + [render(text, currency) for text in mix.left_out]
        for note in notes:
            card.body.addWidget(Label(note, size="hint", role="muted", wrap=True))
        return card


def _searched_text(mix: PurchaseMix) -> str:
    levels = trn("{count} level of load", "{count} levels of load", mix.levels)
    method, count = tr(mix.method), levels.format(count=number(mix.levels, language()))
    return tr("{method}: {evaluated}").format(method=method[:1].upper() + method[1:], evaluated=count)


def _use_text(mix: PurchaseMix) -> str:
    lang = language()
    after = percent(mix.next_used, lang, 3)
    if mix.last_used is None:
        return tr("A first committed GPU would be in use {share} of the hours.").format(share=after)
    text = tr("The last GPU of the base is in use {last} of the hours, one more would be {next}.")
    return text.format(last=percent(mix.last_used, lang, 3), next=after)

"""Recommendations: the ranked actions, what they save together, and the case for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.results import Advice, Recommendation
from gui.charts.bubble import BubbleData, draw_bubbles
from gui.charts.canvas import ChartView
from gui.i18n import language, tr, trn
from gui.models.recommendations import RecommendationsModel
from gui.models.words import PORTFOLIO_WORDS, word
from gui.pages.recommendations_card import DetailCard
from gui.pages.recommendations_foot import JointCard
from gui.pages.recommendations_rows import RecommendationsTable
from gui.pages.rows import GapSplitter
from gui.widgets.buttons import LinkButton, Segmented
from gui.widgets.card import Card
from gui.widgets.chips import Chip
from gui.widgets.labels import ElidedLabel, Label

if TYPE_CHECKING:
    from gui.services.review import Review
    from gui.shell.session import Session

_MARGIN = 16
_REMEMBER_MS = 2000


class AdviceLine(Card):
    """What to do first and what to mind: it saves nothing itself, the figures below rest on it."""

    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(margin=8, parent=parent)
        self._chip = Chip(tr("Do first"), "warn")
        self.text = ElidedLabel()
        more = LinkButton(tr("Details"))
        more.clicked.connect(self.opened)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._chip)
        row.addWidget(self.text, 1)
        row.addWidget(more)
        self.body.addLayout(row)

    def show_advice(self, governance: tuple[Advice, ...], warnings: tuple[Advice, ...]) -> None:
        """Show the titles; nothing to say hides the line."""
        self.setVisible(bool(governance or warnings))
        self._chip.set_text(tr("Do first") if governance else tr("Mind"), "warn")
        parts = [tr("; ").join(tr(advice.title) for advice in governance)] if governance else []
        if warnings:
            titles = tr("; ").join(tr(advice.title) for advice in warnings)
            parts.append(tr("Mind: {titles}").format(titles=titles) if governance else titles)
        self.text.set_full_text(tr(". ").join(parts))


class RecommendationsPage(QWidget):
    """Table and joint saving at the left, bubbles and detail at the right."""

    page_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = RecommendationsModel(self)
        self.table = RecommendationsTable(self.model)
        self.bubbles = ChartView(session.chart_worker, tr("Saving against risk"))
        self.detail = DetailCard()
        self.joint = JointCard()
        self.advice = AdviceLine()
        self.hint = Label(size="hint", role="muted", wrap=True)
        self._counts = LinkButton()
        lang = language()
        options = [(key, word(PORTFOLIO_WORDS, key, lang)) for key in PORTFOLIO_WORDS]
        self.portfolios = Segmented(tr("Portfolio"), options)
        self._forget = QTimer(self, singleShot=True, interval=_REMEMBER_MS)
        self._build()
        self._connect()
        self._refresh()

    def title(self) -> str:
        """Name of the page in the navigation."""
        return tr("Recommendations")

    def _build(self) -> None:
        columns = QHBoxLayout(self)
        columns.setContentsMargins(_MARGIN, 12, _MARGIN, _MARGIN)
        columns.setSpacing(_MARGIN)
        left = QVBoxLayout()
        left.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Label(self.title(), size="title", bold=True))
        head.addWidget(self._counts)
        head.addStretch(1)
        head.addWidget(Label(tr("Portfolio"), role="muted"))
        head.addWidget(self.portfolios)
        card = Card(margin=1)
        card.body.setSpacing(0)
        card.body.addWidget(self.table, 1)
        self.hint.setContentsMargins(10, 4, 8, 6)
        card.body.addWidget(self.hint)
        left.addLayout(head)
        left.addWidget(self.advice)
        left.addWidget(card, 1)
        left.addWidget(self.joint)
        columns.addLayout(left, 69)
        columns.addWidget(GapSplitter(self.bubbles, self.detail, 44, gap=12), 31)

    def _connect(self) -> None:
        session = self._session
        self.model.tick_requested.connect(self._tick)
        self.table.row_selected.connect(self._show_item)
        self.table.detail_requested.connect(self._open_detail)
        self.table.dismiss_requested.connect(self._ask_dismissal)
        self.bubbles.activated.connect(self.table.select)
        self.joint.shares.picked.connect(self.table.select)
        self.joint.proposal_requested.connect(lambda: self.page_requested.emit("proposal"))
        self.joint.save_requested.connect(self._apply)
        self.advice.opened.connect(self._show_advice)
        self._counts.clicked.connect(self._show_checks)
        self.portfolios.changed.connect(self._take_portfolio)
        self.detail.dismissed.connect(session.dismiss)
        self.detail.restored.connect(self._restore)
        self._forget.timeout.connect(self.model.forget_previous)
        session.review_changed.connect(self._refresh)
        session.stale_changed.connect(self._set_stale)

    def _refresh(self, _: object = None) -> None:
        review = self._session.review
        if review is None:
            self.bubbles.show_message(tr("The actions appear here once the plan is computed."))
            self.advice.hide()
            return
        found, currency = review.recommendations, review.estimate.currency
        selected = self.table.current_item()
        self.model.set_recommendations(found, currency)
        self._forget.start()
        self._show_hint()
        self.table.fit()
        if selected is not None:
            self.table.select(selected.id)
        self.advice.show_advice(found.governance, found.warnings)
        self._counts.setText(_counts_text(review))
        self._counts.updateGeometry()
        self.joint.show_joint(found, review.estimate, review.proposed)
        chosen = frozenset(found.joint_saving.ids)
        self.portfolios.set_current(
            next((p.key for p in found.portfolios if frozenset(p.ids) == chosen), None)
        )
        self._set_stale(self._session.stale)
        self._show_item(self.table.current_item())

    def _show_hint(self) -> None:
        """The keys of the table, or why a tick did not stay."""
        refused = self.model.refused
        self.hint.set_role("warn" if refused else "muted")
        if refused:
            names = "; ".join(f"#{item.rank} {tr(item.title)}" for item in refused)
            text = tr(
                "Not possible together with the other ticks, left out: {names}. Untick one of them first."
            )
            self.hint.setText(text.format(names=names))
        else:
            self.hint.setText(tr("Space ticks, Enter opens, Del dismisses with a reason"))

    def _show_item(self, item: Recommendation | None) -> None:
        review = self._session.review
        if review is None:
            return
        currency, items = review.estimate.currency, review.recommendations.recommendations
        if item is None:
            self.detail.show_nothing()
        else:
            self.detail.show_item(item, review.recommendations, currency)
        if not items:
            self.bubbles.show_message(tr("No action would change this plan for the better."))
            return
        self.bubbles.show_chart(
            draw_bubbles, BubbleData(items, currency, item.id if item is not None else None)
        )

    def _show_advice(self) -> None:
        review = self._session.review
        if review is not None:
            found = review.recommendations
            self.detail.show_advice((*found.governance, *found.warnings), review.estimate.currency)

    def _show_checks(self) -> None:
        review = self._session.review
        if review is not None:
            self.detail.show_checks(review.recommendations, review.estimate.currency)

    def _open_detail(self) -> None:
        self._show_item(self.table.current_item())
        self.detail.sheet.setFocus()

    def _ask_dismissal(self) -> None:
        self._show_item(self.table.current_item())
        self.detail.ask_reason()

    def _tick(self, _name: object, _on: object) -> None:
        self.joint.set_stale(True)
        self._session.set_chosen(self.model.ticked())

    def _take_portfolio(self, key: object) -> None:
        review = self._session.review
        if review is None:
            return
        ids = next((frozenset(p.ids) for p in review.recommendations.portfolios if p.key == key), None)
        if ids is not None:
            self.joint.set_stale(True)
            self._session.set_chosen(ids)

    def _apply(self) -> None:
        review = self._session.review
        if review is not None:
            chosen = [item for item in review.recommendations.recommendations if item.chosen]
            changes = tuple(change for item in chosen for change in item.changes)
            self._session.apply_changes(changes, tr("Apply the chosen actions"))

    def _restore(self, name: object) -> None:
        self._session.restore(str(name))

    def _set_stale(self, stale: object) -> None:
        self.bubbles.set_stale(bool(stale))
        self.joint.set_stale(bool(stale))


def _counts_text(review: Review) -> str:
    found = review.recommendations
    fired = trn("{count} fired", "{count} fired", len(found.recommendations)).format(
        count=len(found.recommendations)
    )
    passed = trn("{count} passed", "{count} passed", len(found.passed)).format(count=len(found.passed))
    missing = len(found.not_evaluated)
    open_ = trn("{count} not evaluated", "{count} not evaluated", missing).format(count=missing)
    return f"{fired} · {passed} · {open_}"

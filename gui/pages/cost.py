"""Cost: the ledger, how each line is computed, and where the money goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.plan.money import CATEGORIES
from engine.results import CostLine, Estimate
from gui.charts.canvas import ChartView
from gui.charts.categories import CategoryData, draw_categories
from gui.charts.phases import draw_phases
from gui.i18n import language, tr
from gui.models.words import CATEGORY_WORDS, word
from gui.pages.cost_ledger import LedgerCard
from gui.pages.cost_trace import TraceCard
from gui.pages.rows import GapSplitter
from gui.widgets.buttons import LinkButton, Segmented
from gui.widgets.labels import ElidedLabel, Label

if TYPE_CHECKING:
    from gui.shell.session import Session

NOW, PROPOSED = "plan", "chosen"
_MARGIN = 16


class CostPage(QWidget):
    """Ledger and trace at the left, charts at the right; a switch shows the chosen actions."""

    field_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        worker = session.chart_worker
        self.ledger = LedgerCard()
        self.trace = TraceCard()
        self.phases = ChartView(worker, tr("Cost by phase"))
        self.categories = ChartView(worker, tr("Cost by category"))
        self._scope = ElidedLabel(role="muted")
        options = [(NOW, tr("Plan")), (PROPOSED, tr("With chosen actions"))]
        self.switch = Segmented(tr("Show"), options, NOW)
        self._build()
        self.switch.changed.connect(self._refresh)
        self.ledger.tree.line_selected.connect(self._show_trace)
        session.review_changed.connect(self._refresh)
        session.estimate_changed.connect(self._refresh)
        session.stale_changed.connect(self._set_stale)
        self._refresh()

    def title(self) -> str:
        """Name of the page in the navigation."""
        return tr("Cost")

    def _build(self) -> None:
        page = QVBoxLayout(self)
        page.setContentsMargins(_MARGIN, 12, _MARGIN, _MARGIN)
        page.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Label(self.title(), size="title", bold=True))
        head.addWidget(self._scope, 1)
        edit = LinkButton(tr("Edit scope"))
        edit.clicked.connect(lambda: self.field_requested.emit("scope.categories"))
        head.addWidget(edit)
        head.addWidget(self.switch)
        page.addLayout(head)
        columns = QHBoxLayout()
        columns.setSpacing(_MARGIN)
        left, right = GapSplitter(self.ledger, self.trace, 100), GapSplitter(self.phases, self.categories, 50)
        columns.addWidget(left, 58)
        columns.addWidget(right, 42)
        page.addLayout(columns, 1)

    def _shown(self) -> Estimate | None:
        review = self._session.review
        if self.switch.current() == PROPOSED and review is not None and review.proposed is not None:
            return review.proposed
        return self._session.estimate

    def _refresh(self, _: object = None) -> None:
        review, now = self._session.review, self._session.estimate
        proposed = review.proposed if review is not None else None
        if proposed is None and self.switch.current() == PROPOSED:
            self.switch.set_current(NOW)
        self.switch.setEnabled(proposed is not None)
        self.switch.setToolTip("" if proposed is not None else tr("No action is chosen."))
        shown = self._shown()
        if shown is None or now is None:
            for chart in (self.phases, self.categories):
                chart.show_message(tr("The cost appears here once the plan is computed."))
            return
        self._scope.set_full_text(scope_text(shown))
        self.ledger.show_estimate(shown)
        self.phases.show_chart(draw_phases, shown)
        both = CategoryData(now, proposed if self._session.stale is False else None)
        self.categories.show_chart(draw_categories, both)
        self._set_stale(self._session.stale)

    def _show_trace(self, line: CostLine | None) -> None:
        shown = self._shown()
        self.trace.show_line(line, shown.currency if shown is not None else "USD")

    def _set_stale(self, stale: object) -> None:
        # The plan's own estimate is there at once; what rests on the review is not.
        on_review = bool(stale) and self.switch.current() == PROPOSED
        self.ledger.set_stale(on_review)
        self.phases.set_stale(on_review)


def scope_text(estimate: Estimate) -> str:
    """What the estimate includes and what it leaves out, in one line."""
    lang = language()
    inside = [key for key in CATEGORIES if key in estimate.scope.get("categories", ())]
    out = [word(CATEGORY_WORDS, key, lang) for key in CATEGORIES if key not in inside]
    extras = (("include_retries", tr("retries")), ("include_experiments", tr("experiments")))
    named = [text for key, text in extras if estimate.scope.get(key)]
    out += [text for key, text in extras if not estimate.scope.get(key)]
    joint = "、" if lang == "zh_CN" else ", "
    counted = tr("all {count} categories") if len(inside) == len(CATEGORIES) else tr("{count} categories")
    text = tr("In scope: {parts}.").format(parts=joint.join([counted.format(count=len(inside)), *named]))
    left_out = (
        tr("Out: {parts}.").format(parts=joint.join(out)) if out else tr("Out: nothing of what is listed.")
    )
    return f"{text} {left_out}"

"""Optimise: what a search over the settings found, why it may be called best, and one step to take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from engine.plan import Plan
from engine.results import Candidate, Change, Curve, Estimate, Optimisation
from engine.text import N_
from gui.charts.canvas import ChartView
from gui.charts.curve import CurveData, draw_curve
from gui.charts.frontier import FrontierData, draw_frontier
from gui.formatting import duration_hours, money_short, number
from gui.i18n import language, tr, trn
from gui.models.candidates import CandidatesModel
from gui.models.words import OBJECTIVE_WORDS, word
from gui.pages.optimise_break_even import BreakEvenView
from gui.pages.optimise_fleets import FleetsView
from gui.pages.optimise_layouts import LayoutsView
from gui.pages.optimise_purchase import PurchaseView
from gui.pages.optimise_scaling import ScalingView
from gui.pages.optimise_table import CandidatesTable
from gui.pages.rows import PAD
from gui.widgets.buttons import Button, LinkButton, Segmented
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel, Label

if TYPE_CHECKING:
    from gui.shell.session import Session

_MARGIN = 16
_PROGRESS_AFTER_MS = 1000
_LOW = 720
_TRAINING_KINDS = ("interval", "size")
_SERVING_KINDS = ("split", "load")
_BATCH_KINDS = ("size", "split")


_VIEWS = {
    "candidates": N_("Candidates"),
    "layouts": N_("Layouts, fleets"),
    "scaling": N_("Scaling, purchase"),
    "break_even": N_("Own or API"),
}


class OptimisePage(QWidget):
    """Objective and limits on top; below the candidates with their certificate, or layouts, or scaling."""

    field_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._searching = False
        worker, lang = session.chart_worker, language()
        self.first = ChartView(worker, tr("Cost against one setting"))
        self.frontier = ChartView(worker, tr("Cost and time"))
        self.second = ChartView(worker, tr("Cost against size"))
        self.candidates = CandidatesModel(self)
        self.table = CandidatesTable(self.candidates)
        options = [(key, word(OBJECTIVE_WORDS, key, lang)) for key in OBJECTIVE_WORDS]
        self.objective = Segmented(tr("Objective"), options, session.objective)
        self.layouts = LayoutsView(worker)
        self.fleets = FleetsView(session)
        self.scaling = ScalingView(session)
        self.purchase = PurchaseView(session)
        self.break_even = BreakEvenView(session)
        views = [(key, tr(text)) for key, text in _VIEWS.items()]
        self.view = Segmented(tr("View"), views, "candidates")
        self.status = ElidedLabel(role="muted")
        self.certificate = Label(size="hint", role="muted", wrap=True)
        self.stop = Button(tr("Stop (Esc)"))
        self.run = Button(tr("Search again"), role="primary")
        self._limit, self._limit_link = Label(), LinkButton()
        self._late = QTimer(self, singleShot=True, interval=_PROGRESS_AFTER_MS)
        self._progress: tuple[int, int] | None = None
        self._build()
        self._connect()
        self._refresh()

    def title(self) -> str:
        """Name of the page in the navigation."""
        return tr("Optimise")

    def _build(self) -> None:
        page = QVBoxLayout(self)
        page.setContentsMargins(_MARGIN, 12, _MARGIN, _MARGIN)
        page.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Label(self.title(), size="title", bold=True))
        head.addWidget(self.view)
        head.addWidget(self.status, 1)
        head.addWidget(self.stop)
        head.addWidget(self.run)
        page.addLayout(head)
        page.addWidget(self._options_card())
        self._views = QStackedWidget()
        # A service has fleets where a run has layouts, and a purchase where a run has its scaling.
        candidates = self._candidates_view()
        self._shown = {
            "candidates": (candidates, candidates),
            "layouts": (self.layouts, self.fleets),
            "scaling": (self.scaling, self.purchase),
            "break_even": (self.break_even, self.break_even),
        }
        for view in dict.fromkeys(view for pair in self._shown.values() for view in pair):
            self._views.addWidget(view)
        page.addWidget(self._views, 1)

    def _candidates_view(self) -> QWidget:
        view = QWidget()
        column = QVBoxLayout(view)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        charts = QHBoxLayout()
        charts.setSpacing(_MARGIN)
        for chart in (self.first, self.frontier, self.second):
            charts.addWidget(chart, 1)
        column.addLayout(charts, 10)
        card = Card(margin=1)
        card.body.setSpacing(0)
        self.certificate.setContentsMargins(PAD + 2, 6, PAD, 8)
        card.body.addWidget(self.table, 1)
        card.body.addWidget(self.certificate)
        column.addWidget(card, 11)
        return view

    def _options_card(self) -> Card:
        card = Card(margin=8)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(Label(tr("Objective"), role="muted"))
        row.addWidget(self.objective)
        row.addSpacing(8)
        row.addWidget(self._limit)
        row.addWidget(self._limit_link)
        row.addStretch(1)
        card.body.addLayout(row)
        return card

    def _connect(self) -> None:
        session = self._session
        self.objective.changed.connect(session.set_objective)
        self.view.changed.connect(self.show_view)
        self.layouts.use_requested.connect(self._use_layout)
        self.fleets.use_requested.connect(self._use_fleet)
        self.purchase.use_requested.connect(self._use_purchase)
        self.break_even.field_requested.connect(self.field_requested)
        self.run.clicked.connect(lambda: session.set_objective(session.objective))
        self.stop.clicked.connect(session.cancel)
        self._limit_link.clicked.connect(lambda: self.field_requested.emit(self._limit_path()))
        self.table.use_requested.connect(self._use)
        self._late.timeout.connect(self._show_status)
        session.review_changed.connect(self._refresh)
        session.plan_changed.connect(self._show_limit)
        session.stale_changed.connect(self._set_stale)
        session.busy_changed.connect(self._set_busy)
        session.progress_changed.connect(self._set_progress)

    def show_view(self, key: str) -> None:
        """Show the candidates, the layouts or fleets, the scaling or purchase, or the API beside it."""
        self.view.set_current(key)
        run, service = self._shown[key]
        self._views.setCurrentWidget(run if self._session.plan.is_training else service)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._searching:
            self._session.cancel()
        else:
            super().keyPressEvent(event)

    def _refresh(self, _: object = None) -> None:
        self.objective.set_current(self._session.objective)
        self._show_limit()
        review = self._session.review
        found = review.optimisation if review is not None else None
        charts = (self.first, self.frontier, self.second)
        if review is None or found is None:
            text = (
                tr("The search was stopped; no result yet.")
                if review is not None
                else tr("Results appear here.")
            )
            for chart in charts:
                chart.show_message(text)
            self.layouts.chart.show_message(text)
            self.table.show_search(None, "USD")
            self._certify()
            self._show_status()
            return
        currency, plan = review.estimate.currency, review.plan
        self._show_curves(found.curves, plan, review.estimate)
        self.frontier.show_chart(draw_frontier, frontier_data(found, plan, review.estimate))
        self.layouts.show_report(found.layouts, plan, review.estimate)
        self.scaling.refresh()
        self.fleets.refresh()
        self.purchase.refresh()
        self.break_even.refresh()
        self.show_view(self.view.current() or "candidates")
        self.table.show_search(found, currency)
        self._certify()
        self._set_stale(self._session.stale)
        self._show_status()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._certify()

    def _certify(self) -> None:
        """Say why the best may be called best; a low page has room for the main reasons only."""
        review = self._session.review
        found = review.optimisation if review is not None else None
        full = certificate_text(found, language()) if found is not None else ""
        low = found is not None and self.height() < _LOW
        self.certificate.setText(
            certificate_text(found, language(), most=1) if low and found is not None else full
        )
        self.certificate.setToolTip(full if low else "")

    def _show_curves(self, curves: tuple[Curve, ...], plan: Plan, now: Estimate) -> None:
        kinds = _BATCH_KINDS if plan.is_batch else _TRAINING_KINDS if plan.is_training else _SERVING_KINDS
        views = (self.first, self.second)
        for view in views[len(curves) :]:
            view.show_message(tr("This setting is not swept for this workload."))
        for view, curve, kind in zip(views, curves, kinds, strict=False):
            if len(curve.x) < 2:
                view.show_message(tr("Fewer than two values of this setting meet the plan's limits."))
                continue
            deadline = run_deadline_h(plan, now) if kind == "size" else None
            view.show_chart(draw_curve, CurveData(curve, kind, now.currency, deadline))

    def _show_limit(self, _: object = None) -> None:
        path = self._limit_path()
        self._limit.setVisible(bool(path))
        self._limit_link.setVisible(bool(path))
        if not path or not self._session.has_plan:
            return
        plan, lang = self._session.plan, language()
        if path == "governance.budget":
            known = plan.governance.budget
            shown = money_short(known, plan.meta.currency, lang) if known is not None else tr("not set")
            self._limit.setText(tr("Budget {value}").format(value=shown))
        else:
            days = plan.deadline_days
            shown = duration_hours(days * 24.0, lang) if days is not None else tr("not set")
            self._limit.setText(tr("Deadline {value}").format(value=shown))
        self._limit_link.setText(tr("Change"))
        self._limit_link.updateGeometry()

    def _limit_path(self) -> str:
        batch = self._session.has_plan and self._session.plan.is_batch
        deadline = "batch.deadline_hours" if batch else "schedule.deadline_days"
        paths = {"cost_under_deadline": deadline, "time_under_budget": "governance.budget"}
        return paths.get(self._session.objective, "")

    def _use(self, candidate: Candidate) -> None:
        name = tr(candidate.label)
        self._session.apply_changes(candidate.changes, tr("Use candidate: {name}").format(name=name))

    def _use_fleet(self, changes: tuple[Change, ...]) -> None:
        self._session.apply_changes(changes, tr("Use a fleet"))

    def _use_purchase(self, changes: tuple[Change, ...]) -> None:
        self._session.apply_changes(changes, tr("Use a purchase"))

    def _use_layout(self, changes: tuple[Change, ...]) -> None:
        self._session.apply_changes(changes, tr("Use a layout"))

    def _set_stale(self, stale: object) -> None:
        self.layouts.set_stale(bool(stale))
        for chart in (self.first, self.frontier, self.second):
            chart.set_stale(bool(stale))

    def _set_busy(self, text: object) -> None:
        self._searching = bool(text)
        self._progress = None
        if self._searching:
            self._late.start()
        else:
            self._late.stop()
        self._show_status()

    def _set_progress(self, progress: object) -> None:
        self._progress = progress if isinstance(progress, tuple) else None
        if not self._late.isActive():
            self._show_status()

    def _show_status(self) -> None:
        self.stop.setEnabled(self._searching)
        self.run.setEnabled(not self._searching)
        found = self._session.review.optimisation if self._session.review is not None else None
        if self._searching and not self._late.isActive():
            self.status.set_full_text(_progress_text(self._progress))
        elif found is not None:
            self.status.set_full_text(_searched_text(found))
        else:
            self.status.set_full_text("")


def run_deadline_h(plan: Plan, now: Estimate) -> float | None:
    """The longest run that ends by the plan's deadline [h]: what is prepared before it takes from it."""
    days = plan.deadline_days
    if days is None or plan.is_service:
        return None
    return max(0.0, days - (now.metric("preparation_days") or 0.0)) * 24.0


def frontier_data(found: Optimisation, plan: Plan, now: Estimate) -> FrontierData:
    """What the frontier chart needs of a search."""
    hours = run_deadline_h(plan, now)
    return FrontierData(
        found,
        now.currency,
        None if hours is None else hours / 24.0,
        plan.governance.budget,
        by_size=plan.is_service,
    )


def certificate_text(found: Optimisation, lang: str, most: int | None = None) -> str:
    """Method, how many settings were tried, what was left out and why; at most `most` reasons."""
    left_out = sum(found.excluded.values())
    evaluated = trn("{count} setting evaluated", "{count} settings evaluated", found.evaluated)
    method = tr(found.certificate.method)
    count = evaluated.format(count=number(found.evaluated, lang))
    parts = [tr("{method}: {evaluated}").format(method=method[:1].upper() + method[1:], evaluated=count)]
    if left_out:
        ordered = sorted(found.excluded.items(), key=lambda pair: -pair[1])
        named = [f"{tr(reason)} {number(count, lang)}" for reason, count in ordered[:most]]
        if len(named) < len(ordered):
            rest = len(ordered) - len(named)
            named.append(trn("{count} more reason", "{count} more reasons", rest).format(count=rest))
        reasons = tr("; ").join(named)
        text = tr("{count} left out ({reasons})")
        parts.append(text.format(count=number(left_out, lang), reasons=reasons))
    gap = found.certificate.gap
    proof = tr("Proven best within this set.") if gap == 0 else ""
    if gap:
        proof = tr("At most {gap} above the best possible.").format(gap=f"{gap:.2%}")
    return (tr(", ").join(parts) + tr(". ") + proof).strip()


def _searched_text(found: Optimisation) -> str:
    text = trn("{count} setting searched", "{count} settings searched", found.evaluated)
    return text.format(count=number(found.evaluated, language()))


def _progress_text(progress: tuple[int, int] | None) -> str:
    if progress is None:
        return tr("Searching - Esc stops")
    done, total = progress
    return tr("Searching cluster sizes: {done} of {total} - Esc stops").format(done=done, total=total)

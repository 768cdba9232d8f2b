"""Asks the engine for results of the plan: central figures at once, then the review, then the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from engine.plan import Plan
from engine.results import Estimate, Optimisation
from gui.i18n import tr
from gui.shell.engine_runner import Failure, Job

if TYPE_CHECKING:
    from gui.services.review import Review
    from gui.shell.session import Session

_SETTLE_MS = 250
"""The review waits this long after the last edit, so that typing costs central estimates only."""

ESTIMATE, REVIEW, SEARCH = "estimate", "review", "search"


class Reviewing(QObject):
    """Keeps the last good results of a session and replaces them when newer ones arrive."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.estimate: Estimate | None = None
        self.review: Review | None = None
        self.problem: Failure | None = None
        self.stale = False
        self.chosen: frozenset[str] | None = None
        self.dismissed: frozenset[str] = frozenset()
        self.objective = "cost_under_deadline"
        self._estimated: Plan | None = None
        self._searched: tuple[Plan, str] | None = None
        self._pending: Review | None = None
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._ask_review)

    def open(self, chosen: frozenset[str] | None, dismissed: frozenset[str]) -> None:
        """Forget the results of the plan before."""
        self._session.runner.cancel_all()
        self.chosen, self.dismissed = chosen, dismissed
        self.estimate, self.review, self.problem = None, None, None
        self._estimated, self._searched, self._pending = None, None, None

    def estimate_of(self, plan: Plan) -> Estimate | None:
        """The estimate of exactly this plan, when it is known."""
        return self.estimate if self._estimated is plan else None

    def request(self) -> None:
        """Compute everything of the session's plan."""
        runner = self._session.runner
        for key in (REVIEW, SEARCH):
            runner.cancel(key)
        self._set_stale(True)
        plan, compute = self._session.plan, self._session.composer.estimate
        runner.submit(ESTIMATE, lambda job: (plan, compute(plan)), self._take_estimate, priority=2)
        self._settle.start()

    def choose(self, ids: frozenset[str] | None) -> None:
        """Price another choice of actions."""
        self.chosen = ids
        self._ask_review()

    def dismiss(self, ids: frozenset[str]) -> None:
        """Leave other actions out."""
        if ids != self.dismissed:
            self.dismissed = ids
            if self.chosen is not None:
                self.chosen -= ids
            self._ask_review()

    def search_for(self, objective: str) -> None:
        """Search for another objective."""
        self.objective = objective
        self._searched = None
        self._ask_review()

    def stop(self) -> None:
        """Stop a search under way and publish the review without it."""
        if self._session.runner.is_busy(SEARCH):
            self._session.runner.cancel(SEARCH)
            if self._pending is not None:
                self._publish(self._pending)

    def _take_estimate(self, outcome: Any) -> None:
        if isinstance(outcome, Failure):
            self._fail(outcome)
            return
        self._estimated, self.estimate = outcome
        if self.problem is not None:
            self.problem = None
            self._session.tell_errors()
        self._session.measure(outcome[1])
        self._session.estimate_changed.emit(outcome[1])

    def _ask_review(self) -> None:
        self._settle.stop()
        plan, chosen, dismissed = self._session.plan, self.chosen, self.dismissed
        compose = self._session.composer.review

        def work(job: Job) -> Review:
            return compose(plan, chosen, dismissed, job.progress, job.cancelled)

        self._session.runner.cancel(SEARCH)
        self._session.busy_changed.emit(tr("Computing the review"))
        self._set_stale(True)
        self._session.runner.submit(REVIEW, work, self._take_review, priority=1)

    def _take_review(self, outcome: Any) -> None:
        if isinstance(outcome, Failure):
            self._fail(outcome)
            return
        review: Review = outcome
        self._estimated, self.estimate = self._session.plan, review.estimate
        self._session.estimate_changed.emit(review.estimate)
        search = self._session.composer.search
        if review.optimisation is not None or search is None:
            self._publish(review)
        elif self.review is not None and self._searched == (review.plan, self.objective):
            self._publish(review.model_copy(update={"optimisation": self.review.optimisation}))
        else:
            self._pending = review
            plan, objective = review.plan, self.objective
            self._session.busy_changed.emit(tr("Searching layouts"))
            self._session.runner.submit(
                SEARCH, lambda job: search(plan, objective, job.progress, job.cancelled), self._take_search
            )

    def _take_search(self, outcome: Any) -> None:
        review = self._pending
        assert review is not None
        found: Optimisation | None = None
        if isinstance(outcome, Failure):
            # The estimate and the advice stand without a search.
            self._session.failed.emit(outcome)
        else:
            found = outcome
            self._searched = (review.plan, self.objective)
        self._publish(review.model_copy(update={"optimisation": found}))

    def _publish(self, review: Review) -> None:
        self._pending = None
        self.review = review
        self._set_stale(False)
        self._session.busy_changed.emit("")
        self._session.review_changed.emit(review)

    def _fail(self, failure: Failure) -> None:
        self.problem = failure
        self._settle.stop()
        self._session.busy_changed.emit("")
        self._session.tell_errors()
        self._session.failed.emit(failure)

    def _set_stale(self, stale: bool) -> None:
        if stale != self.stale:
            self.stale = stale
            self._session.stale_changed.emit(stale)

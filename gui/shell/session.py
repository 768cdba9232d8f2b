"""The view-model every page binds to: the open plan, its results, its errors, and the ways to change them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from engine.errors import FlopwiseError, InputError
from engine.plan import (
    Plan,
    PlanErrors,
    Provenance,
    apply_patch,
    changed_values,
    find_field,
    get_value,
)
from engine.results import Change, Estimate
from engine.storage import RecommendationState, StorageError
from engine.text import N_, Message, Term
from gui.forms.edits import section_of
from gui.i18n import render, tr
from gui.services.project import Project
from gui.shell.composer import Composer
from gui.shell.engine_runner import EngineRunner, Failure
from gui.shell.reviewing import Reviewing
from gui.shell.states import LastChange, Notice, Rejected, SavedState, Swap
from gui.shell.undo import PlanCommand

if TYPE_CHECKING:
    from gui.charts.worker import ChartWorker
    from gui.services.review import Review

_LOG = logging.getLogger(__name__)
_COMMIT_AFTER_MS = 20_000


class Session(QObject):
    """One open plan. Plans are swapped whole, results are replaced whole; nothing is changed in place.

    Accepted edits are in the journal, synced to disk, when `edit` returns. Results follow by
    `estimate_changed` (central figures first, then with their band) and `review_changed`.
    """

    plan_changed = Signal(object)
    estimate_changed = Signal(object)
    review_changed = Signal(object)
    stale_changed = Signal(object)
    errors_changed = Signal(object)
    busy_changed = Signal(object)
    progress_changed = Signal(object)
    saved_changed = Signal(object)
    opened = Signal(object)
    change_measured = Signal(object)
    noticed = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        project: Project,
        composer: Composer,
        runner: EngineRunner | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.project = project
        self.composer = composer
        self.runner = runner if runner is not None else EngineRunner(self)
        self.undo_stack = QUndoStack(self)
        self.saved = SavedState("saved")
        self.last_change: LastChange | None = None
        self._plan: Plan | None = None
        self._rejected: dict[str, Rejected] = {}
        self._shown_errors: dict[str, Message] = {}
        self._reviewing = Reviewing(self)
        self._commit_timer = QTimer(self, singleShot=True, interval=_COMMIT_AFTER_MS)
        self._commit_timer.timeout.connect(self.commit)
        self.runner.progressed.connect(self.progress_changed)

    # What is open.

    @property
    def plan(self) -> Plan:
        """The plan as it stands."""
        assert self._plan is not None, "no plan is open"
        return self._plan

    @property
    def has_plan(self) -> bool:
        """Whether a plan is open."""
        return self._plan is not None

    @property
    def plan_id(self) -> str | None:
        """Id of the open plan in the library."""
        return self.project.plan_id

    @property
    def currency(self) -> str:
        """The plan's currency code."""
        return self.plan.meta.currency

    @property
    def estimate(self) -> Estimate | None:
        """The newest estimate, central or with its band; None before the first."""
        return self._reviewing.estimate

    @property
    def review(self) -> Review | None:
        """The last good review; `stale` tells whether it is of an older plan."""
        return self._reviewing.review

    @property
    def stale(self) -> bool:
        """Whether the review is from before the last edit."""
        return self._reviewing.stale

    @property
    def problem(self) -> Failure | None:
        """Why the engine could not evaluate the plan as it stands, None when it could."""
        return self._reviewing.problem

    @property
    def chosen(self) -> frozenset[str] | None:
        """Ticked actions; None = the default choice."""
        return self._reviewing.chosen

    @property
    def dismissed(self) -> frozenset[str]:
        """Dismissed actions."""
        return self._reviewing.dismissed

    @property
    def objective(self) -> str:
        """What the search looks for."""
        return self._reviewing.objective

    @property
    def errors(self) -> dict[str, Message]:
        """Problems by field path: entries that were not accepted, and values the engine cannot use."""
        return dict(self._shown_errors)

    @property
    def rejected(self) -> dict[str, Rejected]:
        """Entries that were not accepted, by field path; the plan does not hold them, the fields do."""
        return dict(self._rejected)

    @cached_property
    def chart_worker(self) -> ChartWorker:
        """Draws charts on the engine's thread."""
        from gui.charts.worker import ChartWorker

        return ChartWorker(self.runner.pool, self)

    # Changing the plan.

    def edit(
        self, patch: Mapping[str, Any], text: str = "", *, source: str = "entered", detail: str = "",
        drafts: Mapping[str, str] | None = None,
    ) -> bool:  # fmt: skip
        """Set the fields of `patch` as one undoable step; returns whether the plan took them.

        `source` is the provenance kind, `detail` its source text. A rejected patch leaves the plan as it
        is and is remembered: fields that are only possible together are tried together with the next edit
        of their section. `drafts` is what the fields show, to be kept when they are rejected.
        """
        mark = Provenance(kind=source, source=detail)  # type: ignore[arg-type]
        waiting = self._waiting_beside(patch)
        problem: FlopwiseError | None = None
        for attempt in ({**waiting, **patch}, patch) if waiting else (patch,):
            try:
                after = apply_patch(self.plan, attempt, mark)
            except (PlanErrors, InputError) as error:
                problem = error
                continue
            self._forget(attempt)
            self._push(
                after, text or self._describe(patch), path=next(iter(patch)) if len(patch) == 1 else None
            )
            return True
        assert problem is not None
        self._reject(patch, problem, drafts or {})
        return False

    def replace_plan(self, after: Plan, text: str, path: str | None = None) -> None:
        """Swap in a whole, valid plan as one undoable step."""
        if path is not None:
            self._forget({path: None})
        self._push(after, text, path=path)

    def apply_changes(self, changes: tuple[Change, ...], text: str, detail: str = "") -> bool:
        """Take the changes of a candidate or an action as one undoable step."""
        return self.edit(
            {change.path: change.after for change in changes}, text, source="optimised", detail=detail
        )

    def reject_text(self, path: str, text: str, message: Message) -> None:
        """Remember an entry that could not even be read, so that its field keeps it."""
        self._rejected[path] = Rejected(None, message, text)
        self._tell_errors()

    def forget_rejected(self, path: str) -> None:
        """Drop a rejected entry: its field shows the plan's value again."""
        if self._rejected.pop(path, None) is not None:
            self._tell_errors()

    # Choosing among recommendations.

    def set_chosen(self, ids: frozenset[str] | None) -> None:
        """Tick exactly `ids`; None goes back to the default choice."""
        self._guarded(lambda: self.project.set_chosen(ids))
        self._reviewing.choose(ids)

    def dismiss(self, recommendation_id: str, reason: str) -> None:
        """Take an action out of the ranking, with a reason; the status bar offers to undo it."""
        self.set_state(RecommendationState(recommendation_id, "dismissed", reason))
        text = tr("Dismissed: {name}").format(name=recommendation_id)
        self.noticed.emit(Notice(text, lambda: self.restore(recommendation_id)))

    def restore(self, recommendation_id: str) -> None:
        """Bring a dismissed action back."""
        self.set_state(RecommendationState(recommendation_id, "new"))

    def set_state(self, state: RecommendationState) -> None:
        """Store where an action stands, who follows it up and until when."""
        self._guarded(lambda: self.project.set_state(state))
        self._reviewing.dismiss(self.project.dismissed())

    def set_objective(self, objective: str) -> None:
        """Search again for another objective."""
        self._reviewing.search_for(objective)

    def recompute(self) -> None:
        """Compute everything again."""
        self._reviewing.request()

    def cancel(self) -> None:
        """Stop the running search; the last good results stay."""
        self._reviewing.stop()

    # Opening and saving.

    def open_plan(self, plan_id: str) -> None:
        """Open a plan of the library in place of the current one. Errors: StorageError."""
        self.commit()
        plan = self.project.open_plan(plan_id)
        self._start(plan)

    def new_plan(self, plan: Plan) -> str:
        """Store `plan` in the library, open it, return its id. Errors: StorageError."""
        self.commit()
        plan_id = self.project.create(plan)
        self._start(plan)
        return plan_id

    def commit(self) -> None:
        """Save the plan as a revision, with its review when that is fresh."""
        self._commit_timer.stop()
        if self._plan is None or self.plan_id is None:
            return
        plan = self._plan
        self._guarded(lambda: self._commit(plan))

    def close(self) -> None:
        """Save, stop the engine and wait for its thread."""
        self.commit()
        self.runner.close()

    def _start(self, plan: Plan) -> None:
        self._plan = plan
        self.undo_stack.clear()
        self._rejected.clear()
        self.last_change = None
        self._reviewing.open(self.project.chosen(), self.project.dismissed())
        self._tell_errors()
        self._mark_saved()
        self.opened.emit(plan)
        self.plan_changed.emit(plan)
        self._reviewing.request()

    def _commit(self, plan: Plan) -> None:
        revision = self.project.commit_revision(plan)
        review = self.review
        if review is not None and not self.stale and review.plan == plan:
            stored = self.project.latest_review(revision)
            if stored is None:
                self.project.save_review(revision, review.model_dump_json(), review.estimate)

    def _push(self, after: Plan, text: str, path: str | None) -> None:
        if after == self.plan:
            self._tell_errors()
            return
        now = self._reviewing.estimate_of(self.plan)
        swap = Swap(
            self.plan, after, text, path, merge=path,
            total_before=now.total if now is not None else None,
            duration_before_h=now.metric("duration_h") if now is not None else None,
        )  # fmt: skip
        self.undo_stack.push(PlanCommand(swap, self._swap))

    def _swap(self, swap: Swap, forward: bool) -> None:
        before, after = (swap.before, swap.after) if forward else (swap.after, swap.before)
        now = self._reviewing.estimate_of(before) if not forward else None
        path = swap.path
        self.last_change = LastChange(
            text=swap.text, path=path,
            before=get_value(before, path) if path else None, after=get_value(after, path) if path else None,
            total_before=now.total if now else swap.total_before if forward else None,
            duration_before_h=(
                now.metric("duration_h") if now else swap.duration_before_h if forward else None
            ),
        )  # fmt: skip
        self._plan = after
        self._guarded(lambda: self.project.journal(after))
        self._commit_timer.start()
        self._forget_moot(before, after)
        self._tell_errors()
        self.plan_changed.emit(after)
        self._reviewing.request()

    def measure(self, estimate: Estimate) -> None:
        """Complete the last change with its effect (called when a fresh estimate arrives)."""
        if self.last_change is None or self.last_change.total_after is not None:
            return
        self.last_change = replace(
            self.last_change, total_after=estimate.total, duration_after_h=estimate.metric("duration_h")
        )
        self.change_measured.emit(self.last_change)

    # Errors.

    def _waiting_beside(self, patch: Mapping[str, Any]) -> dict[str, Any]:
        """Rejected values of the patched sections: heads and key-value heads are possible only together."""
        sections = {section_of(path) for path in patch}
        return {
            path: item.value
            for path, item in self._rejected.items()
            if item.text is None or item.value is not None
            if path not in patch and section_of(path) in sections
        }

    def _reject(self, patch: Mapping[str, Any], problem: FlopwiseError, drafts: Mapping[str, str]) -> None:
        found = problem.errors if isinstance(problem, PlanErrors) else (problem,)
        for error in found:
            assert isinstance(error, InputError)
            path, message = error.field, error.accepted
            if path not in patch:
                # What an entry makes impossible elsewhere shows beside the entry, which is kept.
                spec = find_field(path)
                path = next(iter(patch))
                if spec is not None:
                    title = Term(spec.title)
                    message = Message(
                        N_("{field} then takes {accepted}"), {"field": title, "accepted": message}
                    )
            self._rejected[path] = Rejected(patch.get(path), message, drafts.get(path))
        self._tell_errors()

    def _forget(self, patch: Mapping[str, Any]) -> None:
        for path in patch:
            self._rejected.pop(path, None)

    def _forget_moot(self, before: Plan, after: Plan) -> None:
        """Undo and other edits of a field overrule what was rejected in it."""
        for path in changed_values(before, after):
            self._rejected.pop(path, None)

    def tell_errors(self) -> None:
        """Publish the problems again (called when the engine finds or loses one)."""
        self._tell_errors()

    def _tell_errors(self) -> None:
        shown = {path: item.message for path, item in self._rejected.items()}
        problem = self.problem
        if problem is not None and isinstance(problem.error, InputError):
            spec = find_field(problem.error.field)
            if spec is not None:
                shown.setdefault(spec.path, problem.error.accepted)
        self._shown_errors = shown
        self.errors_changed.emit(dict(shown))

    # Storage.

    def _guarded(self, action: Any) -> None:
        """Do something to the database; a failure keeps what was stored and is shown in the strip."""
        try:
            action()
        except StorageError as error:
            _LOG.error("not saved: %s", error)
            self.saved = SavedState("failed", self.saved.time, error.message)
            self.saved_changed.emit(self.saved)
        else:
            self._mark_saved()

    def _mark_saved(self) -> None:
        self.saved = SavedState("saved", datetime.now().strftime("%H:%M"))
        self.saved_changed.emit(self.saved)

    def _describe(self, patch: Mapping[str, Any]) -> str:
        spec = find_field(next(iter(patch)))
        return tr(spec.title) if spec is not None else render(Message("edit"))

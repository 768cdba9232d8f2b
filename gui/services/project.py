"""The planner's library as the window uses it: one open plan, its journal, revisions and decisions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from engine.plan import Plan, apply_patch
from engine.results import Estimate
from engine.storage import (
    Database,
    Journal,
    PlanRepository,
    PlanSummary,
    RecommendationState,
    ReviewRepository,
    RevisionSummary,
    StateRepository,
    StorageError,
    StoredReview,
    open_database,
    read_plan_file,
    write_plan_file,
)
from engine.text import N_, Message

FILE_NAME = "flopwise.sqlite"
_NAME_LENGTH = 200


def data_folder() -> Path:
    """Where the program keeps its data: FLOPWISE_DATA_DIR, else the platform's folder for the user."""
    chosen = os.environ.get("FLOPWISE_DATA_DIR")
    if chosen:
        return Path(chosen).expanduser()
    return platformdirs.user_data_path("Flopwise", appauthor=False)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was found unsaved at the start.

    `plans`: plans that open with unsaved work. `copies`: new plans holding work that a later save had
    passed by. `unreadable`: plans with unsaved work this program cannot read; it is kept.
    """

    plans: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


class Project:
    """The open database with at most one open plan. Safe to use from several threads.

    Errors: StorageError from every method when the database cannot be read or written; what was stored
    before stays.
    """

    def __init__(self, database: Database) -> None:
        self.plan_id: str | None = None
        self._database = database
        self._plans = PlanRepository(database)
        self._journal = Journal(database)
        self._reviews = ReviewRepository(database)
        self._states = StateRepository(database)

    @classmethod
    def open(cls, folder: Path | None = None) -> Project:
        """Open the library in `folder`, None = the data folder; an empty one is created."""
        return cls(open_database((folder or data_folder()) / FILE_NAME))

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    def close(self) -> None:
        """Close the database. Unsaved work stays in the journal and is found at the next start."""
        self._database.close()

    # The library.

    def plans(self) -> tuple[PlanSummary, ...]:
        """Summaries of all plans, last changed first."""
        return self._plans.list()

    def deleted_plans(self) -> tuple[PlanSummary, ...]:
        """Summaries of the plans that can be restored."""
        return self._plans.list(deleted=True)

    def create(self, plan: Plan) -> str:
        """Store a new plan, open it and return its id."""
        self.plan_id = self._plans.create(plan)
        return self.plan_id

    def open_plan(self, plan_id: str) -> Plan:
        """Open a plan: this window's unsaved state of it, else its newest revision."""
        plan = self.load(plan_id)
        self.plan_id = plan_id
        return plan

    def load(self, plan_id: str, revision: int | None = None) -> Plan:
        """A plan without opening it; at `revision`, None = with this window's unsaved work."""
        unsaved = self._journal.latest(plan_id) if revision is None else None
        return self._plans.load(plan_id, revision) if unsaved is None else unsaved

    def duplicate(self, plan_id: str, name: str) -> str:
        """Store a copy of the plan, unsaved work included, under `name`; returns its id. Opens nothing."""
        return self._plans.create(apply_patch(self.load(plan_id), {"meta.name": name}))

    def rename(self, plan_id: str, name: str) -> Plan:
        """Save the plan under another name as a new revision, unsaved work included."""
        plan = apply_patch(self.load(plan_id), {"meta.name": name})
        self._commit(plan_id, plan)
        return plan

    def delete(self, plan_id: str) -> None:
        """Take a plan out of the library; `undelete` brings it back. Closes it when it is open."""
        self._plans.delete(plan_id)
        if self.plan_id == plan_id:
            self.plan_id = None

    def undelete(self, plan_id: str) -> None:
        """Put a deleted plan back into the library."""
        self._plans.restore(plan_id)

    # The open plan.

    def journal(self, plan: Plan) -> None:
        """Keep the open plan's unsaved state; it survives a kill once this returns."""
        self._journal.append(self._current(), plan)

    def commit_revision(self, plan: Plan) -> int:
        """Save the open plan as its next revision and return the number; an unchanged plan keeps its own."""
        return self._commit(self._current(), plan)

    def has_unsaved(self) -> bool:
        """Whether the open plan has work that no revision holds."""
        return self._journal.latest(self._current()) is not None

    def revisions(self) -> tuple[RevisionSummary, ...]:
        """Revisions of the open plan, newest first."""
        return self._plans.revisions(self._current())

    def save_review(self, revision: int, review_json: str, estimate: Estimate) -> None:
        """Store the review of one revision of the open plan."""
        self._reviews.save_review(self._current(), revision, review_json, estimate)

    def latest_review(self, revision: int | None = None) -> StoredReview | None:
        """The open plan's review of `revision`, None = its newest; None when there is none."""
        return self._reviews.latest(self._current(), revision)

    def states(self) -> dict[str, RecommendationState]:
        """Stored recommendation states of the open plan by id; those absent are new."""
        return self._states.get(self._current())

    def set_state(self, state: RecommendationState) -> None:
        """Store one recommendation's state for the open plan."""
        self._states.set(self._current(), state)

    def dismissed(self) -> frozenset[str]:
        """Recommendations the planner has dismissed for the open plan."""
        return frozenset(key for key, state in self.states().items() if state.state == "dismissed")

    def chosen(self) -> frozenset[str] | None:
        """The ticked recommendations of the open plan; None = the default choice."""
        return self._states.chosen(self._current())

    def set_chosen(self, ids: Iterable[str] | None) -> None:
        """Store which recommendations are ticked; None = the default choice, empty = none."""
        self._states.set_chosen(self._current(), ids)

    # Recovery and files.

    def recover(self, copy_name: str = "{name} (recovered)") -> Recovered:
        """Find what a killed window left unsaved; call once at the start.

        The newest unsaved state of a plan is what opens next time. Unsaved work that a later save of
        another window has passed by becomes a plan of its own, named by `copy_name`: nothing is lost and
        nothing is overwritten.
        """
        with self._database.write():
            found = self._journal.recover()
            copies = []
            for entry in found.superseded:
                name = _fitted(copy_name.format, entry.plan.meta.name)
                copies.append(self._plans.create(apply_patch(entry.plan, {"meta.name": name})))
                self._journal.discard(entry.id)
        plans = tuple(entry.plan_id for entry in found.entries)
        return Recovered(plans, tuple(copies), found.unreadable)

    def load_plan_file(self, path: Path) -> Plan:
        """The plan in a file, not stored yet. Errors: StorageError, InputError, PlanErrors."""
        return read_plan_file(path)

    def save_plan_file(self, path: Path, plan: Plan) -> None:
        """Write a plan file in one step. Errors: StorageError; the file before stays."""
        write_plan_file(path, plan)

    def _commit(self, plan_id: str, plan: Plan) -> int:
        with self._database.write():
            if plan == self._plans.load(plan_id):
                self._journal.append(plan_id, plan)  # nothing unsaved: drops what was journalled before
                return self._plans.newest(plan_id)
            return self._plans.save_revision(plan_id, plan)

    def _current(self) -> str:
        if self.plan_id is None:
            raise StorageError(Message(N_("no plan is open")))
        return self.plan_id


def _fitted(rename: Callable[..., str], name: str) -> str:
    """The new name, its old part cut so that the whole fits the field."""
    excess = len(rename(name=name)) - _NAME_LENGTH
    return rename(name=name[:-excess] if excess > 0 else name)

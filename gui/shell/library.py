"""The plan library: new from a template, open, duplicate, rename, delete with undo, files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.plan import apply_patch
from engine.storage import PlanSummary, StorageError
from gui.i18n import tr
from gui.services.templates import template_plan, templates
from gui.shell.session import Session
from gui.shell.states import Notice

FIRST_PLAN = templates()[0].name


class Library(QObject):
    """Everything that concerns more plans than the open one. Failures become a notice; nothing is lost."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        session.opened.connect(lambda _plan: self.changed.emit())

    def plans(self) -> tuple[PlanSummary, ...]:
        """All plans, last changed first."""
        return self._session.project.plans()

    def open_first(self, plan_id: str = "") -> None:
        """Open `plan_id`, else the newest plan, else the example."""
        known = [summary.id for summary in self.plans()]
        for candidate in (plan_id, *known):
            if candidate in known:
                try:
                    self._session.open_plan(candidate)
                except StorageError as error:
                    self._tell(str(error))
                    continue
                return
        self.new_from(FIRST_PLAN)

    def new_from(self, template: str) -> None:
        """Add a plan made from a template and open it."""
        self._session.new_plan(template_plan(template))

    def open(self, plan_id: str) -> None:
        """Open another plan."""
        if plan_id != self._session.plan_id:
            self._session.open_plan(plan_id)

    def duplicate(self, plan_id: str) -> str:
        """Add a copy of a plan and open it; returns its id."""
        self._session.commit()
        name = next((s.name for s in self.plans() if s.id == plan_id), "")
        copy = self._session.project.duplicate(plan_id, tr("{name} (copy)").format(name=name)[:200])
        self._session.open_plan(copy)
        return copy

    def rename(self, plan_id: str, name: str) -> None:
        """Give a plan another name; the open one's renaming can be undone."""
        clean = name.strip()[:200]
        if not clean:
            return
        if plan_id == self._session.plan_id:
            self._session.edit({"meta.name": clean}, tr("Plan name"))
        else:
            self._session.project.rename(plan_id, clean)
        self.changed.emit()

    def delete(self, plan_id: str) -> None:
        """Take a plan out of the library and open another; the status bar offers to undo it."""
        summary = next((s for s in self.plans() if s.id == plan_id), None)
        if summary is None:
            return
        self._session.commit()
        self._session.project.delete(plan_id)
        if plan_id == self._session.project.plan_id or self._session.project.plan_id is None:
            self.open_first()
        self.changed.emit()
        text = tr("Deleted: {name}").format(name=summary.name or tr("unnamed"))
        self._session.noticed.emit(Notice(text, lambda: self.undelete(plan_id)))

    def undelete(self, plan_id: str) -> None:
        """Put a deleted plan back and open it."""
        self._session.project.undelete(plan_id)
        self._session.open_plan(plan_id)

    def open_file(self, path: Path) -> None:
        """Add the plan in a file to the library and open it. Errors: StorageError, InputError, PlanErrors."""
        plan = self._session.project.load_plan_file(path)
        if not plan.meta.name:
            plan = apply_patch(plan, {"meta.name": path.stem[:200]})
        self._session.new_plan(plan)

    def save_copy(self, path: Path) -> None:
        """Write the open plan to a file. Errors: StorageError."""
        self._session.project.save_plan_file(path, self._session.plan)
        self._tell(tr("Saved: {path}").format(path=path.name))

    def _tell(self, text: str) -> None:
        self._session.noticed.emit(Notice(text))

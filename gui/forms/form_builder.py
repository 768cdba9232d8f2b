"""Builds the sections of a plan's form and keeps their rows in step with the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.errors import FlopwiseError
from engine.plan import Plan, PlanErrors
from engine.results import Estimate
from engine.text import Message
from gui.forms import starts
from gui.forms.accelerator_field import OWN, AcceleratorField
from gui.forms.edits import reset_field, with_range, without_own_accelerator, without_range
from gui.forms.field_spec import form_field, value_at
from gui.forms.form_row import FormRow
from gui.forms.network_sections import ARCHITECTURE
from gui.forms.sections import FormSection
from gui.forms.tables import SECTIONS, advanced, online
from gui.i18n import tr
from gui.shell.session import Session
from gui.widgets.buttons import LinkButton
from gui.widgets.labels import Label


class SectionBlock(QWidget):
    """A titled group of rows; advanced rows are built when they are first unfolded."""

    import_asked = Signal()
    traffic_asked = Signal()

    def __init__(self, section: FormSection, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.section = section
        self._session = session
        self.rows: dict[str, FormRow] = {}
        self.unfolded = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 10)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.addWidget(Label(tr(section.title), size="card", bold=True))
        head.addStretch(1)
        if section.key == ARCHITECTURE.key:
            self.imports = LinkButton(tr("Import a model"))
            self.imports.clicked.connect(self.import_asked)
            head.addWidget(self.imports)
        self.traffic: LinkButton | None = None
        if section.key == "serving":
            self.traffic = LinkButton(tr("Import traffic…"))
            self.traffic.clicked.connect(self.traffic_asked)
            head.addWidget(self.traffic)
        self.fold = LinkButton()
        self.fold.clicked.connect(lambda: self.unfold(not self.unfolded))
        head.addWidget(self.fold)
        column.addLayout(head)
        self._rows_column = QVBoxLayout()
        self._rows_column.setSpacing(0)
        column.addLayout(self._rows_column)

    def refresh(self, plan: Plan, used: Mapping[str, tuple[Any, str]]) -> None:
        """Show the rows this plan has in this section, with its values."""
        shown = self.section.shown(plan)
        self.setVisible(bool(shown))
        if self.traffic is not None:
            self.traffic.setVisible(online(plan))
        folded = [path for path in shown if advanced(path)]
        text = tr("Fewer") if self.unfolded else tr("Advanced ({count})").format(count=len(folded))
        self.fold.setText(text)
        self.fold.setAccessibleName(f"{tr(self.section.title)}: {text}")
        self.fold.setVisible(bool(folded))
        self.fold.updateGeometry()
        rejected = self._session.rejected
        for path in shown:
            if advanced(path) and not self.unfolded and path not in rejected:
                continue
            self._row(path).refresh(plan, rejected.get(path), used.get(path))
        for path, row in self.rows.items():
            row.setVisible(path in shown and (not advanced(path) or self.unfolded or path in rejected))

    def unfold(self, on: bool) -> None:
        """Show or fold the advanced rows."""
        self.unfolded = on
        self.refresh(self._session.plan, {})
        self.show_errors(self._session.errors)

    def show_errors(self, errors: Mapping[str, Message]) -> None:
        """Show each problem under its field."""
        rejected = self._session.rejected
        for path, row in self.rows.items():
            row.show_error(errors.get(path), rejected.get(path))

    def _row(self, path: str) -> FormRow:
        if path not in self.rows:
            row = FormRow(form_field(path))
            self._connect(path, row)
            self.rows[path] = row
            order = [entry.path for entry in self.section.entries]
            before = [key for key in self.rows if order.index(key) < order.index(path)]
            self._rows_column.insertWidget(len(before), row)
            self._order_tabs(order)
        return self.rows[path]

    def _order_tabs(self, order: list[str]) -> None:
        """Tab follows the reading order, also for rows that were built later."""
        parts = [part for path in order if path in self.rows for part in self.rows[path].editor.parts()]
        for first, second in zip(parts, parts[1:], strict=False):
            QWidget.setTabOrder(first, second)

    def _connect(self, path: str, row: FormRow) -> None:
        session = self._session
        row.edited.connect(lambda value, text: self._edit(path, value, text))
        row.unreadable.connect(lambda text, message: session.reject_text(path, text, message))
        row.cleared.connect(lambda: session.forget_rejected(path))
        row.range_edited.connect(lambda values: self._set_range(path, *values))
        row.range_asked.connect(lambda on: self._toggle_range(path, on))
        row.reset_asked.connect(lambda: self._swap(path, lambda plan: reset_field(plan, path)))
        if isinstance(row.editor, AcceleratorField):
            # Reading the catalogue takes longer than the event loop may wait.
            session.runner.submit(
                "accelerators", lambda job: session.composer.accelerators(), self._offer_accelerators
            )

    def _offer_accelerators(self, names: Any) -> None:
        row = self.rows.get("cluster.accelerator")
        if row is not None and isinstance(row.editor, AcceleratorField) and isinstance(names, Mapping):
            row.editor.set_catalogue(names)

    def _edit(self, path: str, value: Any, text: str | None) -> None:
        session = self._session
        title = tr(form_field(path).spec.title)
        if path == "cluster.accelerator" and value == OWN:
            self._start_own_accelerator(title)
        elif path == "cluster.accelerator" and session.plan.cluster.accelerator_spec is not None:
            self._swap(path, lambda plan: without_own_accelerator(plan, value))
        elif path == "workload.kind":
            added = starts.missing_sections(session.plan, value)
            detail = tr("example plan") if added else ""
            session.edit(
                {path: value, **added}, title, source="imported" if added else "entered", detail=detail
            )
        else:
            session.edit({path: value}, title, drafts={} if text is None else {path: text})

    def _start_own_accelerator(self, title: str) -> None:
        session = self._session
        try:
            figures = session.composer.own_figures(session.plan.cluster.accelerator)
        except FlopwiseError:
            figures = {}
        if figures:
            session.edit({"cluster.accelerator": "own", **figures}, title)

    def _set_range(self, path: str, low: float, central: float, high: float) -> None:
        self._swap(path, lambda plan: with_range(plan, path, low, central, high))

    def _toggle_range(self, path: str, on: bool) -> None:
        value = value_at(self._session.plan, path)
        if not on:
            self._swap(path, lambda plan: without_range(plan, path))
        elif isinstance(value, int | float):
            self._set_range(path, float(value), float(value), float(value))

    def _swap(self, path: str, change: Any) -> None:
        title = tr(form_field(path).spec.title)
        try:
            self._session.replace_plan(change(self._session.plan), title, path)
        except PlanErrors as problem:
            self._session.reject_text(path, "", problem.errors[0].accepted)


class PlanForm(QWidget):
    """All sections of the open plan, one under the other."""

    import_asked = Signal()
    traffic_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._used: dict[str, tuple[Any, str]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 12, 16)
        column.setSpacing(4)
        self.blocks = {section.key: SectionBlock(section, session) for section in SECTIONS}
        for block in self.blocks.values():
            block.import_asked.connect(self.import_asked)
            block.traffic_asked.connect(self.traffic_asked)
            column.addWidget(block)
        column.addStretch(1)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, False)
        session.plan_changed.connect(self.refresh)
        session.errors_changed.connect(self.show_errors)
        session.estimate_changed.connect(self._take_estimate)
        self.refresh(session.plan)
        self.show_errors(session.errors)
        if session.estimate is not None:
            self._take_estimate(session.estimate)

    def refresh(self, plan: Plan) -> None:
        """Show another plan, or the same one after an edit."""
        for block in self.blocks.values():
            block.refresh(plan, self._used)

    def show_errors(self, errors: Mapping[str, Message]) -> None:
        """Show problems under their fields, building folded rows that have one."""
        hidden = [path for path in errors if self.row(path) is None]
        if hidden:
            self.refresh(self._session.plan)
        for block in self.blocks.values():
            block.show_errors(errors)

    def rows(self) -> Iterator[FormRow]:
        """All rows that are shown, in order."""
        for block in self.blocks.values():
            order = [entry.path for entry in block.section.entries]
            for path in order:
                row = block.rows.get(path)
                if row is not None and not row.isHidden():
                    yield row

    def row(self, path: str) -> FormRow | None:
        """The row of a field, None while it is folded away."""
        return next((block.rows[path] for block in self.blocks.values() if path in block.rows), None)

    def reveal(self, path: str) -> FormRow | None:
        """Unfold what hides the field and give back its row."""
        for block in self.blocks.values():
            if path in block.section.shown(self._session.plan):
                if advanced(path) and not block.unfolded:
                    block.unfold(True)
                return block.rows.get(path)
        return None

    def commit(self) -> None:
        """Report entries under way, before the form goes away."""
        for row in self.rows():
            row.commit()

    def _take_estimate(self, estimate: Estimate) -> None:
        self._used = used_values(estimate)
        for block in self.blocks.values():
            for path, row in block.rows.items():
                if value_at(self._session.plan, path) in (None, "auto"):
                    row.refresh(self._session.plan, self._session.rejected.get(path), self._used.get(path))


def used_values(estimate: Estimate) -> dict[str, tuple[Any, str]]:
    """What the engine took for fields that were left to it: path -> value and its source."""
    found: dict[str, tuple[Any, str]] = {}
    traces = [line.trace for line in estimate.lines]
    traces += [metric.trace for metric in estimate.metrics if metric.trace is not None]
    for trace in traces:
        for item in trace.inputs:
            if item.path and item.value is not None:
                found[item.path] = (item.value, ", ".join(part for part in (item.source, item.date) if part))
    for choice in estimate.choices:
        found[choice.path] = (choice.value, "")
    return found

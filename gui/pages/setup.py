"""Setup: the plan's form in the middle, its sections at the left, what it comes to at the right."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from engine.plan import Plan
from engine.results import Curve, Estimate
from engine.text import Message
from gui.formatting import money_short, quantity
from gui.forms.field_spec import form_field
from gui.forms.form_builder import PlanForm
from gui.forms.form_row import FormRow
from gui.forms.tables import CHOICE_WORDS, SECTIONS, section_key
from gui.i18n import language, tr, trn
from gui.pages.setup_panel import GOVERNANCE, SetupPanel
from gui.shell.session import Session
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.nav_list import NavList, NavState
from gui.widgets.scrolling import quiet_scroll_area

BESIDE_WIDTH = 1080
"""Page width from which the live panel stands beside the form."""


class SetupPage(QWidget):
    """The plan form with its live panel."""

    import_asked = Signal()
    traffic_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._beside: bool | None = None
        self._going = False
        self.form = PlanForm(session)
        self.form.import_asked.connect(self.import_asked)
        self.form.traffic_asked.connect(self.traffic_asked)
        self.panel = SetupPanel(session)
        self._build()
        session.plan_changed.connect(self._show_plan)
        session.errors_changed.connect(self._show_errors)
        session.estimate_changed.connect(self._show_states)
        session.review_changed.connect(self._show_advice)
        self._show_plan(session.plan)
        self._show_errors(session.errors)
        if session.review is not None:
            self._show_advice(session.review)

    def title(self) -> str:
        """Name of the page."""
        return tr("Setup")

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 14)
        column.setSpacing(8)
        column.addLayout(self._head())
        self._split = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._split.setSpacing(12)
        column.addLayout(self._split, 1)
        main = QHBoxLayout()
        main.setSpacing(12)
        self.index = NavList(tr("Sections"), row_height=32, accent_bar=False)
        self.index.setFixedWidth(166)
        self.index.chosen.connect(self.go_to_section)
        main.addWidget(self.index)
        card = Card(margin=1)
        self.scroll_area = quiet_scroll_area(self.form)
        self.scroll_area.verticalScrollBar().valueChanged.connect(self._follow_scroll)
        card.body.addWidget(self.scroll_area)
        main.addWidget(card, 1)
        self._split.addLayout(main, 1)
        self._panel_scroll = quiet_scroll_area(self.panel, ground="window")
        self._split.addWidget(self._panel_scroll)

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(Label(self.title(), size="title", bold=True))
        self.kind = Label(role="muted")
        head.addWidget(self.kind)
        head.addStretch(1)
        self.attention = Label(role="danger")
        self.go_button = Button(tr("Go to it (F8)"), small=True)
        self.go_button.clicked.connect(self.go_to_error)
        head.addWidget(self.attention)
        head.addWidget(self.go_button)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a field (Ctrl+K)"))
        self.search.setAccessibleName(tr("Find a field"))
        self.search.setFixedWidth(190)
        self.search.setMinimumHeight(28)
        self.search.setTextMargins(4, 0, 4, 0)
        self._titles: dict[str, str] = {}
        self._completer = QCompleter(QStringListModel(self), self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._completer.activated.connect(self._found)
        self.search.setCompleter(self._completer)
        self.search.returnPressed.connect(lambda: self._found(self.search.text()))
        head.addWidget(self.search)
        return head

    # Going places.

    def focus_find(self) -> None:
        """Put the keyboard into the search line."""
        self.search.setFocus()
        self.search.selectAll()

    def go_to_error(self) -> None:
        """Put the keyboard into the next field that needs attention."""
        order = [
            path
            for section in SECTIONS
            for path in section.shown(self._session.plan)
            if path in self._session.errors
        ]
        if not order:
            return
        focused = next(
            (row.field.path for row in self.form.rows() if row.isAncestorOf(self.focusWidget() or self)), ""
        )
        later = order[order.index(focused) + 1 :] if focused in order else order
        self.go_to_field((later or order)[0])

    def go_to_field(self, path: str) -> None:
        """Scroll to a field and put the keyboard into it."""
        row = self.form.reveal(path)
        if row is not None:
            row.show()
            # A row that was just unfolded has no place until the layout has run.
            QTimer.singleShot(0, row, lambda: self._settle_on(row))

    def _settle_on(self, row: FormRow) -> None:
        self.scroll_area.ensureWidgetVisible(row, 0, 80)
        row.take_focus()

    def go_to_section(self, key: str) -> None:
        """Scroll to a section."""
        self._going = True
        self.scroll_area.verticalScrollBar().setValue(self.form.blocks[key].y())
        self._going = False

    def _found(self, text: str) -> None:
        wanted = text.strip().casefold()
        exact = self._titles.get(wanted)
        path = exact or next(
            (path for title, path in self._titles.items() if wanted and wanted in title), None
        )
        if path is not None:
            self.search.clear()
            self.go_to_field(path)

    def _follow_scroll(self, value: int) -> None:
        if self._going:
            return
        shown = [(block.y(), key) for key, block in self.form.blocks.items() if not block.isHidden()]
        passed = [key for top, key in shown if top <= value + 40]
        if passed:
            self.index.set_current(passed[-1])

    # Showing.

    def _show_plan(self, plan: Plan) -> None:
        self.kind.setText(tr(CHOICE_WORDS[plan.workload.kind]))
        keys = [section.key for section in SECTIONS if section.shown(plan)]
        if self.index.entry_keys() != keys:
            current = self.index.current_key()
            self.index.clear()
            for section in SECTIONS:
                if section.key in keys:
                    self.index.add(section.key, tr(section.title))
            self.index.set_current(current if current in keys else keys[0])
        paths = [path for section in SECTIONS for path in section.shown(plan)]
        self._titles = {tr(form_field(path).spec.title).casefold(): path for path in reversed(paths)}
        model = self._completer.model()
        assert isinstance(model, QStringListModel)
        model.setStringList([tr(form_field(path).spec.title) for path in paths])
        self._show_states()

    def _show_errors(self, errors: Mapping[str, Message]) -> None:
        count = len(errors)
        text = trn("{count} field needs attention", "{count} fields need attention", count).format(
            count=count
        )
        self.attention.setText(f"■ {text}" if count else "")
        self.go_button.setText(tr("Go to it (F8)") if count < 2 else tr("Go to first (F8)"))
        self.go_button.setVisible(bool(count))
        self._show_states()

    def _show_states(self, _estimate: Estimate | None = None) -> None:
        errors = [section_key(path) for path in self._session.errors]
        for key in self.index.entry_keys():
            count = errors.count(key)
            if count:
                self.index.set_state(key, NavState(str(count), "danger", "square"))
            else:
                self.index.set_state(key, self._quiet_state(key))

    def _quiet_state(self, key: str) -> NavState | None:
        plan = self._session.plan
        if key == "governance":
            missing = sum(getattr(plan.governance, name) is None for name in GOVERNANCE)
            return NavState(tr("{count} unknown").format(count=missing)) if missing else None
        if key == "layout" and plan.layout.tensor_parallel == "auto":
            return NavState(tr("auto"))
        return None

    def _show_advice(self, review: object) -> None:
        """Say under a field when the search found a clearly better value."""
        if self._session.stale:
            return
        found = getattr(review, "optimisation", None)
        curves = {curve.path: curve for curve in found.curves} if found is not None else {}
        for row in self.form.rows():
            curve = curves.get(row.field.path)
            if curve is not None and worth_changing(curve):
                best = curve.best or 0.0
                self._advise(row, curve, round(best) if row.field.spec.kind == "whole" else best)
            else:
                row.set_hint("")

    def _advise(self, row: FormRow, curve: Curve, better: float) -> None:
        lang, currency = language(), self._session.currency
        extra = (total_at(curve, curve.now) or 0.0) - (curve.best_total or 0.0)
        shown = quantity(better, curve.unit, lang, currency)
        text = tr("Best is {best}; this costs {amount} more.").format(
            best=shown, amount=money_short(extra, currency, lang)
        )
        row.set_hint(text, tr("Use {value}").format(value=shown), better)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= BESIDE_WIDTH
        if beside == self._beside:
            return
        self._beside = beside
        self.panel.set_beside(beside)
        self._split.setDirection(
            QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        )
        if beside:
            self._panel_scroll.setMinimumSize(342, 0)
            self._panel_scroll.setMaximumSize(342, 16_777_215)
        else:
            self._panel_scroll.setMinimumSize(0, 236)
            self._panel_scroll.setMaximumSize(16_777_215, 236)


def worth_changing(curve: Curve) -> bool:
    """Whether the setting lies outside the region within 1 % of the best."""
    if curve.now is None or curve.best is None or curve.best_total is None:
        return False
    low = curve.flat_low if curve.flat_low is not None else curve.best
    high = curve.flat_high if curve.flat_high is not None else curve.best
    dearer = (total_at(curve, curve.now) or curve.best_total) > curve.best_total * 1.01
    return not low <= curve.now <= high and dearer


def total_at(curve: Curve, x: float | None) -> float | None:
    """Total of the sweep at `x`, straight lines between its points; None outside it."""
    if x is None or not curve.x or not min(curve.x) <= x <= max(curve.x):
        return None
    points = sorted(zip(curve.x, curve.total, strict=True))
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        if x0 <= x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[0][1]

"""The detail card of an action: everything a reader needs to believe it, do it and undo it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QScrollArea, QWidget

from engine.results import Advice, Change, NotEvaluated, PassedCheck, Recommendation, RecommendationSet
from gui.formatting import duration_hours, money_short, percent
from gui.i18n import language, render, tr
from gui.models.recommendations import risk_lines
from gui.models.words import EFFORT_WORDS, REVERSIBILITY_WORDS, STATE_WORDS, change_text, field_title, word
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.chips import Chip
from gui.widgets.labels import Label

_LABEL_WIDTH = 64
_STATE_ROLES = {"accepted": "saving", "verified": "saving", "realised": "saving", "dismissed": "muted"}


class FactSheet(QScrollArea):
    """Rows of a muted label and wrapped text, scrolling when they do not fit."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rows: list[tuple[str, str]] = []

    def set_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show other rows; an empty label continues the one above."""
        self._rows = list(rows)
        sheet = QWidget()
        grid = QGridLayout(sheet)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(7)
        grid.setColumnMinimumWidth(0, _LABEL_WIDTH)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        for row, (label, text) in enumerate(rows):
            grid.addWidget(Label(label, size="hint", role="muted", wrap=True), row, 0, top)
            value = Label(text, size="hint", wrap=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(value, row, 1, top)
        grid.setRowStretch(len(rows), 1)
        sheet.setAutoFillBackground(False)
        self.setWidget(sheet)
        self.viewport().setAutoFillBackground(False)
        sheet.setAutoFillBackground(False)

    def rows(self) -> list[tuple[str, str]]:
        """What it shows, as label and text."""
        return list(self._rows)


class DismissBar(QWidget):
    """Asks for the reason of a dismissal, in place; Esc leaves it."""

    confirmed = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reason = QComboBox(self)
        self.reason.setEditable(True)
        self.reason.setAccessibleName(tr("Reason of the dismissal"))
        reasons = (
            tr("already done"),
            tr("not allowed here"),
            tr("risk too high"),
            tr("not worth the effort"),
        )
        self.reason.addItems(reasons)
        self.reason.setMinimumHeight(30)
        confirm = Button(tr("Dismiss"), role="danger")
        cancel = Button(tr("Keep"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.reason, 1)
        row.addWidget(confirm)
        row.addWidget(cancel)
        confirm.clicked.connect(self._confirm)
        cancel.clicked.connect(self.left)
        line = self.reason.lineEdit()
        assert line is not None
        line.returnPressed.connect(self._confirm)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _confirm(self) -> None:
        self.confirmed.emit(self.reason.currentText().strip())


class DetailCard(Card):
    """Shows one recommendation, one advice, or the list of checks."""

    dismissed = Signal(object, object)
    restored = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(" ", margin=14, parent=parent)
        self.title.setWordWrap(True)
        self.head.setStretch(0, 1)
        self.head.setStretch(1, 0)
        self._item: Recommendation | None = None
        self._chip = Chip("")
        self.head.addWidget(self._chip, 0, Qt.AlignmentFlag.AlignTop)
        self.sheet = FactSheet(tr("Detail"))
        self.dismiss = Button(tr("Dismiss…"), role="danger", small=True)
        self.restore = Button(tr("Take up again"), small=True)
        self.bar = DismissBar()
        self.bar.hide()
        self.body.addWidget(self.sheet, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.dismiss)
        foot.addWidget(self.restore)
        foot.addStretch(1)
        self.body.addLayout(foot)
        self.body.addWidget(self.bar)
        self.dismiss.clicked.connect(self.ask_reason)
        self.restore.clicked.connect(self._restore)
        self.bar.left.connect(self._leave_bar)
        self.bar.confirmed.connect(self._dismiss)
        self.show_nothing()

    def show_nothing(self) -> None:
        """Say what will stand here."""
        self._head(tr("Detail"), "", "text")
        self.sheet.set_rows([("", tr("Select an action to see why it is proposed and how to undo it."))])

    def show_item(self, item: Recommendation, found: RecommendationSet, currency: str) -> None:
        """Show a recommendation in full."""
        self._head(
            f"{item.rank} · {tr(item.title)}",
            word(STATE_WORDS, item.state, language()),
            _STATE_ROLES.get(item.state, "text"),
        )
        self._item = item
        gone = item.state == "dismissed"
        self.dismiss.setVisible(not gone)
        self.restore.setVisible(gone)
        self.sheet.set_rows(detail_rows(item, found, currency))

    def show_advice(self, advice: Sequence[Advice], currency: str) -> None:
        """Show what to do first and what to mind."""
        self._head(tr("Do first"), "", "text")
        self.sheet.set_rows([row for entry in advice for row in advice_rows(entry, currency)])

    def show_checks(self, found: RecommendationSet, currency: str) -> None:
        """Show the checks that passed and those that could not run."""
        self._head(tr("Other checks"), "", "text")
        self.sheet.set_rows(check_rows(found.passed, found.not_evaluated, currency))

    def ask_reason(self) -> None:
        """Open the reason field for the shown action."""
        if self._item is not None and self._item.state != "dismissed":
            self.dismiss.hide()
            self.bar.show()
            self.bar.reason.setFocus()

    def _head(self, title: str, state: str, role: str) -> None:
        self._item = None
        self.title.setText(title)
        self._chip.setVisible(bool(state))
        self._chip.set_text(state, role)
        self.bar.hide()
        self.dismiss.hide()
        self.restore.hide()

    def _leave_bar(self) -> None:
        self.bar.hide()
        self.dismiss.show()
        self.dismiss.setFocus()

    def _dismiss(self, reason: object) -> None:
        if self._item is not None:
            self.bar.hide()
            self.dismissed.emit(self._item.id, reason)

    def _restore(self) -> None:
        if self._item is not None:
            self.restored.emit(self._item.id)


def detail_rows(item: Recommendation, found: RecommendationSet, currency: str) -> list[tuple[str, str]]:
    """Label and text of every part of the card, in reading order."""
    lang = language()
    titles = {other.id: f"{other.rank} {tr(other.title)}" for other in found.recommendations}
    named = lambda ids: tr("; ").join(titles.get(name, name) for name in ids)  # noqa: E731
    rows = [(tr("Finding"), render(item.finding, currency))]
    rows += _listed(tr("Why"), [render(message, currency) for message in item.why])
    rows += _listed(tr("Change"), [change_text(change, currency, lang) for change in item.changes])
    rows += _listed(tr("Conditions"), [render(message, currency) for message in item.conditional])
    rows += _saving_rows(item, currency, lang)
    rows += _listed(tr("Risks"), risk_lines(item))
    effort = word(EFFORT_WORDS, item.effort, lang)
    reverse = word(REVERSIBILITY_WORDS, item.reversibility, lang)
    chance = percent(item.success_probability, lang, 2)
    rows.append(
        (
            tr("Effort"),
            tr("{effort}; {reverse}; works with a chance of {chance}").format(
                effort=effort, reverse=reverse, chance=chance
            ),
        )
    )
    rows += [
        (label, tr(text))
        for label, text in ((tr("Verify"), item.verify), (tr("Roll back"), item.rollback))
        if text
    ]
    rows += _listed(tr("Evidence"), [f"{tr(e.figure)} ({e.title}, {e.where})" for e in item.evidence])
    rows += [
        (label, named(ids))
        for label, ids in ((tr("Needs"), item.needs), (tr("Excludes"), item.excludes))
        if ids
    ]
    if item.replaced_by is not None:
        rows.append((tr("Replaced by"), named((item.replaced_by,))))
    return rows


def _saving_rows(item: Recommendation, currency: str, lang: str) -> list[tuple[str, str]]:
    saving = item.saving
    shown = lambda amount: "–" if amount is None else money_short(amount, currency, lang)  # noqa: E731
    in_plan = tr("alone {alone}; in the plan {in_plan}").format(
        alone=shown(saving.gross), in_plan=shown(saving.in_plan)
    )
    spread = tr("P10 {low}, P50 {middle}, P90 {high} (alone)").format(
        low=shown(saving.p10), middle=shown(saving.p50), high=shown(saving.p90)
    )
    one_off = tr("one-off cost {cost}; net {net}").format(cost=shown(saving.one_off), net=shown(saving.net))
    rows = [(tr("Saving"), in_plan), (tr("Range"), spread), ("", one_off)]
    hours = item.duration_change_h
    if hours is not None and abs(hours) >= 0.5:
        text = tr("{time} shorter") if hours < 0 else tr("{time} longer")
        rows.append((tr("Run time"), text.format(time=duration_hours(abs(hours), lang))))
    return rows


def advice_rows(advice: Advice, currency: str) -> list[tuple[str, str]]:
    """A prerequisite or warning as rows."""
    changes: tuple[Change, ...] = advice.changes
    rows = [(tr("Do") if advice.kind == "governance" else tr("Mind"), tr(advice.title))]
    rows += [(tr("Finding"), render(advice.finding, currency))]
    rows += _listed(tr("Why"), [render(message, currency) for message in advice.why])
    rows += _listed(tr("Change"), [change_text(change, currency, language()) for change in changes])
    return rows + [
        (label, tr(text))
        for label, text in ((tr("Verify"), advice.verify), (tr("Roll back"), advice.rollback))
        if text
    ]


def check_rows(
    passed: Sequence[PassedCheck], missing: Sequence[NotEvaluated], currency: str
) -> list[tuple[str, str]]:
    """Not evaluated checks with what they need, then the passed ones with what they saw."""
    rows = []
    for index, blind in enumerate(missing):
        needs = tr(", ").join(field_title(path, language()) for path in blind.needs)
        text = tr("{title}: needs {fields}").format(title=tr(blind.title), fields=needs)
        rows.append((tr("Not evaluated") if index == 0 else "", text))
    for index, check in enumerate(passed):
        text = f"{tr(check.title)}: {render(check.finding, currency)}"
        rows.append((tr("Passed") if index == 0 else "", text))
    return rows or [("", tr("Every check proposes something."))]


def _listed(label: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(label if index == 0 else "", text) for index, text in enumerate(texts) if text]

"""Proposal: options at the left, the pages as they will be printed at the right, export on top."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStandardPaths, Qt, QTimer
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.plan import Plan
from gui.formatting import money_short
from gui.forms.field_spec import form_field, provenance_of, value_at
from gui.forms.form_row import FormRow
from gui.forms.tables import SECTIONS
from gui.i18n import LANGUAGES, language, tr, trn
from gui.shell.engine_runner import Failure, Job
from gui.shell.session import Session
from gui.shell.states import Notice
from gui.widgets.buttons import Button, IconButton, Segmented
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.marks import Mark
from gui.widgets.scrolling import quiet_scroll_area

if TYPE_CHECKING:
    from gui.services.review import Review

FIELDS = ("finance.ask_percentile", "meta.organisation", "meta.project", "meta.owner", "meta.team")
SETTLE_MS = 400


@dataclass(frozen=True, slots=True)
class Preview:
    """Page images of one review in one language."""

    lang: str
    pages: tuple[QImage, ...]


def render_preview(review: Review, lang: str) -> Preview:
    """Draw and decode every page; runs in the engine's thread."""
    # Typst and the report are wanted here only: the window starts without them.
    from gui.report.composition import compose_document
    from gui.report.pdf import render_pages

    return Preview(
        lang, tuple(QImage.fromData(page) for page in render_pages(compose_document(review, lang)))
    )


def export_review(review: Review, path: Path, lang: str) -> int:
    """Write the PDF and return its number of pages; runs in the engine's thread."""
    from gui.report.pdf import write_pdf

    return write_pdf(review, path, lang)


def questions(plan: Plan, review: Review | None) -> list[str]:
    """What a reviewer will ask."""
    shown = [path for section in SECTIONS for path in section.shown(plan)]
    defaults = [
        path for path in shown
        if provenance_of(plan, path)[0] == "default" and value_at(plan, path) not in (None, "", ())
        if form_field(path).editor == "quantity"
    ]  # fmt: skip
    found = []
    if defaults:
        text = trn("{count} number is a default.", "{count} numbers are defaults.", len(defaults))
        found.append(text.format(count=len(defaults)))
    if not plan.meta.owner:
        found.append(tr("Nobody is named as owner."))
    if plan.governance.budget is None:
        found.append(tr("No budget is known to compare with."))
    if review is None:
        return found
    if review.estimate.unknown:
        names = ", ".join(tr(name) for name in review.estimate.unknown)
        found.append(tr("Not priced: {names}.").format(names=names))
    missing = len(review.recommendations.not_evaluated)
    if missing:
        text = trn("{count} check lacks an input.", "{count} checks lack an input.", missing)
        found.append(text.format(count=missing))
    return found


class ProposalPage(QWidget):
    """The budget proposal of the open plan."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lang = language()
        self._pages: tuple[QImage, ...] = ()
        self._at = 0
        self._fit = True
        self._rows: dict[str, FormRow] = {}
        self._build()
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._draw)
        session.review_changed.connect(self._review_changed)
        session.plan_changed.connect(self._show_plan)
        session.errors_changed.connect(self._show_errors)
        session.stale_changed.connect(self._show_stale)
        self._show_plan(session.plan)
        self._review_changed(session.review)

    def title(self) -> str:
        """Name of the page."""
        return tr("Proposal")

    # Building.

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 14)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(Label(self.title(), size="title", bold=True))
        self.count = Label(role="muted")
        head.addWidget(self.count)
        head.addStretch(1)
        self.export = Button(tr("Export PDF"), role="primary")
        self.export.clicked.connect(self.ask_export)
        head.addWidget(self.export)
        column.addLayout(head)
        row = QHBoxLayout()
        row.setSpacing(12)
        options = QWidget()
        left = QVBoxLayout(options)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(12)
        left.addWidget(self._options_card())
        left.addWidget(self._questions_card())
        left.addStretch(1)
        area = quiet_scroll_area(options, ground="window")
        area.setFixedWidth(364)
        row.addWidget(area)
        row.addWidget(self._preview_card(), 1)
        column.addLayout(row, 1)

    def _options_card(self) -> Card:
        card = Card(tr("What it says"))
        line = QHBoxLayout()
        line.addWidget(Label(tr("Language")))
        line.addStretch(1)
        self.languages = Segmented(tr("Language"), list(LANGUAGES.items()), self._lang)
        self.languages.changed.connect(self._choose_language)
        line.addWidget(self.languages)
        card.body.addLayout(line)
        for path in FIELDS:
            row = FormRow(form_field(path))
            row.set_compact()
            row.edited.connect(lambda value, text, at=path: self._edit(at, value, text))
            row.unreadable.connect(
                lambda text, message, at=path: self._session.reject_text(at, text, message)
            )
            row.cleared.connect(lambda at=path: self._session.forget_rejected(at))
            card.body.addWidget(row)
            self._rows[path] = row
        self.ask = Label(size="hint", role="muted", wrap=True)
        card.body.addWidget(self.ask)
        return card

    def _questions_card(self) -> Card:
        card = Card(tr("A reviewer will ask"))
        self._questions = QVBoxLayout()
        self._questions.setSpacing(4)
        card.body.addLayout(self._questions)
        return card

    def _preview_card(self) -> Card:
        card = Card(margin=1)
        bar = QHBoxLayout()
        bar.setContentsMargins(10, 8, 10, 2)
        bar.setSpacing(6)
        previous, following = IconButton("previous", tr("Previous page")), IconButton("next", tr("Next page"))
        previous.clicked.connect(lambda: self.show_page(self._at - 1))
        following.clicked.connect(lambda: self.show_page(self._at + 1))
        self.position = Label(role="muted")
        self.state = Label(size="hint", role="muted")
        self.fit = Button(tr("Fit page"), small=True)
        self.fit.setCheckable(True)
        self.fit.setChecked(True)
        self.fit.clicked.connect(lambda on: self.set_fit(bool(on)))
        for part in (previous, self.position, following):
            bar.addWidget(part)
        bar.addSpacing(12)
        bar.addWidget(self.state)
        bar.addStretch(1)
        bar.addWidget(self.fit)
        card.body.addLayout(bar)
        self.sheet = QLabel()
        self.sheet.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.sheet.setAccessibleName(tr("Page preview"))
        self.sheet.setContentsMargins(12, 8, 12, 12)
        self._sheet_area = quiet_scroll_area(self.sheet, ground="raised")
        card.body.addWidget(self._sheet_area, 1)
        return card

    # Choosing.

    def _choose_language(self, code: str) -> None:
        self._lang = code
        self._draw()

    def _edit(self, path: str, value: Any, text: str | None) -> None:
        drafts = {} if text is None else {path: text}
        self._session.edit({path: value}, tr(form_field(path).spec.title), drafts=drafts)

    def show_page(self, index: int) -> None:
        """Show a page by index from 0; beyond the ends nothing happens."""
        if 0 <= index < len(self._pages):
            self._at = index
            self._show_sheet()

    def set_fit(self, on: bool) -> None:
        """Show the whole page, or its full width."""
        self._fit = on
        self._show_sheet()

    # Showing.

    def _show_plan(self, plan: Plan) -> None:
        for path, row in self._rows.items():
            row.refresh(plan, self._session.rejected.get(path), None)
        self._show_questions()

    def _show_errors(self, errors: dict[str, Any]) -> None:
        for path, row in self._rows.items():
            row.show_error(errors.get(path), self._session.rejected.get(path))

    def _review_changed(self, review: Review | None) -> None:
        self._show_questions()
        self.export.setEnabled(review is not None)
        if review is None:
            self.sheet.setText(tr("The proposal appears here once the first estimate is done."))
            return
        # The same basis as the document's: the figures must agree.
        from gui.report.basis import read_basis

        basis = read_basis(review)
        text = tr(
            "We ask for {amount}: percentile {percentile} after the chosen actions, one-off cost included."
        )
        shown = money_short(basis.ask, review.estimate.currency, language())
        self.ask.setText(text.format(amount=shown, percentile=f"{review.plan.finance.ask_percentile:g}"))
        self._settle.start()

    def _show_stale(self, stale: bool) -> None:
        if stale and self._pages:
            self.state.setText("○ " + tr("from before the last edit"))

    def _show_questions(self) -> None:
        clear_layout(self._questions)
        found = questions(self._session.plan, self._session.review)
        for text in found or [tr("Nothing is open.")]:
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(4)
            mark = Mark("triangle", "warn") if found else Mark("disc", "saving")
            mark.setFixedWidth(16)
            row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(Label(text, size="hint", wrap=True), 1)
            self._questions.addWidget(line)

    def _draw(self) -> None:
        review = self._session.review
        if review is None or not self.isVisible():
            return
        lang = self._lang
        self.state.setText(tr("drawing the pages"))

        def work(job: Job) -> Preview:
            return render_preview(review, lang)

        self._session.runner.submit("preview", work, self._take_preview)

    def _take_preview(self, outcome: Any) -> None:
        if isinstance(outcome, Failure):
            self.state.setText(tr("The pages could not be drawn: {problem}").format(problem=outcome.text))
            return
        self._pages = outcome.pages
        self.state.setText("○ " + tr("from before the last edit") if self._session.stale else "")
        count = len(self._pages)
        self.count.setText(trn("{count} page", "{count} pages", count).format(count=count))
        self._at = min(self._at, max(0, count - 1))
        self._show_sheet()

    def _show_sheet(self) -> None:
        if not self._pages:
            return
        page = self._pages[self._at]
        room = self._sheet_area.viewport().size()
        ratio = self.devicePixelRatioF()
        width = max(200, room.width() - 26)
        if self._fit:
            width = min(width, round(max(200, room.height() - 22) * page.width() / page.height()))
        shown = page.scaledToWidth(round(width * ratio), Qt.TransformationMode.SmoothTransformation)
        shown.setDevicePixelRatio(ratio)
        self.sheet.setPixmap(QPixmap.fromImage(shown))
        self.position.setText(tr("{page} of {pages}").format(page=self._at + 1, pages=len(self._pages)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_sheet()

    def showEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().showEvent(event)
        self._settle.start()

    # Exporting.

    def ask_export(self) -> None:
        """Ask where to and write the PDF."""
        if self._session.review is None:
            self._session.noticed.emit(Notice(tr("The first estimate is not done yet."), tone="warn"))
            return
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        name = (self._session.plan.meta.name or tr("Proposal")).replace("/", "-")
        chosen, _ = QFileDialog.getSaveFileName(
            self, tr("Export the proposal"), f"{folder}/{name}.pdf", tr("PDF (*.pdf)")
        )
        if chosen:
            self.export_to(Path(chosen if chosen.lower().endswith(".pdf") else f"{chosen}.pdf"))

    def export_to(self, path: Path) -> None:
        """Write the PDF of the last good review; the status bar says how it went."""
        review, lang = self._session.review, self._lang
        assert review is not None
        self._session.commit()
        self.export.setEnabled(False)
        self.state.setText(tr("writing {path}").format(path=path.name))
        self._session.runner.submit(
            "export", lambda job: (path, export_review(review, path, lang)), self._exported
        )

    def _exported(self, outcome: Any) -> None:
        self.export.setEnabled(True)
        self.state.setText("")
        if isinstance(outcome, Failure):
            text = tr("The PDF could not be written: {problem}").format(problem=outcome.text)
            self._session.noticed.emit(Notice(text, tone="danger"))
            return
        path, pages = outcome
        text = trn("Exported {path}, {count} page.", "Exported {path}, {count} pages.", pages)
        self._session.noticed.emit(Notice(text.format(path=path, count=pages), tone="saving"))

"""The import of own traffic: what a file says beside what the plan has, and one step to take it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.errors import FlopwiseError
from engine.plan import PlanErrors
from gui.formatting import number
from gui.i18n import language, render, tr, trn
from gui.models.traffic import Row, problem_lines, traffic_rows
from gui.services.traffic import Traffic, load_traffic
from gui.shell.engine_runner import Failure
from gui.shell.session import Session
from gui.shell.states import Notice
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

SIZE = (760, 640)
JOB = "traffic import"


class TrafficImportDialog(QDialog):
    """Shows the traffic of a CSV file before the plan takes it. Drop or open a file."""

    taken = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._traffic: Traffic | None = None
        self.setWindowTitle(tr("Import traffic"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.resize(*SIZE)
        self._build()
        self._say(
            "muted",
            tr(
                "Drop a CSV file here or open one: a row a request with TIMESTAMP, ContextTokens and "
                "GeneratedTokens, or hour or timestamp with requests."
            ),
        )

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setSpacing(10)
        self.open_button = Button(tr("Open a CSV file"))
        self.open_button.clicked.connect(self.ask_file)
        column.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._message = Label(wrap=True)
        column.addWidget(self._message)
        content = QWidget()
        self._content = QVBoxLayout(content)
        self._content.setContentsMargins(0, 0, 8, 0)
        self._content.setSpacing(10)
        column.addWidget(quiet_scroll_area(content, ground="window"), 1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        self.take_button = Button(tr("Use this traffic"), role="primary")
        self.take_button.clicked.connect(self.take)
        close = Button(tr("Close"))
        close.clicked.connect(self.close)
        foot.addStretch(1)
        foot.addWidget(close)
        foot.addWidget(self.take_button)
        column.addLayout(foot)

    # Where from.

    def ask_file(self) -> None:
        """Ask for a CSV file."""
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Open a CSV file"), "", tr("CSV files (*.csv)"))
        if chosen:
            self.read_file(Path(chosen))

    def read_file(self, path: Path) -> None:
        """Read a file in the engine's thread."""
        self._say("muted", tr("Reading {name}…").format(name=path.name))
        self._session.runner.submit(JOB, lambda job: _answer(path), self._take_traffic)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls = event.mimeData().urls()
        if urls and urls[0].isLocalFile():
            self.read_file(Path(urls[0].toLocalFile()))
            event.acceptProposedAction()

    # Showing.

    def _say(self, role: str, text: str) -> None:
        self._traffic = None
        clear_layout(self._content)
        self._message.set_role(role)
        self._message.setText(text)
        self.take_button.setEnabled(False)

    def _take_traffic(self, outcome: Any) -> None:
        if isinstance(outcome, Failure):
            self._say("danger", tr("The file could not be read: {problem}").format(problem=outcome.text))
        elif isinstance(outcome, str):
            self._say("danger", f"■ {outcome}")
        else:
            self._show_traffic(outcome)

    def _show_traffic(self, traffic: Traffic) -> None:
        self._say("text", traffic.source)
        self._traffic = traffic
        found, lang = traffic.found, language()
        self._content.addWidget(_figures_card(traffic_rows(found, self._session.plan, lang)))
        if found.assumed:
            self._content.addWidget(_texts_card(tr("Assumed"), [render(note) for note in found.assumed]))
        if found.problem_count:
            note = trn("{count} row", "{count} rows", found.problem_count)
            shown = note.format(count=number(found.problem_count, lang))
            card = _texts_card(tr("Rows with a problem"), problem_lines(found, lang), note=shown)
            self._content.addWidget(card)
        columns = [f"{name}: {column}" for name, column in found.read.items()]
        self._content.addWidget(_texts_card(tr("Columns read"), columns))
        self._content.addStretch(1)
        self.take_button.setEnabled(True)

    # Taking.

    def take(self) -> None:
        """Put the traffic into the plan as one step that can be undone."""
        if self._traffic is None:
            return
        session = self._session
        try:
            changed = self._traffic.changes(session.plan)
        except PlanErrors as error:
            self._say("danger", "■ " + "; ".join(render(item.message) for item in error.errors[:3]))
            return
        except FlopwiseError as error:
            self._say("danger", f"■ {render(error.message)}")
            return
        if changed:
            patch = self._traffic.patch(session.plan)
            session.edit(patch, tr("Traffic"), source="imported", detail=self._traffic.source)
        session.noticed.emit(
            Notice(tr("The plan uses the traffic of {name} now.").format(name=self._traffic.source))
        )
        self.taken.emit()
        self.close()


def _answer(path: Path) -> Traffic | str:
    """The traffic, or what is wrong with the file."""
    try:
        return load_traffic(str(path))
    except FlopwiseError as error:
        return render(error.message)


def _figures_card(rows: list[Row]) -> Card:
    card = Card(tr("What it comes to"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    right = Qt.AlignmentFlag.AlignRight
    grid.addWidget(Label(tr("in the file"), size="hint", role="muted"), 0, 1, right)
    grid.addWidget(Label(tr("in the plan"), size="hint", role="muted"), 0, 2, right)
    for place, row in enumerate(rows, start=1):
        grid.addWidget(Label(row.title), place, 0)
        grid.addWidget(Label(row.value, bold=True), place, 1, right)
        grid.addWidget(Label(row.now, role="muted"), place, 2, right)
    grid.setColumnStretch(0, 1)
    card.body.addLayout(grid)
    return card


def _texts_card(title: str, texts: list[str], *, note: str = "") -> Card:
    card = Card(title, note=note)
    for text in texts:
        card.body.addWidget(Label(text, wrap=True))
    return card

"""The import of a network: where from, what it comes to, what was read, assumed and left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from engine.errors import FlopwiseError
from engine.importers.hf_config.parsing import MAX_BYTES
from engine.plan import PlanErrors
from gui.formatting import QuantityError, number, parse_quantity
from gui.forms.editors import EntryLine
from gui.i18n import language, render, tr
from gui.pages.model_import_cards import network_cards
from gui.services.importing import (
    Network,
    load_network,
    network_of_preset,
    network_of_text,
    preset_names,
)
from gui.shell.engine_runner import Failure
from gui.shell.session import Session
from gui.shell.states import Notice
from gui.widgets.buttons import Button
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout
from gui.widgets.scrolling import quiet_scroll_area

SIZE = (920, 700)
JOB = "model import"


class ModelImportDialog(QDialog):
    """Shows a network before the plan takes it. Drop, paste or open a config.json, or pick a model."""

    taken = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._network: Network | None = None
        self.setWindowTitle(tr("Import a model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.resize(*SIZE)
        self._build()
        self._show_hint()
        session.runner.submit(f"{JOB} names", lambda job: preset_names(), self._offer_presets)

    # Building.

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addLayout(self._sources())
        self._message = Label(wrap=True)
        column.addWidget(self._message)
        content = QWidget()
        self._content = QVBoxLayout(content)
        self._content.setContentsMargins(0, 0, 8, 0)
        self._content.setSpacing(10)
        column.addWidget(quiet_scroll_area(content, ground="window"), 1)
        column.addLayout(self._foot())

    def _sources(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.open_button = Button(tr("Open a config.json"))
        self.open_button.clicked.connect(self.ask_file)
        self.paste_button = Button(tr("Paste"))
        self.paste_button.clicked.connect(self.paste)
        self.models = QComboBox()
        self.models.setAccessibleName(tr("Well-known models"))
        self.models.setMinimumWidth(230)
        self.models.setMinimumHeight(30)
        self.models.addItem(tr("Well-known models"), None)
        self.models.activated.connect(self._pick)
        for part in (self.open_button, self.paste_button, self.models):
            row.addWidget(part)
        row.addStretch(1)
        return row

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self._context_label = Label(tr("Context of the cache, tokens"))
        self.context = EntryLine()
        self.context.setFixedWidth(110)
        self.context.setMinimumHeight(28)
        self.context.setAccessibleName(self._context_label.text())
        self._context_label.setBuddy(self.context)
        self.context.editingFinished.connect(self._show_network)
        self.windows = QCheckBox(tr("The engine honours windows"))
        self.windows.setChecked(True)
        self.windows.toggled.connect(self._show_network)
        self.take_button = Button(tr("Use this model"), role="primary")
        self.take_button.clicked.connect(self.take)
        self.take_button.setEnabled(False)
        close = Button(tr("Close"))
        close.clicked.connect(self.close)
        for part in (self._context_label, self.context, self.windows):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(close)
        row.addWidget(self.take_button)
        return row

    # Where from.

    def ask_file(self) -> None:
        """Ask for a config.json."""
        chosen, _ = QFileDialog.getOpenFileName(
            self, tr("Open a config.json"), "", tr("Model configurations (*.json)")
        )
        if chosen:
            self.read_file(Path(chosen))

    def read_file(self, path: Path) -> None:
        """Read a config.json, or the folder that holds one."""
        self._read(lambda: load_network(str(path)))

    def read_text(self, text: str) -> None:
        """Read the text of a config.json."""
        self._read(lambda: network_of_text(text[: MAX_BYTES + 1]))

    def read_preset(self, key: str) -> None:
        """Show a well-known model."""
        self._read(lambda: network_of_preset(key))

    def paste(self) -> None:
        """Read what the clipboard holds: the text of a config.json or a copied file."""
        data = QGuiApplication.clipboard().mimeData()
        if data.hasUrls() and data.urls()[0].isLocalFile():
            self.read_file(Path(data.urls()[0].toLocalFile()))
        else:
            self.read_text(data.text())

    def _pick(self, index: int) -> None:
        key = self.models.itemData(index)
        if key is not None:
            self.read_preset(key)

    def _read(self, work: Any) -> None:
        self._session.runner.submit(JOB, lambda job: _answer(work), self._take_network)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData()
        if data.hasUrls():
            self.read_file(Path(data.urls()[0].toLocalFile()))
        else:
            self.read_text(data.text())
        event.acceptProposedAction()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        else:
            super().keyPressEvent(event)

    # Showing.

    def _offer_presets(self, names: Any) -> None:
        if not isinstance(names, Failure):
            for key, name in names.items():
                self.models.addItem(name, key)

    def _take_network(self, outcome: Any) -> None:
        if isinstance(outcome, Failure):
            self._say("danger", tr("The file could not be read: {problem}").format(problem=outcome.text))
        elif isinstance(outcome, str):
            self._say("danger", f"■ {outcome}")
        else:
            self._network = outcome
            self.context.setText("")
            self._show_network()

    def _show_hint(self) -> None:
        self._say(
            "muted", tr("Drop a config.json here, paste its text (Ctrl+V), or pick a well-known model.")
        )

    def _say(self, role: str, text: str) -> None:
        self._network = None
        clear_layout(self._content)
        self._message.set_role(role)
        self._message.setText(text)
        self._enable(False)

    def _enable(self, on: bool) -> None:
        for part in (self.take_button, self.context, self.windows):
            part.setEnabled(on)

    def _show_network(self, _checked: object = None) -> None:
        if self._network is None:
            return
        try:
            found = self._network.summary(
                context=self._asked_context(), honour_windows=self.windows.isChecked()
            )
        except (FlopwiseError, QuantityError) as error:
            self._message.set_role("danger")
            self._message.setText(f"■ {render(error.message)}")
            return
        self.context.setPlaceholderText(number(found["kv_bytes"]["context"], language()))
        name = found["architecture"]["model_name"] or found["model_type"]
        self._message.set_role("text")
        self._message.setText(tr("{name}, from {source}").format(name=name, source=self._network.source))
        clear_layout(self._content)
        for card in network_cards(found, preset=self._network.preset is not None):
            self._content.addWidget(card)
        self._content.addStretch(1)
        self._enable(True)

    def _asked_context(self) -> int | None:
        text = self.context.text().strip()
        return round(parse_quantity(text, "tokens", "")) if text else None

    # Taking.

    def take(self) -> None:
        """Put the network into the plan as one step that can be undone."""
        if self._network is None:
            return
        try:
            after = self._network.adopt(self._session.plan)
        except PlanErrors as error:
            texts = "; ".join(render(item.message) for item in error.errors[:3])
            self._message.set_role("danger")
            self._message.setText(f"■ {texts}")
            return
        name = after.architecture.model_name or self._network.found.model_type
        self._session.replace_plan(after, tr("Model"))
        self._session.noticed.emit(Notice(tr("The plan uses {name} now.").format(name=name)))
        self.taken.emit()
        self.close()


def _answer(work: Any) -> Network | str:
    """A network, or what is wrong with the file: nothing a user does wrong is a failure of the program."""
    try:
        network: Network = work()
    except FlopwiseError as error:
        return render(error.message)
    return network

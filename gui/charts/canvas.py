"""ChartView: a chart with its finding, its table twin, and buttons to copy and save it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSaveFile, QStandardPaths, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage, QShowEvent
from PySide6.QtWidgets import QFileDialog, QStackedLayout, QTableView, QWidget

from gui.charts.plot import Plot
from gui.charts.render import ChartJob, ChartPixels, Draw, render_file, render_pixels
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Mark
from gui.charts.twin import TwinModel, make_twin_view
from gui.charts.worker import ChartWorker, Delivery
from gui.i18n import language, tr
from gui.shell import theme
from gui.widgets.buttons import IconButton
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel

_SETTLE_MS = 40
_LEAST_HEIGHT = 240
_FORMS = ("png", "svg", "csv")


class ChartView(Card):
    """A card that shows one chart; the last picture stays until the next is drawn."""

    activated = Signal(object)
    drawn = Signal()

    def __init__(self, worker: ChartWorker, name: str, parent: QWidget | None = None) -> None:
        super().__init__(margin=12, parent=parent)
        self._worker, self._owner, self._name = worker, worker.owner(), name
        self._draw: Draw | None = None
        self._data: Any = None
        self._table: ChartTable | None = None
        self._stale = False
        self._title = ElidedLabel(name, size="card", bold=True)
        self._note = ElidedLabel(size="hint", role="muted")
        self.plot = Plot(name)
        self.twin = TwinModel(self)
        self._twin_view = make_twin_view(self.twin, name)
        self._build()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._request)
        self.plot.resized.connect(self._settle.start)
        self.plot.stepped.connect(self._read_out)
        self.plot.activated.connect(self._activate)
        worker.delivered.connect(self._deliver)

    def _build(self) -> None:
        row = self.head
        row.addWidget(self._title, 1)
        self._buttons = (
            IconButton("table", tr("Show as a table")),
            IconButton("copy", tr("Copy the chart")),
            IconButton("save", tr("Save the chart (PNG, SVG, CSV)")),
        )
        for button, act in zip(self._buttons, (self.toggle_table, self.copy, self.save), strict=True):
            button.clicked.connect(act)
            row.addWidget(button)
        self._buttons[0].setCheckable(True)
        self.body.addLayout(row)
        self.body.addWidget(self._note)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self._twin_view)
        self.body.addWidget(holder, 1)
        self.setMinimumHeight(_LEAST_HEIGHT)

    def show_chart(self, draw: Draw, data: Any) -> None:
        """Draw `data` by `draw` in the worker and show it when it is done."""
        self._draw, self._data = draw, data
        self._settle.start()

    def show_message(self, text: str) -> None:
        """Show a sentence where the chart would stand."""
        self._draw, self._table = None, None
        self._title.set_full_text(self._name)
        self._note.set_full_text("")
        self.plot.set_message(text)

    def set_stale(self, stale: bool) -> None:
        """Say that the picture is from before the last edit, or no longer."""
        if stale != self._stale:
            self._stale = stale
            self._show_note()

    def table(self) -> ChartTable | None:
        """The numbers behind the picture that is shown."""
        return self._table

    def table_view(self) -> QTableView:
        """The table twin."""
        return self._twin_view

    def toggle_table(self) -> None:
        """Show the table twin, or the picture again."""
        showing = self._stack.currentIndex() == 0
        self._stack.setCurrentIndex(1 if showing else 0)
        self._buttons[0].setChecked(showing)

    def copy(self) -> None:
        """Put the chart, with its title, on the clipboard."""
        if self._draw is not None:
            job = self._job()
            self._worker.submit(self._owner, "copy", lambda: render_file(job, "png"))

    def save(self) -> None:
        """Ask where to and write the chart as PNG, SVG or CSV."""
        if self._draw is None:
            return
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        filters = ";;".join((tr("PNG image (*.png)"), tr("SVG drawing (*.svg)"), tr("CSV table (*.csv)")))
        chosen, kind = QFileDialog.getSaveFileName(
            self, tr("Save the chart"), f"{folder}/{self._name}.png", filters
        )
        if not chosen:
            return
        path = Path(chosen)
        if path.suffix.lstrip(".").lower() not in _FORMS:
            form = next(form for form in _FORMS if f"*.{form}" in kind)
            path = path.with_name(f"{path.name}.{form}")
        self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the chart in the form the file's ending names."""
        job, form = self._job(), path.suffix.lstrip(".").lower()
        self._worker.submit(self._owner, "save", lambda: (path, render_file(job, form)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_settle"):
            self._settle.start()

    def _job(self) -> ChartJob:
        assert self._draw is not None
        size = self.plot.size()
        return ChartJob(
            self._draw,
            self._data,
            ChartStyle(theme.current()),
            language(),
            max(size.width(), 120),
            max(size.height(), 90),
            self.devicePixelRatioF(),
        )

    def _request(self) -> None:
        if self._draw is not None and self.isVisible():
            job = self._job()
            self._worker.submit(self._owner, "show", lambda: render_pixels(job))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._settle.start()

    def _deliver(self, delivery: Delivery) -> None:
        if delivery.owner != self._owner:
            return
        if delivery.error:
            self._note.set_full_text(
                tr("The chart could not be drawn: {problem}").format(problem=delivery.error)
            )
        elif delivery.purpose == "show":
            self._show(delivery.value)
        elif delivery.purpose == "copy":
            QGuiApplication.clipboard().setImage(QImage.fromData(delivery.value))
        else:
            self._write(*delivery.value)

    def _show(self, pixels: ChartPixels) -> None:
        if self._draw is None:
            return
        self._table = pixels.table
        self.plot.set_pixels(pixels)
        self.twin.set_table(pixels.table, language())
        self._title.set_full_text(pixels.table.title)
        self._show_note()
        self.drawn.emit()

    def _show_note(self) -> None:
        note = self._table.note if self._table is not None else ""
        self._note.set_full_text("○ " + tr("from before the last edit") if self._stale else note)

    def _write(self, path: Path, data: bytes) -> None:
        file = QSaveFile(str(path))
        written = (
            file.open(QSaveFile.OpenModeFlag.WriteOnly) and file.write(data) == len(data) and file.commit()
        )
        text = tr("Saved: {path}") if written else tr("The file could not be written: {path}")
        self._note.set_full_text(text.format(path=path.name))

    def _read_out(self, mark: Mark) -> None:
        self._note.set_full_text(mark.text)

    def _activate(self, mark: Mark) -> None:
        if mark.key:
            self.activated.emit(mark.key)

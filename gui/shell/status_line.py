"""The status bar: what runs, what can be undone, in which units; and the thin progress line."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.formatting import compact, currency_word, duration_seconds
from gui.i18n import LANGUAGES, language, tr
from gui.shell import theme
from gui.shell.engine_runner import Failure
from gui.shell.session import Session
from gui.shell.states import Notice
from gui.widgets.buttons import LinkButton
from gui.widgets.labels import ElidedLabel, Label

NOTICE_MS = 10_000
LINE_AFTER_MS, TEXT_AFTER_MS = 150, 1000


class ProgressLine(QWidget):
    """Two pixels of progress; they appear only when work takes longer than 150 ms."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(2)
        self._share: float | None = None
        self._shown = False
        self._delay = QTimer(self, singleShot=True, interval=LINE_AFTER_MS)
        self._delay.timeout.connect(self._appear)
        session.busy_changed.connect(self._busy)
        session.progress_changed.connect(self._progress)

    def is_shown(self) -> bool:
        """Whether the line can be seen."""
        return self._shown

    def _busy(self, text: str) -> None:
        self._share = None
        if not text:
            self._delay.stop()
            self._shown = False
            self.update()
        elif not self._shown:
            self._delay.start()

    def _appear(self) -> None:
        self._shown = True
        self.update()

    def _progress(self, progress: tuple[int, int]) -> None:
        done, total = progress
        self._share = done / total if total else None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shown:
            width = self.width() * (self._share if self._share is not None else 0.35)
            QPainter(self).fillRect(0, 0, int(width), 2, theme.color("accent"))


class StatusLine(QWidget):
    """One line: state of the engine or a notice with undo at the left, units at the right."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._notice: Notice | None = None
        self._started = time.monotonic()
        self._busy_text = ""
        self.setFixedHeight(24)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        self.left = ElidedLabel(size="hint", role="muted")
        self.undo = LinkButton(tr("Undo"))
        self.undo.clicked.connect(self._undo)
        self.undo.hide()
        self.right = Label(size="hint", role="muted")
        row.addWidget(self.left)
        row.addWidget(self.undo)
        row.addStretch(1)
        row.addWidget(self.right)
        self._expire = QTimer(self, singleShot=True, interval=NOTICE_MS)
        self._expire.timeout.connect(self._end_notice)
        self._long = QTimer(self, singleShot=True, interval=TEXT_AFTER_MS)
        self._long.timeout.connect(self._say_busy)
        session.busy_changed.connect(self._busy)
        session.progress_changed.connect(self._progress)
        session.stale_changed.connect(self._stale)
        session.review_changed.connect(self._ready)
        session.noticed.connect(self.show_notice)
        session.failed.connect(self._failed)
        session.plan_changed.connect(self._show_units)
        self._show_units()
        self._ready()

    def show_notice(self, notice: Notice) -> None:
        """Show a line for ten seconds, with undo beside it when it has one."""
        self._notice = notice
        self.left.set_role(notice.tone)
        self.left.set_full_text(notice.text)
        self.left.updateGeometry()
        self.undo.setVisible(notice.undo is not None)
        self._expire.start()

    def _undo(self) -> None:
        notice = self._notice
        self._end_notice()
        if notice is not None and notice.undo is not None:
            notice.undo()

    def _end_notice(self) -> None:
        self._notice = None
        self.undo.hide()
        self._expire.stop()
        self._ready()

    def _stale(self, stale: bool) -> None:
        if stale:
            self._started = time.monotonic()

    def _busy(self, text: str) -> None:
        self._busy_text = text
        if text:
            self._long.start()
        else:
            self._long.stop()

    def _say_busy(self) -> None:
        self._say(tr("{work} · Esc cancels").format(work=self._busy_text))

    def _progress(self, progress: tuple[int, int]) -> None:
        if self._busy_text and not self._long.isActive():
            done, total = (compact(value, language()) for value in progress)
            work = tr("{work} {done} of {total}").format(work=self._busy_text, done=done, total=total)
            self._say(tr("{work} · Esc cancels").format(work=work))

    def _ready(self, _review: object = None) -> None:
        review = self._session.review
        if review is None or self._session.stale:
            self._say(tr("Ready"))
            return
        took = duration_seconds(max(0.001, round(time.monotonic() - self._started, 3)), language())
        text = tr("Updated {time} after the last edit · {draws} draws, seed {seed}")
        self._say(text.format(time=took, draws=f"{review.draws:,}", seed=review.seed))

    def _failed(self, failure: Failure) -> None:
        text = tr("The engine could not finish: {problem}. The last good figures stay.")
        self.show_notice(Notice(text.format(problem=failure.text), tone="danger"))

    def _say(self, text: str) -> None:
        if self._notice is None:
            self.left.set_role("muted")
            self.left.set_full_text(text)
            self.left.updateGeometry()

    def _show_units(self, _plan: object = None) -> None:
        parts = [currency_word(self._session.currency, language()), tr("decimal GB"), LANGUAGES[language()]]
        self.right.setText(" · ".join(parts))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("raised"))
        painter.fillRect(0, 0, self.width(), 1, theme.color("line"))

"""The strip on top: what the plan costs now. Click a figure for its trace."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from gui.formatting import duration_hours, money_short
from gui.i18n import language, render, tr
from gui.shell import headlines, theme
from gui.shell.headlines import Headline
from gui.shell.session import Session
from gui.shell.states import LastChange, SavedState
from gui.widgets.band_bar import draw_band

HEIGHT = 72
CHANGE_SHOWN_MS = 8000


class HeadlineCell(QAbstractButton):
    """Label, figure, second line; the total has its band drawn before the second line."""

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self._shown = Headline(key, "", "", "")
        self._stale = False
        self._flash: tuple[str, str] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        grows = QSizePolicy.Policy.Expanding if key in ("plan", "saving") else QSizePolicy.Policy.Preferred
        self.setSizePolicy(grows, QSizePolicy.Policy.Fixed)

    def show_headline(self, headline: Headline) -> None:
        """Show another figure."""
        self._shown = headline
        self.setAccessibleName(f"{headline.label}: {headline.value}, {headline.note}")
        self.setToolTip(headline.full)
        self.updateGeometry()
        self.update()

    def headline(self) -> Headline:
        """What it shows."""
        return self._shown

    def flash(self, text: str, role: str) -> None:
        """Show a change in place of the second line; empty text ends it."""
        self._flash = (text, role) if text else None
        self.updateGeometry()
        self.update()

    def set_stale(self, stale: bool) -> None:
        """Draw the figure as one from before the last edit."""
        if self.key != "plan" and stale != self._stale:
            self._stale = stale
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(max(self._widths()) + 30, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        # The plan's name may be long and gives way; figures never do.
        return QSize(120 if self.key == "plan" else self.sizeHint().width(), HEIGHT)

    def _widths(self) -> tuple[int, int, int]:
        hint, figure = theme.font("hint"), theme.font("figure", bold=True)
        note = QFontMetrics(hint).horizontalAdvance(self._note()[0]) + (94 if self._shown.band else 0)
        return (
            QFontMetrics(hint).horizontalAdvance(self._shown.label),
            QFontMetrics(figure).horizontalAdvance(self._shown.value),
            note,
        )

    def _note(self) -> tuple[str, str]:
        return self._flash if self._flash is not None else (self._shown.note, self._shown.note_role)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        painter.fillRect(rect, theme.color("select" if self.underMouse() else "raised"))
        painter.fillRect(QRectF(rect.right() - 1, 8, 1, rect.height() - 16), theme.color("line"))
        left, width = 15.0, rect.width() - 24
        painter.setFont(theme.font("hint"))
        painter.setPen(theme.color("muted"))
        painter.drawText(QRectF(left, 8, width, 16), Qt.AlignmentFlag.AlignVCenter, self._shown.label)
        painter.setFont(theme.font("figure", bold=True))
        painter.setPen(theme.color("muted" if self._stale else self._shown.role))
        value = painter.fontMetrics().elidedText(self._shown.value, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, 23, width, 28), Qt.AlignmentFlag.AlignVCenter, value)
        self._paint_note(painter, left, width)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 2))
            painter.drawRect(rect.adjusted(2, 2, -3, -2))

    def _paint_note(self, painter: QPainter, left: float, width: float) -> None:
        text, role = self._note()
        box = QRectF(left, 51, width, 16)
        if self._stale and self._shown.value:
            painter.setPen(QPen(theme.color("muted"), 1.2))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawEllipse(QRectF(self.width() - 18, 10, 8, 8))
        if self._shown.band is not None and self._flash is None:
            low, mark, high = self._shown.band
            draw_band(
                painter, QRectF(left, 52, 86, 14), low=0.0, high=high * 1.1, p10=low, p90=high, mark=mark
            )
            box = box.adjusted(94, 0, 0, 0)
        painter.setFont(theme.font("hint"))
        colour: QColor = theme.color("muted" if self._stale and self._flash is None else role)
        painter.setPen(colour)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()) + 2)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)


class HeadlineStrip(QWidget):
    """The cells of the open plan's kind; below 1200 px MFU and goodput share one."""

    trace_asked = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._narrow = False
        self._cells: dict[str, HeadlineCell] = {}
        self._band: tuple[float, float] | None = None
        self.setFixedHeight(HEIGHT)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._calm = QTimer(self, singleShot=True, interval=CHANGE_SHOWN_MS)
        self._calm.timeout.connect(self._end_flash)
        for signal in (
            session.estimate_changed,
            session.review_changed,
            session.plan_changed,
            session.saved_changed,
        ):
            signal.connect(self.refresh)
        session.change_measured.connect(self._flash)
        session.stale_changed.connect(self._set_stale)
        self.refresh()

    def set_narrow(self, narrow: bool) -> None:
        """Save room in a narrow window."""
        if narrow != self._narrow:
            self._narrow = narrow
            self.refresh()

    def cell(self, key: str) -> HeadlineCell | None:
        """The cell with this key."""
        return self._cells.get(key)

    def refresh(self, _changed: object = None) -> None:
        """Show the session's figures."""
        estimate = self._session.estimate
        if estimate is not None and estimate.p10 is not None and estimate.p90 is not None:
            self._band = (estimate.p10, estimate.p90)
        shown = [self._plan_cell(), *headlines.of_session(self._session, self._band, narrow=self._narrow)]
        if [item.key for item in shown] != list(self._cells):
            self._rebuild([item.key for item in shown])
        for item in shown:
            self._cells[item.key].show_headline(item)
        self._set_stale(self._session.stale)

    def _rebuild(self, keys: list[str]) -> None:
        for cell in self._cells.values():
            self._row.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        self._cells = {key: HeadlineCell(key) for key in keys}
        for cell in self._cells.values():
            self._row.addWidget(cell)
            cell.clicked.connect(lambda _=False, key=cell.key: self.trace_asked.emit(key))

    def _plan_cell(self) -> Headline:
        saved = self._session.saved
        note, role = saved_text(saved)
        name = self._session.plan.meta.name or tr("Unnamed plan")
        return Headline("plan", tr("Plan"), name, note, note_role=role, full=name)

    def _set_stale(self, stale: bool) -> None:
        # A central estimate is fresh at once; the band and the saving wait for the review.
        for key, cell in self._cells.items():
            cell.set_stale(stale and (key == "saving" or self._session.problem is not None))

    def _flash(self, change: LastChange) -> None:
        lang, currency = language(), self._session.currency
        cost, hours = change.cost_effect, change.time_effect_h
        self._end_flash()
        if cost and "total" in self._cells:
            sign = "+" if cost > 0 else ""
            self._cells["total"].flash(
                f"{sign}{money_short(cost, currency, lang)}", "danger" if cost > 0 else "saving"
            )
        if hours and abs(hours) >= 0.5 and "duration" in self._cells:
            sign = "+" if hours > 0 else "−"
            self._cells["duration"].flash(
                f"{sign}{duration_hours(abs(hours), lang)}", "danger" if hours > 0 else "saving"
            )
        self._calm.start()

    def _end_flash(self) -> None:
        for cell in self._cells.values():
            cell.flash("", "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("raised"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.color("line"))


def saved_text(saved: SavedState) -> tuple[str, str]:
    """What the plan cell says about saving, and its colour role."""
    if saved.kind == "failed":
        reason = render(saved.problem) if saved.problem is not None else ""
        return tr("Not saved: {reason}").format(reason=reason), "danger"
    return (tr("Saved {time}").format(time=saved.time) if saved.time else tr("Saved")), "muted"

"""The foot of the recommendations page: what the chosen actions save together, and each one's share."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from engine.results import Estimate, RecommendationSet
from gui.formatting import band, duration_hours, money_short
from gui.i18n import language, tr, trn
from gui.models.words import ARROW
from gui.pages.rows import text_width
from gui.shell import theme
from gui.widgets.buttons import Button
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel, Label


class SharesBar(QWidget):
    """One segmented bar: the sequential share of each chosen action, numbered by rank."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[tuple[str, int, float]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_shares(self, found: RecommendationSet, currency: str) -> None:
        """Show the shares of the chosen actions in ranking order."""
        self._parts = [
            (item.id, item.rank, item.saving.in_plan or 0.0) for item in found.recommendations if item.chosen
        ]
        amounts = [f"#{rank} {money_short(share, currency, language())}" for _, rank, share in self._parts]
        self.setAccessibleName(tr("Shares of the joint saving: {shares}").format(shares=", ".join(amounts)))
        self.setToolTip("\n".join(amounts))
        self.update()

    def shares(self) -> list[tuple[str, int, float]]:
        """Id, rank and share of each segment."""
        return list(self._parts)

    def sizeHint(self) -> QSize:
        return QSize(240, 36)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme.font("hint"))
        last_right = -1.0
        for (_, rank, share), box in zip(self._parts, self._boxes(), strict=True):
            painter.fillRect(box, theme.color("saving" if share >= 0 else "danger"))
            text, wide = str(rank), text_width(str(rank), "hint")
            left = max(box.center().x() - wide / 2, last_right + 5)
            if left + wide <= self.width():
                painter.setPen(theme.color("muted"))
                painter.drawText(QRectF(left, 18, wide + 2, 18), Qt.AlignmentFlag.AlignLeft, text)
                last_right = left + wide

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for (name, *_), box in zip(self._parts, self._boxes(), strict=True):
            if box.left() <= event.position().x() <= box.right():
                self.picked.emit(name)

    def _boxes(self) -> list[QRectF]:
        whole = sum(abs(share) for *_, share in self._parts) or 1.0
        gap, left, boxes = 2.0, 0.0, []
        room = self.width() - gap * max(0, len(self._parts) - 1)
        for *_, share in self._parts:
            width = max(2.0, room * abs(share) / whole)
            boxes.append(QRectF(left, 0, width, 14))
            left += width + gap
        return boxes


class JointCard(Card):
    """Joint saving by one re-estimate, its band, one-off and net, and the shares that add up to it."""

    proposal_requested = Signal()
    save_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(" ", margin=14, parent=parent)
        self.figure = Label(size="figure", bold=True, role="saving")
        self._band = Label(size="hint")
        self._net = Label(size="hint", role="muted")
        self.shares = SharesBar()
        self._total = ElidedLabel(size="hint")
        self._build()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(28)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        grid.addWidget(Label(tr("joint saving, one re-estimate"), size="hint", role="muted"), 0, 0)
        grid.addWidget(
            Label(
                tr("sequential shares by rank; they add up, stand-alone figures do not"),
                size="hint",
                role="muted",
            ),
            0,
            1,
        )
        numbers = QVBoxLayout()
        numbers.setSpacing(0)
        for label in (self.figure, self._band, self._net):
            numbers.addWidget(label)
        right = QVBoxLayout()
        right.setSpacing(4)
        right.addSpacing(4)
        right.addWidget(self.shares)
        right.addWidget(self._total)
        right.addStretch(1)
        grid.addLayout(numbers, 1, 0)
        grid.addLayout(right, 1, 1)
        self.body.addLayout(grid)
        self.propose = Button(tr("Put into proposal"), role="primary", small=True)
        self.save = Button(tr("Apply to the plan"), small=True)
        self.propose.clicked.connect(self.proposal_requested)
        self.save.clicked.connect(self.save_requested)
        self.head.addWidget(self.save)
        self.head.addWidget(self.propose)

    def show_joint(self, found: RecommendationSet, now: Estimate, proposed: Estimate | None) -> None:
        """Show the joint saving of the chosen set."""
        joint, lang, currency = found.joint_saving, language(), now.currency
        count = len(joint.ids)
        self.title.setText(
            trn("{count} chosen action", "{count} chosen actions together", count).format(count=count)
            if count
            else tr("No action is chosen")
        )
        self.figure.setText(money_short(joint.gross, currency, lang))
        self.figure.set_role("danger" if joint.gross < 0 else "saving")
        self._band.setText(tr("P10–P90 {band}").format(band=band(joint.p10, joint.p90, currency, lang)))
        net = tr("one-off cost {cost}; net {net}")
        self._net.setText(
            net.format(
                cost=money_short(joint.one_off, currency, lang), net=money_short(joint.net, currency, lang)
            )
        )
        self.shares.set_shares(found, currency)
        self._total.set_full_text(_total_text(found, now, proposed))
        for button in (self.propose, self.save):
            button.setEnabled(bool(count))

    def set_stale(self, stale: bool) -> None:
        """Grey the figure while it is from before the last change."""
        self.figure.set_role("muted" if stale else "saving")


def _total_text(found: RecommendationSet, now: Estimate, proposed: Estimate | None) -> str:
    joint, lang = found.joint_saving, language()
    shown = lambda amount: money_short(amount, now.currency, lang)  # noqa: E731
    text = tr("total {before} {arrow} {after}, and {one_off} one-off").format(
        before=shown(found.baseline_total),
        arrow=ARROW,
        after=shown(joint.total_after),
        one_off=shown(joint.one_off),
    )
    before = now.metric("duration_h")
    after = None if proposed is None else proposed.metric("duration_h")
    if before is None or after is None or abs(before - after) < 0.5:
        return text
    run = tr("run {before} {arrow} {after}").format(
        before=duration_hours(before, lang), arrow=ARROW, after=duration_hours(after, lang)
    )
    return f"{text}; {run}"

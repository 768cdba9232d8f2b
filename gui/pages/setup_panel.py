"""The live panel of the setup page: cost by category, the last change, what matters most, checks."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.plan import Plan, find_field
from engine.plan.money import CATEGORIES
from engine.results import Driver, Estimate
from gui.formatting import duration_hours, money_short, number, percent, quantity
from gui.forms.tables import CHOICE_WORDS
from gui.i18n import language, render, tr, trn
from gui.models.words import CATEGORY_WORDS, field_title, field_value
from gui.shell import theme
from gui.shell.session import Session
from gui.shell.states import LastChange
from gui.widgets.bars import ShareBars, ShareRow, SpreadBars, SpreadRow
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.layouts import clear_layout, widgets_of
from gui.widgets.marks import Mark

DRIVERS_SHOWN = 5
GOVERNANCE = ("budget", "tag_coverage", "budget_alerts", "idle_reclaim", "evaluation_set", "rollback_path")


@dataclass(frozen=True, slots=True)
class Check:
    """One line under "Checks": "ok", "warn" or "danger", and what was seen."""

    kind: str
    text: str


def checks_of(plan: Plan, estimate: Estimate) -> list[Check]:
    """Whether it fits, ends in time and is complete."""
    lang = language()
    found: list[Check] = []
    needed, room = estimate.metric("memory_gib_per_gpu"), estimate.metric("memory_capacity_gib")
    if needed is not None and room is not None:
        text = tr("Memory {needed} of {room} a GPU").format(
            needed=quantity(needed, "GiB", lang), room=quantity(room, "GiB", lang)
        )
        found.append(Check("ok" if needed <= room else "danger", text))
    found += _deadline_check(plan, estimate)
    found += [
        Check("danger" if not estimate.feasible else "warn", render(note, estimate.currency))
        for note in estimate.notes
    ]
    if estimate.unknown:
        names = tr(", ").join(tr(name) for name in estimate.unknown)
        found.append(Check("warn", tr("Not priced, not in the total: {names}").format(names=names)))
    missing = sum(getattr(plan.governance, name) is None for name in GOVERNANCE)
    if missing:
        text = trn(
            "{count} governance input is not known", "{count} governance inputs are not known", missing
        )
        found.append(Check("warn", text.format(count=missing)))
    return found


def _deadline_check(plan: Plan, estimate: Estimate) -> list[Check]:
    duration, deadline = estimate.metric("duration_h"), plan.deadline_days
    if duration is None or deadline is None or plan.is_service:
        return []
    days = duration / 24.0 + (estimate.metric("preparation_days") or 0.0)
    spare = duration_hours(abs(deadline - days) * 24.0, language())
    if days <= deadline:
        return [Check("ok", tr("Ends {spare} before the deadline").format(spare=spare))]
    return [Check("danger", tr("Ends {late} after the deadline").format(late=spare))]


class SetupPanel(QWidget):
    """Cause and effect in one glance: beside the form, or under it in a narrow window."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(12)
        self.category_card = Card(tr("This plan, by category"), note=tr("central"))
        self.bars = ShareBars()
        self.category_card.body.addWidget(self.bars)
        self.change_card = Card()
        self.change_card.body.addWidget(Label(tr("Last change"), size="hint", role="muted"))
        self.change_text = Label(tr("No change yet"), wrap=True)
        self.change_effect = Label(bold=True)
        self.change_card.body.addWidget(self.change_text)
        self.change_card.body.addWidget(self.change_effect)
        self.change_effect.hide()
        self.drivers_card = Card(tr("What matters most"))
        self.drivers_card.body.addWidget(
            Label(tr("total with each input at its P10 and P90"), size="hint", role="muted", wrap=True)
        )
        self.spread = SpreadBars()
        self.drivers_card.body.addWidget(self.spread)
        self.checks_card = Card(tr("Checks"))
        self._checks = QVBoxLayout()
        self._checks.setSpacing(4)
        self.checks_card.body.addLayout(self._checks)
        # Two cards share a column in both arrangements: moving items between layouts upsets cached heights.
        first = QWidget()
        column = QVBoxLayout(first)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.category_card)
        column.addWidget(self.change_card)
        self._first = column
        self.drivers_card.body.addStretch(1)
        self.checks_card.body.addStretch(1)
        for part in (first, self.drivers_card, self.checks_card):
            self._layout.addWidget(part, 1, Qt.AlignmentFlag.AlignTop)
        self._rest = self._layout.count()
        self._layout.addStretch(0)
        self.set_beside(True)
        session.estimate_changed.connect(self.show_estimate)
        session.change_measured.connect(self.show_change)
        session.opened.connect(self._forget_change)
        session.stale_changed.connect(self._show_stale)
        if session.estimate is not None:
            self.show_estimate(session.estimate)
        if session.last_change is not None:
            self.show_change(session.last_change)

    def set_beside(self, beside: bool) -> None:
        """One column beside the form, or three columns under it."""
        down = QBoxLayout.Direction.TopToBottom
        self._layout.setDirection(down if beside else QBoxLayout.Direction.LeftToRight)
        # Where only the top of the panel shows, the last change comes first.
        self._first.setDirection(down if beside else QBoxLayout.Direction.BottomToTop)
        for index in range(self._rest):
            self._layout.setStretch(index, 0 if beside else 1)
        self._layout.setStretch(self._rest, 1 if beside else 0)

    def show_estimate(self, estimate: Estimate) -> None:
        """Show another estimate; a central one keeps the drivers of the one before."""
        self.category_card.note.setText(tr("central, {currency}").format(currency=estimate.currency))
        self._show_categories(estimate)
        if estimate.drivers:
            self._show_drivers(estimate)
        self._show_checks(checks_of(self._session.plan, estimate))

    def show_change(self, change: LastChange) -> None:
        """Show what the last edit did."""
        lang, currency = language(), self._session.currency
        text = change.text
        if change.path is not None and change.before != change.after:
            before = field_value(change.path, change.before, currency, lang)
            after = field_value(change.path, change.after, currency, lang)
            text = f"{field_title(change.path, lang)} {before} → {after}"
        self.change_text.setText(text)
        cost, hours = change.cost_effect, change.time_effect_h
        parts = [signed_money(cost, currency, lang)] if cost is not None else []
        if hours is not None and not self._session.plan.is_service and abs(hours) >= 0.5:
            parts.append(f"{'+' if hours > 0 else '−'}{duration_hours(abs(hours), lang)}")
        self.change_effect.setText(", ".join(parts))
        self.change_effect.setVisible(bool(parts))
        self.change_effect.set_role("danger" if (cost or 0) > 0 else "saving" if (cost or 0) < 0 else "muted")

    def _forget_change(self, _plan: Plan) -> None:
        self.change_text.setText(tr("No change yet"))
        self.change_effect.hide()

    def checks(self) -> list[str]:
        """Texts of the checks that are shown."""
        return [line.accessibleName() for line in widgets_of(self._checks)]

    def _show_stale(self, stale: bool) -> None:
        self.bars.set_stale(stale)

    def _show_categories(self, estimate: Estimate) -> None:
        lang, current = language(), theme.current()
        sums: dict[str, float] = dict.fromkeys(CATEGORIES, 0.0)
        for line in estimate.lines:
            if line.in_scope and line.amount is not None:
                sums[line.category] = sums.get(line.category, 0.0) + line.amount
        total = estimate.total or 1.0
        ordered = sorted(((key, value) for key, value in sums.items() if value), key=lambda item: -item[1])
        rows = [
            ShareRow(
                tr(CATEGORY_WORDS.get(key, key)), value, money_short(value, estimate.currency, lang),
                percent(value / total, lang, 2 if value / total >= 0.1 else 1), current.category(key),
            )
            for key, value in ordered
        ]  # fmt: skip
        label = tr("Total") if estimate.complete else tr("At least")
        self.bars.set_rows(
            rows,
            ShareRow(
                label,
                estimate.total,
                money_short(estimate.total, estimate.currency, lang),
                percent(1.0, lang),
            ),
        )

    def _show_drivers(self, estimate: Estimate) -> None:
        lang = language()
        top = sorted(estimate.drivers, key=lambda d: -abs(d.total_high - d.total_low))[:DRIVERS_SHOWN]
        rows = [
            SpreadRow(driver_title(self._session.plan, d), d.total_low, d.total_high, *(
                driver_value(end, d.unit, estimate.currency, lang) for end in (d.low, d.high)
            ))
            for d in top
        ]  # fmt: skip
        self.spread.set_rows(rows, estimate.total, ("", "", ""))
        low, high = self.spread.limits()
        shown = [money_short(value, estimate.currency, lang) for value in (low, estimate.total, high)]
        self.spread.set_rows(rows, estimate.total, (shown[0], shown[1], shown[2]))

    def _show_checks(self, checks: list[Check]) -> None:
        clear_layout(self._checks)
        for check in checks:
            self._checks.addWidget(_CheckLine(check))


class _CheckLine(QWidget):
    def __init__(self, check: Check) -> None:
        super().__init__()
        shape, role = {
            "ok": ("disc", "saving"),
            "warn": ("triangle", "warn"),
            "danger": ("square", "danger"),
        }[check.kind]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        mark = Mark(shape, role)
        mark.setFixedWidth(16)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(Label(check.text, size="hint", wrap=True), 1)
        self.setAccessibleName(check.text)


def signed_money(amount: float, currency: str, lang: str) -> str:
    """Money with its sign: +$37k, −$62k."""
    text = money_short(amount, currency, lang)
    return f"+{text}" if amount > 0 else text


def driver_value(value: float, unit: str, currency: str, lang: str) -> str:
    """An end of a driver without the unit its title implies: room is scarce beside the bars."""
    if unit.split("/")[0] in ("currency", currency):
        return money_short(value, currency, lang)
    if unit in ("ratio", "") or unit.startswith("per "):
        return number(value, lang, 2)
    return quantity(value, unit, lang, currency)


def driver_title(plan: Plan, driver: Driver) -> str:
    """A driver's name; one of several roles names its role."""
    title = tr(driver.title)
    parts = driver.path.split(".")
    if driver.path.startswith("people.roles.") and parts[2].isdigit():
        index = int(parts[2])
        if index < len(plan.people.roles):
            role = tr(CHOICE_WORDS[plan.people.roles[index].role])
            return tr("{title}: {part}").format(title=title, part=role)
    spec = find_field(driver.path)
    return title or (tr(spec.title) if spec is not None else driver.path)

"""Cards of an imported network: what was left out, what it comes to, what was assumed and read."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from gui.i18n import language, tr, trn
from gui.models.network import Line, name_text, network_lines, value_text
from gui.widgets.card import Card
from gui.widgets.labels import Label
from gui.widgets.marks import Mark


def network_cards(found: dict[str, Any], *, preset: bool) -> list[Card]:
    """What an import comes to, then what was left out, assumed and read; what matters most first."""
    lang = language()
    cards = [_left_out(found["unsupported"])] if found["unsupported"] else []
    cards.append(_figures(network_lines(found, lang), found["active_convention"]))
    if found["assumed"]:
        cards.append(_assumed(found["assumed"], lang))
    if not preset:
        cards.append(_read_card(found["read"], lang))
    return cards


def _left_out(messages: list[str]) -> Card:
    card = Card(tr("Not supported"), note=tr("the figures are not complete"))
    for message in messages:
        card.body.addWidget(_marked("square", "danger", message))
    return card


def _figures(lines: list[Line], convention: str) -> Card:
    card = Card(tr("What it comes to"))
    grid = _grid(card)
    for row, line in enumerate(lines):
        role = "muted" if line.part else "text"
        title = Label(f"    {line.title}" if line.part else line.title, role=role)
        grid.addWidget(title, row, 0)
        grid.addWidget(Label(line.value, role=role, bold=not line.part), row, 1, Qt.AlignmentFlag.AlignRight)
        full = Label(line.full if line.full != line.value else "", size="hint", role="muted")
        full.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(full, row, 2, Qt.AlignmentFlag.AlignRight)
    card.body.addWidget(Label(convention, size="hint", role="muted", wrap=True))
    return card


def _assumed(items: list[dict[str, Any]], lang: str) -> Card:
    moving = sum(item["affects_counts"] for item in items)
    note = (
        trn("{count} can change the counts", "{count} can change the counts", moving).format(count=moving)
        if moving
        else tr("none changes the counts")
    )
    card = Card(tr("Assumed"), note=note)
    grid = _grid(card)
    for row, item in enumerate(sorted(items, key=lambda item: not item["affects_counts"])):
        shape, role = ("triangle", "warn") if item["affects_counts"] else ("ring", "muted")
        mark = Mark(shape, role)
        mark.setAccessibleName(tr("counts depend on it") if item["affects_counts"] else "")
        grid.addWidget(mark, row, 0)
        grid.addWidget(Label(name_text(item["field"], lang)), row, 1)
        grid.addWidget(Label(value_text(item["value"], lang), bold=True), row, 2, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(Label(item["why"], size="hint", role="muted"), row, 3)
    grid.setColumnStretch(3, 1)
    return card


def _read_card(items: list[dict[str, Any]], lang: str) -> Card:
    count = len(items)
    card = Card(tr("Read"), note=trn("{count} field", "{count} fields", count).format(count=count))
    grid = _grid(card)
    for row, item in enumerate(items):
        grid.addWidget(Label(name_text(item["field"], lang)), row, 0)
        value = Label(value_text(item["value"], lang), bold=True)
        grid.addWidget(value, row, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(Label(item["key"], size="hint", role="muted"), row, 2)
    grid.setColumnStretch(2, 1)
    return card


def _grid(card: Card) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    card.body.addLayout(grid)
    return grid


def _marked(shape: str, role: str, text: str) -> QWidget:
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    mark = Mark(shape, role)
    mark.setFixedWidth(16)
    row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(Label(text, wrap=True), 1)
    return line

"""Shared pieces: what they say, how they behave under keys."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.shell import theme
from gui.widgets.band_bar import draw_band
from gui.widgets.buttons import IconButton, Segmented
from gui.widgets.card import Card
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import clear_layout, widgets_of
from gui.widgets.marks import RiskBadge, risk_word, ruling_dimension
from gui.widgets.nav_list import NavList, NavState


@pytest.mark.parametrize(
    ("levels", "letter"),
    [((0, 0, 0), ""), ((1, 0, 0), "E"), ((1, 3, 2), "S"), ((0, 0, 2), "G"), ((2, 2, 2), "E")],
)
def test_worst_dimension_rules(levels: tuple[int, int, int], letter: str) -> None:
    assert ruling_dimension(*levels) == letter


def test_risk_badge_says_it_in_words(themed: None, qtbot: Any) -> None:
    badge = RiskBadge(0, 3, 1)
    qtbot.addWidget(badge)
    assert badge.accessibleName() == "3 high S"
    assert risk_word(0) == "0 none"


def test_segmented_choice_by_mouse_and_arrow_keys(themed: None, qtbot: Any) -> None:
    choice = Segmented("Portfolio", [("a", "Careful"), ("b", "Balanced"), ("c", "Bold")], "a")
    qtbot.addWidget(choice)
    with qtbot.waitExposed(choice):
        choice.show()
    choice.activateWindow()
    seen: list[str] = []
    choice.changed.connect(seen.append)
    qtbot.mouseClick(choice._keys["b"], Qt.MouseButton.LeftButton)
    assert choice.current() == "b"
    choice._keys["b"].setFocus()
    qtbot.waitUntil(choice._keys["b"].hasFocus)
    qtbot.keyClick(choice._keys["b"], Qt.Key.Key_Right)
    assert seen == ["b", "c"]
    choice.set_current(None)
    assert choice.current() is None
    choice.set_current("a")
    assert seen == ["b", "c"]  # setting it by code tells nobody
    assert choice._keys["a"].accessibleName() == "Portfolio: Careful"


def test_elided_label_keeps_its_whole_text_reachable(themed: None, qtbot: Any) -> None:
    label = ElidedLabel("A rather long plan name that cannot fit")
    qtbot.addWidget(label)
    label.show()
    label.setFixedWidth(90)
    qtbot.wait(20)
    assert "…" in label.text()
    assert label.toolTip() == label.accessibleName() == "A rather long plan name that cannot fit"
    label.setFixedWidth(600)
    qtbot.wait(20)
    assert label.text() == "A rather long plan name that cannot fit"
    assert label.toolTip() == ""


def test_navigation_emits_for_the_user_only(themed: None, qtbot: Any) -> None:
    places = NavList("Pages")
    qtbot.addWidget(places)
    for key in ("setup", "cost"):
        places.add(key, key.title(), key)
    places.show()
    seen: list[str] = []
    places.chosen.connect(seen.append)
    places.set_current("setup")
    assert seen == []
    places.setFocus()
    qtbot.keyClick(places, Qt.Key.Key_Down)
    assert seen == ["cost"]
    places.set_state("cost", NavState("2", "danger", "square"))
    assert places.item(1).data(Qt.ItemDataRole.AccessibleTextRole) == "Cost, 2"
    places.set_icons_only(True)
    assert places.item(0).toolTip() == "Setup"


def test_icon_button_has_a_name(themed: None, qtbot: Any) -> None:
    button = IconButton("copy", "Copy the chart")
    qtbot.addWidget(button)
    assert button.accessibleName() == button.toolTip() == "Copy the chart"
    assert not button.icon().isNull()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_card_is_painted_in_its_theme(qapp: Any, qtbot: Any, name: str) -> None:
    theme.install(qapp, name)
    card = Card("Title")
    qtbot.addWidget(card)
    card.resize(200, 120)
    found = card.grab().toImage().pixelColor(100, 100).name().upper()
    assert found == theme.current().surface
    theme.apply(qapp, "light")


def test_band_marks_its_value(themed: None) -> None:
    image = QImage(100, 14, QImage.Format.Format_RGB32)
    image.fill(theme.color("surface"))
    painter = QPainter(image)
    draw_band(painter, QRectF(0, 0, 100, 14), low=0, high=100, p10=40, p90=60, mark=50)
    painter.end()
    assert image.pixelColor(50, 7) == theme.color("accent")
    assert image.pixelColor(45, 6) != theme.color("surface")
    assert image.pixelColor(20, 4) == theme.color("surface")


def test_cleared_layout_is_empty(themed: None, qtbot: Any) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    column = QVBoxLayout(owner)
    for _ in range(3):
        column.addWidget(QWidget())
    assert len(widgets_of(column)) == 3
    clear_layout(column)
    assert widgets_of(column) == []

"""The validation page: shipped tables, fitted and unseen, own tables, and files that are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from engine.validation.published import VALIDATIONS
from gui.models.words import GROUP_KINDS, GROUP_WORDS, METRIC_GROUPS, VALIDATION_WORDS, group_text
from gui.pages.validation import FITTED, UNSEEN, ValidationPage
from gui.services.review import Review
from gui.services.validating import validate_shipped

OpenSession = Callable[[Review], Any]


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, training_review: Review) -> ValidationPage:
    made = ValidationPage(open_session(training_review))
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    settle(qtbot, made)
    return made


def settle(qtbot: Any, page: ValidationPage) -> None:
    qtbot.waitUntil(lambda: not page._session.runner.is_busy("validation"), timeout=20_000)


def texts(page: ValidationPage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if not label.isHidden()]


def test_unseen_errors_are_shown_first_and_are_larger(qtbot: Any, page: ValidationPage) -> None:
    found = page._found["training"]
    assert page.fit.current() == UNSEEN
    assert found.unseen is not None
    assert found.unseen.overall.median_abs_error > found.result.overall.median_abs_error
    assert found.unseen.overall.n == found.result.overall.n
    unseen = texts(page)
    page.fit.set_current(FITTED)
    page.fit.changed.emit(FITTED)
    assert texts(page) != unseen
    assert {"dense networks", "mixtures of experts", "Worst rows"} <= set(texts(page))


def test_every_shipped_table_has_a_place(qtbot: Any, page: ValidationPage) -> None:
    assert set(VALIDATION_WORDS) == set(VALIDATIONS)
    for kind in VALIDATION_WORDS:
        page.show_kind(kind)
        settle(qtbot, page)
        assert page.kind.current() == kind
        assert "Errors by group" in texts(page)


def test_an_own_table_and_a_file_that_is_none(qtbot: Any, page: ValidationPage, tmp_path: Path) -> None:
    page.show_kind("totals")
    settle(qtbot, page)
    file = tmp_path / "own.csv"
    file.write_text("no,columns\n1,2\n")
    page.validate_own(file)
    settle(qtbot, page)
    assert page.message.text().startswith("■")
    page.validate_own(tmp_path / "absent.csv")
    settle(qtbot, page)
    assert "absent.csv" in page.message.text()


@pytest.mark.parametrize("kind", VALIDATION_WORDS)
def test_every_group_has_words(kind: str) -> None:
    found = validate_shipped(kind).result
    for name in (*found.groups, *found.calibrated):
        for part in re.split(", (?!row left out)|: ", name):
            whole = part in GROUP_WORDS or part in METRIC_GROUPS
            assert whole or part.partition(" ")[0] in GROUP_KINDS, name
        assert group_text(name, "en")

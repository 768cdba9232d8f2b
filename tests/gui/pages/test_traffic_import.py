"""The import of traffic: what is shown, what goes into the plan, what a bad file says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLabel

from gui.pages.setup import SetupPage
from gui.pages.traffic_import import JOB, TrafficImportDialog
from gui.services.review import Review

OpenSession = Callable[[Review], Any]


@pytest.fixture
def dialog(qtbot: Any, open_session: OpenSession, serving_review: Review) -> TrafficImportDialog:
    made = TrafficImportDialog(open_session(serving_review))
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def week(tmp_path: Path) -> Path:
    path = tmp_path / "week.csv"
    path.write_text("hour,requests\n" + "\n".join(f"{h},{3600 + h}" for h in range(120)) + "\n9999,1\n")
    return path


def texts(dialog: TrafficImportDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel)).replace("\xa0", " ")


def read(qtbot: Any, dialog: TrafficImportDialog, path: Path) -> None:
    dialog.read_file(path)
    qtbot.waitUntil(lambda: not dialog._session.runner.is_busy(JOB), timeout=10_000)


def test_shows_what_the_file_says_beside_the_plan(
    qtbot: Any, dialog: TrafficImportDialog, week: Path
) -> None:
    assert not dialog.take_button.isEnabled()
    read(qtbot, dialog, week)
    shown = texts(dialog)
    for expected in (
        "1.02 requests/s",
        "20 requests/s",
        "120 of 168 hours read",
        "120–167",
        "Line 122",
        "requests: requests",
    ):
        assert expected in shown
    assert dialog.take_button.isEnabled()


def test_taking_it_is_one_undoable_step_with_provenance(
    qtbot: Any, dialog: TrafficImportDialog, week: Path
) -> None:
    session = dialog._session
    before, steps = session.plan, session.undo_stack.count()
    read(qtbot, dialog, week)
    dialog.take()
    after = session.plan
    assert session.undo_stack.count() == steps + 1
    assert len(after.serving.profile) == 168
    mark = after.provenance["serving.requests_per_second"]
    assert (mark.kind, mark.source) == ("imported", "week.csv")
    assert after.provenance["serving.profile"].kind == "imported"
    session.undo_stack.undo()
    assert session.plan == before


def test_a_bad_file_is_a_sentence_and_nothing_to_take(
    qtbot: Any, dialog: TrafficImportDialog, week: Path, tmp_path: Path
) -> None:
    read(qtbot, dialog, week)
    bad = tmp_path / "bad.csv"
    bad.write_bytes(b"\0\0\0")
    read(qtbot, dialog, bad)
    assert "■ FILE" in texts(dialog) and "Traceback" not in texts(dialog)
    assert not dialog.take_button.isEnabled()
    dialog.take()


def test_a_file_can_be_dropped(qtbot: Any, dialog: TrafficImportDialog, week: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(week))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    dialog.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, none))
    qtbot.waitUntil(dialog.take_button.isEnabled, timeout=10_000)


def test_the_form_offers_it_for_services_only(
    qtbot: Any, open_session: OpenSession, serving_review: Review, training_review: Review
) -> None:
    for review, offered in ((serving_review, True), (training_review, False)):
        page = SetupPage(open_session(review))
        qtbot.addWidget(page)
        link = page.form.blocks["serving"].traffic
        assert link is not None and link.isHidden() is not offered
    asked: list[bool] = []
    page = SetupPage(open_session(serving_review))
    qtbot.addWidget(page)
    page.traffic_asked.connect(lambda: asked.append(True))
    page.form.blocks["serving"].traffic.click()  # type: ignore[union-attr]
    assert asked == [True]

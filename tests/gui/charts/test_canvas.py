"""The chart view: drawn in the worker, stepped by keys, twin, saved files, errors and staleness."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from gui.charts.canvas import ChartView
from gui.charts.phases import draw_phases
from gui.charts.worker import ChartWorker
from gui.services.review import Review


@pytest.fixture
def worker(qapp: Any) -> Iterator[ChartWorker]:
    made = ChartWorker()
    yield made
    made.wait()


@pytest.fixture
def view(qtbot: Any, themed: None, worker: ChartWorker, training_review: Review) -> ChartView:
    made = ChartView(worker, "Cost by phase")
    qtbot.addWidget(made)
    made.resize(420, 300)
    made.show()
    with qtbot.waitSignal(made.drawn, timeout=10_000):
        made.show_chart(draw_phases, training_review.estimate)
    return made


def test_the_picture_has_a_twin_with_the_same_rows(view: ChartView) -> None:
    table = view.table()
    assert table is not None and view.twin.rowCount() == len(table.rows)
    view.toggle_table()
    assert view.table_view().isVisible() and not view.plot.isVisible()
    view.toggle_table()
    assert view.plot.isVisible()


def test_arrow_keys_step_through_the_points_and_read_them_out(qtbot: Any, view: ChartView) -> None:
    table = view.table()
    assert table is not None
    qtbot.keyClick(view.plot, Qt.Key.Key_Right)
    assert view.plot.accessibleDescription() == table.marks[0].text
    qtbot.keyClick(view.plot, Qt.Key.Key_Left)
    assert view.plot.accessibleDescription() == table.marks[-1].text


def test_a_click_near_a_point_steps_to_it(qtbot: Any, view: ChartView) -> None:
    table = view.table()
    assert table is not None and view.plot._pixels is not None
    x, y = view.plot._pixels.places[1]
    qtbot.mouseClick(
        view.plot, Qt.MouseButton.LeftButton, pos=view.plot.rect().topLeft().__class__(int(x), int(y))
    )
    assert view.plot.mark() == table.marks[1]


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("csv", b"\xef\xbb\xbfPhase")]
)
def test_saving_writes_what_the_ending_names(
    qtbot: Any, view: ChartView, tmp_path: Path, ending: str, start: bytes
) -> None:
    path = tmp_path / f"chart.{ending}"
    view.save_to(path)
    qtbot.waitUntil(path.exists, timeout=10_000)
    assert path.read_bytes().startswith(start)


def test_staleness_is_said_and_taken_back(view: ChartView) -> None:
    note = view._note.accessibleName()
    view.set_stale(True)
    assert "before the last edit" in view._note.accessibleName()
    view.set_stale(False)
    assert view._note.accessibleName() == note


def test_a_failing_chart_shows_its_error_in_place(qtbot: Any, view: ChartView) -> None:
    def fail(*_: Any) -> Any:
        raise ValueError("no such curve")

    view.show_chart(fail, None)
    qtbot.waitUntil(lambda: "no such curve" in view._note.accessibleName(), timeout=10_000)


def test_of_many_waiting_requests_only_the_newest_is_done(qtbot: Any, worker: ChartWorker) -> None:
    from threading import Event

    gate, done = Event(), []
    owner = worker.owner()
    worker.submit(worker.owner(), "hold", lambda: gate.wait(10))
    for number in range(5):
        worker.submit(owner, "show", lambda number=number: done.append(number))
    gate.set()
    assert worker.wait()
    assert done == [4]


def test_every_control_has_a_name(view: ChartView) -> None:
    assert view.plot.accessibleName() and view.table_view().accessibleName()
    assert all(button.accessibleName() for button in view._buttons)

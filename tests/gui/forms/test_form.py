"""The form under real keys: typing, errors in place, ranges, rows, undo, focus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from gui.forms.editors import ChoiceEditor, LineEditor
from gui.forms.form_builder import PlanForm
from gui.forms.form_row import FormRow
from gui.forms.rows_field import RowsField
from gui.services.review import Review
from gui.shell.session import Session


@pytest.fixture
def session(open_session: Callable[[Review], Session], training_review: Review) -> Session:
    return open_session(training_review)


@pytest.fixture
def form(session: Session, qtbot: Any) -> PlanForm:
    made = PlanForm(session)
    qtbot.addWidget(made)
    made.resize(680, 2400)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    return made


def row_of(form: PlanForm, path: str) -> FormRow:
    found = form.reveal(path)
    assert found is not None
    return found


def line_of(form: PlanForm, path: str) -> QLineEdit:
    editor = row_of(form, path).editor
    assert isinstance(editor, LineEditor)
    return editor.line


def type_into(qtbot: Any, line: QLineEdit, text: str, leave: bool = True) -> None:
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)
    if leave:
        qtbot.keyClick(line, Qt.Key.Key_Return)


def test_typed_units_become_the_normal_form(form: PlanForm, session: Session, qtbot: Any) -> None:
    line = line_of(form, "training.tokens")
    type_into(qtbot, line, "1.4T tokens")
    assert session.plan.training.tokens == 1.4e12
    assert line.text() == "1.4\u00a0T"
    assert session.undo_stack.undoText() == "Training tokens"


def test_results_follow_while_typing(form: PlanForm, session: Session, qtbot: Any) -> None:
    line = line_of(form, "training.tokens")
    type_into(qtbot, line, "3T", leave=False)
    qtbot.waitUntil(lambda: session.plan.training.tokens == 3e12)
    assert line.text() == "3T"  # nobody rewrites a text under the cursor
    qtbot.keyClicks(line, " to")
    qtbot.wait(350)
    assert session.errors == {}  # half a word is no error
    qtbot.keyClicks(line, "kens")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert session.plan.training.tokens == 3e12
    assert line.text() == "3\u00a0T"
    assert session.undo_stack.count() == 1


def test_text_that_is_no_number_stays_with_its_error(form: PlanForm, session: Session, qtbot: Any) -> None:
    line = line_of(form, "training.tokens")
    type_into(qtbot, line, "a lot")
    row = row_of(form, "training.tokens")
    assert line.text() == "a lot"
    assert "a lot" in row.hint_text()
    assert line.property("problem") == "danger"
    assert session.plan.training.tokens == 2e12
    type_into(qtbot, line, "2T")
    assert row.hint_text() == ""
    assert line.property("problem") is None
    assert session.errors == {}


def test_value_out_of_bounds_offers_the_nearest(form: PlanForm, session: Session, qtbot: Any) -> None:
    line = line_of(form, "architecture.num_hidden_layers")
    type_into(qtbot, line, "20000")
    row = row_of(form, "architecture.num_hidden_layers")
    assert "10000" in row.hint_text()
    assert line.text() == "20000"
    assert session.plan.architecture.num_hidden_layers == 80
    assert row._link.text() == "Use 10,000"
    row._link.click()
    assert session.plan.architecture.num_hidden_layers == 10_000
    assert row.hint_text() == ""


def test_error_survives_a_rebuilt_form(form: PlanForm, session: Session, qtbot: Any) -> None:
    type_into(qtbot, line_of(form, "training.tokens"), "a lot")
    again = PlanForm(session)
    qtbot.addWidget(again)
    assert line_of(again, "training.tokens").text() == "a lot"
    assert "a lot" in row_of(again, "training.tokens").hint_text()


def test_error_in_a_folded_field_unfolds_it(form: PlanForm, session: Session) -> None:
    assert form.row("architecture.head_dim") is None
    session.edit({"architecture.head_dim": -4})
    row = form.row("architecture.head_dim")
    assert row is not None
    assert not row.isHidden()
    assert row.hint_text()


def test_undo_shows_the_old_value_in_the_focused_field(form: PlanForm, session: Session, qtbot: Any) -> None:
    line = line_of(form, "training.tokens")
    type_into(qtbot, line, "3T")
    line.setFocus()
    session.undo_stack.undo()
    assert line.text() == "2\u00a0T"


def test_wheel_over_an_unfocused_choice_changes_nothing(form: PlanForm, session: Session, qtbot: Any) -> None:
    editor = row_of(form, "training.precision").editor
    assert isinstance(editor, ChoiceEditor)
    line_of(form, "training.tokens").setFocus()
    before = session.plan.training.precision
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(editor.combo.mapToGlobal(QPoint(5, 5))), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(editor.combo, wheel)
    assert editor.current() == before
    assert session.plan.training.precision == before


def test_choice_by_keyboard(form: PlanForm, session: Session, qtbot: Any) -> None:
    editor = row_of(form, "training.precision").editor
    assert isinstance(editor, ChoiceEditor)
    editor.combo.setFocus()
    qtbot.keyClicks(editor.combo, "fp8")
    assert session.plan.training.precision == "fp8"


def test_three_answers_to_a_yes_no_question(form: PlanForm, session: Session, qtbot: Any) -> None:
    editor = row_of(form, "governance.idle_reclaim").editor
    assert isinstance(editor, ChoiceEditor)
    assert [editor.combo.itemText(i) for i in range(3)] == ["not known", "yes", "no"]
    assert session.plan.governance.idle_reclaim is None
    editor.combo.setFocus()
    qtbot.keyClicks(editor.combo, "no")
    qtbot.keyClick(editor.combo, Qt.Key.Key_End)
    assert session.plan.governance.idle_reclaim is False


def test_range_by_menu_and_back(form: PlanForm, session: Session, qtbot: Any) -> None:
    row = row_of(form, "cluster.busy_share")
    menu = row.make_menu()
    next(action for action in menu.actions() if action.text() == "Make range").trigger()
    assert row.range_editor is not None
    low, central, high = row.range_editor.lines
    type_into(qtbot, low, "70%")
    type_into(qtbot, high, "90 %")
    found = session.plan.ranges["cluster.busy_share"]
    assert (found.low, session.plan.cluster.busy_share, found.high) == (0.7, 0.75, 0.9)
    type_into(qtbot, low, "95%")
    assert "Low must not exceed" in row.hint_text()
    assert low.text() == "95%"
    assert session.plan.ranges["cluster.busy_share"].low == 0.7
    type_into(qtbot, low, "70%")
    next(action for action in row.make_menu().actions() if action.text() == "Make one value").trigger()
    assert "cluster.busy_share" not in session.plan.ranges
    assert row.range_editor.isHidden()
    assert all(line.accessibleName() for line in (low, central, high))


def test_reset_by_menu(form: PlanForm, session: Session) -> None:
    row = row_of(form, "cluster.busy_share")
    next(action for action in row.make_menu().actions() if action.text() == "Reset to default").trigger()
    assert session.plan.cluster.busy_share == 0.95
    assert "cluster.busy_share" not in session.plan.provenance
    assert row.mark.text() == "default"


def test_roles_table_adds_edits_and_removes(form: PlanForm, session: Session, qtbot: Any) -> None:
    editor = row_of(form, "people.roles").editor
    assert isinstance(editor, RowsField)
    before = len(session.plan.people.roles)
    editor.add.click()
    assert len(session.plan.people.roles) == before + 1
    cell = editor._cells[-1][1]
    assert isinstance(cell, LineEditor)
    type_into(qtbot, cell.line, "2.5")
    assert session.plan.people.roles[-1].fte == 2.5
    type_into(qtbot, cell.line, "some")
    assert cell.line.text() == "some"
    assert row_of(form, "people.roles").hint_text()
    editor._remove(before)
    assert len(session.plan.people.roles) == before


def test_turning_to_inference_shows_its_fields(form: PlanForm, session: Session) -> None:
    block = form.blocks["plan"]
    block._edit("workload.kind", "online_inference", None)
    assert session.plan.workload.kind == "online_inference"
    assert form.blocks["training"].isHidden()
    assert not form.blocks["serving"].isHidden()
    assert session.plan.provenance["serving.ttft_slo_ms"].kind == "imported"
    session.undo_stack.undo()
    assert not form.blocks["training"].isHidden()


def test_empty_fields_say_what_the_engine_took(form: PlanForm, session: Session) -> None:
    line = line_of(form, "cluster.price_per_gpu_hour")
    assert line.text() == ""
    assert line.placeholderText() not in ("", "not known")


def test_help_says_what_is_accepted(form: PlanForm) -> None:
    text = row_of(form, "reliability.checkpoint_interval_s").help_text()
    assert "Useful work between two checkpoints" in text
    assert "auto" in text

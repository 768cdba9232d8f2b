"""The import of a model: what is shown, what goes into the plan, what a bad file says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QLabel

from gui.pages.model_import import ModelImportDialog
from gui.services.importing import preset_names
from gui.services.review import Review

OpenSession = Callable[[Review], Any]
GEMMA = {  # the widths of Gemma 3 with six layers: five with a window, one without
    "model_type": "gemma3_text",
    "hidden_size": 2560,
    "intermediate_size": 10240,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 262208,
    "sliding_window": 1024,
    "sliding_window_pattern": 6,
}


@pytest.fixture
def dialog(qtbot: Any, open_session: OpenSession, training_review: Review) -> ModelImportDialog:
    made = ModelImportDialog(open_session(training_review))
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    made.show()
    return made


def texts(dialog: ModelImportDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def read(qtbot: Any, dialog: ModelImportDialog, text: str) -> None:
    dialog.read_text(text)
    qtbot.waitUntil(lambda: not dialog._session.runner.is_busy("model import"), timeout=10_000)


def test_shows_what_was_read_assumed_and_counted(qtbot: Any, dialog: ModelImportDialog) -> None:
    assert not dialog.take_button.isEnabled()
    read(qtbot, dialog, json.dumps(GEMMA))
    shown = texts(dialog)
    for expected in (
        "Parameters",
        "sliding_window_pattern",
        "default of the model class",
        "Active parameters",
    ):
        assert expected in shown
    assert dialog.take_button.isEnabled()


def test_context_and_windows_change_the_cache(qtbot: Any, dialog: ModelImportDialog) -> None:
    read(qtbot, dialog, json.dumps(GEMMA))
    dialog.context.setText("8192")
    dialog.context.editingFinished.emit()
    layer = 2 * 4 * 256 * 2  # keys and values of one token in one layer [byte]
    assert f"{(5 * 1024 + 8192) * layer:,} bytes" in texts(dialog)
    dialog.windows.setChecked(False)
    assert f"{6 * 8192 * layer:,} bytes" in texts(dialog)


def test_a_wrong_context_is_said_and_nothing_is_lost(qtbot: Any, dialog: ModelImportDialog) -> None:
    read(qtbot, dialog, json.dumps(GEMMA))
    dialog.context.setText("many")
    dialog.context.editingFinished.emit()
    assert "■" in dialog._message.text()
    assert dialog._network is not None


def test_the_plan_takes_it_as_one_step_with_marks(qtbot: Any, dialog: ModelImportDialog) -> None:
    session = dialog._session
    before = session.plan
    read(qtbot, dialog, json.dumps(GEMMA))
    with qtbot.waitSignal(dialog.taken):
        dialog.take()
    plan = session.plan
    assert plan.architecture.hidden_size == 2560
    assert [group.sliding_window for group in plan.architecture.layer_groups] == [1024, 0]
    assert plan.provenance["architecture.hidden_size"].kind == "imported"
    assert plan.provenance["architecture.hidden_size"].source == "config.json: hidden_size"
    assert plan.provenance["architecture.max_position_embeddings"].kind == "assumed"
    assert plan.provenance["architecture.layer_groups"].kind == "imported"
    assert "architecture.num_experts" not in plan.provenance
    session.undo_stack.undo()
    assert session.plan == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"model_type": "llama"',
        '{"model_type": "nobody"}',
        '{"hidden_size": "4096"}',
        "x" * 100,
    ],
)
def test_a_bad_file_says_what_is_wrong(qtbot: Any, dialog: ModelImportDialog, text: str) -> None:
    read(qtbot, dialog, json.dumps(GEMMA))
    read(qtbot, dialog, text)
    assert dialog._message.text().startswith("■")
    assert "accepted:" in dialog._message.text()
    assert not dialog.take_button.isEnabled()


def test_drop_and_paste(qtbot: Any, dialog: ModelImportDialog, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(GEMMA))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    drop = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    dialog.dropEvent(drop)
    qtbot.waitUntil(lambda: dialog._network is not None, timeout=10_000)
    read(qtbot, dialog, "{}")
    assert dialog._network is None
    QGuiApplication.clipboard().setText(json.dumps(GEMMA))
    dialog.paste()
    qtbot.waitUntil(lambda: dialog._network is not None, timeout=10_000)


def test_a_well_known_model_is_offered_and_taken(qtbot: Any, dialog: ModelImportDialog) -> None:
    qtbot.waitUntil(lambda: dialog.models.count() > 30, timeout=10_000)
    key, name = next((key, name) for key, name in preset_names().items() if "DeepSeek-V3" in name)
    assert dialog.models.findText(name) > 0
    dialog.read_preset(key)
    qtbot.waitUntil(lambda: dialog._network is not None, timeout=10_000)
    dialog.take()
    plan = dialog._session.plan
    assert plan.architecture.kv_lora_rank == 512
    assert plan.provenance["architecture.kv_lora_rank"].kind == "catalogue"

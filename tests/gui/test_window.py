"""The whole window on the real engine: pages, keyboard, names, languages, themes, states."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QWidget,
)

from gui.i18n import language
from gui.models.words import VALIDATION_WORDS
from gui.services.validating import validate_shipped
from gui.shell import theme
from gui.shell.application import Program, build
from gui.shell.page_table import PAGES
from gui.shell.settings import Settings
from gui.widgets.labels import ElidedLabel
from gui.widgets.nav_list import NavState

KEYS = [page.key for page in PAGES]


@pytest.fixture
def start(qapp: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Starts the program on an empty library, in a language and theme, with the first review done."""
    monkeypatch.setenv("FLOPWISE_DATA_DIR", str(tmp_path))
    running: list[Program] = []

    def make(lang: str = "en", theme_name: str = "light", size: tuple[int, int] = (1440, 900)) -> Program:
        settings = Settings()
        settings.language, settings.theme = lang, theme_name
        settings.sync()
        program = build(["flopwise"])
        running.append(program)
        program.window.resize(*size)
        qtbot.waitExposed(program.window)
        wait_for_review(qtbot, program)
        return program

    yield make
    for program in running:
        program.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def wait_for_review(qtbot: Any, program: Program) -> None:
    session = program.session
    qtbot.waitUntil(
        lambda: session.review is not None and not session.stale and not session.runner.is_busy("review"),
        timeout=20_000,
    )


def all_widgets(program: Program) -> list[QWidget]:
    return [program.window, *program.window.findChildren(QWidget)]


def is_stop(widget: QWidget) -> bool:
    """Whether Tab can stop here once its page is shown."""
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()


def in_a_choice(button: QAbstractButton) -> bool:
    group = button.group()
    return group is not None and group.exclusive()


def spoken_name(widget: QWidget) -> str:
    """What a screen reader says."""
    found = QAccessible.queryAccessibleInterface(widget)
    return found.text(QAccessible.Text.Name) if found is not None else ""


def test_first_start_shows_the_example_fully_computed(start: Any) -> None:
    program = start()
    assert program.session.plan.workload.kind == "pretraining"
    strip = program.window.strip
    shown = [
        strip.cell(key).headline()
        for key in ("plan", "total", "duration", "unit_cost", "mfu", "goodput", "saving")
    ]
    assert all(item.value not in ("", "…", "unknown") for item in shown)
    total = strip.cell("total").headline()
    assert total.band is not None
    assert total.band[0] < total.band[1] < total.band[2]
    assert total.value.startswith("$")


def test_serving_plan_has_its_own_headlines(start: Any, qtbot: Any) -> None:
    program = start()
    program.window.library.new_from("online-70b-chat")
    wait_for_review(qtbot, program)
    keys = ("output_cost", "ttft", "tpot", "instances")
    assert all(program.window.strip.cell(key).headline().value not in ("", "unknown") for key in keys)
    assert program.window.strip.cell("mfu") is None


def test_a_batch_plan_has_its_own_headlines_and_every_page(start: Any, qtbot: Any) -> None:
    program = start()
    program.window.library.new_from("batch-8b-labelling")
    wait_for_review(qtbot, program)
    for key in ("duration", "request_cost", "speed", "instances"):
        cell = program.window.strip.cell(key).headline()
        assert cell.value not in ("", "unknown", "…"), key
    assert program.window.strip.cell("ttft") is None
    for key in KEYS:
        program.window.show_page(key)
        qtbot.wait(30)
    assert not program.session.stale


@pytest.mark.parametrize("size", [(1440, 900), (1100, 720)])
def test_pages_fit_and_headlines_are_not_cut(start: Any, qtbot: Any, size: tuple[int, int]) -> None:
    program = start(size=size)
    window = program.window
    for key in KEYS:
        window.show_page(key)
        qtbot.wait(30)
        assert (window.width(), window.height()) == size, f"{key} makes the window larger"
        page = window.page(key)
        assert page.minimumSizeHint().width() <= window.stack.width()
    for key in ("total", "duration", "unit_cost", "mfu", "saving"):
        cell = window.strip.cell(key)
        assert cell.width() >= cell.minimumSizeHint().width()
    assert window.navigation.width() == (200 if size[0] >= 1200 else 52)
    assert (window.strip.cell("goodput") is None) == (size[0] < 1200)


@pytest.mark.parametrize("key", KEYS)
def test_everything_focusable_has_a_name(start: Any, qtbot: Any, key: str) -> None:
    program = start()
    window = program.window
    window.show_page(key)
    if key == "setup":
        for block in window.page("setup").form.blocks.values():
            block.unfold(True)
    qtbot.wait(50)
    nameless = [
        f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}"
        for widget in all_widgets(program)
        if is_stop(widget) and widget.isVisible() and not spoken_name(widget).strip()
    ]
    assert nameless == []


@pytest.mark.parametrize("key", KEYS)
def test_tab_reaches_everything_on_the_page(start: Any, qtbot: Any, key: str) -> None:
    program = start()
    window = program.window
    window.show_page(key)
    window.activateWindow()
    qtbot.wait(50)
    page = window.page(key)
    expected = {
        widget for widget in page.findChildren(QWidget)
        if is_stop(widget) and widget.isVisible() and widget.focusProxy() is None
    }  # fmt: skip
    expected = {
        w for w in expected if not (isinstance(w, QLineEdit) and isinstance(w.parentWidget(), QComboBox))
    }
    # In a segmented choice Tab stops at the chosen part; the arrow keys go to the others.
    expected = {
        w for w in expected if not (isinstance(w, QAbstractButton) and in_a_choice(w) and not w.isChecked())
    }
    reached: set[QWidget] = set()
    window.navigation.switcher.setFocus()
    for _ in range(400):
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused in reached and focused is window.navigation.switcher:
            break
        reached.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    missed = [f"{type(w).__name__} {w.accessibleName()}" for w in expected - reached]
    assert missed == []


def test_page_shortcuts_and_current_page(start: Any, qtbot: Any) -> None:
    window = start().window
    for number, key in enumerate(KEYS, 1):
        assert window.commands[f"page_{key}"].shortcut().toString() == f"Ctrl+{number}"
        window.commands[f"page_{key}"].trigger()
        assert window.stack.currentWidget() is window.page(key)
        assert window.navigation.pages.current_key() == key


def test_shortcuts_are_unique(start: Any) -> None:
    window = start().window
    used = [
        action.shortcut().toString() for action in window.commands.values() if not action.shortcut().isEmpty()
    ]
    assert len(used) == len(set(used))
    assert {
        "Ctrl+L",
        "Ctrl+Shift+L",
        "Ctrl+E",
        "Ctrl+N",
        "Ctrl+O",
        "Ctrl+S",
        "Ctrl+D",
        "Ctrl+Z",
        "F8",
    } <= set(used)


def test_language_switch_keeps_page_history_and_entries(start: Any, qtbot: Any) -> None:
    program = start()
    window, session = program.window, program.session
    window.show_page("setup")
    session.edit({"training.tokens": 3e12})
    session.reject_text("training.sequence_length", "huge", session.plan and _message())
    window.commands["language"].trigger()
    assert language() == "zh_CN"
    assert Settings().language == "zh_CN"
    assert window.navigation.pages.item(0).text() == "设置"
    assert window.stack.currentWidget() is window.page("setup")
    row = window.page("setup").form.row("training.sequence_length")
    assert row.editor.line.text() == "huge"
    assert row.hint_text()
    window.commands["undo"].trigger()
    assert session.plan.training.tokens == 2e12
    window.commands["language"].trigger()
    assert language() == "en"


def _message() -> Any:
    from engine.text import Message

    return Message("a whole number")


def test_theme_switch_repaints_everything(start: Any, qtbot: Any) -> None:
    window = start().window
    light = window.grab().toImage().pixelColor(window.width() // 2, window.height() - 60)
    window.commands["theme"].trigger()
    qtbot.wait(50)
    assert theme.current().name == "dark"
    assert Settings().theme == "dark"
    image = window.grab().toImage()
    dark = image.pixelColor(window.width() // 2, window.height() - 60)
    assert dark.lightness() < 80 < light.lightness()
    bright = sum(
        image.pixelColor(x, y).lightness() > 200
        for x in range(0, image.width(), 7)
        for y in range(0, image.height(), 7)
    )
    assert bright < 0.05 * (image.width() / 7) * (image.height() / 7)  # text only
    window.commands["theme"].trigger()


def test_errors_are_counted_everywhere_and_f8_goes_there(start: Any, qtbot: Any) -> None:
    program = start()
    window, session = program.window, program.session
    window.show_page("cost")
    session.edit({"schedule.deadline_days": -1.0})
    session.edit({"training.tokens": -1.0})
    assert window.navigation.pages.state_of("setup") == NavState("2", "danger", "square")
    window.activateWindow()
    window.commands["next_error"].trigger()
    page = window.page("setup")
    assert window.stack.currentWidget() is page
    assert page.attention.text() == "■ 2 fields need attention"
    assert page.index.state_of("training") == NavState("1", "danger", "square")
    first = page.form.row("training.tokens").editor.line
    qtbot.waitUntil(first.hasFocus)
    window.commands["next_error"].trigger()
    qtbot.waitUntil(page.form.row("schedule.deadline_days").editor.line.hasFocus)
    session.edit({"training.tokens": 2.5e12, "schedule.deadline_days": 90.0})
    assert page.attention.text() == ""


def test_live_panel_shows_cause_and_effect(start: Any, qtbot: Any) -> None:
    program = start()
    window, session = program.window, program.session
    window.show_page("setup")
    panel = window.page("setup").panel
    with qtbot.waitSignal(session.change_measured):
        session.edit({"training.tokens": 3e12})
    assert panel.change_text.text() == "Training tokens 2\u00a0T\u00a0tokens → 3\u00a0T\u00a0tokens"
    assert panel.change_effect.text().startswith("+$")
    assert window.strip.cell("total")._note()[0].startswith("+$")
    wait_for_review(qtbot, program)
    assert "Compute" in panel.bars.texts()
    assert 1 <= len(panel.spread.texts()) <= 5
    assert any("Memory" in text for text in panel.checks())


def test_search_advice_stands_under_its_field(start: Any, qtbot: Any) -> None:
    program = start()
    session, page = program.session, program.window.page("setup")
    with qtbot.waitSignal(session.review_changed, timeout=20_000):
        session.edit({"reliability.checkpoint_interval_s": 90_000.0})
    row = page.form.row("reliability.checkpoint_interval_s")
    qtbot.waitUntil(lambda: "Best is" in row.hint_text())
    row._link.click()
    assert session.plan.reliability.checkpoint_interval_s < 50_000


def test_deleted_plan_is_offered_back_in_the_status_bar(start: Any, qtbot: Any) -> None:
    program = start()
    window = program.window
    gone = program.session.plan_id
    window.commands["delete"].trigger()
    assert program.session.plan_id != gone
    assert not window.status.undo.isHidden()
    window.status.undo.click()
    assert program.session.plan_id == gone
    assert window.status.undo.isHidden()


def test_plan_menu_lists_the_library(start: Any) -> None:
    program = start()
    window = program.window
    window.library.new_from("online-8b-chat")
    window.navigation.switcher._fill()
    menu: QMenu = window.navigation.switcher.menu()
    texts = [action.text() for action in menu.actions()]
    assert "70B pre-training" in texts
    assert "New from a template" in texts
    assert sum(action.isChecked() for action in menu.actions()) == 1


def test_numbers_follow_an_edit_at_once(start: Any, qtbot: Any) -> None:
    program = start()
    session = program.session
    program.window.show_page("setup")
    qtbot.wait(500)
    waits = []
    for tokens in (2.1e12, 2.2e12, 2.3e12):
        begun = time.perf_counter()
        with qtbot.waitSignal(session.estimate_changed, timeout=5000):
            session.edit({"training.tokens": tokens})
        waits.append(time.perf_counter() - begun)
        wait_for_review(qtbot, program)
    # The budget is 150 ms on an idle machine. Twice that here, best of three: a shared machine has slow
    # moments, a slow program has only such.
    assert min(waits) < 0.3


def test_event_loop_stays_responsive_while_computing(start: Any, qtbot: Any) -> None:
    program = start()
    program.window.show_page("setup")
    qtbot.wait(800)
    worst = []
    for tokens in (3.1e12, 3.2e12, 3.3e12):
        gaps: list[float] = []
        last = [time.perf_counter()]
        timer = QTimer()

        def tick(gaps: list[float] = gaps, last: list[float] = last) -> None:
            now = time.perf_counter()
            gaps.append(now - last[0])
            last[0] = now

        timer.timeout.connect(tick)
        timer.start(0)
        program.session.edit({"training.tokens": tokens})
        wait_for_review(qtbot, program)
        timer.stop()
        worst.append(max(gaps))
    # The budget is 50 ms on an idle machine; this catches work that moved onto the window's thread.
    assert min(worst) < 0.2


def test_trace_of_a_headline(start: Any, qtbot: Any) -> None:
    from gui.shell.trace_popup import TracePopup

    program = start()
    window = program.window
    window.show_trace("total")
    assert window.stack.currentWidget() is window.page("cost")
    window.show_trace("saving")
    assert window.stack.currentWidget() is window.page("recommendations")
    window.show_trace("mfu")
    popup = window.findChild(TracePopup)
    found = popup is not None or window.stack.currentWidget() is window.page("cost")
    assert found
    if popup is not None:
        popup.close()


def test_closing_saves_and_the_next_start_goes_on(start: Any, qtbot: Any) -> None:
    program = start()
    program.session.edit({"meta.name": "Kept", "training.tokens": 3e12})
    program.window.show_page("cost")
    program.close()
    again = start()
    assert again.session.plan.meta.name == "Kept"
    assert again.session.plan.training.tokens == 3e12
    assert again.window.navigation.pages.current_key() == "cost"


# Depends on assets/i18n/zh_CN/LC_MESSAGES/flopwise.mo: it fails while the translation is incomplete.
ENGLISH = re.compile(r"[A-Za-z]{2,}(?:[ '’-][A-Za-z]{2,})+")
ALLOWED = re.compile(
    r"70B pre-training|Llama 3\.1 70B|\d+B|Ctrl\+\w+|F8|Esc|Del|JSON|PDF|CSV|PNG|SVG|English|Flopwise"
    r"|H\d+(?: \w+)*|A100(?: \w+)*|Noto Sans SC|ZeRO-\d|GPU-h|FTE|token|MFU|MLP|TFLOP/s|bf16|fp\d+"
    r"|Megatron-\w+|NeMo|PyTorch FSDP"
)


def texts_of(widget: QWidget) -> list[str]:
    found: list[str] = [widget.toolTip(), widget.accessibleName(), widget.windowTitle()]
    # An elided label says its whole text by its accessible name.
    if isinstance(widget, QLabel | QAbstractButton) and not isinstance(widget, ElidedLabel):
        found.append(widget.text())
    if isinstance(widget, QLineEdit):
        found.append(widget.placeholderText())
    if isinstance(widget, QComboBox):
        found += [widget.itemText(index) for index in range(widget.count())]
    if isinstance(widget, QListWidget):
        found += [widget.item(row).text() for row in range(widget.count())]
    for name in ("texts", "headline"):
        given = getattr(widget, name, None)
        if callable(given):
            value = given()
            given_texts = value if isinstance(value, list) else [value.label, value.note]
            # A row of figures says each as a pair.
            found += [part for text in given_texts for part in (text if isinstance(text, tuple) else [text])]
    return [text for text in found if text]


@pytest.mark.parametrize("key", KEYS)
def test_no_english_sentence_in_the_chinese_window(start: Any, qtbot: Any, key: str) -> None:
    program = start(lang="zh_CN")
    window = program.window
    window.show_page(key)
    if key == "setup":
        for block in window.page("setup").form.blocks.values():
            block.unfold(True)
    qtbot.wait(600)
    originals = quoted(program)
    said = {text for widget in all_widgets(program) for text in texts_of(widget)}
    said |= {action.text() for action in window.commands.values()}
    assert {text for text in said if is_english(text, originals)} == set()


def quoted(program: Program) -> list[str]:
    """Names and titles that stay in their own language: accelerators, sources, published titles."""
    review = program.session.review
    found = set(program.session.composer.accelerators().values())
    found |= {mark.source for mark in program.session.plan.provenance.values()}
    metrics = [metric.trace for metric in review.estimate.metrics if metric.trace is not None]
    for trace in [*metrics, *(line.trace for line in review.estimate.lines)]:
        found |= {item.source for item in trace.inputs}
    for item in review.recommendations.recommendations:
        found |= {part for evidence in item.evidence for part in (evidence.title, evidence.where)}
    groups = [name for kind in VALIDATION_WORDS for name in validate_shipped(kind).result.groups]
    found |= {name.partition(" ")[2] for name in groups}
    return sorted((text for text in found if text), key=len, reverse=True)


def is_english(text: str, originals: list[str]) -> bool:
    for original in originals:
        text = text.replace(original, "")
    return ENGLISH.search(ALLOWED.sub("", text)) is not None


def test_narrow_window_keeps_every_page_usable(start: Any, qtbot: Any) -> None:
    program = start(lang="zh_CN", size=(1100, 720))
    page = program.window.page("setup")
    qtbot.wait(50)
    row = page.form.row("training.tokens")
    assert row.label.mapTo(page, QPoint(0, 0)).x() >= 0
    assert row.editor.width() >= 188
    assert page.panel.width() <= page.width()

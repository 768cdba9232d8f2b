"""Translating: messages render with formatted quantities, catalogues are complete, the tool is stable."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from engine.text import Message, Quantity, Term
from gui import i18n

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    i18n.set_language("en")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The catalogue tool working on an empty folder."""
    spec = importlib.util.spec_from_file_location("translations", ROOT / "tools" / "translations.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "po_path", lambda locale: tmp_path / locale / "LC_MESSAGES" / "flopwise.po")
    return module


def test_messages_render_every_kind_of_parameter() -> None:
    message = Message(
        "{term}, {nested}, {money}, {span}, {count}, {name}, {none}",
        {
            "term": Term("compute"),
            "nested": Message("{x} %", {"x": 1.23456}),
            "money": Quantity(2_658_123.0, "currency"),
            "span": Quantity(5100.0, "s"),
            "count": 12_345,
            "name": "a {brace} and #markup",
            "none": None,
        },
    )
    shown = i18n.render(message, "USD").replace("\u00a0", " ")
    assert shown == "compute, 1.235 %, $2.66M, 1 h 25 min, 12,345, a {brace} and #markup, unknown"


def test_a_message_without_parameters_may_contain_braces() -> None:
    assert i18n.render(Message("write {} here")) == "write {} here"


def test_the_empty_text_is_not_the_catalogue_header() -> None:
    i18n.set_language("zh_CN")
    assert i18n.tr("") == ""


def test_a_translator_does_not_depend_on_the_window_language() -> None:
    i18n.set_language("zh_CN")
    message = Message("{p}", {"p": Quantity(0.5, "share")})
    assert i18n.translator("en").render(message) == "50\u00a0%"
    assert i18n.render(message) == "50%"


def test_unknown_languages_are_refused() -> None:
    with pytest.raises(ValueError, match="accepted: en, zh_CN"):
        i18n.set_language("fr")
    assert i18n.language() == "en"


def test_extraction_finds_marked_texts_and_is_stable(tool: ModuleType) -> None:
    tool.extract()
    path = tool.po_path("zh_CN")
    first = path.read_bytes()
    assert b'msgid "Training tokens"' in first
    assert b"#:" not in first
    tool.extract()
    assert path.read_bytes() == first


def test_check_reports_what_is_missing_untranslated_fuzzy_stale_or_has_other_names(tool: ModuleType) -> None:
    assert any("missing" in line for line in tool.check())
    tool.extract()
    tool.compile_catalogs()
    assert all("untranslated" in line for line in tool.check())
    path = tool.po_path("zh_CN")
    text = path.read_text(encoding="utf-8").replace(
        'msgid "Training tokens"\nmsgstr ""', 'msgid "Training tokens"\nmsgstr "训练 {count} token"'
    )
    path.write_text(
        text.replace('msgid "Sequence length"', '#, fuzzy\nmsgid "Sequence length"'), encoding="utf-8"
    )
    problems = tool.check()
    assert "zh_CN: placeholders differ: Training tokens" in problems
    assert "zh_CN: fuzzy: Sequence length" in problems
    assert "zh_CN: compiled catalogue is stale, run compile" in problems


def test_shipped_catalogues_are_complete() -> None:
    spec = importlib.util.spec_from_file_location("shipped_translations", ROOT / "tools" / "translations.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    problems = module.check()
    assert not problems, "\n".join(problems[:20])

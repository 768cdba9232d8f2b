"""Every text a person sees goes through the translator: a bare English literal in the window is a fault."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARKERS = {"tr", "trn", "N_", "Message", "getLogger"}
# Names that are the same in every language, and words that no person reads.
NAMES = {
    "Noto Sans SC", "Regular", "Bold", "Figure", "Date", "Creator", "English", "Flopwise", "Flopwise ",
    "Esc", "Ctrl+Z", "Fusion", "Theme", "Gbps", "Tbps",
}  # fmt: skip
HELP = "Plan the cost of training and serving large models."  # the command line speaks English
SENTENCE = re.compile(r"^[A-Z][a-z]+([ ,:;.…(].*)?$", re.DOTALL)
SETTERS = "setText setToolTip setPlaceholderText setAccessibleName setWindowTitle setStatusTip setTitle"
WIDGETS = "Label QLabel ElidedLabel Button LinkButton Card Chip QAction addAction addItem"
SHOWING = frozenset(SETTERS.split() + WIDGETS.split())
"""What shows its first argument to a person."""


def marked(tree: ast.AST) -> set[int]:
    """Ids of constants inside a marker call, and of docstrings."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in MARKERS:
            found |= {id(part) for part in ast.walk(node)}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
    return found


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", None) or getattr(node.func, "attr", ""))


def bare_sentences(path: Path) -> Iterator[str]:
    """Constants that read like a label and are not marked; and any word given straight to a widget."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    fine = marked(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in fine:
            if SENTENCE.match(node.value) and node.value not in NAMES and node.value != HELP:
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.value!r}"
        elif isinstance(node, ast.Call) and called(node) in SHOWING and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and id(first) not in fine and is_words(first.value):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {first.value!r}"


def is_words(value: object) -> bool:
    return isinstance(value, str) and value not in NAMES and bool(re.search(r"[A-Za-z]{3,}", value))


def test_no_label_is_written_past_the_translator() -> None:
    bare = [text for path in sorted((ROOT / "gui").rglob("*.py")) for text in bare_sentences(path)]
    assert not bare


def test_the_check_sees_an_untranslated_label() -> None:
    text = (ROOT / "gui" / "pages" / "cost.py").read_text(encoding="utf-8")
    assert 'tr("Cost")' in text
    spoiled = ROOT / "build" / "spoiled.py"
    spoiled.parent.mkdir(exist_ok=True)
    spoiled.write_text(text.replace('tr("Cost")', '"Cost"'), encoding="utf-8")
    try:
        assert any("'Cost'" in found for found in bare_sentences(spoiled))
    finally:
        spoiled.unlink()

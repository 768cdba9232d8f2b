"""What must hold of the repository itself: sizes, imports, nothing of any one machine in it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "rules", "gui")
MODULE_CAP = 400
FUNCTION_CAP = 60
RULE_CAP = 100


def sources() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def code_lines(path: Path) -> int:
    """Lines that are neither blank, comment nor docstring."""
    text = path.read_text(encoding="utf-8")
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            documented.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        1 for n, line in lines if line.strip() and not line.strip().startswith("#") and n not in documented
    )


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_modules_stay_small() -> None:
    long = {str(p.relative_to(ROOT)): n for p in sources() if (n := code_lines(p)) > MODULE_CAP}
    assert not long


def test_rule_files_stay_on_a_page() -> None:
    long = {
        str(p.relative_to(ROOT)): n
        for p in (ROOT / "rules").glob("*/*.py")
        if (n := code_lines(p)) > RULE_CAP
    }
    assert not long


def test_functions_stay_small() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.name} {node.end_lineno - node.lineno + 1}"
        for path in sources()
        for node in functions(path)
        if node.end_lineno is not None and node.end_lineno - node.lineno + 1 > FUNCTION_CAP
    ]
    assert not long


def test_every_module_and_public_function_says_what_it_is() -> None:
    silent = [
        str(p.relative_to(ROOT)) for p in sources() if not ast.get_docstring(ast.parse(p.read_text("utf-8")))
    ]
    for path in [p for p in sources() if p.relative_to(ROOT).parts[0] in ("engine", "rules")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        silent += [
            f"{path.relative_to(ROOT)}:{node.name}"
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
    assert not silent


@pytest.mark.parametrize(
    "module", ["gui.cli", "gui.commands", "gui.services.review", "gui.report.pdf", "rules.evaluation"]
)
def test_headless_parts_load_without_qt(module: str) -> None:
    code = f"import sys, {module}; bad = [m for m in sys.modules if 'PySide6' in m]; assert not bad, bad"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_nothing_of_one_machine_is_tracked() -> None:
    # Written in pieces, so that this file does not hold what it looks for.
    forbidden = re.compile(
        "|".join([r"--(extra-)?index" + "-url", "/wo" + "rk/", r"find-l" + "inks", r"pypi-" + "more"])
    )
    texts = {".py", ".toml", ".md", ".sh", ".csv", ".json", ".lock", ".typ", ".po", ""}
    found = [
        str(path.relative_to(ROOT))
        for path in tracked()
        if path.suffix in texts and forbidden.search(path.read_text(encoding="utf-8", errors="ignore"))
    ]
    assert not found
    # Locks of other tools hold hosts.
    assert [path.name for path in ROOT.glob("*.lock")] == ["requirements.lock"]


def test_the_lock_pins_exact_versions_and_names_no_host() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)


def test_no_unfinished_marks() -> None:
    marks = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|NotImplemented" + r"Error)\b")
    assert not [str(p.relative_to(ROOT)) for p in sources() if marks.search(p.read_text(encoding="utf-8"))]


def test_no_translation_hides_in_an_f_string() -> None:
    """Extraction does not see a call inside an f-string, so its text would never be translated."""
    hidden = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.JoinedStr)
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and (getattr(call.func, "id", None) or getattr(call.func, "attr", None)) in ("tr", "trn", "N_")
    ]
    assert not hidden

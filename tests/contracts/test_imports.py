"""What may know what: layers, Qt-free rooms, and what a headless start loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WINDOW_LIBRARIES = {"PySide6", "shiboken6", "matplotlib", "typst"}
SLOW = WINDOW_LIBRARIES | {"scipy.stats", "babel", "duckdb"}
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter at the root of the repository."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def imported_roots(path: Path) -> set[str]:
    """Top-level names of every import in a file, wherever it stands."""
    roots = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            roots.add(node.module.split(".")[0])
    return roots


@pytest.mark.parametrize(("package", "banned"), [("engine", {"rules", "gui"}), ("rules", {"gui"})])
def test_lower_packages_know_neither_upper_ones_nor_window_libraries(package: str, banned: set[str]) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    unwanted = banned | WINDOW_LIBRARIES
    assert {str(file): found for file in files if (found := imported_roots(file) & unwanted)} == {}


def test_import_contracts_hold() -> None:
    result = python(LINT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("module", ["gui", "gui.cli"])
def test_headless_start_loads_nothing_slow(module: str) -> None:
    """Spawned workers and the command line start fast."""
    result = python(f"import sys, {module}; print(*sorted({SLOW!r} & set(sys.modules)))")
    assert (result.stdout.split(), result.stderr) == ([], "")

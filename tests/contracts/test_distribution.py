"""What a clone carries: no registry's or machine's name, and a lock that covers all declared packages."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Put together here, so that this file does not hold what it looks for.
BANNED = {
    "package index": re.compile(r"(?i)index" + r"[-_]url|find" + r"[-_]links|trusted" + r"[-_]host"),
    "registry host": re.compile(r"(?i)pypi\.(org|python)|python" + r"hosted|registry\.npm" + r"js"),
    "machine path": re.compile(r"(?<![\w.])/(?:work|root|home|Users)" + r"/\w"),
}


def repository_texts() -> dict[str, str]:
    """Path and text of every text file that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    texts = {}
    for name in filter(None, listed.split("\0")):
        try:
            texts[name] = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):  # fonts; files deleted but not yet committed
            continue
    return texts


def normal(name: str) -> str:
    """A distribution's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("what", BANNED)
def test_no_file_names_a(what: str) -> None:
    hits = [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in repository_texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        if BANNED[what].search(line)
    ]
    assert hits == []


def test_banned_patterns_find_what_they_are_for() -> None:
    assert BANNED["package index"].search("pip install --extra-index" + "-url x")
    assert BANNED["registry host"].search("https://files.python" + "hosted.org/packages")
    assert BANNED["machine path"].search('open("/ho' + 'me/someone/plan.json")')
    assert not BANNED["machine path"].search("currency/home/hour and ../home/plan.json")


def test_lock_covers_every_declared_package() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {normal(re.split(r"[<>=!~; \[]", item)[0]) for item in declared}
    assert names <= {normal(line.partition("==")[0]) for line in lines}

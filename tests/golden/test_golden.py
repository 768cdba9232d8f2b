"""Two whole estimates, figure by figure: a change of any constant or formula shows here, and on purpose."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import plan_from_json

FOLDER = Path(__file__).parent
DIGITS = 6
TEMPLATES = ("pretraining-70b-h100", "online-70b-chat")


def rounded(node: Any) -> Any:
    """Numbers to six significant digits, so that another machine's last bits do not matter."""
    if isinstance(node, dict):
        return {key: rounded(value) for key, value in node.items()}
    if isinstance(node, list):
        return [rounded(value) for value in node]
    return float(f"{node:.{DIGITS}g}") if isinstance(node, float) else node


def flat(node: Any, path: str = "") -> dict[str, Any]:
    """Every leaf by its path; lines and metrics by their own names, so that a new one moves no other."""
    if isinstance(node, dict):
        return {k: v for key, value in node.items() for k, v in flat(value, f"{path}.{key}").items()}
    if isinstance(node, list):
        named = [(name_of(item, index), item) for index, item in enumerate(node)]
        return {k: v for name, item in named for k, v in flat(item, f"{path}[{name}]").items()}
    return {path.lstrip("."): node}


def name_of(item: Any, index: int) -> str:
    """What an entry of a list calls itself, else its place."""
    own = (
        [str(item[key]) for key in ("item", "key", "path") if item.get(key)] if isinstance(item, dict) else []
    )
    return own[0] if own else str(index)


def differences(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """One line a field that differs."""
    return [
        f"{path}: {expected.get(path, 'absent')!r} -> {found.get(path, 'absent')!r}"
        for path in sorted(expected.keys() | found.keys())
        if not same(expected.get(path, "absent"), found.get(path, "absent"))
    ]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=2 * 10.0**-DIGITS, abs=1e-300)
    return bool(one == other)


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_estimate_of_a_template_is_as_it_was(name: str, catalog: Catalog, update_golden: bool) -> None:
    plan = plan_from_json((files("assets") / "plans" / f"{name}.json").read_text(encoding="utf-8"))
    found = rounded(estimate(plan, catalog, seed=0, draws=400).model_dump(mode="json"))
    golden = FOLDER / f"{name}.json"
    if update_golden:
        golden.write_text(
            json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    expected = json.loads(golden.read_text(encoding="utf-8"))
    changed = differences(flat(expected), flat(json.loads(json.dumps(found))))
    assert not changed, "\n".join(
        ["changed; if on purpose: pytest tests/golden --update-golden", *changed[:60]]
    )


def test_a_change_is_shown_by_its_field() -> None:
    before = {"total": 1.0, "lines": [{"item": "a", "amount": 2.0}, {"item": "b", "amount": None}]}
    after = {"total": 1.0, "lines": [{"item": "new", "amount": 1.0}, {"item": "a", "amount": 3.0}]}
    assert differences(flat(before), flat(after)) == [
        "lines[a].amount: 2.0 -> 3.0",
        "lines[b].amount: None -> 'absent'",
        "lines[b].item: 'b' -> 'absent'",
        "lines[new].amount: 'absent' -> 1.0",
        "lines[new].item: 'absent' -> 'new'",
    ]


def test_the_last_bits_do_not_matter() -> None:
    assert differences({"x": 1.0}, {"x": 1.0 + 1e-9}) == []
    assert differences({"x": 1.0}, {"x": 1.00001}) != []
    assert rounded({"x": [1.23456789, 7, "t", None, True]}) == {"x": [1.23457, 7, "t", None, True]}

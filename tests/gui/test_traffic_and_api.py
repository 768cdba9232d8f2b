"""flopwise import-traffic and optimize --break-even: what they print and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gui.answers import Run

KEYS = {"kind", "rows", "used", "patch", "read", "assumed", "problems", "problem_count", "peak_to_mean"}


@pytest.fixture
def week(tmp_path: Path) -> Path:
    path = tmp_path / "week.csv"
    path.write_text("hour,requests\n" + "\n".join(f"{h},{100 + h}" for h in range(168)) + "\nx,1\n")
    return path


@pytest.fixture
def plan(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(run("template", "online-8b-chat").out)
    return path


def test_traffic_is_printed_as_a_patch(run: Run, week: Path) -> None:
    answer = run("import-traffic", str(week), "--json")
    assert answer.code == 0 and answer.data.keys() >= KEYS and "changes" not in answer.data
    patch: dict[str, Any] = answer.data["patch"]
    assert patch["serving.requests_per_second"] == pytest.approx(183.5 / 3600.0, rel=1e-5)
    assert len(patch["serving.profile"]) == 168
    assert answer.data["problems"] == [{"line": 170, "problem": "x is no hour of the week from 0 to 167"}]


def test_the_printed_patch_is_one_the_plan_takes(run: Run, week: Path, plan: Path) -> None:
    patch = run("import-traffic", str(week), "--json").data["patch"]
    sets = [text for path, value in patch.items() for text in ("--set", f"{path}={json.dumps(value)}")]
    assert run("estimate", str(plan), "--draws", "0", "--json", *sets).code == 0


def test_with_a_plan_it_says_what_changes(run: Run, week: Path, plan: Path) -> None:
    answer = run("import-traffic", str(week), "--plan", str(plan), "--json")
    changed = {change["path"]: change for change in answer.data["changes"]}
    assert changed.keys() == {"serving.requests_per_second", "serving.profile"}
    assert changed["serving.profile"]["before"] == "chat"
    text = run("import-traffic", str(week), "--plan", str(plan)).out
    assert "Mean request rate" in text and "serving.profile: chat → [168]" in text and "Line 170" in text


def test_standard_input_is_read(run: Run, week: Path) -> None:
    answer = run("import-traffic", "-", "--json", stdin=week.read_bytes())
    assert answer.code == 0 and answer.data["used"] == 168


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\0\1\2", b"timestamp,requests\n1,-5\n"])
def test_a_bad_file_is_one_line_and_code_2(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    answer = run("import-traffic", str(path))
    assert answer.code == 2 and answer.out == "" and answer.err.count("\n") == 1
    assert answer.err.startswith("flopwise: FILE")


def test_a_training_plan_takes_no_traffic(run: Run, week: Path, tmp_path: Path) -> None:
    path = tmp_path / "training.json"
    path.write_text(run("template", "pretraining-8b-h100").out)
    answer = run("import-traffic", str(week), "--plan", str(path))
    assert answer.code == 2 and "workload.kind" in answer.err


def test_the_break_even_is_a_key_of_optimize(run: Run, plan: Path) -> None:
    prices = ("api_input_price_per_million=0.5", "api_output_price_per_million=2")
    sets = [text for price in prices for text in ("--set", f"serving.{price}")]
    found = run("optimize", str(plan), "--break-even", "--json", *sets).data["break_even"]
    assert found["verdict"] == "found"
    assert found["requests_per_second"] > found["requests_per_second_now"]
    assert found["own_p10"] < found["own_per_month"] < found["own_p90"]
    assert {(case["driver"], case["factor"]) for case in found["cases"]} == {
        ("api_price", 0.7),
        ("api_price", 1.3),
        ("utilisation", 0.7),
        ("utilisation", 1.3),
    }
    assert len(found["curve"]["own"]) == len(found["curve"]["api"])
    text = run("optimize", str(plan), "--break-even", *sets).out
    assert "Self-hosting stays cheaper above" in text and "API price −30 %" in text


def test_without_prices_the_needed_fields_are_named(run: Run, plan: Path) -> None:
    answer = run("optimize", str(plan), "--break-even", "--json")
    found = answer.data["break_even"]
    assert answer.code == 0 and found["verdict"] == "not_evaluated"
    assert found["needs"] == [
        "serving.api_input_price_per_million",
        "serving.api_output_price_per_million",
    ]
    assert "serving.api_output_price_per_million" in run("optimize", str(plan), "--break-even").out
    assert "break_even" not in run("optimize", str(plan), "--json").data


def test_a_training_plan_has_no_break_even(run: Run) -> None:
    template = run("template", "pretraining-8b-h100").out
    answer = run("optimize", "-", "--break-even", stdin=template)
    assert answer.code == 2 and "workload.kind" in answer.err

"""`flopwise optimize --purchase`."""

from __future__ import annotations

import json

import pytest

from engine.plan import plan_to_json
from gui.services.templates import template_plan
from tests.gui.answers import Run

PLAN = plan_to_json(template_plan("online-70b-chat"))


def test_the_mix_is_part_of_the_answer_and_gives_its_total(run: Run) -> None:
    found = run("optimize", "-", "--purchase", "--json", "--set", "serving.autoscale=true", stdin=PLAN).data
    mix = found["purchase"]
    sets = [f"--set={c['path']}={json.dumps(c['after'])}" for c in mix["changes"]]
    after = run(
        "estimate", "-", "--json", "--draws=0", "--set=serving.autoscale=true", *sets, stdin=PLAN
    ).data
    assert after["total"] == pytest.approx(mix["total"], rel=1e-6)
    assert after["total"] < found["baseline"]["total"] == pytest.approx(mix["baseline_total"])
    assert mix["bound"] <= mix["total"] and mix["gap"] >= 0.0
    assert len(mix["hourly_committed"]) == len(mix["hourly_elastic"]) == len(mix["hourly_unused"]) == 168
    items = [line["item"] for line in after["lines"] if line["commitment"] == "committed"]
    assert "Committed base, unused" in items


def test_the_text_is_one_paragraph(run: Run) -> None:
    out = run("optimize", "-", "--purchase", stdin=PLAN).out
    (line,) = [line for line in out.splitlines() if line.startswith("Purchase: ")]
    assert "38 GPUs committed" in line and "proven best" in line


def test_without_the_option_nothing_is_added(run: Run) -> None:
    assert "purchase" not in run("optimize", "-", "--json", stdin=PLAN).data


def test_a_training_plan_is_refused_by_name(run: Run) -> None:
    text = plan_to_json(template_plan("pretraining-8b-h100"))
    answer = run("optimize", "-", "--purchase", stdin=text)
    assert answer.code == 2 and "workload.kind" in answer.err

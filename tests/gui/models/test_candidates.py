"""Candidates of a search, and the words of fields and values."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtTest import QAbstractItemModelTester

from engine.results import Change
from gui.models.candidates import CHANGES, MFU, NAME, SAVES, SORT_ROLE, TOTAL, CandidatesModel
from gui.models.words import change_text, field_title, field_value
from gui.services.review import Review


@pytest.fixture
def model(qapp: Any, training_review: Review) -> CandidatesModel:
    made = CandidatesModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    made.set_optimisation(training_review.optimisation, "USD")
    return made


def test_the_plan_comes_first_then_the_best_then_by_cost(model: CandidatesModel) -> None:
    assert model.candidate(0).changes == () and model.index(0, CHANGES).data() == "nothing"
    assert model.is_best(1) and not model.is_best(0)
    totals = [model.candidate(row).total for row in range(2, model.rowCount())]
    assert totals == sorted(totals)


def test_savings_are_against_the_plan(model: CandidatesModel, training_review: Review) -> None:
    baseline = training_review.estimate.total
    for row in range(1, model.rowCount()):
        assert model.index(row, SAVES).data(SORT_ROLE) == pytest.approx(baseline - model.candidate(row).total)
    assert model.index(0, SAVES).data() == "–"


def test_every_candidate_has_a_name_of_its_own(model: CandidatesModel) -> None:
    names = [model.index(row, NAME).data() for row in range(model.rowCount())]
    assert "Candidate" not in names and len(set(names)) == len(names)


def test_a_service_has_no_mfu(qapp: Any, serving_review: Review) -> None:
    made = CandidatesModel()
    made.set_optimisation(serving_review.optimisation, "USD")
    assert made.index(0, MFU).data() == "–"
    assert made.index(0, TOTAL).data().startswith("$")


def test_no_search_is_an_empty_table(model: CandidatesModel) -> None:
    model.set_optimisation(None, "USD")
    assert model.rowCount() == 0


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("reliability.checkpoint_interval_s", 3024.0, "50\u00a0min"),
        ("cluster.accelerator_count", 512, "512 GPUs"),
        ("layout.recompute", "full", "Full"),
        ("cluster.price_mode", "on_demand", "On demand"),
        ("governance.budget", None, "not set"),
        ("governance.budget_alerts", True, "yes"),
        ("cluster.busy_share", 0.92, "92\u00a0%"),
    ],
)
def test_values_carry_their_unit(path: str, value: Any, text: str) -> None:
    assert field_value(path, value, "USD", "en").replace("\u00a0GPUs", " GPUs") == text


def test_a_change_names_the_field_by_its_title() -> None:
    change = Change(path="reliability.checkpoint_interval_s", before=14400.0, after=3024.0)
    title = field_title(change.path, "en")
    assert change_text(change, "USD", "en") == f"{title} 4\u00a0h \u2192 50\u00a0min"
    assert "_" not in title


def test_the_same_setting_found_twice_is_one_row(model: CandidatesModel, training_review: Review) -> None:
    found = training_review.optimisation
    assert found is not None
    rows = model.rowCount()
    twice = found.model_copy(update={"candidates": (*found.candidates, found.candidates[0])})
    model.set_optimisation(twice, "USD")
    assert model.rowCount() == rows

"""Changes by field path."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import named_fields, serving_plan, training_plan

from engine.errors import FlopwiseError, InputError
from engine.plan import Provenance, apply_patch, changed_values, field_specs, get_value


def test_a_patch_changes_what_it_names_and_nothing_else() -> None:
    before = training_plan()
    after = apply_patch(before, {"cluster.busy_share": 0.5, "training.tokens": 1e12})
    assert changed_values(before, after) == {
        "cluster.busy_share": (0.95, 0.5),
        "training.tokens": (2.4e12, 1e12),
    }
    assert before.cluster.busy_share == 0.95


def test_an_empty_patch_and_the_present_values_change_nothing() -> None:
    for plan in (training_plan(), serving_plan()):
        assert apply_patch(plan, {}) == plan
        present = {path: get_value(plan, path) for path in field_specs()}
        known = {path: value for path, value in present.items() if value is not None}
        assert apply_patch(plan, known) == plan


def test_a_section_that_is_absent_can_be_filled() -> None:
    plan = apply_patch(training_plan(), {"batch.requests": 5.0, "batch.deadline_hours": 2.0})
    assert plan.batch is not None and plan.batch.requests == 5.0
    with pytest.raises(FlopwiseError) as caught:
        apply_patch(training_plan(), {"batch.requests": 5.0})
    assert named_fields(caught.value) == {"batch.deadline_hours"}


def test_provenance_marks_the_changed_fields_only() -> None:
    source = Provenance(kind="imported", source="config.json", date="2026-12-02")
    plan = apply_patch(training_plan(), {"training.tokens": 1e12}, source)
    assert plan.provenance == {"training.tokens": source}


def test_ranges_and_provenance_are_keyed_by_whole_paths() -> None:
    plan = apply_patch(
        training_plan(),
        {
            "ranges.cluster.busy_share": {"low": 0.8, "high": 0.99},
            "provenance.cluster.busy_share": {"kind": "measured", "source": "sacct", "date": ""},
        },
    )
    assert get_value(plan, "ranges.cluster.busy_share").low == 0.8
    assert get_value(plan, "provenance.cluster.busy_share").source == "sacct"
    assert get_value(plan, "ranges.training.tokens") is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "nonsense",
        "training.token",
        "cluster..price",
        "training.tokens.",
        "schema_version",
        "Training",
    ],
)
def test_unknown_paths_are_refused_by_name(path: str) -> None:
    for attempt in (
        lambda: apply_patch(training_plan(), {path: 1}),
        lambda: get_value(training_plan(), path),
    ):
        with pytest.raises(FlopwiseError) as caught:
            attempt()
        if not path.startswith("training.tokens"):
            assert named_fields(caught.value) == {path}


def test_a_misspelt_path_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"training\.tokens"):
        apply_patch(training_plan(), {"training.tokns": 1e12})


@pytest.mark.parametrize(
    "path", ["meta.name.first", "people.roles.0.fte", "finance.fx_rates.USD/CNY.rate.x", "cluster.provider.x"]
)
def test_paths_into_texts_and_lists_raise_nothing_else(path: str) -> None:
    with pytest.raises(FlopwiseError):
        apply_patch(training_plan(), {path: 1})


def test_values_inside_lists_can_be_read() -> None:
    plan = training_plan({"people.roles": [{"role": "manager", "fte": 0.5}]})
    assert get_value(plan, "people.roles.0.fte") == 0.5
    assert get_value(plan, "people.roles.1.fte") is None
    with pytest.raises(FlopwiseError):
        get_value(plan, "people.roles.first.fte")
    with pytest.raises(FlopwiseError):
        get_value(plan, "meta.name.first")


def test_an_absent_section_reads_as_none() -> None:
    assert get_value(training_plan(), "serving.requests_per_second") is None


@pytest.mark.parametrize("value", ["x", -1, [], {}, None, float("nan"), object()])
def test_a_bad_value_is_refused_by_the_name_of_its_field(value: Any) -> None:
    with pytest.raises(FlopwiseError) as caught:
        apply_patch(training_plan(), {"cluster.busy_share": value})
    assert named_fields(caught.value) == {"cluster.busy_share"}

"""Plan files: round trips, and errors that name the field, whatever is wrong with it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from plan_cases import named_fields, serving_plan, training_plan

from engine.catalog import Catalog
from engine.errors import FlopwiseError, InputError
from engine.estimation import estimate
from engine.plan import PlanErrors, plan_from_data, plan_from_json, plan_to_json
from engine.plan.reading import MAX_BYTES


def changed(path: str, value: Any) -> dict[str, Any]:
    """The clean plan's data with one field overwritten, unchecked."""
    data = copy.deepcopy(training_plan().model_dump(mode="json"))
    here = data
    *parents, leaf = path.split(".")
    for part in parents:
        if here.get(part) is None:
            here[part] = {}
        here = here[part]
    here[leaf] = value
    return data


def error_of(data: dict[str, Any]) -> FlopwiseError:
    with pytest.raises(FlopwiseError) as caught:
        plan_from_data(data)
    return caught.value


def test_a_plan_survives_the_round_trip() -> None:
    for plan in (training_plan({"ranges.training.tokens": {"low": 1e12, "high": 5e12}}), serving_plan()):
        assert plan_from_json(plan_to_json(plan)) == plan


def test_the_text_is_stable_so_that_it_can_live_in_version_control() -> None:
    text = plan_to_json(training_plan())
    assert plan_to_json(plan_from_json(text)) == text
    assert text.endswith("}\n")


def test_characters_beyond_ascii_are_kept() -> None:
    plan = training_plan({"meta.name": "预训练 70B — “é”"})
    assert "预训练" in plan_to_json(plan)
    assert plan_from_json(plan_to_json(plan)) == plan


NUMBER, WHOLE, CHOICE = "training.tokens", "cluster.accelerators_per_node", "training.precision"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (NUMBER, "many"),
        (NUMBER, "2e12"),
        (NUMBER, -1.0),
        (NUMBER, 0),
        (NUMBER, 1e30),
        (NUMBER, None),
        (NUMBER, float("nan")),
        (NUMBER, float("inf")),
        (NUMBER, float("-inf")),
        (NUMBER, True),
        (NUMBER, [2e12]),
        (NUMBER, {"value": 2e12}),
        (WHOLE, 7.5),
        (WHOLE, 0),
        (WHOLE, -8),
        (WHOLE, "eight"),
        (WHOLE, 10**9),
        (WHOLE, [8]),
        ("training.sequence_length", 1.5),
        ("training.sequence_length", 10**400),
        ("cluster.accelerator_count", "automatic"),
        ("cluster.accelerator_count", 0),
        ("cluster.accelerator_count", 64.5),
        ("cluster.busy_share", 0.0),
        ("cluster.busy_share", 1.01),
        ("cluster.price_per_gpu_hour", -0.01),
        ("cluster.price_per_gpu_hour", float("nan")),
        ("cluster.price_mode", "rented"),
        ("cluster.price_mode", None),
        ("cluster.accelerator", ""),
        ("cluster.accelerator", 100),
        (CHOICE, "fp4"),
        (CHOICE, 16),
        (CHOICE, None),
        ("layout.tensor_parallel", 0),
        ("layout.tensor_parallel", "all"),
        ("layout.recompute", "some"),
        ("reliability.checkpoint_interval_s", 0),
        ("reliability.checkpoint_interval_s", "often"),
        ("reliability.checkpoint_write_s", 0.0),
        ("reliability.restore_tested", "yes"),
        ("storage.checkpoints_kept", 0),
        ("storage.checkpoints_kept", "none"),
        ("scope.categories", ["compute", "coffee"]),
        ("scope.categories", "compute"),
        ("scope.include_retries", 1),
        ("meta.currency", "dollars"),
        ("meta.currency", "usd"),
        ("meta.name", 5),
        ("meta.name", "x" * 201),
        ("meta.name", "\ud800"),
        ("schedule.start_date", "next Monday"),
        ("schedule.start_date", "2027-13-01"),
        ("finance.ask_percentile", 100),
        ("finance.fx_rates", [1.0]),
        ("governance.budget", "large"),
        ("governance.budget_alerts", "yes"),
        ("workload.kind", "mining"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_field(path: str, value: Any) -> None:
    error = error_of(changed(path, value))
    assert any(name == path or name.startswith(f"{path}.") for name in named_fields(error))
    assert path in str(error) and "accepted" in str(error)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("finance.fx_rates", {"USD/CNY": {"rate": -7.0, "date": "2026-12-02"}}),
        ("finance.fx_rates", {"USD/CNY": {"rate": 7.0, "date": "today"}}),
        ("finance.fx_rates", {"USD/CNY": 7.0}),
        ("people.roles", [{"role": "wizard", "fte": 1.0}]),
        ("people.roles", [{"role": "manager"}]),
        ("people.roles", [{"role": "manager", "fte": -1.0}]),
        ("storage.items", [{"name": "logs", "size_gb": float("inf"), "months": 1.0}]),
        ("serving", {"requests_per_second": 1.0, "input_tokens": 10.0, "output_tokens": -1.0}),
        ("cluster.accelerator_spec", {"memory_gib": 80.0}),
    ],
)
def test_inside_lists_and_tables_the_place_is_named(path: str, value: Any) -> None:
    assert all(name.startswith(f"{path}.") for name in named_fields(error_of(changed(path, value))))


@pytest.mark.parametrize("section", ["meta", "training", "cluster", "layout", "finance", "scope"])
@pytest.mark.parametrize("junk", [5, "text", [], [{}], True])
def test_a_section_of_the_wrong_type_is_refused_by_name(section: str, junk: Any) -> None:
    assert section in named_fields(error_of(changed(section, junk)))


def test_every_bad_field_is_reported_at_once() -> None:
    data = changed(NUMBER, -1.0)
    data["cluster"]["busy_share"] = 2.0
    data["meta"]["currency"] = 3
    error = error_of(data)
    assert isinstance(error, PlanErrors)
    assert named_fields(error) == {NUMBER, "cluster.busy_share", "meta.currency"}


def test_an_unknown_field_names_the_nearest() -> None:
    error = error_of(changed("training.token", 1e12))
    assert named_fields(error) == {"training.token"}
    assert "training.tokens" in str(error)


def test_a_missing_section_or_field_is_named() -> None:
    data = changed(NUMBER, 1e12)
    del data["cluster"]
    assert "cluster" in named_fields(error_of(data))
    data = changed(NUMBER, 1e12)
    del data["training"]["tokens"]
    assert NUMBER in named_fields(error_of(data))
    assert "section training" in str(error_of(changed("training", None)))


def test_whole_numbers_written_with_a_point_are_accepted() -> None:
    assert plan_from_data(changed("cluster.accelerator_count", 64.0)).cluster.accelerator_count == 64


@pytest.mark.parametrize("version", [2, 99, 0, -1, "1", None, True, 1.5, []])
def test_another_schema_version_is_refused(version: Any) -> None:
    error = error_of(changed("schema_version", version))
    assert named_fields(error) == {"schema_version"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", '"plan"', "{'a': 1}", '{"workload": }', "\x00", "{}" * 2, "﻿{}"],
)
def test_broken_json_and_other_things_than_objects_are_refused(text: str) -> None:
    with pytest.raises(FlopwiseError):
        plan_from_json(text)


def test_broken_json_says_in_which_line() -> None:
    with pytest.raises(InputError, match="line 3"):
        plan_from_json('{\n"workload": 1,\n oops}')


def test_an_empty_object_names_the_sections_it_lacks() -> None:
    with pytest.raises(PlanErrors) as caught:
        plan_from_json("{}")
    assert named_fields(caught.value) == {"workload", "architecture", "cluster"}


@pytest.mark.parametrize("brackets", ["[]", ("{" + '"a":', "}")])
@pytest.mark.parametrize("depth", [100, 500, *range(900, 1010, 5), *range(985, 1000), 5_000, 200_000])
def test_deep_nesting_is_refused_and_never_overflows(brackets: Any, depth: int) -> None:
    opening, closing = brackets
    text = '{"meta": {"name": ' + opening * depth + "1" + closing * depth + "}}"
    with pytest.raises(FlopwiseError):
        plan_from_json(text)


def test_a_number_of_too_many_digits_is_not_called_nested() -> None:
    with pytest.raises(InputError) as caught:
        plan_from_json('{"training": {"tokens": ' + "1" * 6000 + "}}")
    assert "nested" not in str(caught.value)


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputError, match="16 MiB"):
        plan_from_json(" " * (MAX_BYTES + 1))


def test_json_infinities_are_refused() -> None:
    text = plan_to_json(training_plan()).replace("2400000000000.0", "Infinity")
    with pytest.raises(PlanErrors) as caught:
        plan_from_json(text)
    assert named_fields(caught.value) == {NUMBER}


def test_a_huge_value_does_not_fill_the_message() -> None:
    assert len(str(error_of(changed("meta.name", ["x" * 100_000])))) < 400


def test_an_unknown_accelerator_without_figures_names_the_nearest_and_the_figures(catalog: Catalog) -> None:
    plan = training_plan({"cluster.accelerator": "h100-smx"})
    with pytest.raises(InputError) as caught:
        estimate(plan, catalog, draws=0)
    assert caught.value.field == "cluster.accelerator"
    for needed in ("h100-sxm", "memory_gib", "peak_tflops", "power_w", "accelerators_per_node"):
        assert needed in str(caught.value)


@pytest.mark.parametrize(
    ("path", "low", "high"),
    [
        ("cluster.busy_share", 0.5, 1.5),
        ("cluster.price_per_gpu_hour", -1.0, 5.0),
        ("training.precision", 0.0, 1.0),
        ("scope.categories", 0.0, 1.0),
        ("operations.energy_included", 0.0, 1.0),
        ("no.such.field", 0.0, 1.0),
        ("people.roles.0.monthly_cost", 1.0, 2.0),
    ],
)
def test_ranges_stay_within_the_bounds_of_a_number_of_the_plan(path: str, low: float, high: float) -> None:
    data = changed(NUMBER, 1e12)
    data["ranges"] = {path: {"low": low, "high": high}}
    assert named_fields(error_of(data)) == {f"ranges.{path}"}


@pytest.mark.parametrize(
    "bounds", [{"low": 2.0, "high": 1.0}, {"low": float("nan"), "high": 1.0}, [1, 2], {}]
)
def test_a_range_out_of_order_or_of_another_shape_is_refused(bounds: Any) -> None:
    data = changed(NUMBER, 1e12)
    data["ranges"] = {"network.egress_gb": bounds}
    assert any(name.startswith("ranges.network.egress_gb") for name in named_fields(error_of(data)))


def test_a_range_of_the_cost_of_a_role_is_accepted_unless_it_pays() -> None:
    data = changed("people.roles", [{"role": "manager", "fte": 1.0, "monthly_cost": 20000.0}])
    data["ranges"] = {"people.roles.0.monthly_cost": {"low": -1.0, "high": 30000.0}}
    assert named_fields(error_of(data)) == {"ranges.people.roles.0.monthly_cost"}
    data["ranges"] = {"people.roles.0.monthly_cost": {"low": 15000.0, "high": 30000.0}}
    assert plan_from_data(data).ranges["people.roles.0.monthly_cost"].high == 30000.0


def test_data_is_not_changed_by_reading_it() -> None:
    data = changed(NUMBER, 1e12)
    before = json.dumps(data)
    plan_from_data(data)
    assert json.dumps(data) == before

"""The plan as a whole."""

from __future__ import annotations

import pytest
from plan_cases import batch_plan, named_fields, serving_plan, training_plan
from pydantic import ValidationError

from engine.errors import FlopwiseError
from engine.plan.plan import Range
from engine.plan.workload import TRAINING_KINDS


def test_plans_are_immutable() -> None:
    with pytest.raises(ValidationError):
        training_plan().training.tokens = 1.0  # type: ignore[misc, union-attr]


def test_the_kind_decides_what_is_training() -> None:
    assert training_plan().is_training and not serving_plan().is_training
    for kind in TRAINING_KINDS:
        assert training_plan({"workload.kind": kind}).is_training


@pytest.mark.parametrize(("kind", "section"), [("online_inference", "serving"), ("batch_inference", "batch")])
def test_each_kind_needs_its_section(kind: str, section: str) -> None:
    with pytest.raises(FlopwiseError, match=f"section {section}"):
        training_plan({"workload.kind": kind})


def test_a_batch_job_also_needs_lengths_and_precision() -> None:
    with pytest.raises(FlopwiseError, match="section serving"):
        batch_plan({"serving": None})


def test_only_a_service_needs_a_request_rate() -> None:
    assert batch_plan().serving is not None
    with pytest.raises(FlopwiseError) as caught:
        serving_plan({"serving.requests_per_second": None})
    assert named_fields(caught.value) == {"serving.requests_per_second"}


def test_the_deadline_of_a_batch_job_is_the_earlier_of_its_own_and_the_schedules() -> None:
    assert batch_plan().deadline_days == 1.0
    assert batch_plan({"schedule.deadline_days": 0.5}).deadline_days == 0.5
    assert serving_plan({"schedule.deadline_days": 9.0}).deadline_days == 9.0


def test_the_default_horizon_is_a_year_and_the_default_ask_the_eightieth_percentile() -> None:
    plan = training_plan()
    assert (plan.schedule.horizon_months, plan.finance.ask_percentile) == (12.0, 80.0)


@pytest.mark.parametrize(
    "bounds", [(float("nan"), 1.0), (0.0, float("nan")), (0.0, float("inf")), (2.0, 1.0)]
)
def test_a_range_is_two_numbers_in_order(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValidationError):
        Range(low=bounds[0], high=bounds[1])

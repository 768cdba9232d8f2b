"""Values a section starts with when a plan turns to another kind of work. Qt-free."""

from __future__ import annotations

from typing import Any

from engine.plan import Plan, field_specs
from gui.services.templates import template_plan

_SOURCES = {
    "training": "pretraining-70b-h100",
    "serving": "online-70b-chat",
}
_NEEDS = {"online_inference": ("serving",), "batch_inference": ("serving", "batch")}
# One day of the example service's requests: a job to start editing from.
_DAY_HOURS = 24.0


def missing_sections(plan: Plan, kind: str) -> dict[str, Any]:
    """Fields to add so that `plan` can become a plan of `kind`; empty when it has them already."""
    patch: dict[str, Any] = {}
    for section in _NEEDS.get(kind, ("training",)):
        if getattr(plan, section) is None:
            patch.update(_batch_start(plan) if section == "batch" else _from_template(section))
    if kind == "online_inference" and plan.serving is not None and plan.serving.requests_per_second is None:
        patch["serving.requests_per_second"] = _requests_per_second(plan)
    return patch


def _from_template(section: str) -> dict[str, Any]:
    example = getattr(template_plan(_SOURCES[section]), section).model_dump()
    return {
        f"{section}.{name}": value for name, value in example.items() if f"{section}.{name}" in field_specs()
    }


def _batch_start(plan: Plan) -> dict[str, Any]:
    a_day = _requests_per_second(plan) * _DAY_HOURS * 3600.0
    return {"batch.requests": a_day, "batch.deadline_hours": _DAY_HOURS}


def _requests_per_second(plan: Plan) -> float:
    """The plan's own rate, that of its batch job up to its deadline, else the example service's."""
    if plan.serving is not None and plan.serving.requests_per_second is not None:
        return plan.serving.requests_per_second
    if plan.batch is not None:
        return plan.batch.requests / (plan.batch.deadline_hours * 3600.0)
    example = template_plan(_SOURCES["serving"]).serving
    assert example is not None and example.requests_per_second is not None
    return example.requests_per_second

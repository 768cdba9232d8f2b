"""The vocabulary: what a planner enters, as frozen, always valid models with units and bounds."""

from engine.plan.fields import FieldSpec, field_specs, find_field
from engine.plan.patches import apply_patch, changed_values, get_value
from engine.plan.plan import Plan, Provenance, Range
from engine.plan.reading import PlanErrors, plan_from_data, plan_from_json, plan_to_json

__all__ = [
    "FieldSpec",
    "Plan",
    "PlanErrors",
    "Provenance",
    "Range",
    "apply_patch",
    "changed_values",
    "field_specs",
    "find_field",
    "get_value",
    "plan_from_data",
    "plan_from_json",
    "plan_to_json",
]

"""Other networks on a service's fleet: each becomes a plan of its own beside the first."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from engine.catalog.presets import load_presets
from engine.errors import InputError
from engine.plan import Plan
from engine.plan.architecture import Architecture
from engine.plan.service import OtherModel
from engine.text import N_, Message
from engine.values import PlanValues

PATH = "serving.other_models"
_SHARED = ("network", "finance", "schedule", "reliability", "operations")
"""Sections whose draws also hold for the others."""
_SHARED_FIELDS = (
    "serving.ttft_slo_ms",
    "serving.tpot_slo_ms",
    "serving.autoscale",
    "serving.cold_start_s",
    "serving.headroom",
    "serving.growth_per_month",
    "serving.arrival_cv",
    "model.throughput_factor",
)


def other_models(values: PlanValues) -> Iterator[PlanValues]:
    """A plan for each further network: its own shape and traffic, all else as the first one's.

    Errors: InputError naming the row of a network that the catalogue does not have.
    """
    plan = values.plan
    serving = plan.serving
    if serving is None or not serving.other_models:
        return
    shared = {
        path: array
        for path, array in values.overrides.items()
        if path in _SHARED_FIELDS or path.partition(".")[0] in _SHARED
    }
    for index, row in enumerate(serving.other_models):
        yield PlanValues(_as_plan(plan, row, _shape(index, row)), values.catalog, shared)


def _shape(index: int, row: OtherModel) -> Architecture:
    presets = load_presets()
    if row.preset not in presets:
        close = difflib.get_close_matches(row.preset, list(presets), n=3, cutoff=0.3)
        nearest = {"names": ", ".join(close) or "-"}
        accepted = Message(N_("a network of the catalogue; nearest: {names}"), nearest)
        raise InputError(f"{PATH}.{index}.preset", row.preset, accepted)
    return presets[row.preset].architecture


def _as_plan(plan: Plan, row: OtherModel, architecture: Architecture) -> Plan:
    assert plan.serving is not None
    own = row.model_dump(exclude={"preset", "tensor_parallel"})
    # What belongs to the first network's requests or engine is not carried over.
    plain: dict[str, Any] = {
        "prefix_hit_rate": 0.0,
        "turns": 1.0,
        "retrieved_tokens": 0.0,
        "reasoning_tokens": 0.0,
    }
    plain |= {"draft_tokens": 0, "adapters": 0, "instances": "auto", "peak_to_mean": None, "other_models": ()}
    # The first network's spares stand for all.
    plain |= {"spare_instances": 0, "availability": 0.0}
    split = {"tensor_parallel": row.tensor_parallel, "pipeline_parallel": 1, "attention_data_parallel": 1}
    return plan.model_copy(
        update={
            "architecture": architecture,
            "serving": plan.serving.model_copy(update={**plain, **own}),
            "layout": plan.layout.model_copy(update=split),
            "cluster": plan.cluster.model_copy(update={"committed_accelerators": None}),
        }
    )

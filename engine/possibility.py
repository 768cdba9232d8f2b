"""Refusing a training layout that cannot exist, by the field that would mend it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InputError
from engine.evaluation import Outcome
from engine.performance.batch import TOO_FEW_GPUS, BatchRun
from engine.performance.feasibility import (
    BATCH,
    CLUSTER,
    EXPERTS,
    HEADS,
    LAYERS,
    REASONS,
    SCHEDULE,
    SEQUENCE,
)
from engine.plan import Plan, get_value
from engine.text import N_, Message, Term

_FIELDS: Mapping[int, str] = {
    CLUSTER: "cluster.accelerator_count",
    HEADS: "layout.tensor_parallel",
    LAYERS: "layout.pipeline_parallel",
    SCHEDULE: "layout.virtual_pipeline",
    BATCH: "training.global_batch_tokens",
    SEQUENCE: "layout.context_parallel",
    EXPERTS: "layout.expert_parallel",
}


def _require_instance(plan: Plan, run: BatchRun) -> None:
    if int(run.feasible_code) == TOO_FEW_GPUS:
        accepted = Message(
            N_('from {gpus}, the GPUs of one instance, or "auto"'), {"gpus": int(run.gpus_per_instance)}
        )
        raise InputError("cluster.accelerator_count", plan.cluster.accelerator_count, accepted)


def require_possible(plan: Plan, outcome: Outcome) -> None:
    """Raise InputError when the settled plan's layout cannot divide its cluster, network or batch.

    A batch job needs GPUs for one instance at least; that its network fits is seen when it is resolved.
    """
    if outcome.batch is not None:
        _require_instance(plan, outcome.batch)
    if outcome.training is None:
        return
    code = int(outcome.training.feasible_code)
    if code in _FIELDS:
        accepted = Message(
            N_('a value that fits, or "auto" for the layout: {reason}'), {"reason": Term(REASONS[code])}
        )
        raise InputError(_FIELDS[code], get_value(plan, _FIELDS[code]), accepted)

"""Refusing a plan that cannot be: a layout that does not divide, a service that no fleet can give."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InputError
from engine.evaluation import Outcome
from engine.lowering import KernelInputs
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
from engine.serving_limits import require_serviceable
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


def require_possible(plan: Plan, settled: Plan, inputs: KernelInputs, outcome: Outcome) -> None:
    """Raise InputError, by the field that would mend it, for a layout that cannot divide its cluster, network
    or batch, and for a service whose weights do not fit or whose targets nothing meets.

    `plan` is as entered, `settled` with what was left to the engine filled in.
    """
    require_serviceable(plan, settled, inputs, outcome)
    if outcome.batch is not None:
        _require_instance(settled, outcome.batch)
    if outcome.training is None:
        return
    code = int(outcome.training.feasible_code)
    if code in _FIELDS:
        accepted = Message(
            N_('a value that fits, or "auto" for the layout: {reason}'), {"reason": Term(REASONS[code])}
        )
        raise InputError(_FIELDS[code], get_value(settled, _FIELDS[code]), accepted)

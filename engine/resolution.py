"""Filling in what a plan leaves to the engine: layout, cluster size, tensor split, instances."""

from __future__ import annotations

import numpy as np

from engine.batch_choices import Found, batch_choices, serving_splits
from engine.catalog import Catalog
from engine.errors import InputError
from engine.evaluation import evaluate
from engine.lowering import lower, resolve_accelerator
from engine.optimize.layout import FIELDS, search_layouts
from engine.plan import Plan, apply_patch, get_value
from engine.results import Choice
from engine.text import N_, Message
from engine.values import PlanValues

_FASTEST = Message(N_("fastest layout that fits in memory"))


def resolve(plan: Plan, catalog: Catalog) -> tuple[Plan, tuple[Choice, ...]]:
    """The plan with every "auto" filled in, and what was chosen and why.

    Errors: InputError naming the field that leaves no feasible choice.
    """
    _check_supported(plan)
    patch = _choices(plan, catalog)
    if not patch:
        return plan, ()
    choices = tuple(Choice(path=path, value=value, why=why) for path, (value, why) in patch.items())
    return apply_patch(plan, {path: value for path, (value, _) in patch.items()}), choices


def _choices(plan: Plan, catalog: Catalog) -> Found:
    if plan.is_training:
        return _training_choices(plan, catalog)
    return batch_choices(plan, catalog) if plan.is_batch else _serving_choices(plan, catalog)


def _check_supported(plan: Plan) -> None:
    if plan.workload.kind == "multimodal_training":
        accepted = Message(
            N_(
                "pretraining, continued_pretraining, finetuning, online_inference or batch_inference; others "
                "cannot be estimated yet"
            )
        )
        raise InputError("workload.kind", plan.workload.kind, accepted)
    if plan.serving is not None and not plan.is_training and plan.serving.accelerator_share < 1.0:
        _check_share(plan)
    if plan.is_training and plan.training is not None and plan.training.method == "lora":
        _check_adapters(plan)
    if plan.architecture.kind == "encoder_decoder":
        raise InputError(
            "architecture.kind",
            plan.architecture.kind,
            Message(N_("decoder or encoder; networks with both can be counted, not estimated")),
        )
    if plan.is_training and plan.architecture.kind == "encoder":
        raise InputError(
            "architecture.kind",
            plan.architecture.kind,
            Message(N_("decoder; encoders can be served, their training cannot be estimated yet")),
        )


def _check_share(plan: Plan) -> None:
    """A share of an accelerator holds a whole instance."""
    layout = plan.layout
    for name in ("tensor_parallel", "pipeline_parallel", "attention_data_parallel"):
        size = getattr(layout, name)
        if size not in ("auto", 1):
            accepted = Message(N_("1 while serving.accelerator_share is below 1"))
            raise InputError(f"layout.{name}", size, accepted)


def _check_adapters(plan: Plan) -> None:
    if plan.workload.kind != "finetuning":
        accepted = Message(N_("full; adapters are trained in fine-tuning only"))
        raise InputError("training.method", "lora", accepted)


def _training_choices(plan: Plan, catalog: Catalog) -> Found:
    found: Found = {}
    if plan.cluster.accelerator_count == "auto":
        count = _cheapest_count(plan, catalog)
        found["cluster.accelerator_count"] = (count, Message(N_("lowest total that meets the deadline")))
        plan = apply_patch(plan, {"cluster.accelerator_count": count})
    found.update(_layout_choices(plan, catalog))
    return found


def _layout_choices(plan: Plan, catalog: Catalog) -> Found:
    free = frozenset(path for path in FIELDS if get_value(plan, path) == "auto")
    if not free:
        return {}
    assert isinstance(plan.cluster.accelerator_count, int)
    search = search_layouts(plan, catalog, plan.cluster.accelerator_count, free=free)
    best = search.best()
    if best is None:
        reasons = ", ".join(f"{name} {count}" for name, count in search.excluded.items())
        raise InputError(
            "cluster.accelerator_count",
            plan.cluster.accelerator_count,
            Message(
                N_("a cluster on which some layout fits; tried and left out: {reasons}"), {"reasons": reasons}
            ),
        )
    return {path: (best[path], _FASTEST) for path in FIELDS if path in free}


def _cheapest_count(plan: Plan, catalog: Catalog) -> int:
    """The cheapest of doubling cluster sizes that meets the deadline, else the fastest."""
    per_node = int(
        plan.cluster.accelerators_per_node
        or resolve_accelerator(PlanValues(plan, catalog)).accelerators_per_node
    )
    offers: list[tuple[bool, float, int]] = []
    for nodes in (2**k for k in range(13)):
        sized = apply_patch(plan, {"cluster.accelerator_count": nodes * per_node})
        try:
            settled = apply_patch(sized, {p: v for p, (v, _) in _layout_choices(sized, catalog).items()})
        except InputError:
            continue
        outcome = evaluate(lower(PlanValues(settled, catalog)), plan.scope)
        if float(outcome.feasible_code) != 0:
            continue
        days = float(outcome.end_day)
        late = plan.schedule.deadline_days is not None and days > plan.schedule.deadline_days
        offers.append((late, days if late else float(outcome.total), nodes * per_node))
    if not offers:
        raise InputError(
            "cluster.accelerator_count", "auto", Message(N_("a number: no cluster size fits this network"))
        )
    return min(offers)[2]


def _serving_choices(plan: Plan, catalog: Catalog) -> Found:
    found: Found = {}
    if plan.layout.pipeline_parallel == "auto":
        found["layout.pipeline_parallel"] = (1, Message(N_("one stage is fastest within a node")))
    if plan.layout.tensor_parallel == "auto":
        base = apply_patch(plan, {"layout.pipeline_parallel": 1}) if found else plan
        found["layout.tensor_parallel"] = (
            _cheapest_split(base, catalog),
            Message(N_("lowest total that meets the latency targets")),
        )
    return found


def _cheapest_split(plan: Plan, catalog: Catalog) -> int:
    splits = serving_splits(plan, catalog)
    if plan.serving is not None and plan.serving.accelerator_share < 1.0:
        splits = splits[splits == 1.0]
    outcome = evaluate(lower(PlanValues(plan, catalog, {"layout.tensor_parallel": splits})), plan.scope)
    assert outcome.service is not None
    gpus = splits * np.asarray(outcome.service.fleet.instances_mean)
    codes = np.broadcast_to(outcome.feasible_code, splits.shape)
    # Infeasible splits come last, the least infeasible (most GPUs) first: the estimate then says what fails.
    order = np.lexsort((np.where(codes == 0, gpus, -splits), codes != 0))
    return int(splits[order[0]])

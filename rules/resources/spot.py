"""RES-SPOT: interruptible work on on-demand capacity."""

from __future__ import annotations

from typing import Any

from engine.recommend.pricing import Priced
from engine.text import N_, Message, Quantity
from rules.base import INTERRUPTIBLE, Context, Fired, NotEvaluable, Outcome, Passed, Rule, no_risk
from rules.resources.purchase import mode_patch

_OF_RUN = N_("Goodput falls to {goodput}; the saving is after that.")
_OF_JOB = N_("Lost batches and new starts leave {goodput} of the time useful; the saving is after that.")


def check(context: Context) -> Outcome:
    """Fire for interruptible work with slack when a spot offer exists and leaves the total lower."""
    plan = context.base.plan
    if plan.cluster.price_mode != "on_demand":
        return Passed(Message(N_("the plan does not buy on demand")))
    if plan.schedule.interruptible is False:
        return Passed(Message(N_("the work may not be interrupted")))
    patch = mode_patch(context, "spot")
    if patch is None:
        return NotEvaluable(("cluster.price_per_gpu_hour",))
    patch |= _room_for_interruptions(context, patch)
    priced = context.pricer.usable(patch)
    if priced is None or priced.total >= context.base.total or _is_late(context, priced):
        return Passed(Message(N_("spot capacity would not save money in time: interruptions cost more")))
    mttf, goodput = _interruptions(priced)
    seen = {
        "now": Quantity(float(context.base.inputs.money.purchase.price_per_gpu_hour), "currency/GPU-h"),
        "spot": Quantity(float(priced.inputs.money.purchase.price_per_gpu_hour), "currency/GPU-h"),
        "mttf": Quantity(mttf, "s"),
        "goodput": Quantity(goodput, "share"),
    }
    return Fired(
        Message(
            N_("On-demand hours cost {now}; spot hours {spot}, with an interruption every {mttf}."), seen
        ),
        (Message(_OF_JOB if plan.is_batch else _OF_RUN, seen),),
        patch,
    )


def _interruptions(priced: Priced) -> tuple[float, float]:
    """Mean time between interruptions of the run, or of one instance of a batch job [s], and the goodput."""
    training, batch = priced.outcome.training, priced.outcome.batch
    if batch is not None:
        return float(batch.mttf_s), float(batch.kept_share)
    assert training is not None
    return float(training.goodput.mttf_s), float(training.goodput.goodput)


def _room_for_interruptions(context: Context, patch: dict[str, Any]) -> dict[str, Any]:
    """GPUs with which a batch job on spot capacity ends with the slack to spare; a given count stays."""
    batch = context.plan.batch
    if not context.plan.is_batch or batch is None or context.plan.cluster.accelerator_count != "auto":
        return {}
    sooner = (1.0 - context.thresholds["slack_share"]) * batch.deadline_hours
    priced = context.pricer.central({**patch, "batch.deadline_hours": sooner})
    return {} if priced is None else {"cluster.accelerator_count": priced.plan.cluster.accelerator_count}


def _is_late(context: Context, priced: Priced) -> bool:
    deadline, end_day = context.base.plan.deadline_days, float(priced.outcome.end_day)
    return deadline is not None and end_day > (1.0 - context.thresholds["slack_share"]) * deadline


RULE = Rule(
    id="RES-SPOT",
    title=N_("Run on spot capacity"),
    family="resources",
    kind="lever",
    stage=4,
    applies_to=INTERRUPTIBLE,
    check=check,
    requires=("schedule.interruptible",),
    risk=no_risk(
        stability=3,
        stability_reason=N_("Capacity is taken away, often for all nodes at once."),
        governance=1,
        governance_reason=N_("Cheap pools may not meet security rules."),
    ),
    effort="M",
    confidence="B",
    reversibility="high",
    verify=N_("One job of minor importance for a week; count the interruptions an hour."),
    rollback=N_("Fall back to on-demand capacity from the last checkpoint."),
    excludes=frozenset({"RES-COMMIT"}),
    needs=("REL-CKPT-INTERVAL",),
    evidence=(
        ("CBL", N_("27 to 84 % saved while meeting deadlines")),
        ("SKYNOMAD", N_("spot prices 3 to 10 times lower; 1.25 to 3.96 times cheaper in all")),
    ),
)

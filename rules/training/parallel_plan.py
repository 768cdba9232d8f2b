"""TRN-PARALLEL-PLAN: a different parallel layout takes less time a step on the same cluster and batch."""

from __future__ import annotations

from engine.optimize.layout import FIELDS, search_layouts
from engine.text import N_, Message, Quantity
from rules.base import PRETRAINING, Context, Fired, Outcome, Passed, Rule, Seen, no_risk

# Recomputation is a lever of its own (TRN-RECOMPUTE), so that each saving has one owner.
_FREE = frozenset(FIELDS) - {"layout.recompute"}


def check(context: Context) -> Outcome:
    """Search every layout of this cluster; fire when the best step is short enough to be worth moving."""
    plan, training = context.base.plan, context.base.outcome.training
    assert training is not None
    count = int(context.value("cluster.accelerator_count"))
    if count < context.thresholds["smallest_cluster"]:
        return Passed(
            Message(N_("cluster of {count}: too small to re-plan"), {"count": Quantity(count, "GPUs")})
        )
    search = search_layouts(plan, context.catalog, count, free=_FREE)
    best = search.best()
    now = float(training.step.step_time_s)
    patch = {} if best is None else {path: best[path] for path in FIELDS if best[path] != context.value(path)}
    if not patch:
        return Passed(Message(N_("the layout is the fastest of {count} tried"), {"count": search.evaluated}))
    faster = context.pricer.usable(patch)
    assert faster is not None and faster.outcome.training is not None
    step = float(faster.outcome.training.step.step_time_s)
    seen: Seen = {"now": Quantity(now, "s"), "best": Quantity(step, "s"), "count": search.evaluated}
    if step > context.thresholds["step_time_ratio"] * now and context.base.feasible:
        return Passed(Message(N_("a step takes {now}; the best of {count} layouts {best}"), seen))
    return Fired(
        Message(N_("A step takes {now}; another layout takes {best}."), seen),
        (
            Message(
                N_("{count} layouts of this cluster and batch were compared; memory was the filter."), seen
            ),
        ),
        patch,
    )


RULE = Rule(
    id="TRN-PARALLEL-PLAN",
    title=N_("Re-plan the parallel layout"),
    family="training",
    kind="lever",
    stage=2,
    applies_to=PRETRAINING,
    check=check,
    risk=no_risk(
        effect=1,
        effect_reason=N_("Same mathematics when the batch is kept; the order of reductions differs."),
        stability=2,
        stability_reason=N_(
            "A new layout may hang or run out of memory; the loss curve must be checked again."
        ),
    ),
    effort="M",
    confidence="B",
    reversibility="high",
    verify=N_(
        "200 steps of each layout at full scale: loss equal to 0.001, speed as predicted, a restart works."
    ),
    rollback=N_("Restore the old configuration; checkpoints must be resharded."),
    do_before=("TRN-RECOMPUTE",),
    evidence=(
        ("MEGASCALE", N_("34 % higher MFU from joint design of layout and overlap")),
        ("FERN", N_("tensor and pipeline splits of 2 to 4 beat plain sharding at scale")),
    ),
)

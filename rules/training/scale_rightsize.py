"""TRN-SCALE-RIGHTSIZE: another cluster size reaches the deadline for less."""

from __future__ import annotations

import numpy as np

from engine.optimize.cluster_size import PATH, size_sweep, within_deadline
from engine.text import N_, Message, Quantity
from engine.values import PlanValues
from rules.base import TRAINING, Context, Fired, Outcome, Passed, Rule, no_risk


def check(context: Context) -> Outcome:
    """Enumerate cluster sizes that keep layout and batch; fire when one in time is clearly cheaper."""
    values = PlanValues(context.base.plan, context.catalog)
    found = size_sweep(values)
    allowed = within_deadline(values, found)
    now = int(context.value(PATH))
    seen = {"now": Quantity(now, "GPUs"), "deadline": Quantity(context.value("schedule.deadline_days"), "d")}
    if not allowed.any():
        return Passed(Message(N_("no cluster size of this layout meets the deadline of {deadline}"), seen))
    index = int(np.argmin(np.where(allowed, found.total, np.inf)))
    best, total = int(found.x[index]), float(found.total[index])
    if best == now or total > (1.0 - context.thresholds["saving_share"]) * context.base.total:
        return Passed(Message(N_("{now} lie in the flat region of the cost curve"), seen))
    seen |= {"best": Quantity(best, "GPUs"), "days": Quantity(float(found.duration_h[index]) / 24.0, "d")}
    return Fired(
        Message(N_("{now} are planned; {best} reach the deadline of {deadline} for less."), seen),
        (Message(N_("The run then takes {days}; layout and batch stay."), seen),),
        {PATH: best},
    )


RULE = Rule(
    id="TRN-SCALE-RIGHTSIZE",
    title=N_("Right-size the training cluster"),
    family="training",
    kind="lever",
    stage=3,
    applies_to=TRAINING,
    check=check,
    requires=("schedule.deadline_days",),
    risk=no_risk(stability=1, stability_reason=N_("A longer run meets more failures; fewer at once.")),
    effort="S",
    confidence="A",
    reversibility="high",
    verify=N_("Scaling test at a quarter, a half and the full size, 200 steps each."),
    rollback=N_("Scale out again from the last checkpoint."),
    evidence=(("FERN", N_("128 to 2,048 H100: throughput per GPU falls by 37.2 %")),),
)

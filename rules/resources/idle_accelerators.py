"""WST-IDLE-GPU: hours are paid in which accelerators do nothing."""

from __future__ import annotations

from engine.text import N_, Message, Quantity
from rules.base import EVERYTHING, Context, Fired, Outcome, Passed, Rule, no_risk

_FIELD = "cluster.busy_share"


def check(context: Context) -> Outcome:
    """Fire when the idle share of paid hours is above what turnaround explains."""
    busy = float(context.value(_FIELD))
    idle_h = sum(float(ln.quantity) for ln in context.base.outcome.lines if ln.spec.item == "Paid but idle")
    seen = {"idle": Quantity(1.0 - busy, "share"), "hours": Quantity(idle_h, "GPU-h")}
    if 1.0 - busy <= context.thresholds["idle_share"]:
        return Passed(Message(N_("{idle} of the paid hours are idle"), seen))
    return Fired(
        Message(N_("{idle} of the paid hours are idle: {hours}."), seen),
        (
            Message(
                N_("Reclaiming idle nodes brings the busy share to about {target}."),
                {"target": Quantity(context.thresholds["busy_target"], "share")},
            ),
        ),
        {_FIELD: context.thresholds["busy_target"]},
    )


RULE = Rule(
    id="WST-IDLE-GPU",
    title=N_("Release idle accelerators"),
    family="resources",
    kind="waste",
    stage=1,
    applies_to=EVERYTHING,
    check=check,
    risk=no_risk(stability=1, stability_reason=N_("A node that is still needed may be stopped.")),
    effort="S",
    confidence="A",
    reversibility="high",
    verify=N_("Tell the owner 24 hours before; stop first, delete later."),
    rollback=N_("Restart from the image, within minutes."),
    evidence=(("PHILLY", N_("a quarter to a half of reserved GPU time was idle")),),
)

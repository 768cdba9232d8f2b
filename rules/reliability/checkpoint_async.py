"""REL-CKPT-ASYNC: training stops while checkpoints are written."""

from __future__ import annotations

from engine.text import N_, Message, Quantity
from rules.base import PRETRAINING, Context, Fired, Outcome, Passed, Rule, no_risk

_FIELD = "reliability.checkpoint_mode"


def check(context: Context) -> Outcome:
    """Fire when a blocking write takes a noticeable part of each interval."""
    if context.value(_FIELD) == "async":
        return Passed(Message(N_("checkpoints are written in the background")))
    training, inputs = context.base.outcome.training, context.base.inputs.training
    assert training is not None and inputs is not None
    write, interval = float(inputs.reliability.checkpoint_write_s), float(training.interval_s)
    seen = {
        "write": Quantity(write, "s"),
        "interval": Quantity(interval, "s"),
        "stall": Quantity(float(inputs.reliability.checkpoint_stall_s), "s"),
        "share": Quantity(float(training.goodput.checkpoint_share), "share"),
    }
    limits = context.thresholds
    if write / interval <= limits["stall_share"] and write <= limits["stall_s"]:
        return Passed(Message(N_("a write of {write} every {interval} is short enough"), seen))
    return Fired(
        Message(N_("Training stops {write} for each checkpoint, every {interval}."), seen),
        (Message(N_("Writing takes {share} of the run; a background write stalls it about {stall}."), seen),),
        {_FIELD: "async"},
    )


RULE = Rule(
    id="REL-CKPT-ASYNC",
    title=N_("Write checkpoints in the background"),
    family="reliability",
    kind="lever",
    stage=2,
    applies_to=PRETRAINING,
    check=check,
    risk=no_risk(
        stability=1, stability_reason=N_("Host memory may run out; a write must end before the next begins.")
    ),
    effort="M",
    confidence="A",
    reversibility="high",
    verify=N_("Restore from a background checkpoint: bit-exact with a blocking one."),
    rollback=N_("Switch back to blocking writes; one setting, at once."),
    do_before=("REL-CKPT-INTERVAL",),
    evidence=(("ASYNC", N_("7B: the stall falls from 148.8 s to 6.3 s")),),
)

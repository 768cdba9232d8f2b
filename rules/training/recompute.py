"""TRN-RECOMPUTE: activations are recomputed in full although they would fit in memory."""

from __future__ import annotations

from engine.recommend.pricing import Priced
from engine.text import N_, Message, Quantity
from rules.base import TRAINING, Context, Fired, Outcome, Passed, Rule, no_risk

_FIELD = "layout.recompute"


def check(context: Context) -> Outcome:
    """Fire when full recomputation is on and a lighter mode fits with margin."""
    if context.value(_FIELD) != "full":
        return Passed(Message(N_("activations are not recomputed in full")))
    limit = context.thresholds["memory_share"]
    fitting = {
        mode: priced for mode in ("none", "selective") if (priced := _fits(context, mode, limit)) is not None
    }
    if not fitting:
        return Passed(Message(N_("no lighter recomputation fits in memory")))
    mode = min(fitting, key=lambda name: fitting[name].total)
    training, now = fitting[mode].outcome.training, context.base.outcome.training
    assert training is not None and now is not None
    seen = {
        "memory": Quantity(float(training.memory.total_bytes) / 2**30, "GiB"),
        "usable": Quantity(float(context.base.inputs.hardware.memory_bytes) / 2**30, "GiB"),
        "step": Quantity(float(training.step.step_time_s), "s"),
        "now": Quantity(float(now.step.step_time_s), "s"),
    }
    return Fired(
        Message(N_("All activations are computed twice; storing them needs {memory} of {usable}."), seen),
        (Message(N_("A step takes {now} now and {step} with lighter recomputation."), seen),),
        {_FIELD: mode},
    )


def _fits(context: Context, mode: str, limit: float) -> Priced | None:
    priced = context.pricer.usable({_FIELD: mode})
    if priced is None or not priced.feasible or priced.outcome.training is None:
        return None
    used = float(priced.outcome.training.memory.total_bytes) / float(priced.inputs.hardware.memory_bytes)
    return priced if used <= limit else None


RULE = Rule(
    id="TRN-RECOMPUTE",
    title=N_("Recompute fewer activations"),
    family="training",
    kind="lever",
    stage=2,
    applies_to=TRAINING,
    check=check,
    risk=no_risk(stability=1, stability_reason=N_("The longest batch may run out of memory.")),
    effort="S",
    confidence="A",
    reversibility="high",
    verify=N_("Memory test on the longest batch, then 100 steps at the predicted speed."),
    rollback=N_("Set recomputation back to full; takes effect at the next restart."),
    evidence=(
        ("SELREC", N_("530B on 2,240 A100: 54.2 % MFU against 42.1 % with full recomputation, 29 % faster")),
    ),
)

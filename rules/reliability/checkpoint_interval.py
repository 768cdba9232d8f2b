"""REL-CKPT-INTERVAL: checkpoints far more or far less often than costs least."""

from __future__ import annotations

from engine.optimize.checkpoint import PATH, interval_sweep
from engine.text import N_, Message, Quantity
from engine.values import PlanValues
from rules.base import TRAINING, Context, Fired, Outcome, Passed, Rule, no_risk


def check(context: Context) -> Outcome:
    """Compare the planned interval with the interval of lowest total, by re-estimating."""
    training = context.base.outcome.training
    assert training is not None
    now = float(training.interval_s)
    best = interval_sweep(PlanValues(context.base.plan, context.catalog)).best
    seen = {
        "now": Quantity(now, "s"),
        "best": Quantity(best, "s"),
        "mttf": Quantity(float(training.goodput.mttf_s), "s"),
        "goodput": Quantity(float(training.goodput.goodput), "share"),
    }
    limits = context.thresholds
    if best is None or limits["too_short"] <= now / best <= limits["too_long"]:
        return Passed(Message(N_("a checkpoint every {now}; {best} would cost least"), seen))
    return Fired(
        Message(
            N_("A checkpoint every {now}, a failure every {mttf}: an interval of {best} costs least."), seen
        ),
        (Message(N_("Goodput is {goodput}; writes and repeated work balance at {best}."), seen),),
        {PATH: float(f"{best:.4g}")},
    )


RULE = Rule(
    id="REL-CKPT-INTERVAL",
    title=N_("Checkpoint at the best interval"),
    family="reliability",
    kind="lever",
    stage=2,
    applies_to=TRAINING,
    check=check,
    risk=no_risk(stability=1, stability_reason=N_("Assumes that failures come as often as planned.")),
    effort="S",
    confidence="A",
    reversibility="high",
    verify=N_("Restore drill; measure the write and the time between failures for two weeks."),
    rollback=N_("Set the old interval; one setting, at once."),
    evidence=(("DALY", N_("the optimum interval follows from write time and time between failures")),),
)

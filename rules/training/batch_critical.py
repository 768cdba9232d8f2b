"""TRN-BATCH-CRIT: the batch wastes tokens (far above critical) or speed (far below)."""

from __future__ import annotations

from engine.optimize.batch import best_batch, critical_batch_tokens
from engine.text import N_, Message, Quantity
from engine.values import PlanValues
from rules.base import TRAINING, Context, Fired, Outcome, Passed, Rule, no_risk


def check(context: Context) -> Outcome:
    """Compare the batch with the critical batch; outside the band, search the batch of lowest total."""
    values = PlanValues(context.base.plan, context.catalog)
    batch = float(context.value("training.global_batch_tokens"))
    critical = critical_batch_tokens(values)
    ratio = batch / critical
    limits = context.thresholds
    seen = {"batch": Quantity(batch, "tokens"), "critical": Quantity(critical, "tokens")}
    if limits["too_small"] <= ratio <= limits["too_large"]:
        return Passed(Message(N_("batch of {batch}, critical batch {critical}"), seen))
    best = best_batch(values)
    if best.total > (1.0 - limits["saving_share"]) * context.base.total:
        return Passed(
            Message(N_("no batch is clearly cheaper than {batch}; the critical batch is {critical}"), seen)
        )
    seen |= {"best": Quantity(best.batch_tokens, "tokens"), "tokens": Quantity(best.tokens, "tokens")}
    return Fired(
        Message(N_("The batch is {batch}, the critical batch about {critical}; {best} cost least."), seen),
        (Message(N_("The same loss then needs {tokens}."), seen),),
        {"training.global_batch_tokens": best.batch_tokens, "training.tokens": best.tokens},
    )


RULE = Rule(
    id="TRN-BATCH-CRIT",
    title=N_("Move the batch towards the critical batch"),
    family="training",
    kind="lever",
    stage=2,
    applies_to=TRAINING,
    check=check,
    risk=no_risk(
        effect=2,
        effect_reason=N_("The learning rate must be tuned again; convergence changes."),
        stability=1,
        stability_reason=N_("Unstable steps while the batch ramps up."),
    ),
    effort="M",
    confidence="B",
    reversibility="medium",
    verify=N_("Small grid of learning rate and batch on a proxy; compare the loss at equal tokens."),
    rollback=N_("Return to the old batch and learning-rate schedule at a checkpoint."),
    evidence=(
        ("CBS", N_("the gradient noise scale predicts the largest useful batch and grows in training")),
    ),
)

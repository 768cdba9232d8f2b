"""STO-CKPT-LIFECYCLE: more full checkpoints are kept than anyone will go back to."""

from __future__ import annotations

import math

from engine.text import N_, Message, Quantity
from rules.base import TRAINING, Context, Fired, Outcome, Passed, Rule, no_risk

_FIELD = "storage.checkpoints_kept"


def check(context: Context) -> Outcome:
    """Fire when more than a few dozen full states are held at the end of the run."""
    training = context.base.outcome.training
    assert training is not None
    storage = context.base.inputs.money.storage
    written = float(training.checkpoints)
    kept = min(written, float(storage.checkpoints_kept))
    size = float(storage.checkpoint_gb)
    seen = {"kept": Quantity(kept, "checkpoints"), "size": Quantity(kept * size, "GB")}
    if kept <= context.thresholds["kept"]:
        return Passed(Message(N_("{kept} stay as full states"), seen))
    kept_after = _full_equivalents(context)
    seen |= {"after": Quantity(kept_after, "checkpoints"), "rest": Quantity(kept_after * size, "GB")}
    return Fired(
        Message(N_("{kept} stay as full states, {size} in all."), seen),
        (
            Message(
                N_(
                    "The last three and the weights of each 5 % of the run take the space of {after}: {rest}."
                ),
                seen,
            ),
        ),
        {_FIELD: kept_after},
    )


def _full_equivalents(context: Context) -> int:
    """Full checkpoints that take as much space as the last few in full plus milestones as weights only."""
    full = context.catalog.fact("failures", "checkpoint_bytes_per_parameter").value or 1.0
    weights = context.catalog.fact("failures", "checkpoint_bytes_per_parameter.weights").value or 1.0
    limits = context.thresholds
    return math.ceil(limits["keep_full"] + limits["keep_weights"] * weights / full)


RULE = Rule(
    id="STO-CKPT-LIFECYCLE",
    title=N_("Keep fewer checkpoints"),
    family="storage",
    kind="lever",
    stage=1,
    applies_to=TRAINING,
    check=check,
    risk=no_risk(
        effect=1,
        effect_reason=N_("No return to a dropped point of the run."),
        stability=1,
        stability_reason=N_("A needed checkpoint may be deleted."),
        governance=1,
        governance_reason=N_("Audit and reproduction duties may ask for more."),
    ),
    effort="S",
    confidence="A",
    reversibility="none",
    verify=N_("Restore test of the kept set; deletion by two people."),
    rollback=N_("Un-delete within 14 days; after that there is no way back."),
    evidence=(("CKPT14", N_("about 14 bytes a parameter: 70B is about 1 TB a checkpoint")),),
)

"""RSK-EFFECT-GATE: savings that may change the network's quality need an evaluation set first."""

from __future__ import annotations

from engine.text import N_, Message, Term
from rules.base import EVERYTHING, Context, Fired, Gate, Outcome, Passed, Rule, no_risk


def check(context: Context) -> Outcome:
    """Put a condition on every proposed action of effect risk 2 or more while no evaluation set exists."""
    limit = context.thresholds["effect"]
    risky = [action for action in context.proposed if action.risk.effect >= limit]
    if not risky:
        return Passed(Message(N_("no proposed action changes quality by much")))
    if context.base.plan.governance.evaluation_set is True:
        return Passed(Message(N_("an evaluation set is in place")))
    message = Message(N_("Needs an evaluation set before it counts: quality may change."))
    return Fired(
        Message(N_("Quality may change and no evaluation set is known.")),
        tuple(
            Message(N_("Held back until verified: {action}"), {"action": Term(action.title)})
            for action in risky
        ),
        gates=tuple(Gate(action.id, message) for action in risky),
    )


RULE = Rule(
    id="RSK-EFFECT-GATE",
    title=N_("Quality gate"),
    family="risk",
    kind="risk",
    stage=5,
    applies_to=EVERYTHING,
    check=check,
    risk=no_risk(
        effect=3,
        effect_reason=N_("The network's quality."),
        governance=1,
        governance_reason=N_("Nobody could show that quality held."),
    ),
    verify=N_("One evaluation set, run before and after: at most 1 % lower overall, 2 % on any part."),
    rollback=N_("Keep the present precision, batch and data."),
    evidence=(("BF16", N_("INT8 costs 1 to 3 % of quality")),),
)

"""GOV-BUDGET-ALERT: no budget, no alerts, or a plan that may exceed its budget."""

from __future__ import annotations

import numpy as np

from engine.text import N_, Message, Quantity
from rules.base import EVERYTHING, Context, Fired, Outcome, Passed, Rule, no_risk


def check(context: Context) -> Outcome:
    """Fire when budget or alerts are missing, cost is not tagged, or P90 lies above the budget."""
    governance = context.base.plan.governance
    problems: list[Message] = []
    if governance.budget is None:
        problems.append(Message(N_("No budget is set.")))
    elif context.pricer.draws:
        high = float(np.percentile(context.pricer.totals({}), 90))
        if high > governance.budget:
            seen = {"high": Quantity(high, "currency"), "budget": Quantity(governance.budget, "currency")}
            problems.append(
                Message(N_("In 1 of 10 cases the cost exceeds {high}; the budget is {budget}."), seen)
            )
    if governance.budget_alerts is not True:
        problems.append(Message(N_("No alerts at 50, 80 and 100 % of the budget.")))
    tagged = governance.tag_coverage
    if tagged is not None and tagged < context.thresholds["tag_coverage"]:
        problems.append(
            Message(N_("{share} of the cost has no owner."), {"share": Quantity(1.0 - tagged, "share")})
        )
    if not problems:
        return Passed(Message(N_("budget and alerts are in place")))
    patch = {} if governance.budget_alerts is True else {"governance.budget_alerts": True}
    return Fired(problems[0], tuple(problems[1:]), patch)


RULE = Rule(
    id="GOV-BUDGET-ALERT",
    title=N_("Set a budget and alerts"),
    family="governance",
    kind="governance",
    stage=0,
    applies_to=EVERYTHING,
    check=check,
    risk=no_risk(),
    effort="S",
    confidence="B",
    reversibility="high",
    verify=N_("Replay the last quarter: the alerts fire where they should."),
    rollback=N_("Change the limits; at once."),
)

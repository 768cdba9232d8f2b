"""RSK-SPOT-NOTOL: spot capacity for work that would not survive losing it."""

from __future__ import annotations

from engine.text import N_, Message, Quantity
from rules.base import INTERRUPTIBLE, Context, Fired, Gate, Outcome, Passed, Rule, no_risk

_SPOT_ACTION = "RES-SPOT"


def check(context: Context) -> Outcome:
    """Look at spot in the plan and at the proposal to use it; veto or attach what must be settled first."""
    on_spot = context.base.plan.cluster.price_mode == "spot"
    proposed = any(action.id == _SPOT_ACTION for action in context.proposed)
    if not on_spot and not proposed:
        return Passed(Message(N_("no spot capacity is planned or proposed")))
    hard, soft = _problems(context)
    if not hard and not soft:
        return Passed(Message(N_("the work survives losing spot capacity")))
    gates = [Gate(_SPOT_ACTION, message, veto=True) for message in hard]
    gates += [Gate(_SPOT_ACTION, message) for message in soft]
    first, *others = [*hard, *soft]
    return Fired(first, tuple(others), gates=tuple(gates) if proposed else ())


def _problems(context: Context) -> tuple[list[Message], list[Message]]:
    """What rules spot out, and what must be settled before it."""
    plan, training = context.base.plan, context.base.outcome.training
    hard: list[Message] = []
    soft: list[Message] = []
    if plan.schedule.interruptible is False:
        hard.append(Message(N_("The work may not be interrupted.")))
    if plan.is_batch:
        # A batch job keeps what is answered and asks the rest again: there is no checkpoint to rehearse.
        return hard, soft
    if plan.reliability.restore_tested is False:
        hard.append(Message(N_("A restart from a checkpoint has not been rehearsed.")))
    elif plan.reliability.restore_tested is None:
        soft.append(Message(N_("Rehearse a restart from a checkpoint first: not known to work.")))
    interval = float(training.interval_s) if training is not None else 0.0
    limit = context.thresholds["interval_s"]
    if interval > limit:
        seen = {"interval": Quantity(interval, "s"), "limit": Quantity(limit, "s")}
        soft.append(Message(N_("Checkpoint at least every {limit}; the plan does every {interval}."), seen))
    return hard, soft


RULE = Rule(
    id="RSK-SPOT-NOTOL",
    title=N_("Spot capacity without fault tolerance"),
    family="risk",
    kind="risk",
    stage=5,
    applies_to=INTERRUPTIBLE,
    check=check,
    risk=no_risk(
        stability=3,
        stability_reason=N_("The same work may be lost again and again."),
        governance=1,
        governance_reason=N_("Unstable pools may break commitments."),
    ),
    verify=N_("Preemption drill: take a node away and time the recovery."),
    rollback=N_("Stay on on-demand capacity."),
    evidence=(("CBL", N_("a policy is needed to meet deadlines on spot")),),
)

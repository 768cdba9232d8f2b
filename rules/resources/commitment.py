"""RES-COMMIT: a steady load bought by the hour."""

from __future__ import annotations

from typing import Any

from engine.recommend.pricing import Priced
from engine.text import N_, Message, Quantity
from rules.base import PRETRAINING, Context, Fired, NotEvaluable, Outcome, Passed, Rule, no_risk
from rules.resources.purchase import mode_patch

_TERMS_MONTHS = (12, 36)


def check(context: Context) -> Outcome:
    """Try every listed term; fire when the best one, paid in full, costs less than hours as they come."""
    if context.base.plan.cluster.price_mode != "on_demand":
        return Passed(Message(N_("the plan does not buy on demand")))
    offers = [(term, patch) for term in _TERMS_MONTHS if (patch := mode_patch(context, "reserved", term))]
    priced = [(term, patch, variant) for term, patch in offers if (variant := context.pricer.usable(patch))]
    if not priced:
        return NotEvaluable(("cluster.price_per_gpu_hour",))
    term, patch, variant = min(priced, key=lambda entry: entry[2].total)
    if variant.total >= context.base.total:
        return Passed(Message(N_("the work is too short for any term on offer")))
    return _fire(context, term, patch, variant)


def _fire(context: Context, term: int, patch: dict[str, Any], variant: Priced) -> Fired:
    seen = {
        "now": Quantity(float(context.base.inputs.money.purchase.price_per_gpu_hour), "currency/GPU-h"),
        "reserved": Quantity(float(variant.inputs.money.purchase.price_per_gpu_hour), "currency/GPU-h"),
        "term": Quantity(term, "months"),
        "months": Quantity(context.base.duration_h / 730.0, "months"),
    }
    return Fired(
        Message(N_("The load lasts {months} at {now}; a term of {term} costs {reserved}."), seen),
        (Message(N_("Hours of the term that outlast the work are paid and are in the figure."), seen),),
        patch,
    )


RULE = Rule(
    id="RES-COMMIT",
    title=N_("Commit to the steady load"),
    family="resources",
    kind="lever",
    stage=4,
    applies_to=PRETRAINING | {"online_inference"},
    check=check,
    risk=no_risk(
        governance=2, governance_reason=N_("Locked in for the term; newer accelerators may be cheaper.")
    ),
    effort="S",
    confidence="A",
    reversibility="none",
    verify=N_("Compare with the use of the last 90 days before signing."),
    rollback=N_("None within the term; sell or transfer where the contract allows it."),
    excludes=frozenset({"RES-SPOT"}),
    evidence=(
        ("COH", N_("savings plans: very low effort, roll-back not possible")),
        ("CCTRL", N_("right-size before committing")),
    ),
)

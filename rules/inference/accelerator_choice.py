"""INF-GPU-CHOICE: another accelerator serves the same load for less."""

from __future__ import annotations

from math import isnan
from typing import Any

from engine.plan import get_value
from engine.plan.cluster import ACCELERATOR_FIGURES, ACCELERATOR_OFFER
from engine.text import N_, Message, Quantity
from rules.base import SERVING, Context, Fired, NotEvaluable, Outcome, Passed, Rule, Seen, no_risk

_PRICED_FLEET = N_("{count} accelerators that meet the latency targets were priced.")
_PRICED_JOB = N_("{count} accelerators were priced, each with the fewest GPUs that meet the deadline.")
_OF_ONE_ACCELERATOR = (*ACCELERATOR_OFFER, *ACCELERATOR_FIGURES)


def check(context: Context) -> Outcome:
    """Price the plan on every accelerator of this seller; fire when one is clearly cheaper."""
    if isnan(float(context.base.inputs.money.purchase.price_per_gpu_hour)):
        return NotEvaluable(("cluster.price_per_gpu_hour",))
    if context.base.total <= 0.0:
        return Passed(Message(N_("nothing in this plan's scope costs money")))
    options = [
        (patch, priced)
        for patch in _patches(context)
        if (priced := context.pricer.usable(patch)) and priced.feasible
    ]
    if not options:
        return Passed(Message(N_("no other accelerator with a known price meets the targets")))
    patch, best = min(options, key=lambda option: option[1].total)
    seen: Seen = {
        "now": context.base.plan.cluster.accelerator,
        "other": best.plan.cluster.accelerator,
        "ratio": Quantity(best.total / context.base.total, "share"),
        "count": len(options),
    }
    if best.total > context.thresholds["cost_ratio"] * context.base.total:
        return Passed(
            Message(N_("{count} other accelerators meet the targets; none costs clearly less"), seen)
        )
    settled = {path: get_value(best.plan, path) for path, value in patch.items() if value == "auto"}
    return Fired(
        Message(N_("{other} serves the same load for {ratio} of what {now} costs."), seen),
        (Message(_PRICED_JOB if context.plan.is_batch else _PRICED_FLEET, seen),),
        {**patch, **settled},
    )


def _patches(context: Context) -> list[dict[str, Any]]:
    """One change an accelerator that the same seller offers, with the tensor split that suits it.

    Staying with the seller keeps the comparison to the accelerator: list prices of sellers differ more.
    """
    cluster = context.base.plan.cluster
    mode, term = cluster.price_mode, cluster.commitment_term_months
    offer = context.catalog.price(cluster.accelerator, mode, provider=cluster.provider, term_months=term)
    seller = cluster.provider or (offer.provider if offer else None)
    fixed: dict[str, Any] = {"layout.tensor_parallel": "auto"}
    if context.plan.is_batch and context.plan.cluster.accelerator_count != "auto":
        # A slower accelerator needs more of them for the same deadline.
        fixed["cluster.accelerator_count"] = "auto"
    if mode != "owned" and seller != cluster.provider:
        fixed["cluster.provider"] = seller
    fixed |= {path: None for path in _OF_ONE_ACCELERATOR if get_value(context.base.plan, path) is not None}
    return [
        {"cluster.accelerator": name, **fixed}
        for name in context.catalog.accelerators
        if name != cluster.accelerator
        and context.catalog.price(name, mode, provider=seller, term_months=term) is not None
    ]


RULE = Rule(
    id="INF-GPU-CHOICE",
    title=N_("Serve on a cheaper accelerator"),
    family="inference",
    kind="lever",
    stage=3,
    applies_to=SERVING,
    check=check,
    risk=no_risk(stability=1, stability_reason=N_("The other type may not be available in the region.")),
    effort="M",
    confidence="A",
    reversibility="high",
    verify=N_("Load test of one node at the planned batch and lengths."),
    rollback=N_("Return to the old type; keep its nodes until the test has passed."),
    do_before=("RES-COMMIT",),
    evidence=(("MELANGE", N_("up to 77 % for chat, 33 % for documents against one GPU type")),),
)

"""INF-PREFIX-CACHE: repeated prefixes are computed again and again."""

from __future__ import annotations

from engine.text import N_, Message, Quantity
from rules.base import SERVING, Context, Fired, Outcome, Passed, Rule, no_risk

_HITS = "serving.prefix_hit_rate"


def check(context: Context) -> Outcome:
    """Fire when a good part of the input repeats and the cache finds little of it."""
    share, hits = float(context.value("serving.prefix_share")), float(context.value(_HITS))
    limits = context.thresholds
    seen = {"share": Quantity(share, "share"), "hits": Quantity(hits, "share")}
    if share < limits["prefix_share"] or hits >= limits["hit_of_prefix"] * share:
        return Passed(Message(N_("{share} of the input repeats, {hits} comes from the cache"), seen))
    reachable = round(share * limits["reachable_hit"], 4)
    seen |= {"reachable": Quantity(reachable, "share")}
    return Fired(
        Message(N_("{share} of the input repeats an earlier prefix; {hits} comes from a cache."), seen),
        (Message(N_("A cache with sticky routing reaches about {reachable}."), seen),),
        {_HITS: reachable},
    )


RULE = Rule(
    id="INF-PREFIX-CACHE",
    title=N_("Cache repeated prefixes"),
    family="inference",
    kind="lever",
    stage=1,
    applies_to=SERVING,
    check=check,
    requires=("serving.prefix_share",),
    risk=no_risk(
        governance=2,
        governance_reason=N_("Tenants may see each other's timing: isolate the cache per tenant."),
    ),
    effort="S",
    confidence="A",
    reversibility="high",
    verify=N_("Log hits and time to first token; compare with and without."),
    rollback=N_("Turn the cache off; at once."),
    evidence=(("KVWILD", N_("hit rates of 54 % and 62 % in production")),),
)

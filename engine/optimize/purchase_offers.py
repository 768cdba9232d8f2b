"""Ways to buy a service's GPU-hours: above a base, on spot, and as a base of each term."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.arrays import Array
from engine.catalog import Catalog
from engine.cost.inputs import Purchase
from engine.lowering import lower
from engine.plan import Plan, apply_patch
from engine.text import N_, Message, Quantity, Term
from engine.values import PlanValues

TERMS = (12.0, 36.0)
"""Terms of a commitment that sellers list [months]."""
NO_PRICE = N_("{way}: nobody knows a price")
MODE, PRICE = "cluster.price_mode", "cluster.price_per_gpu_hour"
SPOT_SHARE, SPOT_PRICE = "cluster.spot_share", "cluster.spot_price_per_gpu_hour"
BASE_TERM, BASE_PRICE = "cluster.committed_term_months", "cluster.committed_price_per_gpu_hour"
_WAYS = {
    "on_demand": N_("On demand"),
    "spot": N_("Spot"),
    "reserved": N_("Reserved"),
    "owned": N_("Owned"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy: the patch that chooses it, its mode, term [months] and price [currency/GPU-hour]."""

    patch: Mapping[str, Any]
    mode: str
    term_months: float | None
    price: float | None


@dataclass(frozen=True, slots=True)
class Offers:
    """Ways with a known price: for the hours above a base, for a share of them on spot, for a base.

    `spot_most` is the largest share that may go on spot; `left_out` says what has no price.
    """

    elastic: tuple[Offer, ...]
    spot: Offer | None
    spot_most: float
    bases: tuple[Offer, ...]
    left_out: tuple[Message, ...]


def scaled_price(plan: Plan, catalog: Catalog, mode: str, term_months: float | None = None) -> float | None:
    """An entered price carried to another mode: it keeps its distance from the list, by the ratio of prices.

    In plan currency per GPU-hour; None where one of the two list prices is unknown or none was entered.
    """
    cluster = plan.cluster
    name, provider, region = cluster.accelerator, cluster.provider, cluster.region
    offer = catalog.price(name, mode, provider=provider, region=region, term_months=term_months)
    listed = catalog.price(name, cluster.price_mode, provider=provider, region=region)
    if cluster.price_per_gpu_hour is None or offer is None or listed is None:
        return None
    if offer.fact.value is None or not listed.fact.value:
        return None
    return float(f"{cluster.price_per_gpu_hour * offer.fact.value / listed.fact.value:.6g}")


def purchase_offers(plan: Plan, catalog: Catalog) -> Offers:
    """Every way of buying that the plan and the catalogue price.

    Above the base: the plan's own price, unless it stands for a term of its own, and on demand for rented
    accelerators. Spot only where the plan may be interrupted or buys some already. Bases: TERMS and a term
    with an entered price. Where the plan's price was entered, list prices are scaled as `scaled_price` does.
    """
    cluster, left_out = plan.cluster, []
    elastic, bases = _elastic(plan, catalog), _bases(plan, catalog)
    interruptible = plan.schedule.interruptible is True
    most = catalog.fact("operations", "spot_share_most").value if interruptible else 0.0
    most = max(most or 0.0, cluster.spot_share)
    spot = _spot(plan, catalog) if most > 0.0 else None
    for offer in (*elastic, *bases, *((spot,) if spot else ())):
        if offer.price is None:
            left_out.append(Message(NO_PRICE, {"way": _way(offer)}))
    return Offers(
        elastic=tuple(offer for offer in elastic if offer.price is not None),
        spot=spot if spot is not None and spot.price is not None else None,
        spot_most=most,
        bases=tuple(offer for offer in bases if offer.price is not None),
        left_out=tuple(left_out),
    )


def _way(offer: Offer) -> Message | Term:
    if offer.mode == "reserved" and offer.term_months is not None:
        return Message(N_("Reserved for {term}"), {"term": Quantity(offer.term_months, "months")})
    return Term(_WAYS[offer.mode])


def _elastic(plan: Plan, catalog: Catalog) -> list[Offer]:
    """Ways to buy the hours above a base: none of them may oblige to a term."""
    cluster = plan.cluster
    found = []
    if cluster.price_mode != "reserved" or cluster.commitment_term_months is None:
        own = _purchase(plan, catalog, {}).price_per_gpu_hour
        found.append(Offer({}, cluster.price_mode, None, _known(own)))
    if cluster.price_mode in ("reserved", "spot"):
        scaled = scaled_price(plan, catalog, "on_demand")
        patch = {MODE: "on_demand", PRICE: scaled}
        price = _known(_purchase(plan, catalog, patch).price_per_gpu_hour)
        found.append(Offer(patch, "on_demand", None, price if _comparable(plan, scaled) else None))
    return found


def _bases(plan: Plan, catalog: Catalog) -> list[Offer]:
    cluster = plan.cluster
    own = {} if cluster.committed_price_per_gpu_hour is None else {cluster.committed_term_months: None}
    found = []
    for term in dict.fromkeys((*TERMS, *own)):
        scaled = scaled_price(plan, catalog, "reserved", term) if _rented(plan) else None
        price = cluster.committed_price_per_gpu_hour if term in own else scaled
        patch = {BASE_TERM: term, BASE_PRICE: price}
        paid = _known(_purchase(plan, catalog, patch).base.price_per_gpu_hour)
        usable = term in own or _comparable(plan, scaled)
        found.append(Offer(patch, "reserved", term, paid if usable else None))
    return found


def _spot(plan: Plan, catalog: Catalog) -> Offer:
    own = plan.cluster.spot_price_per_gpu_hour
    scaled = scaled_price(plan, catalog, "spot") if _rented(plan) else None
    patch = {SPOT_PRICE: scaled if own is None else own}
    price = _known(_purchase(plan, catalog, patch).base.spot_price_per_gpu_hour)
    return Offer(patch, "spot", None, price if own is not None or _comparable(plan, scaled) else None)


def _rented(plan: Plan) -> bool:
    return plan.cluster.price_mode != "owned"


def _comparable(plan: Plan, scaled: float | None) -> bool:
    """A list price beside an entered one says nothing, unless it can be scaled or nothing was rented."""
    return plan.cluster.price_per_gpu_hour is None or scaled is not None or not _rented(plan)


def _purchase(plan: Plan, catalog: Catalog, patch: Mapping[str, Any]) -> Purchase:
    return lower(PlanValues(apply_patch(plan, patch), catalog)).money.purchase


def _known(price: Array) -> float | None:
    value = float(price)
    return value if value == value else None

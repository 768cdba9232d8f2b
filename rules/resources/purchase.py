"""What the purchase rules share: the plan's price in another mode, keeping the planner's own discount."""

from __future__ import annotations

from math import isnan
from typing import Any

from engine.optimize.purchase_offers import scaled_price
from rules.base import Context


def mode_patch(context: Context, mode: str, term_months: int | None = None) -> dict[str, Any] | None:
    """The change to another price mode; None when the catalogue knows no such offer, or not today's price.

    An entered price keeps its distance from the list: it is scaled by the ratio of list prices.
    """
    if isnan(float(context.base.inputs.money.purchase.price_per_gpu_hour)):
        return None
    cluster = context.base.plan.cluster
    provider, region = cluster.provider, cluster.region
    offer = context.catalog.price(
        cluster.accelerator, mode, provider=provider, region=region, term_months=term_months
    )
    if offer is None or offer.fact.value is None:
        return None
    patch: dict[str, Any] = {"cluster.price_mode": mode}
    if term_months is not None:
        patch["cluster.commitment_term_months"] = float(term_months)
    if cluster.price_per_gpu_hour is not None:
        scaled = scaled_price(context.base.plan, context.catalog, mode, term_months)
        if scaled is None:
            return None
        patch["cluster.price_per_gpu_hour"] = scaled
    return patch

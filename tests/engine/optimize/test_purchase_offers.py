"""Which ways of buying a plan has, and at which price."""

from __future__ import annotations

from engine.catalog import Catalog
from engine.optimize.purchase_offers import purchase_offers, scaled_price
from engine.plan import Plan
from tests.engine.plan_cases import serving_plan

LISTED = {"cluster.price_mode": "on_demand", "cluster.price_per_gpu_hour": None}


def plan(**changes: object) -> Plan:
    return serving_plan({**LISTED, "cluster.commitment_term_months": None, **changes})


def test_listed_prices_are_the_catalogues(catalog: Catalog) -> None:
    found = purchase_offers(plan(**{"schedule.interruptible": True}), catalog)
    for offer in (*found.elastic, *found.bases):
        listed = catalog.price("h100-sxm", offer.mode, term_months=offer.term_months)
        assert listed is not None and offer.price == listed.fact.value
    assert [offer.term_months for offer in found.bases] == [12.0, 36.0]
    assert found.spot is not None and found.left_out == ()


def test_an_entered_price_keeps_its_distance_from_the_list(catalog: Catalog) -> None:
    entered = plan(**{"cluster.price_per_gpu_hour": 2.0})
    listed, reserved = (
        catalog.price("h100-sxm", mode, term_months=12.0).fact.value for mode in ("on_demand", "reserved")
    )
    scaled = scaled_price(entered, catalog, "reserved", 12.0)
    assert abs(scaled / (2.0 * reserved / listed) - 1.0) < 1e-5
    base = purchase_offers(entered, catalog).bases[0]
    assert base.price == base.patch["cluster.committed_price_per_gpu_hour"] == scaled


def test_spot_needs_a_plan_that_may_be_interrupted(catalog: Catalog) -> None:
    assert purchase_offers(plan(), catalog).spot is None
    assert purchase_offers(plan(**{"schedule.interruptible": False}), catalog).spot_most == 0.0
    own = purchase_offers(plan(**{"cluster.spot_share": 0.9}), catalog)
    assert own.spot is not None and own.spot_most == 0.9


def test_a_term_of_the_plans_own_is_no_way_to_buy_single_hours(catalog: Catalog) -> None:
    held = plan(**{"cluster.price_mode": "reserved", "cluster.commitment_term_months": 12.0})
    assert [offer.mode for offer in purchase_offers(held, catalog).elastic] == ["on_demand"]
    shared = plan(**{"cluster.price_mode": "reserved"})
    assert [offer.mode for offer in purchase_offers(shared, catalog).elastic] == ["reserved", "on_demand"]


def test_an_entered_price_of_a_base_is_an_offer_of_its_own_term(catalog: Catalog) -> None:
    patch = {"cluster.committed_price_per_gpu_hour": 1.25, "cluster.committed_term_months": 6.0}
    found = {offer.term_months: offer.price for offer in purchase_offers(plan(**patch), catalog).bases}
    assert found[6.0] == 1.25 and set(found) == {6.0, 12.0, 36.0}

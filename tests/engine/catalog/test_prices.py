"""Reference offers and the choice of seller, region and term."""

from __future__ import annotations

from collections import defaultdict

import pytest

from engine.catalog import Catalog, PriceOffer, load_catalog
from engine.errors import InputError


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def offer_of(catalog: Catalog, accelerator_id: str, mode: str, **choice: object) -> PriceOffer:
    found = catalog.price(accelerator_id, mode, **choice)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_h100_reference_is_the_aws_list(catalog: Catalog) -> None:
    offer = offer_of(catalog, "h100-sxm", "on_demand")
    assert (offer.provider, offer.region, offer.instance_type) == ("AWS", "us-east-1", "p5.48xlarge")
    assert offer.fact.value == pytest.approx(55.04 / 8)
    assert offer.fact.unit == "USD/GPU-hour" and offer.fact.currency == "USD"
    assert offer.fact.mark == "verified" and offer.tax_included is False
    spot = offer_of(catalog, "h100-sxm", "spot").fact
    assert spot.value == pytest.approx(2.27)
    assert spot.low == pytest.approx(16.9508 / 8, abs=1e-4)
    assert spot.high == pytest.approx(18.734 / 8, abs=1e-4)


@pytest.mark.parametrize(("term", "discount", "deepest"), [(12, 0.32, 0.36), (36, 0.48, 0.60)])
def test_h100_commitment_is_derived_from_general_defaults(
    catalog: Catalog, term: int, discount: float, deepest: float
) -> None:
    offer = offer_of(catalog, "h100-sxm", "reserved", term_months=term)
    assert offer.term_months == term
    assert offer.fact.value == pytest.approx(6.88 * (1 - discount))
    assert offer.fact.low == pytest.approx(6.88 * (1 - deepest))
    assert offer.fact.high is not None and offer.fact.value is not None
    assert offer.fact.value < offer.fact.high < 6.88
    assert offer.fact.mark == "derived"
    assert "not GPU-specific" in offer.fact.conditions


def test_a_term_takes_the_longest_commitment_it_covers(catalog: Catalog) -> None:
    assert offer_of(catalog, "h100-sxm", "reserved").term_months == 12
    assert offer_of(catalog, "h100-sxm", "reserved", term_months=24).term_months == 12
    assert offer_of(catalog, "h100-sxm", "reserved", term_months=48).term_months == 36
    assert catalog.price("h100-sxm", "reserved", term_months=6) is None


def test_reference_offers_of_an_accelerator_come_from_one_seller(catalog: Catalog) -> None:
    sellers: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for accelerator_id in catalog.accelerators:
        for mode in ("on_demand", "reserved", "spot"):
            offer = catalog.price(accelerator_id, mode)
            if offer is not None:
                sellers[accelerator_id].add((offer.provider, offer.region))
                assert offer.fact.mark in ("verified", "derived"), (accelerator_id, mode)
                assert offer.fact.date >= "2024-12-01", (accelerator_id, mode)
    assert len(sellers) >= 25
    assert {name: found for name, found in sellers.items() if len(found) > 1} == {}


def test_spot_and_commitment_are_below_on_demand(catalog: Catalog) -> None:
    for accelerator_id in catalog.accelerators:
        on_demand = catalog.price(accelerator_id, "on_demand")
        for mode in ("reserved", "spot"):
            offer = catalog.price(accelerator_id, mode)
            if offer is not None and on_demand is not None:
                assert offer.fact.value is not None and on_demand.fact.value is not None
                assert 0 < offer.fact.value < on_demand.fact.value, (accelerator_id, mode)


def test_owned_price_repeats_the_worked_example(catalog: Catalog) -> None:
    # A and B of the worked example, in thousand USD a year for 8 accelerators.
    for accelerator_id, capital, running in (
        ("h100-sxm", 95.5, 41.3), ("h200-sxm", 109.2, 42.9), ("b200", 143.3, 54.7), ("mi300x", 68.2, 37.3),
        ("a100-sxm-80", 27.3, 26.0),
    ):  # fmt: skip
        fact = offer_of(catalog, accelerator_id, "owned").fact
        assert fact.value == pytest.approx((capital + running) * 1e3 / (8 * 8760), rel=2e-3)
        assert fact.low is not None and fact.high is not None and fact.low < fact.value < fact.high
        assert "8 x 8760" in fact.conditions and "power are included" in fact.conditions


def test_owned_hardware_ignores_the_seller(catalog: Catalog) -> None:
    assert offer_of(catalog, "h100-sxm", "owned", provider="AWS").fact.value == pytest.approx(1.9534)


def test_missing_offer_is_unknown(catalog: Catalog) -> None:
    assert catalog.price("gh200-96", "spot") is None
    assert catalog.price("h20-96", "on_demand") is None
    assert catalog.price("h100-sxm", "on_demand", provider="Nobody") is None
    assert catalog.price("no-such-thing", "on_demand") is None


def test_seller_and_region_choose_a_row(catalog: Catalog) -> None:
    assert offer_of(catalog, "h100-sxm", "on_demand", provider="aws", region="eu-west-2").fact.value == 8.944
    gcp = offer_of(catalog, "h100-sxm", "on_demand", provider="GCP")
    assert (gcp.fact.value, gcp.region) == (11.0612, "us-central1")
    assert offer_of(catalog, "h100-sxm", "on_demand", region="eu-north1").provider == "Nebius"
    measured = offer_of(catalog, "h100-sxm", "reserved", provider="GCP", region="us-central1", term_months=36)
    assert measured.fact.value == 4.858 and measured.fact.mark == "verified"
    elsewhere = offer_of(catalog, "h100-sxm", "reserved", provider="AWS", region="eu-west-2")
    assert elsewhere.fact.value == pytest.approx(8.944 * 0.68)


def test_yuan_prices_keep_their_currency(catalog: Catalog) -> None:
    offer = offer_of(catalog, "h800-sxm", "on_demand", provider="CN market")
    assert offer.fact.currency == "CNY" and offer.fact.unit == "CNY/GPU-hour"
    assert (offer.fact.low, offer.fact.value, offer.fact.high) == (10, 14, 18)
    assert offer.tax_included is None


def test_listed_offers_of_an_accelerator(catalog: Catalog) -> None:
    offers = catalog.offers("h100-sxm")
    assert len({offer.provider for offer in offers}) > 5
    assert {offer.term_months for offer in offers} == {None, 12, 36}


def test_unknown_price_mode_names_the_modes(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="on_demand, reserved, spot, owned"):
        catalog.price("h100-sxm", "cheap")

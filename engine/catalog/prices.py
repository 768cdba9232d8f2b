"""Price rows of sellers, and the reference offer of each accelerator and price mode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.catalog.facts import Fact, PriceOffer, Source
from engine.catalog.rows import RowReader, is_ordered, iterate, read_source
from engine.codes import PRICE_MODES
from engine.text import N_

DEFAULT_TERM_MONTHS = 12
_TERMS = (12, 36)
_UNIT = "GPU-hour"
_TAX = {"yes": True, "no": False, "unknown": None}
# Sellers whose commitment discounts are known as a general rate (facts `discounts.<key>.<months>`).
_DISCOUNT_KEYS = {"AWS": "aws", "Azure": "azure", "OCI": "oci"}
_TRUST = {"own": 0, "verified": 1, "secondary": 2, "derived": 3, "assumption": 4, "memory": 5}

Amount = tuple[float, float | None, float | None]


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One line of a seller's list: amounts [currency/GPU-hour] by mode or by reserved term."""

    id: str
    accelerator_id: str
    provider: str
    region: str
    instance_type: str
    accelerators: float
    currency: str
    tax_included: bool | None
    amounts: Mapping[str, Amount]
    source: str
    date: str
    mark: str
    conditions: str

    def offer(self, mode: str) -> PriceOffer | None:
        """The offer of this row at an amount key: on_demand, spot, capacity_block, reserved_<months>."""
        amount = self.amounts.get(mode)
        if amount is None:
            return None
        value, low, high = amount
        fact = Fact(
            value, low, high, f"{self.currency}/{_UNIT}", self.source, self.date, self.mark, self.conditions,
            f"prices.{self.id}.{mode}", self.currency,
        )  # fmt: skip
        term = int(mode.rpartition("_")[2]) if mode.startswith("reserved_") else None
        return PriceOffer(
            fact, self.id, self.provider, self.region, self.instance_type, term, self.tax_included
        )


def read_prices(text: str, sources: Mapping[str, Source]) -> Mapping[str, PriceRow]:
    """The price rows by id."""
    rows: dict[str, PriceRow] = {}
    for reader in iterate(text, "prices.csv"):
        row = _read_price(reader, sources)
        rows[row.id] = row
    return MappingProxyType(rows)


def _read_price(reader: RowReader, sources: Mapping[str, Source]) -> PriceRow:
    tax = reader.text("tax_included")
    currency = reader.currency()
    count = reader.positive("accelerators")
    if tax not in _TAX:
        raise reader.fail("tax_included", "yes, no, unknown")
    if currency is None or count is None:
        raise reader.fail("currency", N_("a currency and a number of accelerators"))
    return PriceRow(
        id=reader.text("id"),
        accelerator_id=reader.text("accelerator_id"),
        provider=reader.text("provider"),
        region=reader.text("region"),
        instance_type=reader.text("instance_type"),
        accelerators=count,
        currency=currency,
        tax_included=_TAX[tax],
        amounts=MappingProxyType(_read_amounts(reader)),
        source=read_source(reader, sources),
        date=reader.date(),
        mark=reader.mark(),
        conditions=reader.optional("conditions"),
    )


def _read_amounts(reader: RowReader) -> dict[str, Amount]:
    amounts: dict[str, Amount] = {}
    for mode in ("on_demand", "spot", "reserved_12", "reserved_36", "capacity_block"):
        value = reader.positive(f"{mode}_per_gpu_hour")
        low = reader.number(f"{mode}_low_per_gpu_hour")
        high = reader.number(f"{mode}_high_per_gpu_hour")
        if not is_ordered(low, value, high):
            raise reader.fail(f"{mode}_low_per_gpu_hour", N_("low <= value <= high"))
        if value is not None:
            amounts[mode] = (value, low, high)
    return amounts


def discounted(base: PriceOffer, discount: Fact, term_months: int) -> PriceOffer:
    """A commitment price from an on-demand offer and a discount share; more discount is a lower price.

    price = on_demand x (1 - discount), its low and high from the discount's high and low.
    """
    on_demand = base.fact.value

    def less(share: float | None) -> float | None:
        return None if on_demand is None or share is None else on_demand * (1.0 - share)

    fact = replace(
        base.fact,
        value=less(discount.value),
        low=less(discount.high),
        high=less(discount.low),
        source=f"{base.fact.source}; {discount.source}",
        date=min(base.fact.date, discount.date),
        mark="derived",
        conditions=f"{on_demand} x (1 - {discount.value}); {discount.conditions}",
        key=f"{base.fact.key}.{discount.key}",
    )
    return replace(base, fact=fact, term_months=term_months)


class PriceBook:
    """All offers: the reference ones, and a search by seller, region and term."""

    def __init__(
        self,
        rows: Mapping[str, PriceRow],
        references: Mapping[tuple[str, str], tuple[PriceOffer, ...]],
        facts: Mapping[str, Fact],
    ) -> None:
        self.rows = rows
        self.references = references
        self._facts = facts
        by_accelerator: dict[str, list[PriceRow]] = {}
        for row in rows.values():
            by_accelerator.setdefault(row.accelerator_id, []).append(row)
        self._by_accelerator = by_accelerator

    def find(
        self, accelerator_id: str, mode: str, provider: str | None, region: str | None, term: float | None
    ) -> PriceOffer | None:
        """The offer for a choice; None = unknown. A term is served by the longest one it covers."""
        reference = _of_term(self.references.get((accelerator_id, mode), ()), term)
        # Owned hardware has no seller to choose.
        if mode == "owned" or (provider is None and region is None):
            return reference
        if reference is not None and _fits(reference.provider, provider) and _fits(reference.region, region):
            return reference
        rows = [
            row
            for row in self._by_accelerator.get(accelerator_id, ())
            if _fits(row.provider, provider) and _fits(row.region, region)
        ]
        preferred = _preferred(rows, mode, self.references.get((accelerator_id, "on_demand"), ()))
        if mode != "reserved":
            return next((offer for row in preferred if (offer := row.offer(mode)) is not None), None)
        for row in preferred:
            if (found := _of_term(self._reserved(row), term)) is not None:
                return found
        return None

    def _reserved(self, row: PriceRow) -> tuple[PriceOffer, ...]:
        offers = [row.offer(f"reserved_{months}") for months in _TERMS]
        listed = tuple(offer for offer in offers if offer is not None)
        base, key = row.offer("on_demand"), _DISCOUNT_KEYS.get(row.provider)
        if listed or base is None or key is None:
            return listed
        discounts = [(self._facts.get(f"discounts.{key}.{months}"), months) for months in _TERMS]
        return tuple(discounted(base, fact, months) for fact, months in discounts if fact is not None)


def _fits(found: str, asked: str | None) -> bool:
    return asked is None or found.casefold() == asked.casefold()


def _of_term(offers: Sequence[PriceOffer], term: float | None) -> PriceOffer | None:
    asked = DEFAULT_TERM_MONTHS if term is None else term
    best: PriceOffer | None = None
    for offer in offers:
        if offer.term_months is None:
            return offer
        if offer.term_months <= asked and (best is None or offer.term_months > (best.term_months or 0)):
            best = offer
    return best


def _preferred(rows: Sequence[PriceRow], mode: str, reference: Sequence[PriceOffer]) -> list[PriceRow]:
    """Best first: the reference seller, the most trusted, the newest, the largest node, the cheapest."""
    seller = reference[0].provider if reference else ""

    def rank(row: PriceRow) -> tuple[bool, int, int, float, float, str]:
        # A commitment is ranked by the list price it is taken off.
        amount = row.amounts.get("on_demand" if mode == "reserved" else mode, (math.inf, None, None))[0]
        newest = -int(row.date.replace("-", ""))
        return (row.provider != seller, _TRUST[row.mark], newest, -row.accelerators, amount, row.id)

    return sorted(rows, key=rank)


def read_references(
    text: str, rows: Mapping[str, PriceRow], facts: Mapping[str, Fact], sources: Mapping[str, Source]
) -> dict[tuple[str, str], tuple[PriceOffer, ...]]:
    """The reference offers by accelerator and price mode, terms in rising order."""
    references: dict[tuple[str, str], tuple[PriceOffer, ...]] = {}
    for reader in iterate(text, "offers.csv"):
        mode = reader.text("price_mode")
        if mode not in PRICE_MODES:
            raise reader.fail("price_mode", ", ".join(PRICE_MODES))
        key = (reader.text("accelerator_id"), mode)
        offer = _read_reference(reader, mode, rows, facts, sources)
        references[key] = tuple(
            sorted((*references.get(key, ()), offer), key=lambda found: found.term_months or 0)
        )
    return references


def _read_reference(
    reader: RowReader,
    mode: str,
    rows: Mapping[str, PriceRow],
    facts: Mapping[str, Fact],
    sources: Mapping[str, Source],
) -> PriceOffer:
    price_id, discount_key = reader.optional("price_id"), reader.optional("discount_key")
    if not price_id:
        return _read_stated(reader, sources)
    term = reader.positive("term_months")
    row = rows.get(price_id)
    if row is None or row.accelerator_id != reader.text("accelerator_id"):
        raise reader.fail("price_id", N_("a row of prices.csv for this accelerator"))
    listed = f"reserved_{int(term)}" if mode == "reserved" and term and not discount_key else mode
    offer = row.offer("on_demand" if discount_key else listed)
    if offer is None:
        raise reader.fail("price_id", N_("a row of prices.csv with a price of this mode"))
    if discount_key:
        discount = facts.get(f"discounts.{discount_key}")
        if discount is None or term is None:
            raise reader.fail("discount_key", N_("a row of purchase.csv, group discounts, and a term"))
        offer = discounted(offer, discount, int(term))
    why = reader.text("why")
    conditions = "; ".join(part for part in (offer.fact.conditions, f"reference: {why}") if part)
    return replace(offer, fact=replace(offer.fact, conditions=conditions))


def _read_stated(reader: RowReader, sources: Mapping[str, Source]) -> PriceOffer:
    """An offer whose amount stands in the table itself, with its formula as the reason."""
    value, currency = reader.positive("value"), reader.currency()
    if value is None or currency is None:
        raise reader.fail("value", N_("a price above 0 with a currency, or a price_id"))
    low, high = reader.span(value)
    accelerator_id, mode = reader.text("accelerator_id"), reader.text("price_mode")
    term = reader.positive("term_months")
    fact = Fact(
        value, low, high, f"{currency}/{_UNIT}", read_source(reader, sources), reader.date(), reader.mark(),
        reader.text("why"), f"offers.{accelerator_id}.{mode}", currency,
    )  # fmt: skip
    return PriceOffer(fact, f"{accelerator_id}.{mode}", "own", "", "", int(term) if term else None, False)

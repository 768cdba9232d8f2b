"""The catalogue: every fact the engine computes with, immutable, tables read when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from engine.catalog.accelerators import read_accelerators, unknown_accelerator
from engine.catalog.facts import Accelerator, Fact, PriceOffer, Source
from engine.catalog.listing import list_rows
from engine.catalog.overlay import Overlay
from engine.catalog.prices import PriceBook, read_prices, read_references
from engine.catalog.tables import read_aliases, read_facts, read_sources, read_traffic
from engine.codes import PRICE_MODES
from engine.errors import FlopwiseError, InputError
from engine.text import N_, Message


@dataclass(frozen=True, eq=False)
class Catalog:
    """Facts by table; `version` changes with any byte of them. Tables are parsed on first use."""

    version: str
    texts: Mapping[str, str]
    overlay: Overlay

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """Sources by key."""
        return read_sources(self.texts["sources.csv"])

    @cached_property
    def _accelerator_tables(self) -> tuple[Mapping[str, Accelerator], Mapping[str, tuple[str, ...]]]:
        complete, incomplete = read_accelerators(self.texts["accelerators.csv"], self.sources)
        own = self.overlay.accelerators
        lacking = {name: columns for name, columns in incomplete.items() if name not in own}
        return MappingProxyType({**complete, **own}), MappingProxyType(lacking)

    @property
    def accelerators(self) -> Mapping[str, Accelerator]:
        """Accelerators whose figures are complete, by id."""
        return self._accelerator_tables[0]

    @property
    def incomplete_accelerators(self) -> Mapping[str, tuple[str, ...]]:
        """Accelerators that lack figures, with the columns they lack."""
        return self._accelerator_tables[1]

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Names that data files use for accelerators, to ids."""
        return read_aliases(self.texts["aliases.csv"])

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """Facts by `group.key`."""
        return MappingProxyType({**read_facts(self.texts, self.sources), **self.overlay.facts})

    @cached_property
    def _prices(self) -> PriceBook:
        rows = read_prices(self.texts["prices.csv"], self.sources)
        references = read_references(self.texts["offers.csv"], rows, self.facts, self.sources)
        return PriceBook(rows, {**references, **self.overlay.offers}, self.facts)

    @cached_property
    def _traffic(self) -> Mapping[str, tuple[float, ...]]:
        return read_traffic(self.texts["traffic.csv"])

    def _id_of(self, name: str) -> str:
        # An id, also a planner's own, goes before a name that data files use.
        return name if name in self.accelerators else self.aliases.get(name, name)

    def accelerator(self, accelerator_id: str) -> Accelerator:
        """One accelerator by id or by a name data files use.

        Raises InputError naming the nearest ids and the figures of `cluster.accelerator_spec`.
        """
        found = self.accelerators.get(self._id_of(accelerator_id))
        if found is None:
            missing = self.incomplete_accelerators.get(accelerator_id, ())
            raise unknown_accelerator(accelerator_id, self.accelerators, missing)
        return found

    def price(
        self,
        accelerator_id: str,
        price_mode: str,
        *,
        provider: str | None = None,
        region: str | None = None,
        term_months: float | None = None,
    ) -> PriceOffer | None:
        """Price of an accelerator-hour [currency/GPU-hour]; None = unknown.

        Without provider and region it is the reference offer. A reserved term takes the longest listed
        term it covers (12 months when none is given); a shorter one is unknown.
        Raises InputError for a price mode that does not exist.
        """
        if price_mode not in PRICE_MODES:
            raise InputError("cluster.price_mode", price_mode, ", ".join(PRICE_MODES))
        return self._prices.find(self._id_of(accelerator_id), price_mode, provider, region, term_months)

    def offers(self, accelerator_id: str) -> tuple[PriceOffer, ...]:
        """Every listed on-demand, spot and reserved price of an accelerator, in the table's order."""
        return tuple(
            offer
            for row in self._prices.rows.values()
            if row.accelerator_id == accelerator_id
            for mode in row.amounts
            if (offer := row.offer(mode)) is not None
        )

    def find(self, group: str, key: str) -> Fact | None:
        """One fact, or None when the catalogue lacks it."""
        return self.facts.get(f"{group}.{key}")

    def fact(self, group: str, key: str) -> Fact:
        """One fact. Raises FlopwiseError naming a fact the catalogue lacks."""
        found = self.find(group, key)
        if found is None:
            raise FlopwiseError(
                Message(N_("the catalogue has no fact {group}.{key}"), {"group": group, "key": key})
            )
        return found

    def group(self, group: str) -> Mapping[str, Fact]:
        """All facts of a group by key without the group."""
        prefix = f"{group}."
        return {key.removeprefix(prefix): fact for key, fact in self.facts.items() if key.startswith(prefix)}

    def constants(self, prefix: str) -> Mapping[str, Fact]:
        """Facts whose name `group.key` begins with a prefix, such as `training.` or `serving.band`."""
        return {key: fact for key, fact in self.facts.items() if key.startswith(prefix)}

    def failure_rate(self, accelerator_id: str) -> Fact:
        """Failures of a node of this accelerator's generation [1/node-day]; the default where unknown."""
        family = self.accelerator(accelerator_id).family.casefold()
        for word, key in (("hopper", "h100"), ("ampere", "a100"), ("blackwell", "b200"), ("tpu", "tpu")):
            if word in family:
                return self.fact("failures", f"per_node_day.{key}")
        return self.fact("failures", "per_node_day")

    def traffic_profile(self, name: str) -> tuple[float, ...]:
        """168 hourly factors of a week [ratio, mean 1], Monday 00 UTC first.

        Raises InputError for a profile that does not exist.
        """
        profile = self._traffic.get(name)
        if profile is None:
            raise InputError("serving.profile", name, ", ".join(sorted(self._traffic)))
        return profile

    def rows(self) -> list[dict[str, str | float | None]]:
        """Every figure as a flat row: table, key, value, low, high, unit, source, date, mark, conditions."""
        return list_rows(self.accelerators.values(), self._prices, self.facts)

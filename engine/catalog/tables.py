"""From the text of each shipped table to checked records."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.catalog.facts import Fact, Source
from engine.catalog.rows import EDITION, iterate, read_fact
from engine.errors import FlopwiseError
from engine.text import N_, Message

FACT_FILES = (
    "tariffs.csv",
    "energy.csv",
    "people.csv",
    "operations.csv",
    "failure_rates.csv",
    "purchase.csv",
    "measurements.csv",
)
EFFICIENCY_FILE = "efficiencies.csv"
DATA_FILES = (
    "accelerators.csv",
    "aliases.csv",
    "prices.csv",
    "offers.csv",
    "traffic.csv",
    "sources.csv",
    EFFICIENCY_FILE,
    *FACT_FILES,
)
HOURS_OF_WEEK = 168


def read_sources(text: str) -> Mapping[str, Source]:
    """The source table by key."""
    sources: dict[str, Source] = {}
    for reader in iterate(text, "sources.csv"):
        key = reader.text("key")
        sources[key] = Source(
            key, reader.text("title"), reader.text("where"), reader.date(EDITION), reader.text("verified")
        )
    return MappingProxyType(sources)


def read_facts(texts: Mapping[str, str], sources: Mapping[str, Source]) -> dict[str, Fact]:
    """All facts by `group.key`; efficiencies carry that name in their key column already."""
    facts: dict[str, Fact] = {}
    for name in (*FACT_FILES, EFFICIENCY_FILE):
        for reader in iterate(texts[name], name):
            key = reader.text("key")
            if name != EFFICIENCY_FILE:
                key = f"{reader.text('group')}.{key}"
            if key in facts:
                raise reader.fail("key", N_("a key that occurs once"))
            facts[key] = read_fact(reader, key, sources)
    return facts


def read_aliases(text: str) -> Mapping[str, str]:
    """Other names of accelerators, as data files print them, to catalogue ids."""
    return MappingProxyType(
        {reader.text("name"): reader.text("accelerator_id") for reader in iterate(text, "aliases.csv")}
    )


def read_traffic(text: str) -> Mapping[str, tuple[float, ...]]:
    """Hourly factors of a week, Monday 00 UTC first, scaled to mean exactly 1."""
    found: dict[str, dict[int, float]] = {}
    for reader in iterate(text, "traffic.csv"):
        hour, factor = reader.number("hour_of_week"), reader.positive("factor")
        if hour is None or factor is None:
            raise reader.fail("factor", N_("an hour of the week and a factor above 0"))
        found.setdefault(reader.text("profile"), {})[int(hour)] = factor
    profiles = {"flat": (1.0,) * HOURS_OF_WEEK}
    for name, hours in found.items():
        if sorted(hours) != list(range(HOURS_OF_WEEK)):
            raise FlopwiseError(Message(N_("traffic.csv: profile {name} lacks hours"), {"name": name}))
        mean = sum(hours.values()) / HOURS_OF_WEEK
        profiles[name] = tuple(hours[hour] / mean for hour in range(HOURS_OF_WEEK))
    return MappingProxyType(profiles)

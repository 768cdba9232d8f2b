"""What remembered searches are keyed by beside a plan's relevant part."""

from __future__ import annotations

from engine.catalog import Catalog
from engine.plan import Plan


class Held:
    """Carries plan and catalogue past a cache key: equal for equal versions of the facts."""

    def __init__(self, plan: Plan, catalog: Catalog) -> None:
        self.plan, self.catalog = plan, catalog

    def __hash__(self) -> int:
        return hash(self.catalog.version)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.catalog.version == self.catalog.version

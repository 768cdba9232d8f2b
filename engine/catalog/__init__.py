"""Facts with sources: accelerators, prices, tariffs, energy, people, failures, efficiencies, traffic."""

from engine.catalog.accelerators import own_accelerator
from engine.catalog.catalog import Catalog
from engine.catalog.facts import Accelerator, Fact, PriceOffer, Source
from engine.catalog.loading import load_catalog
from engine.catalog.overlay import Overlay, OverlayError, read_overlay

__all__ = [
    "Accelerator",
    "Catalog",
    "Fact",
    "Overlay",
    "OverlayError",
    "PriceOffer",
    "Source",
    "load_catalog",
    "own_accelerator",
    "read_overlay",
]

"""Facts with sources: accelerators, prices, tariffs, energy, people, failures, efficiencies, networks."""

from engine.catalog.accelerators import own_accelerator
from engine.catalog.catalog import Catalog
from engine.catalog.facts import Accelerator, Fact, PriceOffer, Source
from engine.catalog.loading import load_catalog
from engine.catalog.overlay import Overlay, OverlayError, read_overlay
from engine.catalog.presets import Preset, load_presets

__all__ = [
    "Accelerator",
    "Catalog",
    "Fact",
    "Overlay",
    "OverlayError",
    "Preset",
    "PriceOffer",
    "Source",
    "load_catalog",
    "load_presets",
    "own_accelerator",
    "read_overlay",
]

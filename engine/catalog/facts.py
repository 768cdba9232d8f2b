"""The records a catalogue is made of; each carries its source, date and mark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MARKS = frozenset({"verified", "secondary", "derived", "memory", "assumption", "own"})
"""How far a figure can be trusted; `memory` is recalled and never evidence, `own` came from the user."""

# A precision that has no peak of its own runs at the rate of another.
_PEAK_FALLBACKS: Mapping[str, tuple[str, ...]] = {
    "bf16": ("bf16", "fp16"),
    "fp16": ("fp16", "bf16"),
    "mxfp8": ("fp8",),
    "mxfp4": ("fp4",),
    "nvfp4": ("fp4",),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure with its range, unit and provenance; None means unknown."""

    value: float | None
    low: float | None
    high: float | None
    unit: str
    source: str
    date: str
    mark: str
    conditions: str
    key: str
    currency: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """Where facts were read: `verified` is yes, secondary, derived or memory."""

    key: str
    title: str
    where: str
    date: str
    verified: str


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One accelerator in SI units.

    Memory is what software sees; peaks are dense, without structured sparsity; bandwidths are one
    direction per accelerator. Where there is no fast fabric the scale-up link is PCIe and its domain is
    the node. `nic_bandwidth_bytes_per_s` and `tdp_w` are None where nobody publishes them.
    """

    id: str
    name: str
    vendor: str
    family: str
    memory_bytes: float
    memory_bandwidth_bytes_per_s: float
    peak_flops: Mapping[str, float] = field(hash=False)
    scale_up_link: str
    scale_up_bandwidth_bytes_per_s: float
    scale_up_domain: int
    pcie_bandwidth_bytes_per_s: float | None
    nic_bandwidth_bytes_per_s: float | None
    accelerators_per_node: int
    tdp_w: float | None
    source: str
    mark: str
    date: str
    conditions: str = ""

    def peak(self, precision: str) -> float | None:
        """Dense peak [FLOP/s] at a precision, or at the one it runs as; None when unknown."""
        for candidate in _PEAK_FALLBACKS.get(precision, (precision,)):
            if candidate in self.peak_flops:
                return self.peak_flops[candidate]
        return None


@dataclass(frozen=True, slots=True)
class PriceOffer:
    """What one accelerator-hour costs at one seller [currency/GPU-hour]; tax_included None = unknown."""

    fact: Fact
    offer_id: str
    provider: str
    region: str
    instance_type: str
    term_months: int | None
    tax_included: bool | None

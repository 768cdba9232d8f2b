"""Accelerators in SI units, from the table's columns or from the six figures of a planner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from engine.catalog.facts import Accelerator, Source
from engine.catalog.rows import RowReader, iterate, read_source
from engine.errors import InputError
from engine.text import N_, Message

GIB = 2.0**30
GB = 1e9
TFLOP = 1e12
GBIT_IN_BYTES = 1e9 / 8
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp6", "fp4")
SPEC_FIGURES = (
    "memory_gib, memory_bandwidth_gb_per_s, peak_tflops, scale_up_gb_per_s, power_w, accelerators_per_node"
)
_NEEDED = (
    "memory_usable_gib",
    "memory_bandwidth_gb_per_s",
    "scale_up_gb_per_s_one_direction",
    "scale_up_domain",
)


def read_accelerators(
    text: str, sources: Mapping[str, Source]
) -> tuple[Mapping[str, Accelerator], Mapping[str, tuple[str, ...]]]:
    """The complete accelerators by id, and the incomplete ones with the columns they lack."""
    complete: dict[str, Accelerator] = {}
    incomplete: dict[str, tuple[str, ...]] = {}
    for reader in iterate(text, "accelerators.csv"):
        identifier = reader.text("id")
        peaks = _read_peaks(reader)
        missing = tuple(column for column in _NEEDED if reader.positive(column) is None)
        if not peaks:
            missing += ("peak_tflops",)
        if missing:
            incomplete[identifier] = missing
        else:
            complete[identifier] = _read_accelerator(reader, identifier, peaks, sources)
    return MappingProxyType(complete), MappingProxyType(incomplete)


def _read_peaks(reader: RowReader) -> Mapping[str, float]:
    found = {precision: reader.positive(f"peak_{precision}_tflops") for precision in PRECISIONS}
    return MappingProxyType({name: value * TFLOP for name, value in found.items() if value is not None})


def _read_accelerator(
    reader: RowReader, identifier: str, peaks: Mapping[str, float], sources: Mapping[str, Source]
) -> Accelerator:
    return Accelerator(
        id=identifier,
        name=reader.text("name"),
        vendor=reader.text("vendor"),
        family=reader.text("family"),
        memory_bytes=_needed(reader, "memory_usable_gib") * GIB,
        memory_bandwidth_bytes_per_s=_needed(reader, "memory_bandwidth_gb_per_s") * GB,
        peak_flops=peaks,
        scale_up_link=reader.optional("scale_up_link"),
        scale_up_bandwidth_bytes_per_s=_needed(reader, "scale_up_gb_per_s_one_direction") * GB,
        scale_up_domain=int(_needed(reader, "scale_up_domain")),
        pcie_bandwidth_bytes_per_s=_scaled(reader.positive("pcie_gb_per_s_one_direction"), GB),
        nic_bandwidth_bytes_per_s=_scaled(reader.positive("nic_gbps_per_accelerator"), GBIT_IN_BYTES),
        accelerators_per_node=int(_needed(reader, "accelerators_per_node")),
        tdp_w=reader.positive("tdp_w"),
        source=read_source(reader, sources),
        mark=reader.mark(),
        date=reader.date(),
        conditions=reader.optional("conditions"),
    )


def _needed(reader: RowReader, column: str) -> float:
    value = reader.positive(column)
    if value is None:
        raise reader.fail(column, N_("a number above 0"))
    return value


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def own_accelerator(
    *,
    id: str,  # noqa: A002  (the catalogue's own word)
    memory_gib: float,
    memory_bandwidth_gb_per_s: float,
    peak_tflops: Mapping[str, float],
    scale_up_gb_per_s: float,
    power_w: float,
    accelerators_per_node: int,
    name: str = "",
    nic_gbps: float | None = None,
    scale_up_domain: int | None = None,
    source: str = "entered by the planner",
    date: str = "",
) -> Accelerator:
    """An accelerator the catalogue lacks, from the six figures of `cluster.accelerator_spec`.

    Figures must be above 0 (the plan and the overlay check them). memory_gib [GiB as software sees it],
    memory_bandwidth_gb_per_s [GB/s], peak_tflops [TFLOP/s, dense, by precision], scale_up_gb_per_s [GB/s,
    one direction], power_w [W], accelerators_per_node [count]; nic_gbps [Gbit/s, one direction].
    Returns an Accelerator marked own, its fast-link domain the node unless given.
    """
    return Accelerator(
        id=id,
        name=name or id,
        vendor="",
        family="own",
        memory_bytes=memory_gib * GIB,
        memory_bandwidth_bytes_per_s=memory_bandwidth_gb_per_s * GB,
        peak_flops=MappingProxyType({precision: peak * TFLOP for precision, peak in peak_tflops.items()}),
        scale_up_link="",
        scale_up_bandwidth_bytes_per_s=scale_up_gb_per_s * GB,
        scale_up_domain=scale_up_domain or accelerators_per_node,
        pcie_bandwidth_bytes_per_s=None,
        nic_bandwidth_bytes_per_s=_scaled(nic_gbps, GBIT_IN_BYTES),
        accelerators_per_node=accelerators_per_node,
        tdp_w=power_w,
        source=source,
        mark="own",
        date=date,
    )


def unknown_accelerator(identifier: str, known: Iterable[str], missing: tuple[str, ...] = ()) -> InputError:
    """The error for an id that cannot be used: the nearest ids and the figures that would do instead."""
    nearest = get_close_matches(identifier.lower(), list(known), n=3, cutoff=0.3)
    if missing:
        accepted = Message(
            N_("the catalogue does not know its {missing}; give cluster.accelerator_spec with {figures}"),
            {"missing": ", ".join(missing), "figures": SPEC_FIGURES},
        )
    elif nearest:
        accepted = Message(
            N_("a catalogue id, nearest {nearest}; or cluster.accelerator_spec with {figures}"),
            {"nearest": ", ".join(nearest), "figures": SPEC_FIGURES},
        )
    else:
        accepted = Message(
            N_("a catalogue id; or cluster.accelerator_spec with {figures}"), {"figures": SPEC_FIGURES}
        )
    return InputError("cluster.accelerator", identifier, accepted)

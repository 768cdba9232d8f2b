"""The whole catalogue as flat rows, for display and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.catalog.accelerators import GB, GBIT_IN_BYTES, GIB, TFLOP
from engine.catalog.facts import Accelerator, Fact
from engine.catalog.prices import PriceBook

FlatRow = dict[str, "str | float | None"]


def list_rows(
    accelerators: Iterable[Accelerator], prices: PriceBook, facts: Mapping[str, Fact]
) -> list[FlatRow]:
    """Accelerator figures, reference offers, list prices and facts, in that order."""
    rows = [row for accelerator in accelerators for row in _accelerator_rows(accelerator)]
    for (identifier, mode), offers in prices.references.items():
        for offer in offers:
            rows.append(_fact_row("offers", _offer_key(identifier, mode, offer.term_months), offer.fact))
    for price in prices.rows.values():
        listed = [found for mode in price.amounts if (found := price.offer(mode)) is not None]
        rows += [_fact_row("prices", found.fact.key.partition(".")[2], found.fact) for found in listed]
    for name, fact in facts.items():
        group, _, key = name.partition(".")
        rows.append(_fact_row(group, key, fact))
    return rows


def _offer_key(identifier: str, mode: str, term_months: int | None) -> str:
    return f"{identifier}.{mode}" if term_months is None else f"{identifier}.{mode}_{term_months}"


def _fact_row(table: str, key: str, fact: Fact) -> FlatRow:
    return {
        "table": table,
        "key": key,
        "value": fact.value,
        "low": fact.low,
        "high": fact.high,
        "unit": fact.unit,
        "source": fact.source,
        "date": fact.date,
        "mark": fact.mark,
        "conditions": fact.conditions,
    }


def _accelerator_rows(accelerator: Accelerator) -> Iterator[FlatRow]:
    nic = accelerator.nic_bandwidth_bytes_per_s
    figures: list[tuple[str, float | None, str]] = [
        ("memory", accelerator.memory_bytes / GIB, "GiB"),
        ("memory_bandwidth", accelerator.memory_bandwidth_bytes_per_s / GB, "GB/s"),
        ("scale_up", accelerator.scale_up_bandwidth_bytes_per_s / GB, "GB/s"),
        ("scale_up_domain", float(accelerator.scale_up_domain), "GPUs"),
        ("nic", None if nic is None else nic / GBIT_IN_BYTES, "Gbit/s"),
        ("accelerators_per_node", float(accelerator.accelerators_per_node), "GPUs"),
        ("power", accelerator.tdp_w, "W"),
    ]
    figures += [(f"peak_{name}", peak / TFLOP, "TFLOP/s") for name, peak in accelerator.peak_flops.items()]
    for name, value, unit in figures:
        fact = Fact(
            value, None, None, unit, accelerator.source, accelerator.date, accelerator.mark,
            accelerator.conditions, name, None,
        )  # fmt: skip
        yield _fact_row("accelerators", f"{accelerator.id}.{name}", fact)

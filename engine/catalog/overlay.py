"""A planner's own rows: accelerators, prices and facts from a CSV, laid over the shipped catalogue."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

from engine.catalog.accelerators import PRECISIONS, own_accelerator
from engine.catalog.facts import Accelerator, Fact, PriceOffer
from engine.catalog.rows import RowReader
from engine.catalog.units import currency_of
from engine.codes import PRICE_MODES
from engine.errors import InputError
from engine.text import N_, Message

COLUMNS = (
    "table", "key", "field", "value", "low", "high", "unit", "currency", "source", "date", "conditions"
)  # fmt: skip
FACT_GROUPS = (
    "storage", "network", "energy", "people", "data", "operations", "experiments", "failures", "discounts",
    "ownership", "market", "training", "serving",
)  # fmt: skip
OPEN_GROUPS = frozenset({"storage", "network", "energy", "people", "data", "operations"})
"""Groups a planner may extend; in the others a new key would be read by nobody."""
_SIZE_LIMIT_BYTES = 5_000_000
_MODELS = ("training", "serving")
_MODEL_SPAN = 10.0
"""How far an own figure of a model, or a rate it divides by, may lie from the shipped one, as a factor."""
_SWITCH = "1 ="
"""How the conditions of a figure begin that is 0 or 1 and chooses between two forms."""
_LARGEST = 1e18
"""No figure of the catalogue comes near it, and products of several still stay finite."""
_FIGURES = (
    "memory_gib",
    "memory_bandwidth_gb_per_s",
    "scale_up_gb_per_s",
    "power_w",
    "accelerators_per_node",
)
_OPTIONAL_FIGURES = ("nic_gbps", "scale_up_domain")
_PEAKS = tuple(f"peak_tflops.{precision}" for precision in PRECISIONS)
_RESERVED = "reserved_"


class OverlayError(InputError):
    """A file of own rows has problems; every one is in `problems`, the first is the message."""

    def __init__(self, problems: tuple[InputError, ...]) -> None:
        first = problems[0]
        accepted: Message = first.accepted
        if len(problems) > 1:
            accepted = Message(
                N_("{accepted} (and {count} further problems)"),
                {"accepted": first.accepted, "count": len(problems) - 1},
            )
        super().__init__(first.field, first.value, accepted)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Overlay:
    """Own rows, checked: they replace or extend those of the shipped catalogue."""

    accelerators: Mapping[str, Accelerator] = field(default_factory=dict)
    offers: Mapping[tuple[str, str], tuple[PriceOffer, ...]] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)


def read_overlay(
    path: Path,
    *,
    facts: Mapping[str, Fact] | None = None,
    accelerator_ids: Collection[str] | None = None,
) -> Overlay:
    """Own rows of a CSV with the columns table, key, field, value, low, high, unit, currency, source, date,
    conditions.

    table is `accelerators` (key = id, field = one of the six figures, peaks as peak_tflops.bf16), `prices`
    (key = accelerator id, field = on_demand, spot, owned or reserved_<months>, unit currency/GPU-hour) or a
    group of facts (field = value). With the shipped `facts` and `accelerator_ids` given, a row that replaces
    one must keep its unit, and a price must be for a known accelerator.
    Raises OverlayError naming row, field, value and what is accepted.
    """
    draft = _Draft(facts)
    for reader in _read_rows(path):
        try:
            draft.take(reader)
        except InputError as problem:
            draft.problems.append(problem)
    return draft.finish(accelerator_ids)


def _read_rows(path: Path) -> list[RowReader]:
    unreadable = InputError("catalog.overlay", str(path), N_("a readable UTF-8 CSV file of at most 5 MB"))
    try:
        if not path.is_file() or path.stat().st_size > _SIZE_LIMIT_BYTES:
            raise unreadable
        lines = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
        missing = [column for column in COLUMNS if column not in (lines.fieldnames or ())]
        readers = [RowReader(row, f"row {number}") for number, row in enumerate(lines, start=2)]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise unreadable from None
    if missing:
        accepted = Message(N_("a header with {columns}"), {"columns": ", ".join(COLUMNS)})
        raise InputError("catalog.overlay", ", ".join(missing), accepted)
    return readers


class _Draft:
    """What has been read so far, and what was wrong with it."""

    def __init__(self, shipped: Mapping[str, Fact] | None) -> None:
        self.problems: list[InputError] = []
        self._shipped = shipped
        self._figures: dict[str, dict[str, float]] = {}
        self._readers: dict[str, RowReader] = {}
        self._offers: dict[tuple[str, str], tuple[PriceOffer, ...]] = {}
        self._priced: dict[str, RowReader] = {}
        self._facts: dict[str, Fact] = {}

    def take(self, reader: RowReader) -> None:
        """Add one row. Raises InputError when a cell is not accepted."""
        table, key = reader.text("table"), reader.text("key")
        if table == "accelerators":
            name, value = _figure(reader)
            self._figures.setdefault(key, {})[name] = value
            self._readers[key] = reader
        elif table == "prices":
            mode, offer = _offer(reader)
            others = self._offers.get((key, mode), ())
            kept = [found for found in others if found.term_months != offer.term_months]
            self._offers[key, mode] = tuple(sorted((*kept, offer), key=lambda found: found.term_months or 0))
            self._priced.setdefault(key, reader)
        elif table in FACT_GROUPS:
            self._facts[f"{table}.{key}"] = self._fact(reader, table, key)
        else:
            raise reader.fail("table", ", ".join(("accelerators", "prices", *FACT_GROUPS)))

    def _fact(self, reader: RowReader, table: str, key: str) -> Fact:
        if reader.text("field") != "value":
            raise reader.fail("field", "value")
        fact = _read_own(reader, f"{table}.{key}")
        if self._shipped is None:
            return fact
        shipped = self._shipped.get(fact.key)
        if shipped is None and table not in OPEN_GROUPS:
            nearest = get_close_matches(fact.key, self._shipped, n=3, cutoff=0.3)
            known = [name.partition(".")[2] for name in nearest]
            accepted = Message(N_("a key of the catalogue, nearest {keys}"), {"keys": ", ".join(known)})
            raise reader.fail("key", accepted)
        if shipped is not None and shipped.value and (table in _MODELS or fact.unit.endswith("/s")):
            _check_near(reader, fact, shipped)
        # Whoever uses the fact counts on its unit; only the currency may be another.
        if shipped is not None and _without_currency(shipped.unit) != _without_currency(fact.unit):
            raise reader.fail("unit", shipped.unit)
        return fact

    def finish(self, accelerator_ids: Collection[str] | None) -> Overlay:
        """The overlay. Raises OverlayError when any row was not accepted."""
        accelerators: dict[str, Accelerator] = {}
        for identifier, figures in self._figures.items():
            try:
                accelerators[identifier] = _build(identifier, figures, self._readers[identifier])
            except InputError as problem:
                self.problems.append(problem)
        if accelerator_ids is not None:
            known = {*accelerator_ids, *self._figures}
            for identifier, reader in self._priced.items():
                if identifier not in known:
                    nearest = ", ".join(get_close_matches(identifier, known, n=3, cutoff=0.3))
                    accepted = Message(N_("an accelerator id, nearest {ids}"), {"ids": nearest})
                    self.problems.append(reader.fail("key", accepted))
        if self.problems:
            raise OverlayError(tuple(self.problems))
        return Overlay(
            MappingProxyType(accelerators), MappingProxyType(self._offers), MappingProxyType(self._facts)
        )


def _without_currency(unit: str) -> str:
    currency = currency_of(unit)
    return unit if currency is None else unit.removeprefix(currency)


def _figure(reader: RowReader) -> tuple[str, float]:
    accepted = (*_FIGURES, *_PEAKS, *_OPTIONAL_FIGURES)
    name = reader.text("field")
    if name not in accepted:
        raise reader.fail("field", ", ".join(accepted))
    value = reader.positive("value")
    if value is None:
        raise reader.fail("value", N_("a number above 0"))
    if name in ("accelerators_per_node", "scale_up_domain") and value != int(value):
        raise reader.fail("value", N_("a whole number above 0"))
    reader.text("source")
    reader.date(latest=None)
    return name, value


def _build(identifier: str, figures: Mapping[str, float], reader: RowReader) -> Accelerator:
    peaks = {name.partition(".")[2]: value for name, value in figures.items() if name in _PEAKS}
    missing = [name for name in _FIGURES if name not in figures]
    if not peaks:
        missing.append("peak_tflops.bf16")
    if missing:
        raise InputError(
            f"accelerators {identifier}", ", ".join(sorted(figures)),
            Message(N_("further rows with {missing}"), {"missing": ", ".join(missing)}),
        )  # fmt: skip
    domain = figures.get("scale_up_domain")
    return own_accelerator(
        id=identifier,
        memory_gib=figures["memory_gib"],
        memory_bandwidth_gb_per_s=figures["memory_bandwidth_gb_per_s"],
        peak_tflops=peaks,
        scale_up_gb_per_s=figures["scale_up_gb_per_s"],
        power_w=figures["power_w"],
        accelerators_per_node=int(figures["accelerators_per_node"]),
        nic_gbps=figures.get("nic_gbps"),
        scale_up_domain=None if domain is None else int(domain),
        source=reader.text("source"),
        date=reader.date(latest=None),
    )


def _read_own(reader: RowReader, key: str) -> Fact:
    value = reader.number("value")
    if value is None or not 0 <= value <= _LARGEST:
        raise reader.fail("value", N_("a number from 0 to 1e18"))
    low, high = reader.span(value)
    if low is not None and low < 0:
        raise reader.fail("low", N_("a number of at least 0, or empty"))
    if high is not None and high > _LARGEST:
        raise reader.fail("high", N_("a number of at most 1e18, or empty"))
    unit = reader.unit()
    currency, in_unit = reader.currency(), currency_of(unit)
    if currency is not None and currency != in_unit:
        raise reader.fail("currency", in_unit or N_("empty: the unit has no currency"))
    return Fact(
        value, low, high, unit, reader.text("source"), reader.date(latest=None), "own",
        reader.optional("conditions"), key, in_unit,
    )  # fmt: skip


def _check_near(reader: RowReader, fact: Fact, shipped: Fact) -> None:
    """Raise InputError for a figure that would carry a model far out of the range it was fitted in."""
    centre = shipped.value or 0.0
    low, high = centre / _MODEL_SPAN, centre * _MODEL_SPAN
    if shipped.conditions.startswith(_SWITCH):
        low, high = 0.0, 1.0
    elif fact.unit == "share":
        high = max(min(high, 1.0), centre)
    for column, number in (("value", fact.value), ("low", fact.low), ("high", fact.high)):
        if number is not None and not low <= number <= high:
            accepted = Message(N_("a number from {low} to {high}"), {"low": f"{low:g}", "high": f"{high:g}"})
            raise reader.fail(column, accepted)


def _offer(reader: RowReader) -> tuple[str, PriceOffer]:
    name, key = reader.text("field"), reader.text("key")
    mode, term = name, None
    if name.startswith(_RESERVED) and name.removeprefix(_RESERVED).isdecimal():
        mode, term = "reserved", int(name.removeprefix(_RESERVED))
    if mode not in PRICE_MODES or (mode == "reserved" and not term):
        raise reader.fail("field", "on_demand, spot, owned, reserved_<months>")
    fact = _read_own(reader, f"prices.own.{key}.{name}")
    if not fact.unit.endswith("/GPU-hour"):
        raise reader.fail("unit", N_("a currency per GPU-hour, such as USD/GPU-hour"))
    return mode, PriceOffer(fact, f"own.{key}.{name}", "own", "", "", term, None)

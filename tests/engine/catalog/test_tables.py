"""The data files themselves: every row has unit, range, date, mark and a source that resolves."""

from __future__ import annotations

import csv
import math
import re
from datetime import date
from importlib.resources import files

import pytest

from engine.catalog import load_catalog
from engine.catalog.facts import MARKS
from engine.catalog.tables import DATA_FILES, read_facts, read_traffic
from engine.catalog.units import currency_of, is_unit
from engine.errors import FlopwiseError, InputError

FOLDER = files("engine.catalog") / "data"
HEADER = "group,key,value,low,high,unit,currency,source,date,mark,conditions\n"


def shipped(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((FOLDER / name).read_text(encoding="utf-8").splitlines()))


def test_no_data_file_is_left_unread() -> None:
    assert {item.name for item in FOLDER.iterdir() if item.name.endswith(".csv")} == set(DATA_FILES)


@pytest.mark.parametrize("name", [name for name in DATA_FILES if name != "aliases.csv"])
def test_every_row_is_dated_and_sourced(name: str) -> None:
    keys = {row["key"] for row in shipped("sources.csv")}
    for row in shipped(name):
        if name == "offers.csv" and row["price_id"]:
            continue  # stands for a row of prices.csv, which carries them
        assert date.fromisoformat(row["date"]) <= date(2026, 12, 2), row
        if name == "sources.csv":
            assert row["where"] and row["verified"] in {"yes", "secondary", "derived", "memory"}, row
            continue
        assert row["mark"] in MARKS - {"own"}, row
        match = re.match(r"\[(\w+)\]", row["source"])
        assert row["source"] and (match is None or match[1] in keys), row


# Rows of efficiencies.csv may cite a fit in words.
@pytest.mark.parametrize("name", sorted({*DATA_FILES} - {"aliases.csv", "sources.csv", "efficiencies.csv"}))
def test_sources_are_cited_by_key(name: str) -> None:
    for row in shipped(name):
        if not (name == "offers.csv" and row["price_id"]):
            assert row["source"].startswith("["), row


def test_facts_are_ordered_and_priced_in_their_unit() -> None:
    for key, fact in load_catalog().facts.items():
        assert is_unit(fact.unit), key
        # Only a capital price stands in its currency alone, and every priced unit names its own.
        assert currency_of(fact.unit) == fact.currency, key
        assert fact.value is not None and math.isfinite(fact.value) and fact.value >= 0, key
        assert (fact.low is None or fact.low <= fact.value) and (
            fact.high is None or fact.value <= fact.high
        ), key


def test_shares_do_not_exceed_one() -> None:
    for key, fact in load_catalog().facts.items():
        if fact.unit == "share":
            assert fact.value is not None and fact.value <= 1, key


def test_recalled_figures_are_never_marked_as_read() -> None:
    for key, fact in load_catalog().facts.items():
        if "[RECALLED]" in fact.source:
            assert fact.mark in ("memory", "derived"), key
        if "[ASSUMED]" in fact.source:
            assert fact.mark == "assumption", key


def test_prices_in_yuan_are_not_converted() -> None:
    for row in shipped("prices.csv"):
        assert (row["currency"] == "CNY") == ("CNY" in row["source"]), row["id"]


def row_text(**cells: str) -> dict[str, str]:
    base = {
        "group": "storage", "key": "k", "value": "1", "low": "", "high": "", "unit": "USD/GB-month",
        "currency": "USD", "source": "a page", "date": "2026-01-31", "mark": "verified", "conditions": "",
    }  # fmt: skip
    line = ",".join((base | cells).values())
    texts = dict.fromkeys(DATA_FILES, HEADER)
    texts["efficiencies.csv"] = "key,value,low,high,unit,source,date,mark,conditions\n"
    texts["tariffs.csv"] = HEADER + line + "\n"
    return texts


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("value", "much"),
        ("value", "nan"),
        ("value", "inf"),
        ("low", "2"),
        ("high", "0.5"),
        ("unit", "USD/furlong"),
        ("unit", ""),
        ("source", ""),
        ("source", "[NOSUCHKEY] page 3"),
        ("date", "2026-12-03"),
        ("date", "June 2026"),
        ("date", "20260131"),
        ("mark", "certain"),
        ("currency", "dollars"),
    ],
)
def test_a_bad_cell_is_refused_with_file_row_and_column(column: str, cell: str) -> None:
    with pytest.raises(InputError, match=r"tariffs\.csv row 2, ") as caught:
        read_facts(row_text(**{column: cell}), load_catalog().sources)
    assert caught.value.accepted.render()


def test_a_blank_value_is_unknown_not_zero() -> None:
    facts = read_facts(row_text(value=""), load_catalog().sources)
    assert facts["storage.k"].value is None


def test_a_repeated_key_is_refused() -> None:
    texts = row_text()
    texts["energy.csv"] = texts["tariffs.csv"]
    with pytest.raises(InputError, match="occurs once"):
        read_facts(texts, load_catalog().sources)


def test_a_profile_with_a_missing_hour_is_refused() -> None:
    text = (FOLDER / "traffic.csv").read_text(encoding="utf-8")
    with pytest.raises(FlopwiseError, match="lacks hours"):
        read_traffic("\n".join(text.splitlines()[:-1]))

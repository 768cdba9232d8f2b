"""A planner's own rows: what they change, and what is refused with row, field and value."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.catalog import OverlayError, load_catalog, read_overlay
from engine.errors import InputError

HEADER = "table,key,field,value,low,high,unit,currency,source,date,conditions\n"
OWN_CHIP = "".join(
    f"accelerators,mine,{name},{value},,,,,datasheet,2027-01-15,\n"
    for name, value in (
        ("memory_gib", "100"), ("memory_bandwidth_gb_per_s", "4000"), ("peak_tflops.bf16", "1000"),
        ("peak_tflops.fp8", "2000"), ("scale_up_gb_per_s", "500"), ("power_w", "800"),
        ("accelerators_per_node", "8"),
    )
)  # fmt: skip


def write(folder: Path, rows: str, header: str = HEADER) -> Path:
    path = folder / "own.csv"
    path.write_text(header + rows, encoding="utf-8")
    return path


def test_own_accelerator_price_and_tariff(tmp_path: Path) -> None:
    rows = (
        OWN_CHIP
        + "prices,mine,on_demand,1.5,1.2,1.8,EUR/GPU-hour,EUR,quote 17,2027-01-15,net\n"
        + "prices,mine,reserved_24,0.9,,,EUR/GPU-hour,,quote 17,2027-01-15,\n"
        + "prices,h100-sxm,on_demand,2.1,,,USD/GPU-hour,USD,frame contract,2027-01-15,\n"
        + "storage,hot_object,value,0.01,,,USD/GB-month,USD,own cluster,2027-01-15,\n"
        + "storage,tape,value,0.001,,,USD/GB-month,USD,own library,2027-01-15,\n"
    )
    catalog = load_catalog(write(tmp_path, rows))
    assert catalog.accelerator("mine").peak("mxfp8") == 2e15
    own = catalog.price("mine", "on_demand")
    assert own is not None
    assert (own.fact.value, own.fact.low, own.fact.high) == (1.5, 1.2, 1.8)
    assert (own.fact.currency, own.fact.mark, own.provider) == ("EUR", "own", "own")
    committed = catalog.price("mine", "reserved", term_months=36)
    assert committed is not None and committed.term_months == 24
    contract = catalog.price("h100-sxm", "on_demand")
    assert contract is not None and contract.fact.value == 2.1
    listed = catalog.price("h100-sxm", "on_demand", provider="AWS")
    assert listed is not None and listed.fact.value == 6.88
    assert catalog.fact("storage", "hot_object").value == 0.01
    assert catalog.fact("storage", "tape").mark == "own"


def test_the_shipped_catalogue_stays_as_it_was(tmp_path: Path) -> None:
    row = "storage,hot_object,value,9,,,USD/GB-month,USD,own cluster,2026-01-15,\n"
    own = load_catalog(write(tmp_path, row))
    shipped = load_catalog()
    assert shipped.fact("storage", "hot_object").value == 0.023
    assert own.version != shipped.version


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    row = "storage,hot_object,value,{},,,USD/GB-month,USD,own cluster,2026-01-15,\n"
    path = write(tmp_path, row.format(1))
    first = load_catalog(path)
    assert load_catalog(path) is first
    write(tmp_path, row.format(2))
    os.utime(path, ns=(1, 1))
    assert load_catalog(path).fact("storage", "hot_object").value == 2


BAD_ROWS = [
    ("furniture,x,value,1,,,USD/GB,USD,s,2026-01-15,", "table", "storage"),
    ("storage,,value,1,,,USD/GB,USD,s,2026-01-15,", "key", "a text"),
    ("storage,hot_object,value,-1,,,USD/GB-month,USD,s,2026-01-15,", "value", "from 0 to 1e18"),
    ("storage,hot_object,value,cheap,,,USD/GB-month,USD,s,2026-01-15,", "value", "a number"),
    ("storage,hot_object,value,inf,,,USD/GB-month,USD,s,2026-01-15,", "value", "finite"),
    ("storage,hot_object,value,,,,USD/GB-month,USD,s,2026-01-15,", "value", "a number"),
    ("storage,hot_object,value,1,2,,USD/GB-month,USD,s,2026-01-15,", "low", "low <= value <= high"),
    ("storage,hot_object,value,1,-2,,USD/GB-month,USD,s,2026-01-15,", "low", "at least 0"),
    ("storage,hot_object,value,1,,,USD/GiB-month,USD,s,2026-01-15,", "unit", "USD/GB-month"),
    ("storage,hot_object,value,1,,,USD/GB-month,CNY,s,2026-01-15,", "currency", "USD"),
    ("storage,hot_object,value,1,,,USD/GB-month,USD,,2026-01-15,", "source", "a text"),
    ("storage,hot_object,value,1,,,USD/GB-month,USD,s,15.1.2026,", "date", "YYYY-MM-DD"),
    ("storage,hot_object,price,1,,,USD/GB-month,USD,s,2026-01-15,", "field", "value"),
    ("failures,restart_seconds,value,1,,,s,,s,2026-01-15,", "key", "restart_s"),
    ("prices,h100,on_demand,1,,,USD/GPU-hour,USD,s,2026-01-15,", "key", "h100-sxm"),
    ("prices,h100-sxm,reserved,1,,,USD/GPU-hour,USD,s,2026-01-15,", "field", "reserved_<months>"),
    ("prices,h100-sxm,on_demand,1,,,USD/hour,USD,s,2026-01-15,", "unit", "GPU-hour"),
    ("accelerators,mine,memory_gb,80,,,,,s,2026-01-15,", "field", "memory_gib"),
    ("accelerators,mine,memory_gib,0,,,,,s,2026-01-15,", "value", "above 0"),
    ("accelerators,mine,accelerators_per_node,7.5,,,,,s,2026-01-15,", "value", "whole"),
]


@pytest.mark.parametrize(("row", "field", "accepted"), BAD_ROWS)
def test_a_bad_row_is_named_with_field_and_what_is_accepted(
    tmp_path: Path, row: str, field: str, accepted: str
) -> None:
    with pytest.raises(OverlayError) as caught:
        load_catalog(write(tmp_path, row + "\n"))
    assert caught.value.problems[0].field == f"row 2, {field}"
    assert accepted in str(caught.value)


def test_incomplete_accelerator_names_the_missing_figures(tmp_path: Path) -> None:
    with pytest.raises(OverlayError, match=r"accelerators mine.*power_w.*peak_tflops\.bf16"):
        load_catalog(write(tmp_path, "accelerators,mine,memory_gib,80,,,,,s,2026-01-15,\n"))


def test_all_problems_are_kept(tmp_path: Path) -> None:
    rows = "\n".join(row for row, _, _ in BAD_ROWS[:3]) + "\n"
    with pytest.raises(OverlayError, match="2 further problems") as caught:
        read_overlay(write(tmp_path, rows))
    fields = [problem.field for problem in caught.value.problems]
    assert fields == ["row 2, table", "row 3, key", "row 4, value"]


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a header with table, key"):
        read_overlay(write(tmp_path, "1,2\n", header="a,b\n"))
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_overlay(binary)
    with pytest.raises(InputError, match="UTF-8"):
        load_catalog(tmp_path / "missing.csv")
    huge = tmp_path / "huge.csv"
    huge.write_text(HEADER + "x" * 5_000_001, encoding="utf-8")
    with pytest.raises(InputError, match="5 MB"):
        read_overlay(huge)

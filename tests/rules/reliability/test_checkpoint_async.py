"""REL-CKPT-ASYNC."""

from __future__ import annotations

from typing import Any

from plan_cases import training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number

from engine.catalog import Catalog

ID = "REL-CKPT-ASYNC"
FIELD = "reliability.checkpoint_mode"


def writing(write_s: float, interval_s: Any) -> Any:
    return training_plan(
        reliability__checkpoint_write_s=write_s, reliability__checkpoint_interval_s=interval_s
    )


def test_a_long_blocking_write_is_found(catalog: Catalog) -> None:
    found = assert_mends(ID, writing(300.0, "auto"), catalog, writes={FIELD})
    assert found.patch == {FIELD: "async"}
    assert number(found, "write") == 300.0 and number(found, "stall") < 300.0


def test_background_writing_passes(catalog: Catalog) -> None:
    assert_passes(ID, training_plan({FIELD: "async", "reliability.checkpoint_write_s": 300.0}), catalog)


def test_write_time_just_above_and_below_the_limit(catalog: Catalog) -> None:
    assert_passes(ID, writing(30.0, 30.0 * 1000), catalog)
    assert_fires(ID, writing(30.01, 30.0 * 1000), catalog)


def test_share_of_the_interval_just_above_and_below_the_limit(catalog: Catalog) -> None:
    assert_passes(ID, writing(20.0, 2000.0), catalog)
    assert_fires(ID, writing(20.0, 1999.0), catalog)

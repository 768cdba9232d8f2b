"""STO-CKPT-LIFECYCLE."""

from __future__ import annotations

import math

from plan_cases import training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number

from engine.catalog import Catalog
from engine.estimation import estimate

ID = "STO-CKPT-LIFECYCLE"
FIELD = "storage.checkpoints_kept"


def test_keeping_everything_is_found(catalog: Catalog) -> None:
    plan = training_plan({FIELD: "all"})
    found = assert_mends(ID, plan, catalog, writes={FIELD})
    written = estimate(plan, catalog, draws=0).metric("checkpoints_written")
    assert number(found, "kept") == written
    # Three in full, and the weights (2 of 14 bytes a parameter) of every 5 % of the run.
    assert found.patch[FIELD] == math.ceil(3 + 20 * 2 / 14)


def test_the_newest_ten_pass(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(), catalog)


def test_twenty_pass_and_twenty_one_do_not(catalog: Catalog) -> None:
    assert_passes(ID, training_plan({FIELD: 20}), catalog)
    assert_fires(ID, training_plan({FIELD: 21}), catalog)


def test_all_of_a_run_that_writes_few_passes(catalog: Catalog) -> None:
    short = training_plan({FIELD: "all", "reliability.checkpoint_interval_s": 2e6})
    assert estimate(short, catalog, draws=0).metric("checkpoints_written") < 20
    assert_passes(ID, short, catalog)

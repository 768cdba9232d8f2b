"""The catalogue's counts of published serving runs are those of the shipped table."""

from __future__ import annotations

from engine.catalog import load_catalog
from engine.performance.serving_bands import measured_runs
from engine.validation.measured import measurements_table


def test_the_table_is_what_the_script_prints() -> None:
    catalog = load_catalog()
    assert catalog.texts["measurements.csv"].replace("\r\n", "\n") == measurements_table(catalog)


def test_sixteen_bits_are_one_precision_and_others_their_own() -> None:
    catalog = load_catalog()
    assert measured_runs(catalog, "h100-sxm", "fp16") == measured_runs(catalog, "h100-sxm", "bf16") > 0
    assert measured_runs(catalog, "h100-sxm", "int4") == 0.0

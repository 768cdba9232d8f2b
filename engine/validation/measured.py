"""How many published serving runs stand behind each accelerator and precision: the table measurements.csv.

Run: python -m engine.validation.measured > engine/catalog/data/measurements.csv
"""

from __future__ import annotations

import sys
from collections import Counter

from engine.catalog import Catalog, load_catalog
from engine.performance.serving_bands import count_as
from engine.validation.efficiencies import write_table
from engine.validation.serving_cases import NEEDED_COLUMNS, serving_rows
from engine.validation.tables import read_rows, shipped_text

RUNS = "inference_runs_dev.csv"
HEADER = ("group", "key", "value", "low", "high", "unit", "source", "date", "mark", "conditions")


def count_serving_runs(catalog: Catalog) -> Counter[tuple[str, str]]:
    """Scored runs of the shipped table by accelerator id and weight precision [rows]; fp16 counts as bf16."""
    cases, _ = serving_rows(read_rows(shipped_text(RUNS), NEEDED_COLUMNS), catalog)
    return Counter((case.accelerator.id, count_as(case.precision)) for case in cases if case.scored)


def measurements_table(catalog: Catalog) -> str:
    """The text of measurements.csv."""
    date = catalog.fact("serving", "weight_bandwidth_efficiency").date
    rows = [
        (
            "measured",
            f"serving.{accelerator}.{precision}",
            str(count),
            "",
            "",
            "rows",
            "[FIT_SERVING] section 1, counted by engine.validation.measured",
            date,
            "derived",
            "scored serving runs the model was fitted on",
        )
        for (accelerator, precision), count in sorted(count_serving_runs(catalog).items())
    ]
    return write_table([HEADER, *rows])


if __name__ == "__main__":
    sys.stdout.write(measurements_table(load_catalog()))

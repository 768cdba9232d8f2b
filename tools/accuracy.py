"""Writes docs/accuracy.md and its pictures: the models against the shipped tables of measurements.

Run `.venv/bin/python tools/accuracy.py` after a change of constants or models.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from engine.catalog import load_catalog
from engine.validation.published import validate_published, validate_unseen
from engine.validation.results import ErrorSummary, ValidationResult
from gui.charts.accuracy import AccuracyData, draw_accuracy, metrics_of, rows_of
from gui.charts.render import ChartJob, render_file
from gui.charts.style import ChartStyle, register_fonts
from gui.models.words import VALIDATION_WORDS, group_text
from gui.shell.colours import LIGHT

DOCS = Path(__file__).resolve().parents[1] / "docs"
WORST = 5
SIZE = (640, 480)

HEAD = """# How accurate the models are

Written by `tools/accuracy.py` from the tables in `engine/validation/data` (what each is and where it was read
stands in `SOURCES.md` there). error = predicted / measured - 1; "in band" is the share of measurements inside
the 10-90 % band that the program shows. The window's validation page shows the same, and takes own tables.

The constants were fitted to rows of these tables. "Fitted without the source" predicts every row with
constants that never saw its repository or paper: that is what to expect of an unseen run. The starting values
of that fit come from an earlier study of the same data, so it is still on the kind side.
"""


def main() -> int:
    """Write the page."""
    register_fonts()
    catalog, parts = load_catalog(), [HEAD]
    for kind, title in VALIDATION_WORDS.items():
        found = validate_published(kind, catalog)
        parts.append(f"## {title}\n")
        if kind == "training":
            unseen = validate_unseen(found)
            parts += _section("Fitted without the source", unseen, f"{kind}_unseen")
            parts += _section("Constants as shipped", found, kind)
        else:
            parts += _section("Constants as shipped", found, kind)
    (DOCS / "accuracy.md").write_text("\n".join(parts), encoding="utf-8")
    return 0


def _section(title: str, found: ValidationResult, name: str) -> Iterator[str]:
    metric = metrics_of(found)[0]
    yield f"### {title}\n"
    yield f"{found.rows} rows, {found.predicted} predicted.\n"
    yield f"![Measured against predicted]({_picture(found, metric, name)})\n"
    yield "| group | rows | median | p90 | in band |\n|---|---|---|---|---|"
    groups = {"scored rows": found.overall, **found.groups}
    yield "\n".join(_row(group_text(key, "en"), group) for key, group in groups.items())
    if found.calibrated:
        yield "\nThe same rows otherwise:\n"
        yield "| method | rows | median | p90 | in band |\n|---|---|---|---|---|"
        yield "\n".join(_row(group_text(key, "en"), group) for key, group in found.calibrated.items())
    rows = sorted(rows_of(AccuracyData(found, metric)), key=lambda row: -abs(row.error or 0.0))[:WORST]
    worst = ", ".join(f"{row.id} {row.error:+.0%}" for row in rows if row.error is not None)
    yield f"\nWorst rows: {worst}.\n"


def _row(name: str, group: ErrorSummary) -> str:
    shares = (group.median_abs_error, group.p90_abs_error, group.in_band)
    cells = " | ".join("" if share is None else f"{share:.1%}" for share in shares)
    return f"| {name} | {group.n} | {cells} |"


def _picture(found: ValidationResult, metric: str, name: str) -> str:
    job = ChartJob(draw_accuracy, AccuracyData(found, metric), ChartStyle(LIGHT), "en", *SIZE, 1.0)
    path = DOCS / f"accuracy_{name}.png"
    path.write_bytes(render_file(job, "png"))
    return path.name


if __name__ == "__main__":
    sys.exit(main())

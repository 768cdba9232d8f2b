"""Drawing every chart: pixels, marks inside the picture, exports."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from gui.charts.bubble import BubbleData, draw_bubbles
from gui.charts.categories import CategoryData, draw_categories
from gui.charts.curve import CurveData, draw_curve
from gui.charts.frontier import FrontierData, draw_frontier
from gui.charts.phases import draw_phases
from gui.charts.render import EXPORT_SIZE, ChartJob, render_file, render_pixels
from gui.charts.style import ChartStyle
from gui.services.review import Review
from gui.shell.colours import DARK, LIGHT


def jobs(review: Review, style: ChartStyle, lang: str) -> dict[str, ChartJob]:
    currency, found = review.estimate.currency, review.optimisation
    assert found is not None
    kinds = ("interval", "size") if review.plan.is_training else ("split", "load")
    data: dict[str, tuple[Any, Any]] = {
        "phases": (draw_phases, review.estimate),
        "categories": (draw_categories, CategoryData(review.estimate, review.proposed)),
        "frontier": (
            draw_frontier,
            FrontierData(found, currency, 115.0, by_size=not review.plan.is_training),
        ),
        "bubbles": (draw_bubbles, BubbleData(review.recommendations.recommendations, currency)),
    }
    data |= {
        kind: (draw_curve, CurveData(curve, kind, currency))
        for kind, curve in zip(kinds, found.curves, strict=True)
    }
    return {name: ChartJob(draw, part, style, lang, 330, 220) for name, (draw, part) in data.items()}


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("which", ["training_review", "serving_review"])
def test_every_chart_fills_its_picture_and_keeps_its_marks_inside(
    which: str, theme: Any, lang: str, request: pytest.FixtureRequest
) -> None:
    review = request.getfixturevalue(which)
    for name, job in jobs(review, ChartStyle(theme), lang).items():
        pixels = render_pixels(job)
        assert (pixels.width, pixels.height) == (330, 220), name
        assert len(pixels.data) == 4 * 330 * 220, name
        assert len(set(pixels.data[0::4])) > 8, f"{name} is blank"
        assert pixels.table.title and pixels.table.rows, name
        assert len(pixels.places) == len(pixels.table.marks), name
        outside = [place for place in pixels.places if not (0 <= place[0] <= 330 and 0 <= place[1] <= 220)]
        assert not outside, name


def test_every_row_has_as_many_cells_as_there_are_columns(training_review: Review) -> None:
    for name, job in jobs(training_review, ChartStyle(), "en").items():
        table = render_pixels(job).table
        assert {len(row) for row in table.rows} == {len(table.columns)}, name


def test_device_pixels_follow_the_ratio_and_places_do_not(training_review: Review) -> None:
    job = jobs(training_review, ChartStyle(), "en")["phases"]
    plain, sharp = render_pixels(job), render_pixels(replace(job, ratio=2.0))
    assert (sharp.width, sharp.height) == (660, 440)
    for one, two in zip(plain.places, sharp.places, strict=True):
        assert one == pytest.approx(two, abs=3.0)


def test_files_carry_the_title(training_review: Review) -> None:
    job = jobs(training_review, ChartStyle(), "en")["phases"]
    png, svg = render_file(job, "png"), render_file(job, "svg").decode()
    assert png.startswith(b"\x89PNG")
    assert svg.lstrip().startswith("<?xml") and f'width="{EXPORT_SIZE[0] * 0.75:g}pt"' in svg


def test_csv_holds_the_numbers_in_full(training_review: Review) -> None:
    job = jobs(training_review, ChartStyle(), "en")["categories"]
    rows = list(csv.reader(io.StringIO(render_file(job, "csv").decode("utf-8-sig"))))
    assert rows[0] == ["Category", "Plan (USD)", "Share (share)", "With chosen actions (USD)"]
    assert sum(float(row[1]) for row in rows[1:]) == pytest.approx(training_review.estimate.total)

"""Charts of a committed base."""

from __future__ import annotations

from typing import Any

import pytest

from engine.catalog import Catalog
from engine.optimize.purchase_mix import search_purchase
from engine.plan import apply_patch
from engine.results import PurchaseMix
from gui.charts.purchase import PurchaseData, draw_base_cost, draw_base_hours
from gui.charts.render import ChartJob, render_pixels
from gui.charts.style import ChartStyle
from gui.services.templates import template_plan
from gui.shell.colours import DARK, LIGHT

CASES: dict[str, dict[str, Any]] = {
    "mixed": {"serving.autoscale": True, "schedule.interruptible": True},
    "static": {},
    "free": {"cluster.price_per_gpu_hour": 0.0},
    "has a base": {"serving.autoscale": True, "cluster.committed_accelerators": 25},
}


def mix_of(case: str, catalog: Catalog) -> PurchaseMix:
    return search_purchase(apply_patch(template_plan("online-70b-chat"), CASES[case]), catalog)


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("case", CASES)
def test_charts_fill_their_picture(case: str, theme: Any, lang: str, catalog: Catalog) -> None:
    data = PurchaseData(mix_of(case, catalog), "USD")
    for draw in (draw_base_cost, draw_base_hours):
        pixels = render_pixels(ChartJob(draw, data, ChartStyle(theme), lang, 420, 240))
        assert len(set(pixels.data[0::4])) > 8
        assert pixels.table.title and pixels.table.note
        assert {len(row) for row in pixels.table.rows} == {len(pixels.table.columns)}
        assert all(0 <= x <= 420 and 0 <= y <= 240 for x, y in (place[:2] for place in pixels.places))


def test_the_tables_hold_the_search(catalog: Catalog) -> None:
    from matplotlib.figure import Figure

    mix = mix_of("mixed", catalog)
    data = PurchaseData(mix, "USD")
    cost, hours = (draw(Figure(), data, ChartStyle(), "en") for draw in (draw_base_cost, draw_base_hours))
    assert dict(cost.rows)[float(mix.committed_accelerators)] == pytest.approx(mix.total)
    assert f"base of {mix.committed_accelerators} GPUs saves" in cost.title
    assert [row[1] for row in hours.rows] == list(mix.hourly_committed)
    assert [row[3] for row in hours.rows] == list(mix.hourly_unused)


def test_titles_say_when_nothing_changes(catalog: Catalog) -> None:
    from matplotlib.figure import Figure

    data = PurchaseData(mix_of("free", catalog), "USD")
    assert draw_base_cost(Figure(), data, ChartStyle(), "en").title == "No other purchase costs less"
    assert draw_base_hours(Figure(), data, ChartStyle(), "en").title == "Every hour is bought as it comes"

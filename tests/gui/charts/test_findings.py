"""What the titles say, and where the numbers of a chart come from."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from engine.results import Candidate, Certificate, Change, Curve, Optimisation
from gui.charts.axes import money_scale
from gui.charts.bubble import alone_range, bands, plan_range
from gui.charts.curve import CurveData, draw_curve, total_at, within_deadline
from gui.charts.frontier import FrontierData, draw_frontier
from gui.charts.phases import phase_steps
from gui.charts.style import ChartStyle
from gui.charts.table import ChartTable, Column
from gui.services.review import Review


def curve(now: float, *, low: float = 200.0, high: float = 400.0) -> Curve:
    x = (100.0, 200.0, 300.0, 400.0, 800.0)
    return Curve(
        path="cluster.accelerator_count", title="Accelerators", unit="GPUs", x=x,
        total=(1.2e6, 1.005e6, 1.0e6, 1.008e6, 1.3e6), duration_h=(2400.0, 1200.0, 800.0, 600.0, 300.0),
        now=now, best=300.0, best_total=1.0e6, flat_low=low, flat_high=high,
    )  # fmt: skip


def title(shown: Curve, kind: str = "size", deadline_h: float | None = None) -> ChartTable:
    return draw_curve(Figure(), CurveData(shown, kind, "USD", deadline_h), ChartStyle(), "en")


def test_a_setting_in_the_flat_region_is_kept() -> None:
    table = title(curve(400.0))
    assert table.title == "Cluster size: keep 400\u00a0GPUs" or table.title == "Cluster size: keep 400 GPUs"
    assert "no change needed" in table.note


def test_a_setting_outside_says_which_way_and_what_the_best_saves() -> None:
    assert "too high" in title(curve(800.0)).title
    assert title(curve(800.0)).note == "best saves $300k"
    assert "too low" in title(curve(100.0)).title
    assert "too long" in title(curve(800.0), "interval").title


def test_the_deadline_moves_best_and_flat_region() -> None:
    moved = within_deadline(curve(300.0), 700.0)
    assert (moved.best, moved.best_total, moved.flat_low) == (400.0, 1.008e6, 400.0)
    assert within_deadline(curve(300.0), 5000.0) == curve(300.0)
    assert within_deadline(curve(300.0), 10.0) == curve(300.0), "nothing is in time: the curve stays"


def test_a_cheap_setting_that_ends_late_is_not_called_best() -> None:
    table = title(curve(300.0), deadline_h=700.0)
    assert "ends late" in table.title and "400" in table.note


def test_totals_between_grid_points_lie_between_theirs() -> None:
    found = total_at(curve(300.0), 250.0)
    assert found is not None and 1.0e6 < found < 1.005e6
    assert total_at(curve(300.0), 50.0) is None


def test_an_empty_sweep_says_so() -> None:
    nothing = curve(300.0).model_copy(
        update={"x": (), "total": (), "duration_h": (), "best": None, "best_total": None}
    )
    assert title(nothing).rows == ()


def test_steps_add_up_to_the_total(training_review: Review, serving_review: Review) -> None:
    for review in (training_review, serving_review):
        steps = phase_steps(review.estimate, "en")
        assert sum(step.amount for step in steps) == pytest.approx(review.estimate.total)


def candidate(total: float, hours: float, *, changed: bool = True, frontier: bool = False) -> Candidate:
    changes = (Change(path="cluster.accelerator_count", before=1, after=total),) if changed else ()
    return Candidate(
        label="x", changes=changes, total=total, duration_h=hours, accelerators=8.0, on_frontier=frontier
    )


def search(best: Candidate, now: Candidate) -> Optimisation:
    return Optimisation(
        objective="cost", baseline_total=now.total, baseline_duration_h=now.duration_h, best=best,
        candidates=(best, now), pareto=(best,), curves=(), evaluated=2, excluded={},
        certificate=Certificate(method="m", bound=None, gap=None),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("total", "hours", "expected"),
    [
        (8e5, 900.0, "Best saves $200k and 4.2\u00a0d"),
        (8e5, 1000.0, "Best saves $200k"),
        (1.1e6, 500.0, "Best costs $100k more, ends 21\u00a0d sooner"),
    ],
)
def test_the_frontier_says_what_the_best_is_worth(total: float, hours: float, expected: str) -> None:
    now = candidate(1e6, 1000.0, changed=False)
    data = FrontierData(search(candidate(total, hours, frontier=True), now), "USD")
    assert draw_frontier(Figure(), data, ChartStyle(), "en").title == expected


def test_no_better_candidate_is_said_plainly() -> None:
    now = candidate(1e6, 1000.0, changed=False)
    table = draw_frontier(Figure(), FrontierData(search(now, now), "USD"), ChartStyle(), "en")
    assert table.title == "No candidate beats the plan"


def test_the_band_in_the_plan_scales_with_the_saving(training_review: Review) -> None:
    item = training_review.recommendations.recommendations[0]
    saving = item.saving.model_copy(update={"in_plan": 50.0, "p10": 40.0, "p50": 100.0, "p90": 130.0})
    assert bands(item.model_copy(update={"saving": saving})) == (20.0, 65.0)
    lost = saving.model_copy(update={"in_plan": -50.0})
    assert bands(item.model_copy(update={"saving": lost})) == (-65.0, -20.0)
    nothing = saving.model_copy(update={"in_plan": 0.0})
    assert bands(item.model_copy(update={"saving": nothing})) == (0.0, 0.0)


def test_one_far_tail_does_not_flatten_the_others(training_review: Review) -> None:
    items = training_review.recommendations.recommendations
    tail = items[0].saving.model_copy(update={"p10": -1e12})
    odd = (items[0].model_copy(update={"saving": tail}), *items[1:])
    for axis in (alone_range, plan_range):
        low, high = axis(odd)
        assert -1e9 < low <= 0.0 < high


@pytest.mark.parametrize(
    ("high", "lang", "unit", "label"),
    [
        (2.7e6, "en", 1e6, "USD million"),
        (3e5, "en", 1e3, "USD thousand"),
        (900.0, "en", 1.0, "USD"),
        (2.7e6, "zh_CN", 1e4, "万美元"),
        (5e8, "zh_CN", 1e8, "亿美元"),
    ],
)
def test_axes_count_money_in_short_figures(high: float, lang: str, unit: float, label: str) -> None:
    scale = money_scale(0.0, high, "USD", lang)
    assert (scale.unit, scale.label) == (unit, label)


def test_cells_that_look_like_formulas_are_defused() -> None:
    table = ChartTable(
        "t", "", (Column("a"), Column("b", "currency")), (("=1+1", -2.0), ("x", None)), (), "USD"
    )
    assert table.to_csv("en") == "a,b (USD)\n'=1+1,-2.0\nx,\n"

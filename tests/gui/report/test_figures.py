"""Drawings: stable bytes, text that stays text, bars where the numbers say."""

from __future__ import annotations

import pytest

from gui.report import figures
from gui.report.figures import BandRow, Stack, Step, Swing


def money(value: float) -> str:
    return f"${value:,.0f}"


def axes_of(paint: object) -> object:
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(5, 2))
    return figures.one_axes(canvas, 10, 10, 10, 10)


def test_equal_data_give_equal_bytes_and_text_stays_text() -> None:
    rows = [BandRow("this proposal", 5.0, 6.0, 8.0, 7.0), BandRow("今日设置", 7.0, 9.0, 11.0)]
    made = [
        figures.draw(
            lambda c: figures.draw_bands(figures.one_axes(c, 4, 14, 4, 4), rows, money), 200, 80, "alt"
        )
        for _ in range(2)
    ]
    assert made[0].svg == made[1].svg
    assert ">今日设置</text>" in made[0].svg.decode()
    assert b"<dc:date>" not in made[0].svg


def test_a_waterfall_steps_down_by_each_saving_and_up_by_a_cost() -> None:
    axes = axes_of(None)
    figures.draw_waterfall(axes, ("now", 100.0), [Step("a", 30.0), Step("b", -10.0)], ("then", 80.0), money)  # type: ignore[arg-type]
    boxes = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]  # type: ignore[attr-defined]
    assert boxes == [(0, 100.0), (70.0, 100.0), (70.0, 80.0), (0, 80.0)]


def test_stacked_bars_reach_the_sum_of_their_parts() -> None:
    axes = axes_of(None)
    stacks = [Stack("c", "compute", (3.0, 1.0)), Stack("p", "people", (2.0, 4.0))]
    figures.draw_spending(axes, ["Q1", "Q2"], stacks, ["5", "5"])  # type: ignore[arg-type]
    tops = [bar.get_y() + bar.get_height() for bar in axes.patches]  # type: ignore[attr-defined]
    assert tops == pytest.approx([3.0, 1.0, 5.0, 5.0])


def test_a_tornado_bar_runs_from_the_centre_to_each_end() -> None:
    axes = axes_of(None)
    figures.draw_tornado(axes, [Swing("x", "1", "2", 8.0, 13.0)], 10.0, money)  # type: ignore[arg-type]
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]
    assert ends == pytest.approx([8.0, 13.0])

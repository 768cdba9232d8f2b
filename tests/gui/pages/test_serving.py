"""The service page: the estimate's figures, four charts with twins, other fleets, and what fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.optimize.fleets import search_fleets
from engine.optimize.service_report import report_service
from engine.plan import apply_patch
from engine.results import ServiceReport
from gui.charts.fleet_trade import TradeData, cheapest_by_latency, draw_trade
from gui.charts.latency import LatencyData, draw_latency
from gui.charts.render import ChartJob, render_file
from gui.charts.style import ChartStyle
from gui.charts.unit_costs import UnitCostData, draw_unit_costs
from gui.charts.week import WeekData, draw_week
from gui.models.services import availability_text
from gui.pages.serving import ServingPage
from gui.pages.serving_figures import service_figures
from gui.services.review import Review
from gui.shell.composer import EngineCalls
from gui.shell.navigation import Navigation

OpenSession = Callable[[Review], Any]
FEW = ("h100-sxm", "mi300x", "l40s")


@pytest.fixture(scope="module")
def report(serving_review: Review, catalog: Catalog) -> ServiceReport:
    return report_service(serving_review.plan, catalog, accelerators=FEW)


@pytest.fixture
def page(qtbot: Any, open_session: OpenSession, serving_review: Review, report: ServiceReport) -> ServingPage:
    made = ServingPage(open_session(serving_review))
    qtbot.addWidget(made)
    made.resize(1240, 800)
    made._wanted = False  # the reports are handed in below
    made.show()
    with qtbot.waitSignals([chart.drawn for chart in made.charts()], timeout=20_000):
        made._show(report)
        made._show_fleets(report.fleets)
    return made


def test_headlines_are_the_estimates_metrics(page: ServingPage, serving_review: Review) -> None:
    ttft, tpot, instances, used, cost = page.figures.texts()
    metric = serving_review.estimate.metric
    assert ttft[0].startswith(f"{metric('ttft_ms_p95'):.0f}") and "2,000" in ttft[1]
    assert tpot[0].startswith(f"{metric('tpot_ms_p95'):.1f}") and "50" in tpot[1]
    assert instances[0] == f"{metric('instances_peak'):.0f} / {metric('instances_mean'):g}"
    assert used[0].startswith(f"{100.0 * metric('utilisation_mean'):.1f}")
    assert f"{metric('cost_per_million_output_tokens'):.2f}" in cost[0]
    assert f"{metric('cost_per_million_input_tokens'):.2f}" in cost[1]


def test_each_chart_has_its_numbers_and_points(page: ServingPage, report: ServiceReport) -> None:
    latency, week, costs, fleets = (chart.table() for chart in page.charts())
    assert [row[0] for row in latency.rows] == [point.batch for point in report.curve.points]
    assert len(week.rows) == 168 and week.rows[0][0].startswith("Mon 00:00")
    assert week.rows[-1][0].startswith("Sun 23:00")
    assert costs.rows[-1][1] == report.costs.total
    assert sum(row[1] for row in costs.rows[:-1]) == pytest.approx(costs.rows[-1][1], rel=1e-9)
    assert len(fleets.rows) == len({id(o) for o in (*report.fleets.cheapest, *report.fleets.frontier)})
    for chart in page.charts():
        table = chart.table()
        assert table.title and table.note
        assert 0 < len(table.marks) == len(chart.plot._pixels.places)
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert chart.twin.rowCount() == len(table.rows)


def test_the_operating_point_is_named(page: ServingPage, report: ServiceReport) -> None:
    title = page.latency.table().title
    assert title.startswith(f"{report.curve.batch:.0f}") and "time per output token" in title


def test_a_chosen_fleet_explains_itself_and_is_taken_as_one_step(page: ServingPage) -> None:
    session = page._session
    before = session.plan
    shown = page._data.shown()
    page.fleets.activated.emit("3")
    assert page.fleet.option is shown[3]
    said = page.fleet.text()
    assert "an instance" in said and "at peak" in said and "are idle" in said
    page.fleet.use.click()
    for change in shown[3].changes:
        section, field = change.path.split(".")
        assert getattr(getattr(session.plan, section), field) == change.after
    session.undo_stack.undo()
    assert session.plan == before


def test_arrow_keys_step_through_the_fleets(page: ServingPage, qtbot: Any) -> None:
    qtbot.keyClick(page.fleets.plot, Qt.Key.Key_End)
    assert page.fleet.option is page._data.shown()[-1]


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"serving.tpot_slo_ms": 2.0}, "the target is 2"),
        ({"layout.tensor_parallel": 1, "cluster.accelerator": "l40s"}, "are usable"),
        ({"serving.instances": 2}, "the plan has 2"),
    ],
)
def test_what_fails_is_said_with_what_is_needed(
    page: ServingPage, serving_review: Review, catalog: Catalog, patch: dict[str, Any], words: str
) -> None:
    plan = apply_patch(serving_review.plan, patch)
    page._show(report_service(plan, catalog, with_fleets=False))
    assert page.problem.isVisible()
    assert "cannot meet the plan" in page.problem.text() and words in page.problem.text()
    page._show(report_service(serving_review.plan, catalog, with_fleets=False))
    assert not page.problem.isVisible()


def test_a_training_plan_is_told_so(qtbot: Any, open_session: OpenSession, training_review: Review) -> None:
    made = ServingPage(open_session(training_review))
    qtbot.addWidget(made)
    made.show()
    assert not any(chart.table() for chart in made.charts())
    assert "online service" in made.latency.plot.accessibleDescription()


def test_the_page_computes_in_the_engines_thread(
    qtbot: Any, open_session: OpenSession, serving_review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading
    from dataclasses import replace

    threads: list[str] = []
    calls = EngineCalls()

    def service(plan: Any) -> Any:
        threads.append(threading.current_thread().name)
        return calls.service(plan)

    def alternatives(plan: Any, cancelled: Any) -> Any:
        threads.append(threading.current_thread().name)
        return search_fleets(plan, calls._catalog, FEW[:1], with_spares=True, cancelled=cancelled)

    session = open_session(serving_review)
    session.composer = replace(session.composer, service=service, alternatives=alternatives)
    made = ServingPage(session)
    qtbot.addWidget(made)
    made.resize(1240, 800)
    with qtbot.waitSignals([chart.drawn for chart in made.charts()], timeout=20_000):
        made.show()
    assert len(threads) == 2 and threading.main_thread().name not in threads


@pytest.fixture
def navigation(qtbot: Any, open_session: OpenSession, serving_review: Review) -> tuple[Navigation, Any]:
    from PySide6.QtWidgets import QMenu

    from gui.shell.library import Library

    session = open_session(serving_review)
    made = Navigation(session, Library(session), [("setup", "Setup"), ("service", "Service")], QMenu())
    qtbot.addWidget(made)
    return made, session


def test_the_navigation_lists_it_for_services_only(
    qtbot: Any, navigation: tuple[Navigation, Any], training_review: Review
) -> None:
    list_, session = navigation
    assert list_.pages.is_shown("service")
    list_.pages.set_current("service")
    with qtbot.waitSignal(list_.page_asked) as asked:
        session.new_plan(training_review.plan)
    assert asked.args == ["setup"] and not list_.pages.is_shown("service")


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_charts_are_written_in_every_form(report: ServiceReport, serving_review: Review, lang: str) -> None:
    plan, total = serving_review.plan, serving_review.estimate.total
    trade = TradeData(report.fleets, plan, "USD", total, 49.0, 50.0)
    for draw, data in (
        (draw_latency, LatencyData(report.curve, "USD")),
        (draw_week, WeekData(report.week)),
        (draw_unit_costs, UnitCostData(report.costs)),
        (draw_trade, trade),
    ):
        job = ChartJob(draw, data, ChartStyle(), lang, 500, 300)
        assert render_file(job, "png").startswith(b"\x89PNG")
        assert b"<svg" in render_file(job, "svg")
        lines = render_file(job, "csv").decode("utf-8-sig").splitlines()
        assert len(lines) > 3


def test_the_frontier_line_is_what_no_other_beats(report: ServiceReport, serving_review: Review) -> None:
    data = TradeData(report.fleets, serving_review.plan, "USD", None, None, 50.0)
    line = cheapest_by_latency(data.shown(), data)
    enough = [option for option in data.shown() if option.reaches_target]
    assert line and all(not any(o.total <= f.total and o.tpot_ms < f.tpot_ms for o in enough) for f in line)
    assert [o.tpot_ms for o in line] == sorted(o.tpot_ms for o in line)


def test_a_service_of_vectors_is_drawn_without_tokens(serving_review: Review, catalog: Catalog) -> None:
    from matplotlib.figure import Figure

    plan = apply_patch(serving_review.plan, {"architecture.kind": "encoder"})
    found, own = report_service(plan, catalog, with_fleets=False), estimate(plan, catalog, draws=0)
    figure = Figure()
    table = draw_latency(figure, LatencyData(found.curve, "USD"), ChartStyle(), "en")
    assert len(figure.axes) == 1 and table.rows[0][2] is None
    assert service_figures(found)[1].value == "–"
    assert f"{own.metric('ttft_ms_p95'):,.0f}" in service_figures(found)[0].value


@pytest.mark.parametrize(
    ("share", "shown"), [(0.99, "99"), (0.9996, "99.96"), (0.9999496, "99.9949"), (1.0, "> 99.999")]
)
def test_availability_shows_no_nine_that_is_not_reached(share: float, shown: str) -> None:
    assert availability_text(share, "zh_CN") == f"{shown}%"

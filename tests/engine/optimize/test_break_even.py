"""Self-hosting against an API: the break-even against brute force over volumes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import serving_plan, training_plan

from engine.arrays import BoolArray, FloatArray
from engine.catalog import Catalog
from engine.errors import Cancelled, InputError
from engine.estimation import estimate
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.optimize.break_even import break_even
from engine.plan import Plan, apply_patch
from engine.values import PlanValues

MONTH_S = 8760.0 / 12.0 * 3600.0
RATE = "serving.requests_per_second"


def priced_plan(input_price: float | None, output_price: float | None, **fields: Any) -> Plan:
    return serving_plan(
        serving__api_input_price_per_million=input_price,
        serving__api_output_price_per_million=output_price,
        **fields,
    )


def own_month(plan: Plan, catalog: Catalog, rate: float) -> float:
    """One whole estimate at another volume."""
    found = estimate(apply_patch(plan, {RATE: rate}), catalog, draws=0)
    return found.total / plan.schedule.horizon_months


def api_month(plan: Plan, rate: float) -> float:
    """By hand, without growth and tax."""
    serving = plan.serving
    assert serving is not None
    plain, output = serving.api_input_price_per_million, serving.api_output_price_per_million
    cached = serving.api_cached_input_price_per_million
    assert plain is not None and output is not None
    read = serving.input_tokens * serving.prefix_hit_rate
    each = (serving.input_tokens - read) * plain + read * (plain if cached is None else cached)
    return rate * MONTH_S * (each + serving.output_tokens * output) / 1e6


def scanned(plan: Plan, catalog: Catalog, rates: FloatArray) -> BoolArray:
    """Brute force: at which of the volumes self-hosting is not cheaper."""
    values = PlanValues(plan, catalog, {RATE: rates})
    own = evaluate(lower(values), plan.scope).total / plan.schedule.horizon_months
    return np.asarray(own >= rates * api_month(plan, 1.0))


@pytest.mark.parametrize(
    ("prices", "fields"),
    [
        ((3.0, 15.0), {}),
        ((5.0, 20.0), {"serving__prefix_hit_rate": 0.4, "serving__api_cached_input_price_per_million": 0.5}),
        ((6.0, 25.0), {"serving__autoscale": True, "serving__profile": "code"}),
    ],
)
def test_the_break_even_is_what_a_fine_grid_of_estimates_finds(
    catalog: Catalog, prices: tuple[float, float], fields: dict[str, Any]
) -> None:
    # The split is settled once: what is swept is the traffic.
    plan = priced_plan(*prices, layout__tensor_parallel=4, layout__pipeline_parallel=1, **fields)
    found = break_even(plan, catalog, draws=0)
    assert found.verdict == "found" and found.requests_per_second is not None
    volume = found.requests_per_second
    rates = np.geomspace(volume / 20.0, volume * 20.0, 20_001)
    last = int(np.flatnonzero(scanned(plan, catalog, rates)).max())
    assert rates[last] <= volume * (1.0 + 1e-9) and volume <= rates[last + 1]
    assert own_month(plan, catalog, volume) == pytest.approx(api_month(plan, volume), rel=1e-6)


def test_costs_today_are_the_estimates_and_the_price_lists(catalog: Catalog) -> None:
    plan = priced_plan(3.0, 15.0)
    found = break_even(plan, catalog, draws=500)
    whole = estimate(plan, catalog, draws=500)
    months = plan.schedule.horizon_months
    assert plan.serving is not None
    assert found.own_per_month == pytest.approx(whole.total / months)
    assert found.own_p10 == pytest.approx(whole.p10 / months)  # type: ignore[operator]
    assert found.own_p90 == pytest.approx(whole.p90 / months)  # type: ignore[operator]
    assert found.api_per_month == pytest.approx(api_month(plan, plan.serving.requests_per_second))


def test_the_curve_is_the_estimate_at_other_volumes(catalog: Catalog) -> None:
    plan = priced_plan(3.0, 15.0, layout__tensor_parallel=4, layout__pipeline_parallel=1)
    curve = break_even(plan, catalog, draws=0).curve
    assert curve is not None
    for place in (0, 100, 200, 320):
        rate = curve.requests_per_second[place]
        assert curve.own[place] == pytest.approx(own_month(plan, catalog, rate))
        assert curve.api[place] == pytest.approx(api_month(plan, rate))


def test_growth_and_tax_count_on_both_sides(catalog: Catalog) -> None:
    plan = priced_plan(3.0, 15.0, serving__growth_per_month=0.05, finance__tax_rate=0.1)
    found = break_even(plan, catalog, draws=0)
    assert plan.serving is not None
    grown = sum(1.05**month for month in range(12)) / 12
    untaxed = api_month(plan, plan.serving.requests_per_second) * grown
    assert found.api_per_month == pytest.approx(1.1 * untaxed)
    outside = apply_patch(plan, {"scope.categories": ["compute", "network"]})
    assert break_even(outside, catalog, draws=0).api_per_month == pytest.approx(untaxed)


@pytest.mark.parametrize(
    ("prices", "needs"),
    [
        ((None, 15.0), ("serving.api_input_price_per_million",)),
        ((3.0, None), ("serving.api_output_price_per_million",)),
        (
            (None, None),
            ("serving.api_input_price_per_million", "serving.api_output_price_per_million"),
        ),
    ],
)
def test_without_a_price_nothing_is_compared(
    catalog: Catalog, prices: tuple[float | None, float | None], needs: tuple[str, ...]
) -> None:
    found = break_even(priced_plan(*prices), catalog)
    assert (found.verdict, found.obstacle, found.needs) == ("not_evaluated", "prices", needs)
    assert found.curve is None and found.api_per_month is None


def test_nothing_is_a_price(catalog: Catalog) -> None:
    found = break_even(priced_plan(0.0, 0.0), catalog, draws=0)
    assert found.verdict == "never" and found.api_per_month == 0.0 and found.requests_per_second is None
    halved = break_even(priced_plan(0.0, 15.0), catalog, draws=0)
    assert halved.api_per_month is not None and halved.api_per_month > 0.0


def test_a_free_fleet_is_always_cheaper(catalog: Catalog) -> None:
    plan = priced_plan(
        3.0,
        15.0,
        cluster__price_per_gpu_hour=0.0,
        people__roles=[],
        network__egress_from_traffic=False,
        operations__monthly_cost=0.0,
        storage__dataset_gb=0.0,
    )
    found = break_even(plan, catalog, draws=0)
    assert (found.verdict, found.requests_per_second, found.crossings) == ("always", None, ())


def test_a_cost_nobody_knows_is_no_saving(catalog: Catalog) -> None:
    plan = priced_plan(3.0, 15.0, data__acquisition_cost=None)
    found = break_even(plan, catalog)
    assert (found.verdict, found.obstacle, found.needs) == (
        "not_evaluated",
        "unknown_cost",
        ("Data licences",),
    )


def test_a_fleet_that_misses_its_targets_is_not_compared(catalog: Catalog) -> None:
    found = break_even(priced_plan(3.0, 15.0, serving__tpot_slo_ms=0.01), catalog)
    assert (found.verdict, found.obstacle) == ("not_evaluated", "targets")


def test_a_dearer_api_and_a_better_used_fleet_bring_the_break_even_down(catalog: Catalog) -> None:
    found = break_even(priced_plan(5.0, 25.0), catalog, draws=0)
    at = {(case.driver, case.factor): case.requests_per_second for case in found.cases}
    middle = found.requests_per_second
    assert middle is not None and None not in at.values()
    assert at["api_price", 1.3] < middle < at["api_price", 0.7]  # type: ignore[operator]
    assert at["utilisation", 1.3] <= middle <= at["utilisation", 0.7]  # type: ignore[operator]


def test_a_case_is_the_break_even_of_the_plan_it_names(catalog: Catalog) -> None:
    found = break_even(priced_plan(5.0, 25.0), catalog, draws=0)
    dearer = break_even(priced_plan(6.5, 32.5), catalog, draws=0)
    case = next(item for item in found.cases if (item.driver, item.factor) == ("api_price", 1.3))
    assert case.requests_per_second == pytest.approx(dearer.requests_per_second)


def test_a_staircase_crosses_the_straight_line_several_times(catalog: Catalog) -> None:
    # Whole instances without a floor beneath: each new one lifts the cost over the API's again.
    fields: dict[str, Any] = {
        "people__roles": [],
        "serving__spare_instances": 0,
        "serving__availability": 0.0,
        "serving__profile": "flat",
        "layout__tensor_parallel": 4,
        "layout__pipeline_parallel": 1,
    }
    base = priced_plan(1.0, 1.0, **fields)
    full = own_month(base, catalog, 1e4) / api_month(base, 1e4)
    plan = priced_plan(full * 1.2, full * 1.2, **fields)
    found = break_even(plan, catalog, draws=0)
    assert len(found.crossings) >= 3
    assert found.crossings[-1] == pytest.approx(found.requests_per_second, rel=1e-6)
    for volume in found.crossings:
        near = np.array([volume * 0.9999, volume * 1.0001])
        assert set(scanned(plan, catalog, near).tolist()) == {True, False}
    # A grid of its own, far finer than the search's first, steps over nothing beyond the break-even.
    assert found.requests_per_second is not None
    beyond = np.geomspace(found.requests_per_second * (1.0 + 1e-6), found.requests_per_second * 100.0, 20_000)
    assert not scanned(plan, catalog, beyond).any()


def test_only_online_services_are_compared(catalog: Catalog) -> None:
    with pytest.raises(InputError, match=r"workload\.kind"):
        break_even(training_plan(), catalog)


def test_it_can_be_stopped(catalog: Catalog) -> None:
    with pytest.raises(Cancelled):
        break_even(priced_plan(3.0, 15.0), catalog, cancelled=lambda: True)


def test_a_fixed_fleet_is_compared_at_its_own_cost_and_swept_at_any_size(catalog: Catalog) -> None:
    plan = priced_plan(3.0, 15.0, serving__instances=50)
    found = break_even(plan, catalog, draws=0)
    assert found.own_per_month == pytest.approx(estimate(plan, catalog, draws=0).total / 12.0)
    free = break_even(apply_patch(plan, {"serving.instances": "auto"}), catalog, draws=0)
    assert found.requests_per_second == pytest.approx(free.requests_per_second)

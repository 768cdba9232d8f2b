"""The purchase mix: brute force over every base size, and one estimate after its changes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from engine.catalog import Catalog
from engine.errors import InputError
from engine.estimation import estimate
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.optimize.purchase_mix import demand_levels, search_purchase
from engine.optimize.purchase_offers import TERMS
from engine.plan import Plan, apply_patch
from engine.results import PurchaseMix
from engine.values import PlanValues
from tests.engine.plan_cases import serving_plan, training_plan

BASE = "cluster.committed_accelerators"
CHAT: dict[str, Any] = {
    "serving.profile": "chat",
    "serving.requests_per_second": 60.0,
    "serving.autoscale": True,
    "cluster.price_mode": "on_demand",
    "cluster.commitment_term_months": None,
    "cluster.price_per_gpu_hour": None,
}
CASES: dict[str, dict[str, Any]] = {
    "autoscaled": {},
    "static": {"serving.autoscale": False},
    "growing": {"serving.growth_per_month": 0.08, "schedule.horizon_months": 14.5},
    "shrinking": {"serving.growth_per_month": -0.1},
    "three years": {"schedule.horizon_months": 36.0, "serving.growth_per_month": 0.01},
    "short": {"schedule.horizon_months": 5.0},
    "large instances": {"layout.tensor_parallel": 4, "serving.requests_per_second": 300.0},
    "spot": {"schedule.interruptible": True},
    "entered price": {"cluster.price_per_gpu_hour": 3.1, "schedule.interruptible": True},
    "entered base price": {"cluster.committed_price_per_gpu_hour": 2.0, "cluster.committed_term_months": 6.0},
    "owned": {"cluster.price_mode": "owned"},
    "free": {"cluster.price_per_gpu_hour": 0.0},
    "shared reservation": {"cluster.price_mode": "reserved"},
    "reserved for a term": {"cluster.price_mode": "reserved", "cluster.commitment_term_months": 12.0},
    "tax, support and energy": {
        "finance.tax_rate": 0.06,
        "operations.support_share": 0.05,
        "operations.energy_included": False,
    },
    "base already": {BASE: 3, "cluster.committed_term_months": 36.0},
    "fixed fleet": {"serving.instances": 40},
    "code": {"serving.profile": "code", "serving.peak_to_mean": 6.0},
}


def plan_of(case: str) -> Plan:
    return serving_plan({**CHAT, **CASES[case]})


def taken(plan: Plan, mix: PurchaseMix) -> Plan:
    return apply_patch(plan, {change.path: change.after for change in mix.changes})


def by_hand(plan: Plan, catalog: Catalog, mix: PurchaseMix) -> float:
    """The lowest kernel total over every base size, term, way above the base and share on spot."""
    peak = demand_levels(plan, catalog).peak
    sizes = np.arange(peak + 3, dtype=float)
    prices = {offer.term_months: offer.price_per_gpu_hour for offer in mix.offers if offer.mode == "reserved"}
    spot = next((o.price_per_gpu_hour for o in mix.offers if o.mode == "spot"), None)
    most = catalog.fact("operations", "spot_share_most").value
    tops = [o for o in mix.offers if o.break_even is None and o.mode in ("on_demand", "owned")]
    tops += [o for o in mix.offers if o.break_even is None and o.mode == "reserved" and o.term_months is None]
    found = [float(evaluate(lower(PlanValues(plan, catalog)), plan.scope).total)]
    for top, (term, price), share in product(tops, prices.items(), (0.0, most) if spot else (0.0,)):
        if term is None:
            continue
        variant = apply_patch(
            plan,
            {
                "cluster.price_mode": top.mode,
                "cluster.price_per_gpu_hour": top.price_per_gpu_hour,
                "cluster.committed_term_months": term,
                "cluster.committed_price_per_gpu_hour": price,
                "cluster.spot_share": share,
                "cluster.spot_price_per_gpu_hour": spot,
            },
        )
        rows = evaluate(lower(PlanValues(variant, catalog, {BASE: sizes})), plan.scope)
        found.append(float(np.min(rows.total)))
    return min(found)


@pytest.mark.parametrize("case", CASES)
def test_the_mix_is_what_brute_force_finds_and_what_an_estimate_gives(case: str, catalog: Catalog) -> None:
    plan = plan_of(case)
    mix = search_purchase(plan, catalog)
    assert mix.total == pytest.approx(by_hand(plan, catalog, mix), rel=1e-9)
    after = estimate(taken(plan, mix), catalog, draws=0)
    assert after.complete and after.total == pytest.approx(mix.total, rel=1e-9)
    assert mix.baseline_total == pytest.approx(estimate(plan, catalog, draws=0).total)
    assert mix.total <= mix.baseline_total
    assert mix.total <= mix.uncommitted_total * (1 + 1e-9)


@pytest.mark.parametrize("case", CASES)
def test_the_bound_is_proven_and_met(case: str, catalog: Catalog) -> None:
    mix = search_purchase(plan_of(case), catalog)
    assert mix.bound <= mix.total
    assert mix.gap * mix.total == pytest.approx(mix.total - mix.bound)
    assert mix.gap < 1e-6 or not mix.changes
    assert min(mix.curve.total) >= mix.bound * (1 - 1e-9) or case in ("base already", "reserved for a term")


@pytest.mark.parametrize(
    "case", ["autoscaled", "static", "growing", "three years", "spot", "large instances"]
)
def test_the_break_even_share_says_where_the_base_ends(case: str, catalog: Catalog) -> None:
    mix = search_purchase(plan_of(case), catalog)
    offer = next(o for o in mix.offers if o.mode == "reserved" and o.term_months == mix.term_months)
    assert mix.committed_accelerators > 0
    assert mix.last_used >= offer.break_even - 1e-9 >= mix.next_used - 2e-9


def test_the_break_even_share_is_the_ratio_of_prices_within_the_term(catalog: Catalog) -> None:
    mix = search_purchase(plan_of("autoscaled"), catalog)
    price = {(o.mode, o.term_months): o.price_per_gpu_hour for o in mix.offers}
    share = {o.term_months: o.break_even for o in mix.offers if o.mode == "reserved"}
    for term in TERMS:
        stretch = max(term, 12.0) / 12.0
        ratio = price["reserved", term] / price["on_demand", None]
        assert share[term] == pytest.approx(ratio * stretch)


def test_a_longer_horizon_takes_the_longer_term(catalog: Catalog) -> None:
    assert search_purchase(plan_of("autoscaled"), catalog).term_months == 12.0
    assert search_purchase(plan_of("three years"), catalog).term_months == 36.0
    assert search_purchase(plan_of("short"), catalog).committed_accelerators == 0


def test_owned_and_free_hours_are_not_committed_away(catalog: Catalog) -> None:
    for case in ("owned", "free"):
        mix = search_purchase(plan_of(case), catalog)
        assert mix.changes == ()
        assert mix.committed_accelerators == 0
        assert mix.total == mix.baseline_total


def test_a_base_above_the_peak_only_adds_unused_hours(catalog: Catalog) -> None:
    plan = plan_of("growing")
    peak = demand_levels(plan, catalog).peak
    at_peak, above = (estimate(apply_patch(plan, {BASE: n}), catalog, draws=0) for n in (peak, peak + 7))
    price = float(lower(PlanValues(plan, catalog)).money.purchase.base.price_per_gpu_hour)
    assert above.total - at_peak.total == pytest.approx(7 * 14.5 * 730 * price)
    amounts = [{line.item: line.amount for line in found.lines} for found in (at_peak, above)]
    moved = {item for item in amounts[1] if amounts[1][item] != pytest.approx(amounts[0].get(item, 0.0))}
    assert moved == {"Committed base, unused"}
    assert "Serving instances" not in amounts[0]


def test_hours_of_the_week_add_up(catalog: Catalog) -> None:
    plan = plan_of("large instances")
    mix = search_purchase(plan, catalog)
    held, top, idle = (np.array(x) for x in (mix.hourly_committed, mix.hourly_elastic, mix.hourly_unused))
    assert held.size == top.size == idle.size == 168
    assert held + idle == pytest.approx(np.full(168, mix.committed_accelerators))
    outcome = evaluate(lower(PlanValues(plan, catalog)), plan.scope)
    assert outcome.service is not None
    needed = outcome.service.fleet.hourly_instances * 4 / plan.cluster.busy_share
    assert held + top == pytest.approx(needed)
    after = estimate(taken(plan, mix), catalog, draws=0)
    unused = next(line.quantity for line in after.lines if line.item == "Committed base, unused")
    assert unused == pytest.approx(idle.mean() * 12 * 730)


def test_the_curve_is_the_kernel_at_every_size(catalog: Catalog) -> None:
    plan = plan_of("spot")
    mix = search_purchase(plan, catalog)
    changed = taken(plan, mix)
    assert mix.curve.best == mix.committed_accelerators
    for size, total in list(zip(mix.curve.x, mix.curve.total, strict=True))[::5]:
        one = estimate(apply_patch(changed, {BASE: int(size)}), catalog, draws=0)
        assert one.total == pytest.approx(total, rel=1e-9)


def test_without_prices_an_option_is_named_and_without_any_the_plan_is_refused(catalog: Catalog) -> None:
    own = {"cluster.accelerator": "own", "cluster.accelerator_spec": SPEC}
    plan = serving_plan({**CHAT, **own, "cluster.price_per_gpu_hour": 2.0})
    mix = search_purchase(plan, catalog)
    assert mix.changes == ()
    assert {text.render() for text in mix.left_out} == {
        "Reserved for 12 months: nobody knows a price",
        "Reserved for 36 months: nobody knows a price",
    }
    assert mix.curve.x == (0.0,)
    with pytest.raises(InputError, match="price"):
        search_purchase(apply_patch(plan, {"cluster.price_per_gpu_hour": None}), catalog)


def test_a_base_with_the_only_known_price_covers_every_hour(catalog: Catalog) -> None:
    own = {"cluster.accelerator": "own", "cluster.accelerator_spec": SPEC}
    plan = serving_plan({**CHAT, **own, "cluster.committed_price_per_gpu_hour": 1.5})
    mix = search_purchase(plan, catalog)
    assert mix.baseline_total is None and mix.uncommitted_total is None
    assert mix.committed_accelerators == demand_levels(plan, catalog).peak
    after = estimate(taken(plan, mix), catalog, draws=0)
    assert after.complete and after.total == pytest.approx(mix.total)


def test_plans_that_buy_no_fleet_are_refused(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="workload"):
        search_purchase(training_plan(), catalog)
    with pytest.raises(InputError, match="tpot"):
        search_purchase(serving_plan({**CHAT, "serving.tpot_slo_ms": 0.01}), catalog)
    endless = {"serving.growth_per_month": 2.0, "schedule.horizon_months": 240.0}
    with pytest.raises(InputError, match="requests_per_second"):
        search_purchase(serving_plan({**CHAT, **endless}), catalog)


SPEC = {
    "name": "own",
    "memory_gib": 80.0,
    "memory_bandwidth_gb_per_s": 3350.0,
    "peak_tflops": {"bf16": 989.0, "fp8": 1979.0},
    "scale_up_gb_per_s": 450.0,
    "power_w": 700.0,
    "accelerators_per_node": 8,
}

"""The fleet search: equal to estimating every fleet by itself, and never cheap for want of a price."""

from __future__ import annotations

import time
from itertools import product

import pytest

from engine.catalog import Catalog
from engine.errors import FlopwiseError, InputError
from engine.estimation import estimate
from engine.optimize.fleets import BATCH_CAPS, NO_PRICE, TERMS, search_fleets
from engine.optimize.service_report import report_service
from engine.plan import apply_patch
from engine.splits import SPLITS
from tests.engine.plan_cases import serving_plan, training_plan

PLAN = apply_patch(
    serving_plan(),
    {"layout.tensor_parallel": 4, "cluster.price_per_gpu_hour": None, "serving.weight_precision": "bf16"},
)
EIGHT = ("h100-sxm", "h200-sxm", "a100-sxm-80", "b200", "l40s", "mi300x", "h100-pcie", "a100-sxm-40")


def by_hand(catalog: Catalog, name: str) -> list[float]:
    """Totals of every fleet of one accelerator that is feasible and fully priced, one estimate each."""
    found = []
    purchases = dict.fromkeys(((PLAN.cluster.price_mode, PLAN.cluster.commitment_term_months), *TERMS))
    for precision, (mode, term), split, cap, scale in product(
        ("bf16", "fp8"), purchases, SPLITS, BATCH_CAPS, (False, True)
    ):
        part = catalog.accelerator(name)
        if PLAN.architecture.num_attention_heads % split or split > part.scale_up_domain:
            continue
        patch = {
            "cluster.accelerator": name,
            "cluster.price_mode": mode,
            "cluster.commitment_term_months": term,
            "serving.weight_precision": precision,
            "layout.tensor_parallel": split,
            "layout.pipeline_parallel": 1,
            "serving.max_num_seqs": cap,
            "serving.autoscale": scale,
            "serving.instances": "auto",
        }
        try:
            one = estimate(apply_patch(PLAN, patch), catalog, draws=0)
        except FlopwiseError:
            continue
        if one.feasible and one.complete:
            found.append(one.total)
    return sorted(found)


@pytest.mark.parametrize("name", ["h100-sxm", "a100-sxm-40"])
def test_the_search_equals_one_estimate_after_another(catalog: Catalog, name: str) -> None:
    report = search_fleets(PLAN, catalog, [name])
    totals = by_hand(catalog, name)
    assert report.cheapest[0].total == pytest.approx(totals[0], rel=1e-9)
    assert all(any(abs(o.total / t - 1.0) < 1e-9 for t in totals) for o in report.cheapest)
    assert report.evaluated - sum(report.excluded.values()) == len(totals)


def test_what_a_fleet_changes_gives_its_total(catalog: Catalog) -> None:
    report = search_fleets(PLAN, catalog, EIGHT)
    for option in (report.cheapest[0], report.cheapest[-1], report.frontier[-1]):
        changed = apply_patch(PLAN, {change.path: change.after for change in option.changes})
        found = estimate(changed, catalog, draws=0)
        assert found.total == pytest.approx(option.total, rel=1e-9)
        assert found.metric("ttft_ms_p95") == pytest.approx(option.ttft_ms, rel=1e-9)
        assert found.metric("tpot_ms_p95") == pytest.approx(option.tpot_ms, rel=1e-9)
        assert found.feasible and found.complete


def test_a_missing_price_is_never_a_saving(catalog: Catalog) -> None:
    report = search_fleets(PLAN, catalog, ["h20-96"])
    assert report.cheapest == ()
    assert report.excluded[NO_PRICE] > 0


def test_the_frontier_is_what_no_other_beats(catalog: Catalog) -> None:
    frontier = search_fleets(PLAN, catalog, EIGHT).frontier
    for one in frontier:
        for other in frontier:
            assert one is other or not (
                other.total <= one.total and other.ttft_ms <= one.ttft_ms and other.tpot_ms <= one.tpot_ms
            )


def test_eight_accelerators_take_two_seconds_at_most(catalog: Catalog) -> None:
    search_fleets(PLAN, catalog, EIGHT[:1])
    start = time.process_time()
    search_fleets(PLAN, catalog, EIGHT)
    assert time.process_time() - start < 4.0  # twice the budget: this machine may be busy


def test_wrong_plans_and_names_are_refused(catalog: Catalog) -> None:
    with pytest.raises(InputError):
        search_fleets(training_plan(), catalog)
    with pytest.raises(InputError, match="h1000"):
        search_fleets(PLAN, catalog, ["h1000"])


def test_spares_are_searched_like_everything_else(catalog: Catalog) -> None:
    """Every frontier fleet is the estimate of its own plan, and no plan of the set beats it."""
    plan = apply_patch(PLAN, {"reliability.failures_per_node_day": 1.0, "serving.cold_start_s": 3600.0})
    report = search_fleets(plan, catalog, ["h100-sxm"], with_spares=True)
    assert report.evaluated == 4 * search_fleets(plan, catalog, ["h100-sxm"]).evaluated
    assert len({option.spare_instances for option in report.frontier}) > 1
    own = (plan.serving.spare_instances, plan.serving.availability)
    brute = []
    for spares, target in (own, (0, 0.0), (1, 0.0), (2, 0.0)):
        patched = apply_patch(plan, {"serving.spare_instances": spares, "serving.availability": target})
        plain = search_fleets(patched, catalog, ["h100-sxm"])
        brute += [(o.total, o.ttft_ms, o.tpot_ms, -o.availability) for o in plain.cheapest + plain.frontier]
    for option in report.frontier:
        figures = (option.total, option.ttft_ms, option.tpot_ms, -option.availability)
        changed = apply_patch(plan, {change.path: change.after for change in option.changes})
        week = report_service(changed, catalog, with_fleets=False).week
        assert week.availability == pytest.approx(option.availability, rel=1e-12)
        assert week.spare_instances == option.spare_instances
        assert estimate(changed, catalog, draws=0).total == pytest.approx(option.total, rel=1e-9)
        assert not any(
            other != figures and all(a <= b for a, b in zip(other, figures, strict=True)) for other in brute
        )


def test_the_cheapest_reach_the_availability_asked_for(catalog: Catalog) -> None:
    plan = apply_patch(PLAN, {"reliability.failures_per_node_day": 1.0, "serving.cold_start_s": 3600.0})
    report = search_fleets(plan, catalog, ["h100-sxm"], with_spares=True)
    assert all(option.availability >= plan.serving.availability for option in report.cheapest)
    assert any(not option.reaches_target for option in report.frontier)
    assert all(len(option.why) == 3 for option in report.cheapest)


def test_a_fleet_says_what_limits_its_batch(catalog: Catalog) -> None:
    for option in search_fleets(PLAN, catalog, EIGHT).cheapest:
        cap = next((c.after for c in option.changes if c.path == "serving.max_num_seqs"), 1024)
        if option.limited_by == "engine":
            assert option.batch == cap
        else:
            assert option.batch < cap
        limits = {"memory": "memory", "engine": "engine", "tpot": "TPOT", "ttft": "TTFT"}
        assert limits[option.limited_by] in option.why[0].render()


def test_a_cancelled_search_ends_early(catalog: Catalog) -> None:
    assert search_fleets(PLAN, catalog, EIGHT, cancelled=lambda: True).evaluated == 0


def test_eight_accelerators_with_spares_take_two_seconds_at_most(catalog: Catalog) -> None:
    search_fleets(PLAN, catalog, EIGHT[:1], with_spares=True)
    start = time.process_time()
    search_fleets(PLAN, catalog, EIGHT, with_spares=True)
    assert time.process_time() - start < 4.0  # twice the budget: this machine may be busy

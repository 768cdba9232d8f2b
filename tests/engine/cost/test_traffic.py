"""Egress of answers, load balancers and the vector store, counted by hand on whole plans."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import serving_plan, training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.plan import apply_patch, find_field
from engine.results import CostLine, Estimate
from engine.uncertainty.ranges import uncertain_inputs
from engine.values import PlanValues

SECONDS_PER_MONTH = 8760.0 / 12.0 * 3600.0


def priced(catalog: Catalog, **fields: Any) -> Estimate:
    return estimate(serving_plan(**fields), catalog, draws=0)


def line(found: Estimate, item: str) -> CostLine:
    return next(entry for entry in found.lines if entry.item == item)


def items(found: Estimate) -> set[str]:
    return {entry.item for entry in found.lines}


def requests_by_hand(rate: float, growth: float, months: float) -> float:
    """Month after month; the last may be a part."""
    total, level, left = 0.0, rate, months
    while left > 0.0:
        total += level * SECONDS_PER_MONTH * min(1.0, left)
        level *= 1.0 + growth
        left -= 1.0
    return total


@pytest.mark.parametrize(("growth", "months"), [(0.0, 12.0), (0.07, 12.0), (0.1, 5.5), (-0.2, 3.25)])
def test_answers_leave_to_the_internet(catalog: Catalog, growth: float, months: float) -> None:
    found = priced(
        catalog,
        serving__requests_per_second=3.0,
        serving__output_tokens=200.0,
        serving__growth_per_month=growth,
        schedule__horizon_months=months,
        network__answer_bytes_per_token=300.0,
        network__egress_gb=17.0,
    )
    entry = line(found, "Internet egress")
    requests = requests_by_hand(3.0, growth, months)
    assert entry.quantity == pytest.approx(17.0 + requests * 200.0 * 300.0 / 1e9)
    assert entry.unit_price == catalog.fact("network", "egress_internet").value
    assert found.metric("cost_per_request") == pytest.approx(found.total / requests)


def test_answers_that_stay_inside_cost_no_egress(catalog: Catalog) -> None:
    assert "Internet egress" not in items(priced(catalog, network__egress_from_traffic=False))
    found = priced(catalog, network__egress_from_traffic=False, network__egress_gb=17.0)
    assert line(found, "Internet egress").quantity == 17.0


def test_an_empty_size_of_a_token_is_the_catalogues(catalog: Catalog) -> None:
    fact = catalog.fact("network", "answer_bytes_per_token")
    entry = line(priced(catalog), "Internet egress")
    assert entry.trace is not None
    used = next(item for item in entry.trace.inputs if item.path == "network.answer_bytes_per_token")
    assert (used.value, used.provenance, used.source) == (fact.value, "catalogue", fact.source)
    ranged = {item.path: item for item in uncertain_inputs(PlanValues(serving_plan(), catalog))}
    drawn = ranged["network.answer_bytes_per_token"]
    assert (drawn.low, drawn.high) == (fact.low, fact.high)


def test_a_size_that_costs_nothing_is_not_drawn(catalog: Catalog) -> None:
    inside = serving_plan(network__egress_from_traffic=False)
    for plan in (inside, training_plan()):
        paths = {item.path for item in uncertain_inputs(PlanValues(plan, catalog))}
        assert "network.answer_bytes_per_token" not in paths


def test_load_balancers_are_paid_by_the_month_and_the_gigabyte(catalog: Catalog) -> None:
    found = priced(
        catalog,
        serving__requests_per_second=2.0,
        serving__input_tokens=1000.0,
        serving__output_tokens=100.0,
        network__answer_bytes_per_token=250.0,
        network__load_balancers=4,
        network__egress_from_traffic=False,
        schedule__horizon_months=6.0,
    )
    assert line(found, "Load balancers").amount == pytest.approx(
        4 * 6 * catalog.fact("network", "load_balancer_month").value
    )
    each = catalog.fact("network", "request_bytes_per_token").value
    gb = requests_by_hand(2.0, 0.0, 6.0) * (1000.0 * each + 100.0 * 250.0) / 1e9
    traffic = line(found, "Load balancer traffic")
    assert traffic.quantity == pytest.approx(gb)
    assert traffic.unit_price == catalog.fact("network", "load_balancer_gb").value


def test_without_a_load_balancer_nothing_is_billed_for_it(catalog: Catalog) -> None:
    assert not {"Load balancers", "Load balancer traffic"} & items(priced(catalog))


def test_the_vector_store_is_as_entered_else_from_its_vectors(catalog: Catalog) -> None:
    each = catalog.fact("defaults", "vector_bytes_per_number").value
    price = catalog.fact("storage", "vector_store").value
    counted = priced(catalog, storage__vectors=2e8, storage__vector_dimensions=768)
    assert line(counted, "Vector store").amount == pytest.approx(2e8 * 768 * each / 1e9 * 12.0 * price)
    entered = priced(catalog, storage__vectors=2e8, storage__vector_store_gb=50.0)
    assert line(entered, "Vector store").amount == pytest.approx(50.0 * 12.0 * price)
    assert "Vector store" not in items(priced(catalog, storage__vectors=2e8, storage__vector_store_gb=0.0))


def test_a_price_without_an_exchange_rate_is_unknown_only_where_something_is_bought(catalog: Catalog) -> None:
    fields = {"meta__currency": "CNY", "cluster__price_per_gpu_hour": 20.0, "people__roles": []}
    sent = priced(catalog, **fields, network__load_balancers=1, storage__vectors=1e6)
    assert {"Internet egress", "Load balancers", "Load balancer traffic", "Vector store"} <= set(sent.unknown)
    assert line(sent, "Internet egress").amount is None
    quiet = priced(catalog, **fields, network__egress_from_traffic=False)
    assert not {"Internet egress", "Load balancers", "Vector store"} & set(quiet.unknown)


def test_other_workloads_send_no_answers(catalog: Catalog) -> None:
    found = estimate(training_plan(network__egress_gb=5.0), catalog, draws=0)
    assert line(found, "Internet egress").quantity == 5.0


def test_the_new_fields_are_laid_out_with_units() -> None:
    for path, unit in (("network.answer_bytes_per_token", "byte/token"), ("storage.vector_store_gb", "GB")):
        spec = find_field(path)
        assert spec is not None and spec.unit == unit and spec.nullable


def test_an_encoder_sends_vectors_not_tokens(catalog: Catalog) -> None:
    plan = apply_patch(
        serving_plan(network__answer_bytes_per_token=300.0),
        {"architecture.kind": "encoder", "serving.output_tokens": 500.0},
    )
    found = line(estimate(plan, catalog, draws=0), "Internet egress")
    each = catalog.fact("network", "embedding_bytes_per_number").value
    rate = plan.serving.requests_per_second if plan.serving else 0.0
    expected = requests_by_hand(rate, 0.0, 12.0) * plan.architecture.hidden_size * each / 1e9
    assert found.quantity == pytest.approx(expected)

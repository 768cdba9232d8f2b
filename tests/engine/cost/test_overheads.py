"""People, data, network, energy, operations, delay and tax, counted by hand on a whole plan."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import training_plan

from engine.catalog import Catalog
from engine.estimation import estimate
from engine.results import CostLine, Estimate


def priced(catalog: Catalog, **fields: Any) -> Estimate:
    return estimate(training_plan(**fields), catalog, draws=0)


def line(found: Estimate, item: str) -> CostLine:
    return next(entry for entry in found.lines if entry.item == item)


def months_of(found: Estimate) -> float:
    return (found.metric("preparation_days") + found.metric("duration_h") / 24) * 12 / 365


def test_people_work_as_long_as_the_work_lasts(catalog: Catalog) -> None:
    role = {"role": "ml_engineer", "fte": 2.5, "monthly_cost": 10_000.0}
    found = priced(catalog, people__roles=[role])
    entry = line(found, "Machine-learning engineers")
    assert entry.quantity == pytest.approx(2.5 * months_of(found))
    assert entry.amount == pytest.approx(25_000.0 * months_of(found))


def test_people_with_a_term_are_paid_for_it(catalog: Catalog) -> None:
    role = {"role": "manager", "fte": 0.5, "months": 3.0}
    entry = line(priced(catalog, people__roles=[role]), "Project leads")
    assert entry.quantity == pytest.approx(1.5)
    assert entry.unit_price == catalog.fact("people", "manager_month").value


def test_data_costs_are_as_entered(catalog: Catalog) -> None:
    found = priced(catalog, data__acquisition_cost=5e5, data__preparation_cost=184e3)
    assert line(found, "Data licences").amount == 5e5
    assert line(found, "Cleaning and labelling").amount == 184e3
    assert found.metric("data_share") == pytest.approx(684e3 / found.total)


def test_data_of_unknown_cost_is_unknown(catalog: Catalog) -> None:
    found = priced(catalog, data__acquisition_cost=None)
    assert found.unknown == ("Data licences",) and not found.complete
    assert line(found, "Data licences").amount is None
    assert found.total == pytest.approx(priced(catalog).total)


def test_traffic_is_priced_a_gigabyte(catalog: Catalog) -> None:
    found = priced(catalog, network__egress_gb=1e6, network__cross_region_gb=2e6)
    assert line(found, "Internet egress").amount == pytest.approx(
        1e6 * catalog.fact("network", "egress_internet").value
    )
    assert line(found, "Cross-region traffic").amount == pytest.approx(
        2e6 * catalog.fact("network", "cross_region").value
    )


def test_electricity_is_paid_where_the_price_of_an_hour_does_not_hold_it(catalog: Catalog) -> None:
    without = priced(catalog)
    found = priced(catalog, operations__energy_included=False, operations__energy_price_per_kwh=0.1)
    watts = catalog.accelerator("h100-sxm").tdp_w * catalog.fact("energy", "pue").value
    kwh = found.metric("gpu_hours") * watts / 1000
    assert line(found, "Electricity").quantity == pytest.approx(kwh)
    assert found.total - without.total == pytest.approx(kwh * 0.1, rel=1e-6)
    assert "Electricity" not in {entry.item for entry in without.lines}


def test_support_is_a_share_of_the_accelerator_bill(catalog: Catalog) -> None:
    found = priced(catalog, operations__support_share=0.1, operations__monthly_cost=1000.0)
    bill = sum(entry.amount for entry in found.lines if entry.unit == "GPU-h")
    assert line(found, "Vendor support").amount == pytest.approx(0.1 * bill)
    assert line(found, "Monitoring and tools").amount == pytest.approx(1000 * months_of(found))


def test_each_day_after_the_deadline_costs(catalog: Catalog) -> None:
    base = priced(catalog)
    days = base.metric("duration_h") / 24
    late = priced(catalog, schedule__deadline_days=days - 10, schedule__cost_of_delay_per_day=5000.0)
    assert line(late, "Delay after the deadline").amount == pytest.approx(50_000.0)
    assert late.total == pytest.approx(base.total + 50_000.0)
    in_time = priced(catalog, schedule__deadline_days=days + 1, schedule__cost_of_delay_per_day=5000.0)
    assert in_time.total == pytest.approx(base.total)
    # Experiments come before the run and are late with it.
    trials = {"experiments__runs": 10, "experiments__run_share": 0.1}
    trying = priced(catalog, **trials)
    end = trying.metric("preparation_days") + trying.metric("duration_h") / 24
    both = priced(catalog, **trials, schedule__deadline_days=end - 1, schedule__cost_of_delay_per_day=5000.0)
    assert line(both, "Delay after the deadline").amount == pytest.approx(5000.0)


def test_delay_without_its_price_or_deadline_is_not_counted(catalog: Catalog) -> None:
    assert priced(catalog, schedule__deadline_days=1.0).total == pytest.approx(priced(catalog).total)
    assert priced(catalog, schedule__cost_of_delay_per_day=1e6).total == pytest.approx(priced(catalog).total)


def test_tax_is_on_what_is_in_scope(catalog: Catalog) -> None:
    base = priced(catalog, scope__include_retries=False)
    taxed = priced(catalog, scope__include_retries=False, finance__tax_rate=0.13)
    assert taxed.total == pytest.approx(1.13 * base.total)
    assert line(taxed, "Tax").amount == pytest.approx(0.13 * base.total)

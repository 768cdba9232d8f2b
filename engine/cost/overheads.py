"""Everything beside accelerators and storage: people, data, network, energy, operations, delay, tax."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs, RolePlan
from engine.cost.ledger import DAYS_PER_MONTH, Line, LineSpec, Term, total
from engine.cost.traffic import answered_egress, balancer_lines
from engine.plan.money import CATEGORIES, Scope
from engine.text import N_

ROLE_TITLES = {
    "ml_engineer": N_("Machine-learning engineers"),
    "infra_engineer": N_("Infrastructure engineers"),
    "data_engineer": N_("Data engineers"),
    "manager": N_("Project leads"),
}
PEOPLE_FORMULA = N_("full-time equivalents x months, times the cost a month")
LICENCES = LineSpec("data", N_("Data licences"), "prepare", "lot", "fixed", N_("as entered"))
CLEANING = LineSpec("data", N_("Cleaning and labelling"), "prepare", "lot", "fixed", N_("as entered"))
EGRESS = LineSpec("network", N_("Internet egress"), "run", "GB", "variable", N_("GB sent, times the price"))
CROSS = LineSpec(
    "network", N_("Cross-region traffic"), "run", "GB", "variable", N_("GB sent, times the price")
)
ENERGY = LineSpec(
    "energy",
    N_("Electricity"),
    "run",
    "kWh",
    "variable",
    N_("paid GPU-hours x power x power usage effectiveness, times the price"),
)
MONITORING = LineSpec(
    "operations", N_("Monitoring and tools"), "run", "months", "fixed", N_("months x cost a month")
)
SUPPORT = LineSpec(
    "operations", N_("Vendor support"), "run", "share", "variable", N_("accelerator bill x support share")
)
DELAY = LineSpec(
    "operations",
    N_("Delay after the deadline"),
    "run",
    "d",
    "variable",
    N_("days after the deadline, times the cost of a day"),
)
TAX = LineSpec(
    "operations", N_("Tax"), "run", "share", "variable", N_("sum of all other lines in scope x tax rate")
)

EVERYTHING = Scope(categories=CATEGORIES, include_retries=True, include_experiments=True)


def people_lines(roles: tuple[RolePlan, ...], *, end_day: Array) -> list[Line]:
    """One line a role; an empty month count means as long as the work lasts."""
    return [_role_line(index, role, end_day) for index, role in enumerate(roles)]


def _role_line(index: int, role: RolePlan, end_day: Array) -> Line:
    months = np.where(np.isnan(role.months), end_day / DAYS_PER_MONTH, role.months)
    spec = LineSpec("people", ROLE_TITLES[role.role], "run", "FTE-month", "variable", PEOPLE_FORMULA)
    path = f"people.roles.{index}"
    return Line(
        spec,
        role.fte * months,
        role.monthly_cost,
        {
            N_("full-time equivalents"): Term(role.fte, "FTE", path),
            N_("number of months"): Term(months, "months", path),
            N_("cost a month"): Term(role.monthly_cost, "currency/FTE-month", path, role.source, role.date),
        },
        0.0,
        0.0,
        np.maximum(end_day, months * DAYS_PER_MONTH),
    )


def overhead_lines(money: MoneyInputs, compute: list[Line], *, end_day: Array) -> list[Line]:
    """Data, network, energy, operations and delay. `compute` are the accelerator lines already made."""
    return [
        *_data_lines(money),
        *_network_lines(money, end_day),
        _energy_line(money, compute, end_day),
        *_operations_lines(money, compute, end_day),
        _delay_line(money, end_day),
    ]


def _data_lines(money: MoneyInputs) -> list[Line]:
    amounts = (
        (LICENCES, money.data_acquisition, "data.acquisition_cost"),
        (CLEANING, money.data_preparation, "data.preparation_cost"),
    )
    return [
        Line(spec, 1.0, cost, {N_("amount"): Term(cost, "currency", path)}) for spec, cost, path in amounts
    ]


def _network_lines(money: MoneyInputs, end_day: Array) -> list[Line]:
    flows = (
        (EGRESS, money.egress_gb, money.egress_price, "network.egress_gb"),
        (CROSS, money.cross_region_gb, money.cross_region_price, "network.cross_region_gb"),
    )
    lines = []
    for spec, size, price, path in flows:
        tariff = Term(price, "currency/GB", None, money.network_source, money.network_date)
        terms = {N_("GB"): Term(size, "GB", path), N_("price"): tariff}
        lines.append(Line(spec, size, price, terms, 0.0, 0.0, end_day))
    if money.answers is None:
        return lines
    return [
        answered_egress(money, money.answers, end_day),
        *lines[1:],
        *balancer_lines(money.answers, end_day),
    ]


def _energy_line(money: MoneyInputs, compute: list[Line], end_day: Array) -> Line:
    """Electricity, where the GPU price does not hold it already."""
    gpu_hours = sum((line.quantity for line in compute), start=0.0)
    power_kw = money.accelerator_power_w / 1000.0 * money.power_usage_effectiveness
    kwh = np.where(np.asarray(money.energy_excluded) > 0, gpu_hours * power_kw, 0.0)
    path = "operations.energy_price_per_kwh"
    terms = {
        N_("GPU-hours"): Term(gpu_hours, "GPU-h"),
        N_("power"): Term(money.accelerator_power_w, "W"),
        N_("power usage effectiveness"): Term(money.power_usage_effectiveness, "ratio"),
        N_("price"): Term(money.energy_price_per_kwh, "currency/kWh", path, money.energy_source),
    }
    return Line(ENERGY, kwh, money.energy_price_per_kwh, terms, 0.0, 0.0, end_day)


def _operations_lines(money: MoneyInputs, compute: list[Line], end_day: Array) -> list[Line]:
    months = end_day / DAYS_PER_MONTH
    unpriced = np.isnan(sum((line.amount for line in compute), start=np.zeros(())))
    bill = np.where(unpriced, np.nan, total(compute, EVERYTHING))
    support = money.purchase.support_share
    monitoring = {
        N_("number of months"): Term(months, "months"),
        N_("cost a month"): Term(money.operations_monthly, "currency/month", "operations.monthly_cost"),
    }
    supported = {
        N_("accelerator bill"): Term(bill, "currency"),
        N_("support share"): Term(support, "share", "operations.support_share"),
    }
    return [
        Line(MONITORING, months, money.operations_monthly, monitoring, 0.0, 0.0, end_day),
        Line(SUPPORT, support, bill, supported, 0.0, 0.0, end_day),
    ]


def _delay_line(money: MoneyInputs, end_day: Array) -> Line:
    """What each day after the deadline costs; nothing while deadline or cost of delay are not given."""
    deadline, daily = money.deadline_days, money.cost_of_delay_per_day
    counted = ~(np.isnan(deadline) | np.isnan(daily))
    late = np.where(counted, np.maximum(0.0, end_day - deadline), 0.0)
    terms = {
        N_("deadline"): Term(deadline, "d", "schedule.deadline_days"),
        N_("cost of a day"): Term(daily, "currency/d", "schedule.cost_of_delay_per_day"),
    }
    return Line(DELAY, late, daily, terms, 0.0, np.fmin(deadline, end_day), end_day)


def tax_line(money: MoneyInputs, lines: list[Line], scope: Scope, *, end_day: Array) -> Line:
    """Tax on what is in scope. An unknown line leaves the taxed sum incomplete, as the total says."""
    taxed = total(lines, scope)
    return Line(
        TAX,
        money.tax_rate,
        taxed,
        {
            N_("sum in scope"): Term(taxed, "currency"),
            N_("tax rate"): Term(money.tax_rate, "share", "finance.tax_rate"),
        },
        0.0,
        0.0,
        end_day,
    )

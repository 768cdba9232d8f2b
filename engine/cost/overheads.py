"""Everything beside accelerators and storage: people, data, network, energy, operations, delay, tax."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs, RolePlan
from engine.cost.ledger import DAYS_PER_MONTH, Line, LineSpec, Term, total
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
            "full-time equivalents": Term(role.fte, "FTE", path),
            "months": Term(months, "months", path),
            "cost a month": Term(role.monthly_cost, "currency/FTE-month", path, role.source, role.date),
        },
        0.0,
        0.0,
        np.maximum(end_day, months * DAYS_PER_MONTH),
    )


def overhead_lines(money: MoneyInputs, compute: list[Line], *, end_day: Array) -> list[Line]:
    """Data, network, energy, operations and delay. `compute` are the accelerator lines already made."""
    months = end_day / DAYS_PER_MONTH
    gpu_hours = sum((line.quantity for line in compute), start=0.0)
    kwh = (
        gpu_hours
        * money.accelerator_power_w
        / 1000.0
        * money.power_usage_effectiveness
        * money.energy_excluded
    )
    late = np.maximum(0.0, end_day - money.deadline_days)
    late = np.where(np.isnan(money.deadline_days) | np.isnan(money.cost_of_delay_per_day), 0.0, late)
    bill = total(compute, EVERYTHING)
    bill = np.where(np.isnan(money.purchase.price_per_gpu_hour), np.nan, bill)
    network = {"source": money.network_source, "date": money.network_date}
    return [
        Line(
            LICENCES,
            1.0,
            money.data_acquisition,
            {"amount": Term(money.data_acquisition, "currency", "data.acquisition_cost")},
        ),
        Line(
            CLEANING,
            1.0,
            money.data_preparation,
            {"amount": Term(money.data_preparation, "currency", "data.preparation_cost")},
        ),
        Line(
            EGRESS,
            money.egress_gb,
            money.egress_price,
            {
                "GB": Term(money.egress_gb, "GB", "network.egress_gb"),
                "price": Term(money.egress_price, "currency/GB", None, **network),
            },
            0.0,
            0.0,
            end_day,
        ),
        Line(
            CROSS,
            money.cross_region_gb,
            money.cross_region_price,
            {
                "GB": Term(money.cross_region_gb, "GB", "network.cross_region_gb"),
                "price": Term(money.cross_region_price, "currency/GB", None, **network),
            },
            0.0,
            0.0,
            end_day,
        ),
        Line(
            ENERGY,
            kwh,
            money.energy_price_per_kwh,
            {
                "GPU-hours": Term(gpu_hours, "GPU-h"),
                "power": Term(money.accelerator_power_w, "W"),
                "price": Term(money.energy_price_per_kwh, "currency/kWh", None, money.energy_source),
            },
            0.0,
            0.0,
            end_day,
        ),
        Line(
            MONITORING,
            months,
            money.operations_monthly,
            {
                "months": Term(months, "months"),
                "cost a month": Term(money.operations_monthly, "currency/month", "operations.monthly_cost"),
            },
            0.0,
            0.0,
            end_day,
        ),
        Line(
            SUPPORT,
            money.purchase.support_share,
            bill,
            {
                "accelerator bill": Term(bill, "currency"),
                "support share": Term(money.purchase.support_share, "share", "operations.support_share"),
            },
            0.0,
            0.0,
            end_day,
        ),
        Line(
            DELAY,
            late,
            money.cost_of_delay_per_day,
            {
                "deadline": Term(money.deadline_days, "d", "schedule.deadline_days"),
                "cost of a day": Term(
                    money.cost_of_delay_per_day, "currency/d", "schedule.cost_of_delay_per_day"
                ),
            },
            0.0,
            np.fmin(money.deadline_days, end_day),
            end_day,
        ),
    ]


def tax_line(money: MoneyInputs, lines: list[Line], scope: Scope, *, end_day: Array) -> Line:
    """Tax on what is in scope. An unknown line leaves the taxed sum incomplete, which the total already says."""
    taxed = total(lines, scope)
    return Line(
        TAX,
        money.tax_rate,
        taxed,
        {
            "sum in scope": Term(taxed, "currency"),
            "tax rate": Term(money.tax_rate, "share", "finance.tax_rate"),
        },
        0.0,
        0.0,
        end_day,
    )

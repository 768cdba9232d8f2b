"""Hours of a service bought beside its own price: a committed base, used or not, and spot capacity."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs
from engine.cost.ledger import DAYS_PER_MONTH, GPU_HOURS, HOURS_PER_MONTH, Line, LineSpec, Term
from engine.text import N_

SPOT = LineSpec(
    "compute",
    N_("Serving instances on spot"),
    "run",
    GPU_HOURS,
    "variable",
    N_("GPU-hours above the base x share on spot / busy share, times the price"),
)
BASE_USED = LineSpec(
    "compute",
    N_("Committed base, in use"),
    "run",
    GPU_HOURS,
    "fixed",
    N_("GPU-hours of instances that the base holds / busy share, times the price of the base"),
)
BASE_UNUSED = LineSpec(
    "compute",
    N_("Committed base, unused"),
    "run",
    GPU_HOURS,
    "fixed",
    N_("accelerators of the base x hours of the horizon - GPU-hours in use, times the price of the base"),
)
BASE_AFTER = LineSpec(
    "compute",
    N_("Committed base, after the service"),
    "run",
    GPU_HOURS,
    "fixed",
    N_("accelerators of the base x hours of the term after the horizon, times the price of the base"),
)


def spot_line(working: Array, money: MoneyInputs) -> Line:
    """The hours above the base that are bought as spot capacity, idle share included."""
    base, busy = money.purchase.base, money.purchase.busy_share
    terms = {
        N_("working GPU-hours"): Term(working, GPU_HOURS),
        N_("busy share"): Term(busy, "share", "cluster.busy_share"),
        N_("price"): Term(
            base.spot_price_per_gpu_hour,
            "currency/GPU-h",
            "cluster.spot_price_per_gpu_hour",
            base.spot_source,
            base.spot_date,
        ),
    }
    end = money.horizon_months * DAYS_PER_MONTH
    return Line(SPOT, working / busy, base.spot_price_per_gpu_hour, terms, 0.0, 0.0, end)


def base_lines(working: Array, money: MoneyInputs) -> list[Line]:
    """The committed base over its horizon and the rest of its term. `working`: GPU-hours it serves with."""
    base, busy = money.purchase.base, money.purchase.busy_share
    end, term_end = money.horizon_months * DAYS_PER_MONTH, base.term_months * DAYS_PER_MONTH
    paid = base.accelerators * money.horizon_months * HOURS_PER_MONTH
    used = working / busy
    after_months = np.maximum(0.0, base.term_months - money.horizon_months)
    size = {N_("accelerators"): Term(base.accelerators, "GPUs", "cluster.committed_accelerators")}
    parts = (
        (
            BASE_USED,
            used,
            {
                N_("working GPU-hours"): Term(working, GPU_HOURS),
                N_("busy share"): Term(busy, "share", "cluster.busy_share"),
            },
            0.0,
            end,
        ),
        # A base that is always full leaves a rounding error of the two sums.
        (
            BASE_UNUSED,
            np.where(paid - used > 1e-9 * paid, paid - used, 0.0),
            {
                **size,
                N_("hours"): Term(money.horizon_months * HOURS_PER_MONTH, "h", "schedule.horizon_months"),
                N_("GPU-hours in use"): Term(used, GPU_HOURS),
            },
            0.0,
            end,
        ),
        (
            BASE_AFTER,
            base.accelerators * after_months * HOURS_PER_MONTH,
            {
                **size,
                N_("term"): Term(base.term_months, "months", "cluster.committed_term_months"),
                N_("horizon"): Term(money.horizon_months, "months", "schedule.horizon_months"),
            },
            end,
            np.maximum(end, term_end),
        ),
    )
    price = _base_price(money)
    return [
        Line(spec, quantity, base.price_per_gpu_hour, {**terms, **price}, 1.0, start, stop)
        for spec, quantity, terms, start, stop in parts
    ]


def _base_price(money: MoneyInputs) -> dict[str, Term]:
    base = money.purchase.base
    path = "cluster.committed_price_per_gpu_hour"
    term = Term(base.price_per_gpu_hour, "currency/GPU-h", path, base.price_source, base.price_date)
    return {N_("price"): term}

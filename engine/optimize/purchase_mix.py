"""The cheapest mix of a committed base, on-demand hours and spot for a service, with its proof.

Every rate of the integer program is a difference of kernel totals, so that tax, support and energy are in it;
the mix it finds is priced by the kernel again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.cost.ledger import HOURS_PER_MONTH
from engine.errors import FlopwiseError, InputError
from engine.evaluation import Outcome, evaluate, run_service
from engine.lowering import lower
from engine.notes import SERVING_REASONS
from engine.optimize.curves import as_curve, sweep
from engine.optimize.purchase_offers import SPOT_SHARE, Offer, Offers, purchase_offers
from engine.performance.serving import (
    FEASIBLE,
    TOO_FEW_INSTANCES,
    TPOT_MISSED,
    TTFT_MISSED,
    WEIGHTS_TOO_LARGE,
)
from engine.plan import Plan, apply_patch, get_value
from engine.resolution import resolve
from engine.results import Change, Curve, PurchaseMix, PurchaseOffer
from engine.text import N_, Message, Term
from engine.values import PlanValues

METHOD = N_("integer program over the load duration curve")
_BASE = "cluster.committed_accelerators"
MOST_GPUS = 10_000_000
"""The largest base a plan can hold."""
_POINTS = 121
"""Base sizes on the curve of cost."""
_TIE = 1e-9
"""Totals closer than this share are equal: then the plan with fewer changes stands."""
_OBJECTIVE = 1e3
"""The program's costs are scaled to this size: its absolute tolerances then mean the same for every plan."""
_FIELDS = {
    WEIGHTS_TOO_LARGE: "layout.tensor_parallel",
    TPOT_MISSED: "serving.tpot_slo_ms",
    TTFT_MISSED: "serving.ttft_slo_ms",
    TOO_FEW_INSTANCES: "serving.instances",
}


@dataclass(frozen=True, slots=True)
class Demand:
    """GPUs that the service pays for: distinct levels with the hours of each, and the busiest week (168)."""

    gpus: FloatArray
    hours: FloatArray
    week: FloatArray

    @property
    def peak(self) -> int:
        """The smallest base that covers every hour."""
        return int(np.ceil(self.gpus.max() - 1e-9))

    def share_used(self, gpu: int) -> float:
        """Share of the hours in which the base's GPU of this number is in use, counted from 1."""
        part = np.clip(self.gpus - (gpu - 1), 0.0, 1.0)
        return float(part @ self.hours / self.hours.sum())


@dataclass(frozen=True, slots=True)
class Rates:
    """Plan currency: what does not depend on the purchase; a GPU-hour; a committed GPU, by offer.

    None where no price is known or the offer is not open.
    """

    fixed: float
    elastic: float | None
    spot: float | None
    bases: tuple[float, ...]

    def marginal(self, spot_most: float) -> float | None:
        """One GPU-hour above the base at the cheapest allowed blend."""
        if self.elastic is None or self.spot is None:
            return self.elastic
        return min(self.elastic, (1.0 - spot_most) * self.elastic + spot_most * self.spot)


@dataclass(frozen=True, slots=True)
class Mix:
    """One solved program: base, its offer, share on spot, what it changes, kernel total and proven bound."""

    size: int
    base: Offer | None
    elastic: Offer | None
    spot_share: float
    patch: Mapping[str, Any]
    total: float
    bound: float
    rates: Rates


def search_purchase(plan: Plan, catalog: Catalog) -> PurchaseMix:
    """The cheapest way to buy the plan's fleet: committed base, hours above it on demand and on spot.

    Proven over every base size and the offers of `purchase_offers`, hour by hour of every month.
    Errors: InputError for a plan that is no online service, cannot serve its load, or has no known price.
    """
    settled, now = _settle(plan, catalog)
    demand, offers = demand_levels(settled, catalog), purchase_offers(settled, catalog)
    if not offers.elastic and not offers.bases:
        field = "cluster.price_per_gpu_hour"
        accepted = Message(N_("a price, or an accelerator and mode with a published one"))
        raise InputError(field, get_value(plan, field), accepted)
    tops: tuple[Offer | None, ...] = offers.elastic or (None,)
    mixes = [_solve(settled, catalog, top, offers, demand) for top in tops]
    best = min(mixes, key=lambda mix: mix.total)
    baseline = _known_total(now)
    # What no program stands for, such as a fleet reserved for a term, may still be the cheapest.
    keeps = baseline is not None and best.total >= baseline * (1.0 - _TIE)
    total = baseline if keeps and baseline is not None else best.total
    bound = min(total, *(mix.bound for mix in mixes))
    patch = {} if keeps else best.patch
    taken = apply_patch(settled, patch)
    size = taken.cluster.committed_accelerators or 0
    held = np.minimum(demand.week, size)
    return PurchaseMix(
        baseline_total=baseline,
        uncommitted_total=_uncommitted(settled, catalog, best),
        total=total,
        changes=_changes(plan, patch),
        committed_accelerators=size,
        term_months=taken.cluster.committed_term_months if size else None,
        spot_share=taken.cluster.spot_share,
        method=METHOD,
        bound=bound,
        gap=(total - bound) / abs(total) if total else 0.0,
        levels=int(demand.gpus.size),
        offers=_offer_list(offers, best.rates, demand),
        left_out=offers.left_out,
        last_used=demand.share_used(size) if size else None,
        next_used=demand.share_used(size + 1),
        curve=_curve(taken, catalog, demand, size, total, plan.cluster.committed_accelerators or 0),
        hourly_committed=tuple(held.tolist()),
        hourly_elastic=tuple((demand.week - held).tolist()),
        hourly_unused=tuple((size - held).tolist()),
    )


def _settle(plan: Plan, catalog: Catalog) -> tuple[Plan, Outcome]:
    """The plan with its choices made, and what it costs. Errors: InputError where no fleet serves it."""
    if plan.serving is None or plan.workload.kind != "online_inference":
        raise InputError("workload.kind", plan.workload.kind, Message(N_("online_inference")))
    settled, _ = resolve(plan, catalog)
    now = evaluate(lower(PlanValues(settled, catalog)), settled.scope)
    code = int(now.feasible_code)
    if code != FEASIBLE:
        accepted = Message(
            N_("a fleet that serves the load within its targets: {reason}"),
            {"reason": Term(SERVING_REASONS[code])},
        )
        raise InputError(_FIELDS[code], get_value(settled, _FIELDS[code]), accepted)
    return settled, now


def demand_levels(plan: Plan, catalog: Catalog) -> Demand:
    """The plan's load duration curve as the kernel sizes it: equal hours of all months as one level.

    Errors: InputError for a peak above MOST_GPUS.
    """
    inputs = lower(PlanValues(plan, catalog))
    assert inputs.service is not None
    outcome = run_service(inputs, inputs.service, keep_weeks=True)
    paid = float(outcome.gpus_per_instance) / float(inputs.money.purchase.busy_share)
    weeks = [week.instances for week in outcome.fleet.weeks]
    months = np.array([float(week.months) for week in outcome.fleet.weeks])
    levels, place = np.unique(np.concatenate(weeks), return_inverse=True)
    if levels.max() * paid > MOST_GPUS:
        field = "serving.requests_per_second"
        accepted = Message(N_("a load that at most {count} GPUs serve at its peak"), {"count": MOST_GPUS})
        raise InputError(field, get_value(plan, field), accepted)
    shares = np.repeat(months / months.sum(), weeks[0].size) / weeks[0].size
    horizon = float(inputs.money.horizon_months) * HOURS_PER_MONTH
    hours = np.bincount(place.ravel(), weights=shares) * horizon
    busiest = max(weeks, key=lambda week: float(week.max()))
    week: FloatArray = np.asarray(busiest * paid, dtype=float)
    return Demand(np.asarray(levels * paid, dtype=float), np.asarray(hours, dtype=float), week)


def _rates(plan: Plan, catalog: Catalog, top: Offer | None, offers: Offers, demand: Demand) -> Rates:
    """Rates of the program from kernel totals: without a base, all on spot, and with two that cover all."""
    start = apply_patch(plan, {**(top.patch if top else {}), **(offers.spot.patch if offers.spot else {})})
    size = float(demand.peak + 1)
    rows = {
        _BASE: np.array([0.0, 0.0, size, 2.0 * size]),
        SPOT_SHARE: np.array([0.0, 1.0, 0.0, 0.0]),
    }
    fixed, bases = 0.0, []
    totals = np.zeros(4)
    for offer in offers.bases or (Offer({}, "reserved", None, None),):
        values = PlanValues(apply_patch(start, offer.patch), catalog, dict(rows))
        totals = np.broadcast_to(evaluate(lower(values), plan.scope).total, (4,))
        bases.append(float(totals[3] - totals[2]) / size)
        fixed = float(totals[2]) - bases[-1] * size
    used = float(demand.gpus @ demand.hours)
    return Rates(
        fixed=fixed,
        elastic=(float(totals[0]) - fixed) / used if top else None,
        spot=(float(totals[1]) - fixed) / used if top and offers.spot else None,
        bases=tuple(bases) if offers.bases else (),
    )


def _solve(plan: Plan, catalog: Catalog, top: Offer | None, offers: Offers, demand: Demand) -> Mix:
    """The best mix with one way of buying above the base."""
    rates = _rates(plan, catalog, top, offers, demand)
    sizes, on_spot, bound = solve_program(rates, offers.spot_most, demand)
    cheapest = int(np.argmin(rates.bases)) if rates.bases else 0
    size = sum(sizes)
    # Every term is paid over the whole horizon at least, so two bases at once never beat the cheaper one.
    base = offers.bases[cheapest] if size else None
    patch: dict[str, Any] = {
        **(top.patch if top else {}),
        _BASE: size or None,
        **(base.patch if base else {}),
        SPOT_SHARE: offers.spot_most if on_spot else 0.0,
        **(offers.spot.patch if on_spot and offers.spot else {}),
    }
    total = _total(plan, catalog, patch)
    if base is not None and top is not None:
        bare = {key: value for key, value in patch.items() if key not in base.patch} | {_BASE: None}
        without = _total(plan, catalog, bare)
        if without <= total * (1.0 + _TIE):
            size, base, patch, total = 0, None, bare, without
    return Mix(size, base, top, float(patch[SPOT_SHARE]), patch, total, min(bound, total), rates)


def solve_program(rates: Rates, spot_most: float, demand: Demand) -> tuple[list[int], bool, float]:
    """Base GPUs by offer, whether spot is used, and the proven bound of the total [plan currency].

    min fixed + sum_k c_k n_k + sum_l h_l (e y_l + s z_l), n whole, over sum_k n_k + y_l + z_l >= d_l and
    z_l <= most (y_l + z_l): each distinct level l of the load is covered. Errors: FlopwiseError when the
    solver gives up, which a program of this form never makes it do.
    """
    kinds, levels = len(rates.bases), demand.gpus.size
    elastic, spot = rates.elastic, rates.spot
    hourly = [0.0 if rate is None else rate for rate in (elastic, spot)]
    costs = np.concatenate([rates.bases, hourly[0] * demand.hours, hourly[1] * demand.hours])
    most = np.concatenate(
        [
            np.full(kinds, float(demand.peak)),
            np.full(levels, 0.0 if elastic is None else np.inf),
            np.full(levels, 0.0 if spot is None else np.inf),
        ]
    )
    one = sparse.identity(levels, format="csr")
    cover = sparse.hstack([sparse.csr_array(np.ones((levels, kinds))), one, one])
    nothing = sparse.csr_array((levels, kinds))
    bounded = sparse.hstack([nothing, -spot_most * one, (1.0 - spot_most) * one])
    size = float(np.abs(costs).max() * demand.peak) or 1.0
    solved = milp(
        costs / size * _OBJECTIVE,
        integrality=np.concatenate([np.ones(kinds), np.zeros(2 * levels)]),
        bounds=Bounds(0.0, most),
        constraints=[
            LinearConstraint(cover, lb=demand.gpus, ub=np.inf),
            LinearConstraint(bounded, lb=-np.inf, ub=0.0),
        ],
        options={"mip_rel_gap": 0.0},
    )
    if solved.x is None:
        why = {"why": str(solved.message)}
        raise FlopwiseError(Message(N_("the purchase program was not solved: {why}"), why))
    scale = size / _OBJECTIVE
    bound = solved.fun if solved.mip_dual_bound is None else solved.mip_dual_bound
    on_spot = bool(solved.x[kinds + levels :] @ demand.hours > 1e-6 * demand.hours.sum())
    return [round(n) for n in solved.x[:kinds]], on_spot, rates.fixed + float(bound) * scale


def _total(plan: Plan, catalog: Catalog, patch: Mapping[str, Any]) -> float:
    return float(evaluate(lower(PlanValues(apply_patch(plan, patch), catalog)), plan.scope).total)


def _known_total(outcome: Outcome) -> float | None:
    """The plan's own total; None where its GPU-hours have no price: no saving can be told from it."""
    hours = [line for line in outcome.lines if line.spec.unit == "GPU-h"]
    return None if any(np.isnan(line.amount) for line in hours) else float(outcome.total)


def _uncommitted(plan: Plan, catalog: Catalog, mix: Mix) -> float | None:
    """Total of buying every hour as it comes, at the same price as the mix buys above its base."""
    if mix.elastic is None:
        return None
    return _total(plan, catalog, {**mix.elastic.patch, _BASE: None, SPOT_SHARE: 0.0})


def _changes(plan: Plan, patch: Mapping[str, Any]) -> tuple[Change, ...]:
    return tuple(
        Change(path=path, before=get_value(plan, path), after=value)
        for path, value in patch.items()
        if get_value(plan, path) != value
    )


def _offer_list(offers: Offers, rates: Rates, demand: Demand) -> tuple[PurchaseOffer, ...]:
    """Every priced way with the use from which a committed GPU beats hours as they come."""
    hour = rates.marginal(offers.spot_most)
    hours = float(demand.hours.sum())
    shares = [rate / (hour * hours) if hour else None for rate in rates.bases]
    rows: list[tuple[Offer, float | None]] = [(offer, None) for offer in offers.elastic]
    rows += [(offers.spot, None)] if offers.spot else []
    rows += list(zip(offers.bases, shares, strict=True))
    return tuple(
        PurchaseOffer(
            mode=offer.mode,
            term_months=offer.term_months,
            price_per_gpu_hour=offer.price or 0.0,
            break_even=share,
        )
        for offer, share in rows
    )


def _curve(plan: Plan, catalog: Catalog, demand: Demand, size: int, total: float, now: int) -> Curve:
    """Total against base size from none to a little over the peak, by the kernel; only priced sizes."""
    values = PlanValues(plan, catalog)
    purchase = lower(values).money.purchase
    most = int(np.ceil(demand.peak * 1.05))
    low = demand.peak if np.isnan(float(purchase.price_per_gpu_hour)) else 0
    high = low if np.isnan(float(purchase.base.price_per_gpu_hour)) else most
    grid = np.round(np.linspace(low, high, min(_POINTS, high - low + 1)))
    near = [n for n in (size - 1, size, size + 1, now) if low <= n <= high]
    found = sweep(values, _BASE, np.unique(np.concatenate([grid, near])).astype(float))
    return as_curve(found, float(now)).model_copy(update={"best": float(size), "best_total": total})

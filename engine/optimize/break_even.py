"""Self-hosting against an API: the volume from which the own service stays cheaper.

The own cost is a staircase over a floor, the smallest fleet, so it can cross the API's straight line several
times. The search keeps every interval of volumes in which the own cost could still reach the API's: the own
cost never falls with traffic, so an interval whose dearer end costs less than the API at its other end is
settled. What is left is cut again until the last volume at which the API is not dearer stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.arrays import Array, BoolArray, FloatArray
from engine.catalog import Catalog
from engine.cost.api import ApiTraffic, api_total
from engine.cost.ledger import unknown_items
from engine.defaults import THROUGHPUT_FACTOR
from engine.errors import Cancelled, InputError
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.lowering.traffic import requests_in_horizon
from engine.notes import SERVING_REASONS
from engine.plan import Plan, find_field, get_value
from engine.resolution import resolve
from engine.results import BreakEven, BreakEvenCase, CostCurve
from engine.results.break_even import Verdict
from engine.text import N_, Message
from engine.uncertainty.bands import draw_totals
from engine.values import UNKNOWN, PlanValues

RATE = "serving.requests_per_second"
INPUT_PRICE = "serving.api_input_price_per_million"
OUTPUT_PRICE = "serving.api_output_price_per_million"
CACHED_PRICE = "serving.api_cached_input_price_per_million"
PER_DECADE = 96
FACTORS = (0.7, 1.3)
"""What the API's price and the load an instance carries are varied by."""

_CUTS, _ROUNDS, _AT_ONCE, _NARROW = 24, 80, 400, 1e-10
_POLISH = 7
_CURVE_POINTS, _CURVE_REACH = 321, 30.0

Cancel = Callable[[], bool] | None


@dataclass(frozen=True, slots=True)
class _Costs:
    """Both sides over volumes, a month [plan currency]; `own` is inf where no fleet meets the targets."""

    own: FloatArray
    api: FloatArray
    utilisation: FloatArray
    tokens_m: FloatArray

    @property
    def dearer(self) -> BoolArray:
        """Where self-hosting is not cheaper."""
        return self.own >= self.api


@dataclass(frozen=True, slots=True)
class _Sides:
    """One settled plan whose traffic is swept; the fleet is sized for each volume."""

    values: PlanValues
    api_factor: float = 1.0
    cancelled: Cancel = None

    def at(self, rates: FloatArray) -> _Costs:
        """Costs a month at mean request rates [1/s]."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled
        sized = {**self.values.overrides, RATE: rates, "serving.instances": UNKNOWN}
        return _costs(replace(self.values, overrides=sized), rates.shape, self.api_factor)


@dataclass(frozen=True, slots=True)
class _Open:
    """Intervals of volumes in which the own cost may still reach the API's."""

    left: FloatArray
    right: FloatArray

    def edges(self) -> FloatArray:
        """Each interval cut into _CUTS equal parts, one row each."""
        return self.left[:, None] + (self.right - self.left)[:, None] * np.linspace(0.0, 1.0, _CUTS + 1)

    def unsettled(self, own_right: FloatArray, api_left: FloatArray, last: float) -> _Open:
        """Those whose dearest own cost reaches the cheapest API bill, wide enough to be cut again."""
        wide = self.right - self.left > _NARROW * self.right
        return self._where((own_right >= api_left) & wide).after(last)

    def after(self, last: float) -> _Open:
        """Those that reach beyond a volume known to be dear."""
        return self._where(self.right > last)

    def split(self, count: int) -> tuple[_Open, _Open]:
        """The `count` of the largest volumes, and the rest."""
        order = np.argsort(-self.left)
        return self._where(order[:count]), self._where(order[count:])

    def joined(self, other: _Open) -> _Open:
        """These and others."""
        return _Open(np.concatenate((self.left, other.left)), np.concatenate((self.right, other.right)))

    def _where(self, kept: Any) -> _Open:
        return _Open(self.left[kept], self.right[kept])


def break_even(
    plan: Plan, catalog: Catalog, *, seed: int = 0, draws: int = 2000, cancelled: Cancel = None
) -> BreakEven:
    """Costs a month of the plan's service and of an API, and the volume from which the own one stays cheaper.

    Self-hosting counts all that the plan's scope counts, through the same kernel as the estimate. `draws`
    [count] gives its P10 to P90 at the plan's traffic, 0 leaves it out. Errors: InputError for a plan that
    is no online service or cannot be estimated; Cancelled when stopped.
    """
    if plan.serving is None or plan.workload.kind != "online_inference":
        raise InputError("workload.kind", plan.workload.kind, Message(N_("online_inference")))
    settled, _ = resolve(plan, catalog)
    values = PlanValues(settled, catalog)
    now = _now(values)
    missing = _missing_prices(settled)
    if missing:
        return now.model_copy(update={"obstacle": "prices", "needs": missing})
    outcome = evaluate(lower(values), settled.scope)
    code, unknown = int(np.max(outcome.feasible_code)), unknown_items(outcome.lines, settled.scope)
    if code:
        return now.model_copy(update={"obstacle": "targets", "needs": (SERVING_REASONS[code],)})
    if unknown:
        return now.model_copy(update={"obstacle": "unknown_cost", "needs": tuple(unknown)})
    return _compare(values, now, float(outcome.total), seed=seed, draws=draws, cancelled=cancelled)


def _now(values: PlanValues) -> BreakEven:
    rate = float(np.asarray(values.number(RATE)))
    tokens = float(np.asarray(_tokens_m(values, _traffic(values, 1.0))))
    return BreakEven(
        verdict="not_evaluated", requests_per_second_now=rate, million_tokens_per_month_now=tokens
    )


def _missing_prices(plan: Plan) -> tuple[str, ...]:
    needed = [INPUT_PRICE] if plan.architecture.kind == "encoder" else [INPUT_PRICE, OUTPUT_PRICE]
    return tuple(path for path in needed if get_value(plan, path) is None)


def _compare(
    values: PlanValues, now: BreakEven, own_total: float, *, seed: int, draws: int, cancelled: Cancel
) -> BreakEven:
    sides = _Sides(values, cancelled=cancelled)
    months = float(np.asarray(values.number("schedule.horizon_months")))
    grid = _grid()
    swept = sides.at(grid)
    verdict, volume = _last_crossing(sides, grid, swept)
    at = sides.at(np.array([volume])) if volume is not None else None
    band = draw_totals(values, draws=draws, seed=seed) if draws else None
    return now.model_copy(
        update={
            "verdict": verdict,
            "own_per_month": own_total / months,
            "own_p10": band.percentile(10) / months if band else None,
            "own_p90": band.percentile(90) / months if band else None,
            "api_per_month": float(sides.at(np.array([now.requests_per_second_now])).api[0]),
            "requests_per_second": volume,
            "million_tokens_per_month": float(at.tokens_m[0]) if at else None,
            "utilisation": float(at.utilisation[0]) if at else None,
            "crossings": _crossings(sides, grid, swept, volume),
            "searched_from": float(grid[0]),
            "searched_to": float(grid[-1]),
            "cases": _cases(sides, grid),
            "curve": _curve(sides, now.requests_per_second_now, volume),
        }
    )


def _costs(values: PlanValues, shape: tuple[int, ...], api_factor: float) -> _Costs:
    scope, inputs = values.plan.scope, lower(values)
    outcome = evaluate(inputs, scope)
    assert outcome.service is not None
    months = inputs.money.horizon_months
    traffic = _traffic(values, api_factor)
    api = api_total(traffic, inputs.money, scope, end_day=outcome.end_day)
    own = np.where(np.asarray(outcome.feasible_code) == 0, outcome.total / months, np.inf)
    columns = (own, api / months, outcome.service.fleet.utilisation_mean, _tokens_m(values, traffic))
    return _Costs(*(np.array(np.broadcast_to(column, shape), dtype=float) for column in columns))


def _traffic(values: PlanValues, api_factor: float) -> ApiTraffic:
    number = values.number
    plain, cached = number(INPUT_PRICE), number(CACHED_PRICE)
    encoder = values.plan.architecture.kind == "encoder"
    return ApiTraffic(
        requests=requests_in_horizon(values),
        input_tokens=number("serving.input_tokens"),
        # An encoder gives out no tokens.
        output_tokens=0.0 if encoder else number("serving.output_tokens"),
        cached_share=number("serving.prefix_hit_rate"),
        input_price=plain * api_factor,
        cached_price=np.where(np.isnan(cached), plain, cached) * api_factor,
        output_price=0.0 if encoder else number(OUTPUT_PRICE) * api_factor,
    )


def _tokens_m(values: PlanValues, traffic: ApiTraffic) -> Array:
    """Input and output tokens a month, mean of the horizon [million]."""
    each = traffic.input_tokens + traffic.output_tokens
    return traffic.requests * each / 1e6 / values.number("schedule.horizon_months")


def _grid() -> FloatArray:
    """Every volume the plan's field takes, PER_DECADE a decade."""
    spec = find_field(RATE)
    assert spec is not None and spec.minimum is not None and spec.maximum is not None
    decades = np.log10(spec.maximum / spec.minimum)
    return np.geomspace(spec.minimum, spec.maximum, round(float(decades) * PER_DECADE) + 1)


def _last_crossing(sides: _Sides, grid: FloatArray, swept: _Costs) -> tuple[Verdict, float | None]:
    """The volume above which self-hosting stays cheaper: the last one at which it is not."""
    if swept.dearer[-1]:
        return "never", None
    last = float(grid[swept.dearer].max()) if swept.dearer.any() else 0.0
    open_ = _Open(grid[:-1], grid[1:]).unsettled(swept.own[1:], swept.api[:-1], last)
    for _ in range(_ROUNDS):
        now, rest = open_.split(_AT_ONCE)
        if not now.left.size:
            break
        edges = now.edges()
        found = sides.at(edges.ravel())
        own, api = found.own.reshape(edges.shape), found.api.reshape(edges.shape)
        last = max([last, *edges[own >= api].tolist()])
        finer = _Open(edges[:, :-1].ravel(), edges[:, 1:].ravel())
        open_ = rest.after(last).joined(finer.unsettled(own[:, 1:].ravel(), api[:, :-1].ravel(), last))
    # What the rounds did not settle is not called cheaper.
    last = max([last, *open_.right.tolist()])
    return ("found", last) if last > 0.0 else ("always", None)


def _crossings(sides: _Sides, grid: FloatArray, swept: _Costs, volume: float | None) -> tuple[float, ...]:
    """Volumes at which the cheaper side changes between two points of the grid, each cut down.

    The break-even is one of them, also where the grid steps over it.
    """
    turns = np.flatnonzero(swept.dearer[1:] != swept.dearer[:-1])
    left, right, before = grid[turns], grid[turns + 1], swept.dearer[turns]
    for _ in range(_POLISH if turns.size else 0):
        edges = _Open(left, right).edges()
        changed = sides.at(edges.ravel()).dearer.reshape(edges.shape) != before[:, None]
        first = np.argmax(changed, axis=1)
        rows = np.arange(turns.size)
        left, right = edges[rows, first - 1], edges[rows, first]
    found = ((left + right) / 2.0).tolist()
    if volume is not None and not (found and np.isclose(found[-1], volume, rtol=1e-6, atol=0.0)):
        found.append(volume)
    return tuple(found)


def _cases(sides: _Sides, grid: FloatArray) -> tuple[BreakEvenCase, ...]:
    throughput = sides.values.number(THROUGHPUT_FACTOR)
    cases = []
    for factor in FACTORS:
        cases.append(_case("api_price", factor, replace(sides, api_factor=factor), grid))
    for factor in FACTORS:
        carried: Mapping[str, Array] = {**sides.values.overrides, THROUGHPUT_FACTOR: throughput * factor}
        varied = replace(sides, values=replace(sides.values, overrides=carried))
        cases.append(_case("utilisation", factor, varied, grid))
    return tuple(cases)


def _case(driver: str, factor: float, sides: _Sides, grid: FloatArray) -> BreakEvenCase:
    verdict, volume = _last_crossing(sides, grid, sides.at(grid))
    return BreakEvenCase(
        driver="api_price" if driver == "api_price" else "utilisation",
        factor=factor,
        verdict=verdict,
        requests_per_second=volume,
        million_tokens_per_month=None if volume is None else float(sides.at(np.array([volume])).tokens_m[0]),
    )


def _curve(sides: _Sides, now: float, volume: float | None) -> CostCurve:
    """Both costs round today's volume and the break-even."""
    ends = (now, volume) if volume is not None else (now,)
    grid = _grid()
    low, high = max(grid[0], min(ends) / _CURVE_REACH), min(grid[-1], max(ends) * _CURVE_REACH)
    rates = np.geomspace(low, high, _CURVE_POINTS)
    found = sides.at(rates)
    return CostCurve(
        requests_per_second=tuple(rates.tolist()),
        million_tokens_per_month=tuple(found.tokens_m.tolist()),
        own=_known(found.own),
        api=tuple(found.api.tolist()),
        utilisation=_known(found.utilisation),
    )


def _known(column: FloatArray) -> tuple[float | None, ...]:
    return tuple(value if np.isfinite(value) else None for value in column.tolist())

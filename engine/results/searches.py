"""What searches found: candidates, curves, layouts, scaling, fleets, purchases."""

from __future__ import annotations

from typing import Any

from engine.results.base import Change, Result
from engine.text import Message


class Candidate(Result):
    """An alternative setting found by search. `accelerators` None: no fleet of any size serves the load."""

    label: str
    changes: tuple[Change, ...]
    total: float
    duration_h: float
    accelerators: float | None
    mfu: float | None = None
    goodput: float | None = None
    on_frontier: bool = False


class Curve(Result):
    """A sweep of one setting: cost and time over its values, with the flat region within 1 % of the best."""

    path: str
    title: str
    unit: str
    x: tuple[float, ...]
    total: tuple[float, ...]
    duration_h: tuple[float, ...]
    now: float | None
    best: float | None
    best_total: float | None
    flat_low: float | None
    flat_high: float | None


class LayoutOption(Result):
    """One parallel layout: its settings by path, time of a step, speed and memory of an accelerator."""

    settings: dict[str, Any]
    step_time_s: float
    tokens_per_s_per_gpu: float
    memory_gib: float


class LayoutReport(Result):
    """Every layout of the plan's cluster: the fastest, those no other beats in memory and speed, the bound.

    `excluded` counts what cannot run by the first reason; `lower_bound_s` is the time of the arithmetic
    alone, `gap` how far the fastest lies above it [share].
    """

    accelerators: int
    evaluated: int
    fastest: tuple[LayoutOption, ...]
    frontier: tuple[LayoutOption, ...]
    excluded: dict[str, int]
    now: LayoutOption | None
    lower_bound_s: float | None
    gap: float | None


class ScalingPoint(Result):
    """One cluster size with its best layout. `efficiency` is speed a GPU relative to the smallest size;
    `marginal` what one more GPU adds, relative to the mean GPU of the size before; None for the first."""

    accelerators: int
    global_batch_tokens: float
    step_time_s: float
    tokens_per_s: float
    efficiency: float
    marginal: float | None
    total: float | None
    duration_h: float | None


class Scaling(Result):
    """How the run scales: at its own batch (strong), with a batch that grows with the cluster (weak), and
    sweeps of sequence length and batch with the plan's layout."""

    strong: tuple[ScalingPoint, ...]
    weak: tuple[ScalingPoint, ...]
    sequence: Curve
    batch: Curve


class FleetOption(Result):
    """One fleet that serves the plan's traffic within its targets, with what it would change in the plan.

    `batch` is the mean of sequences in service an instance is run at, `limited_by` what stops it there
    (memory, engine, tpot, ttft); `availability` the share of time in which enough instances work.
    """

    accelerator: str
    name: str
    total: float
    ttft_ms: float
    tpot_ms: float
    instances_peak: float
    instances_mean: float
    accelerators_peak: float
    changes: tuple[Change, ...]
    batch: float | None = None
    limited_by: str = ""
    spare_instances: float | None = None
    availability: float | None = None
    reaches_target: bool = True
    utilisation: float | None = None
    why: tuple[Message, ...] = ()


class FleetReport(Result):
    """Fleets of a stated set: the cheapest, those no other beats in cost and latency, and why not others."""

    evaluated: int
    excluded: dict[str, int]
    cheapest: tuple[FleetOption, ...]
    frontier: tuple[FleetOption, ...]


class PurchaseOffer(Result):
    """A way to buy GPU-hours with its price [plan currency/GPU-h]. `break_even`, for a base: the share of
    hours from which a committed GPU costs less than hours as they come; above 1 it never does."""

    mode: str
    term_months: float | None
    price_per_gpu_hour: float
    break_even: float | None


class PurchaseMix(Result):
    """The cheapest purchase of a service's fleet: a committed base, and what buys the hours above it.

    `baseline_total` is the plan as it stands, None where it has no price; `uncommitted_total` every hour
    bought as it comes. `total` is what the plan costs with `changes`; no mix of the offers costs less than
    `bound`, `gap` is how far `total` lies above it [share]. `last_used` and `next_used`: share of hours in
    which the last GPU of the base and one more would be in use. `curve` is the total against the size of the
    base; the `hourly_` figures are GPUs in the 168 hours of the busiest month's week.
    """

    baseline_total: float | None
    uncommitted_total: float | None
    total: float
    changes: tuple[Change, ...]
    committed_accelerators: int
    term_months: float | None
    spot_share: float
    method: str
    bound: float
    gap: float
    levels: int
    offers: tuple[PurchaseOffer, ...]
    left_out: tuple[Message, ...]
    last_used: float | None
    next_used: float
    curve: Curve
    hourly_committed: tuple[float, ...]
    hourly_elastic: tuple[float, ...]
    hourly_unused: tuple[float, ...]


class Certificate(Result):
    """Why the best candidate may be called best."""

    method: str
    bound: float | None
    gap: float | None


class Optimisation(Result):
    """A search: the plan as it stands, the best found, the frontier and what was left out."""

    objective: str
    baseline_total: float
    baseline_duration_h: float
    best: Candidate
    candidates: tuple[Candidate, ...]
    pareto: tuple[Candidate, ...]
    curves: tuple[Curve, ...]
    evaluated: int
    excluded: dict[str, int]
    certificate: Certificate
    layouts: LayoutReport | None = None

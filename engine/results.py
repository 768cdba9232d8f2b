"""What an evaluation returns: ledger lines, metrics, the estimate, candidates and recommendations.

Frozen and JSON-able: the window, the PDF, the command line and the database show these same objects.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from engine.text import Message


class Result(BaseModel):
    """Base of all results: frozen, and unknown numbers are None, never NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class TraceInput(Result):
    """One input of a formula: value with unit, and where it came from."""

    name: str
    value: float | str | None
    unit: str = ""
    path: str | None = None
    provenance: str = "default"
    source: str = ""
    date: str = ""


class Trace(Result):
    """How a number was computed: the formula in words and what went into it."""

    formula: str
    inputs: tuple[TraceInput, ...] = ()


class CostLine(Result):
    """One line of the ledger. `amount` is quantity x unit price, None when the price is unknown."""

    category: str
    item: str
    phase: str
    quantity: float | None
    unit: str
    unit_price: float | None
    amount: float | None
    behaviour: Literal["fixed", "variable"]
    commitment: Literal["committed", "elastic"]
    in_scope: bool
    start_day: float = 0.0
    end_day: float = 0.0
    trace: Trace


class Metric(Result):
    """A figure that is not money in the ledger, with the unit it is counted in."""

    key: str
    title: str
    value: float | None
    unit: str
    trace: Trace | None = None


class ResourceUse(Result):
    """Average and peak need of one resource."""

    resource: str
    unit: str
    average: float | None
    peak: float | None


class Choice(Result):
    """A field left to the engine ("auto" or empty) and the value it took."""

    path: str
    value: Any
    why: Message


class Driver(Result):
    """One bar of the tornado: an input at its P10 and P90, and the total at each."""

    path: str
    title: str
    unit: str
    low: float
    high: float
    total_low: float
    total_high: float
    share_of_variance: float


class Estimate(Result):
    """What one plan costs, takes and needs."""

    currency: str
    total: float
    p10: float | None
    p50: float | None
    p80: float | None
    p90: float | None
    ask: float | None
    complete: bool
    unknown: tuple[str, ...]
    scope: dict[str, Any]
    lines: tuple[CostLine, ...]
    metrics: tuple[Metric, ...]
    resources: tuple[ResourceUse, ...]
    choices: tuple[Choice, ...] = ()
    drivers: tuple[Driver, ...] = ()
    notes: tuple[Message, ...] = ()
    feasible: bool = True
    draws: int = 0
    seed: int = 0

    def metric(self, key: str) -> float | None:
        """Value of the metric `key`, None when it is unknown or absent."""
        return next((m.value for m in self.metrics if m.key == key), None)


class Change(Result):
    """A field before and after."""

    path: str
    before: Any
    after: Any


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
    """One fleet that serves the plan's traffic within its targets, with what it would change in the plan."""

    accelerator: str
    name: str
    total: float
    ttft_ms: float
    tpot_ms: float
    instances_peak: float
    instances_mean: float
    accelerators_peak: float
    changes: tuple[Change, ...]


class FleetReport(Result):
    """Fleets of a stated set: the cheapest, those no other beats in cost and latency, and why not others."""

    evaluated: int
    excluded: dict[str, int]
    cheapest: tuple[FleetOption, ...]
    frontier: tuple[FleetOption, ...]


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


class Risk(Result):
    """Effect, stability and governance risk of an action, 0 to 3, each with its reason."""

    effect: int
    effect_reason: str
    stability: int
    stability_reason: str
    governance: int
    governance_reason: str

    @property
    def worst(self) -> int:
        """The dimension that rules: risk is never averaged away."""
        return max(self.effect, self.stability, self.governance)


class Evidence(Result):
    """A published figure behind a rule."""

    key: str
    title: str
    where: str
    figure: str
    verified: str


class Saving(Result):
    """Savings of one action: alone, in the chosen set, and its band; plan currency.

    gross = cost(plan) - cost(plan with this change) at central values; net = gross - one_off;
    in_plan = its sequential share of the chosen set (or what it would add to the set when not chosen);
    p10, p50, p90 are of the gross saving.
    """

    gross: float
    one_off: float
    net: float
    in_plan: float | None
    p10: float
    p50: float
    p90: float


class Recommendation(Result):
    """An action priced by re-estimating, in the context of the others."""

    id: str
    kind: str
    title: str
    family: str
    rank: int
    finding: Message
    why: tuple[Message, ...]
    changes: tuple[Change, ...]
    saving: Saving
    risk: Risk
    effort: Literal["S", "M", "L"]
    confidence: Literal["A", "B", "C"]
    reversibility: str
    risk_adjusted: float
    success_probability: float
    expected_loss: float
    duration_change_h: float | None
    chosen: bool
    conditional: tuple[Message, ...] = ()
    excludes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    replaced_by: str | None = None
    verify: str = ""
    rollback: str = ""
    evidence: tuple[Evidence, ...] = ()
    state: str = "new"


class Advice(Result):
    """A governance prerequisite or risk warning: saves nothing itself, the figures rest on it.

    `about` names the actions a risk check speaks of; empty when it speaks of the plan itself.
    """

    id: str
    kind: str
    title: str
    finding: Message
    why: tuple[Message, ...]
    changes: tuple[Change, ...] = ()
    verify: str = ""
    rollback: str = ""
    risk: Risk | None = None
    about: tuple[str, ...] = ()


class NotEvaluated(Result):
    """A rule that could not run and the inputs it needs."""

    id: str
    title: str
    needs: tuple[str, ...]


class PassedCheck(Result):
    """A rule that looked and found nothing to do, with what it saw."""

    id: str
    title: str
    finding: Message


class JointSaving(Result):
    """Saving of the chosen set by one joint re-estimate; percentiles by common random numbers."""

    ids: tuple[str, ...]
    gross: float
    one_off: float
    net: float
    p10: float
    p50: float
    p90: float
    total_after: float
    duration_after_h: float | None


class Portfolio(Result):
    """A named choice of actions: careful, balanced or bold."""

    key: str
    ids: tuple[str, ...]
    gross: float
    net: float


class RecommendationSet(Result):
    """Everything the recommendations page shows."""

    baseline_total: float
    joint_saving: JointSaving
    recommendations: tuple[Recommendation, ...]
    governance: tuple[Advice, ...]
    warnings: tuple[Advice, ...]
    passed: tuple[PassedCheck, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    portfolios: tuple[Portfolio, ...]
    seed: int
    draws: int

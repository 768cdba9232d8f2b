"""Which inputs of a plan are uncertain, and how far: entered ranges first, then the catalogue's."""

from __future__ import annotations

from dataclasses import dataclass

from engine.defaults import (
    DEFAULTED_PATHS,
    THROUGHPUT_FACTOR,
    TIME_FACTOR,
    default_fact,
)
from engine.plan import Plan, find_field, get_value
from engine.text import N_
from engine.values import PlanValues

_MODEL_TITLES = {
    TIME_FACTOR: N_("Estimator error on training speed"),
    THROUGHPUT_FACTOR: N_("Estimator error on serving throughput"),
}
_BATCH_RELIABILITY = frozenset(
    {
        "reliability.failures_per_node_day",
        "reliability.preemptions_per_node_hour",
        "reliability.detection_s",
    }
)
"""What interrupts an offline job, which keeps no checkpoints."""


@dataclass(frozen=True, slots=True)
class UncertainInput:
    """One input with its P10, central value and P90, in the field's unit."""

    path: str
    title: str
    unit: str
    low: float
    central: float
    high: float
    source: str = ""


def uncertain_inputs(values: PlanValues) -> list[UncertainInput]:
    """Every input that has a range and matters for this workload."""
    plan = values.plan
    entered = [_entered(values, path) for path in plan.ranges]
    # A change may have moved a value out of the range that was entered for it: then the range is not its own.
    found = [item for item in entered if item.low <= item.central <= item.high]
    taken = {item.path for item in found}
    for path in _default_paths(values):
        if path not in taken and (item := _defaulted(values, path)) is not None:
            found.append(item)
    return [item for item in found if item.low < item.high]


def _default_paths(values: PlanValues) -> list[str]:
    plan = values.plan
    skipped = {THROUGHPUT_FACTOR} if plan.is_training else {TIME_FACTOR}
    if not plan.is_training:
        kept = _BATCH_RELIABILITY if plan.is_batch else frozenset()
        skipped |= {p for p in DEFAULTED_PATHS if p.startswith("reliability.") and p not in kept}
    if not _sends_tokens(plan):
        skipped.add("network.answer_bytes_per_token")
    if plan.operations.energy_included:
        skipped.add("operations.energy_price_per_kwh")
    if plan.is_training or not plan.cluster.committed_accelerators:
        skipped.add("cluster.committed_price_per_gpu_hour")
    if plan.is_training or not plan.cluster.spot_share:
        skipped.add("cluster.spot_price_per_gpu_hour")
    if plan.cluster.price_mode != "spot":
        skipped.add("reliability.preemptions_per_node_hour")
    if plan.reliability.checkpoint_mode != "async":
        skipped.add("reliability.checkpoint_stall_s")
    roles = [f"people.roles.{index}.monthly_cost" for index in range(len(plan.people.roles))]
    return [path for path in (*DEFAULTED_PATHS, *roles) if path not in skipped]


def _sends_tokens(plan: Plan) -> bool:
    """Whether the size of the answers sent costs anything."""
    carried = plan.network.egress_from_traffic or plan.network.load_balancers > 0
    return carried and plan.workload.kind == "online_inference" and plan.architecture.kind != "encoder"


def _entered(values: PlanValues, path: str) -> UncertainInput:
    spec = find_field(path)
    assert spec is not None
    bounds = values.plan.ranges[path]
    central = values.number(path)
    return UncertainInput(path, spec.title, spec.unit, bounds.low, float(central), bounds.high)


def _defaulted(values: PlanValues, path: str) -> UncertainInput | None:
    """The catalogue's range, where the plan leaves the field to the catalogue."""
    if not path.startswith("model.") and get_value(values.plan, path) is not None:
        return None
    fact = default_fact(values.plan, values.catalog, path)
    if fact is None or fact.value is None or fact.low is None or fact.high is None:
        return None
    rate = values.exchange_rate(fact.currency)
    spec = find_field(path)
    title = _MODEL_TITLES.get(path) or (spec.title if spec else path)
    unit = spec.unit if spec else fact.unit
    if path.startswith("people.roles."):
        title, unit = N_("Cost of people"), "currency/FTE-month"
    return UncertainInput(
        path, title, unit, fact.low * rate, fact.value * rate, fact.high * rate, fact.source
    )

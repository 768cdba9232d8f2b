"""Which catalogue fact stands in for a plan field that is left empty, and for the models' own errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.catalog import Catalog, Fact
from engine.errors import InputError
from engine.performance.bands import step_time_band
from engine.performance.serving_bands import serving_band
from engine.plan import Plan

TIME_FACTOR = "model.time_factor"
"""Measured step time over predicted: the training model's own error, a multiplier with its published band."""
THROUGHPUT_FACTOR = "model.throughput_factor"
"""Measured serving throughput over predicted."""

_FACTS: Mapping[str, tuple[str, str]] = {
    "reliability.restart_s": ("failures", "restart_s"),
    "reliability.detection_s": ("failures", "detection_s"),
    "reliability.checkpoint_stall_s": ("failures", "checkpoint_stall_s"),
    "reliability.preemptions_per_node_hour": ("failures", "spot_preemptions_per_node_hour"),
    "operations.energy_price_per_kwh": ("energy", "electricity"),
    "network.answer_bytes_per_token": ("network", "answer_bytes_per_token"),
}


def _price(plan: Plan, catalog: Catalog) -> Fact | None:
    return offer_fact(plan, catalog, plan.cluster.price_mode, plan.cluster.commitment_term_months)


def offer_fact(plan: Plan, catalog: Catalog, mode: str, term_months: float | None = None) -> Fact | None:
    """The catalogue's price of the plan's accelerator, seller and region in a mode; None = unknown."""
    cluster = plan.cluster
    if cluster.accelerator_spec is not None:
        return None
    offer = catalog.price(
        cluster.accelerator, mode, provider=cluster.provider, region=cluster.region, term_months=term_months
    )
    return offer.fact if offer else None


def _committed_price(plan: Plan, catalog: Catalog) -> Fact | None:
    return offer_fact(plan, catalog, "reserved", plan.cluster.committed_term_months)


def _spot_price(plan: Plan, catalog: Catalog) -> Fact | None:
    return offer_fact(plan, catalog, "spot")


def _failure_rate(plan: Plan, catalog: Catalog) -> Fact | None:
    if plan.cluster.accelerator_spec is not None:
        return catalog.fact("failures", "per_node_day")
    return catalog.failure_rate(plan.cluster.accelerator)


def _time_factor(plan: Plan, catalog: Catalog) -> Fact | None:
    """The training model's error in the plan's regime: network, accelerator family and precision."""
    training = plan.training
    if training is not None and training.measured_runs:
        # What reads own runs lowers plans, and lowering reads these defaults.
        from engine.measured_runs import measured_time_factor

        own = measured_time_factor(plan, catalog)
        if own is not None:
            return own
    family = _family(plan, catalog)
    if family is None:
        return catalog.find("training", "time_factor")
    return step_time_band(
        catalog,
        is_moe=plan.architecture.num_experts > 0,
        family=family,
        precision=training.precision if training is not None else "bf16",
        known_stack=training is not None and training.stack is not None,
    )


def _throughput_factor(plan: Plan, catalog: Catalog) -> Fact | None:
    return serving_error(plan, catalog, "throughput")


def serving_error(plan: Plan, catalog: Catalog, metric: str) -> Fact | None:
    """The serving model's error on a metric in the plan's regime: network and accelerator family."""
    family = _family(plan, catalog)
    if family is None:
        return catalog.find("serving", f"{metric}_factor")
    return serving_band(catalog, metric, is_moe=plan.architecture.num_experts > 0, family=family)


def _family(plan: Plan, catalog: Catalog) -> str | None:
    """The accelerator's family, `own` for given figures; None for one the catalogue lacks."""
    if plan.cluster.accelerator_spec is not None:
        return "own"
    try:
        return catalog.accelerator(plan.cluster.accelerator).family
    except InputError:
        return None


_COMPUTED: Mapping[str, Callable[[Plan, Catalog], Fact | None]] = {
    "cluster.price_per_gpu_hour": _price,
    "cluster.committed_price_per_gpu_hour": _committed_price,
    "cluster.spot_price_per_gpu_hour": _spot_price,
    "reliability.failures_per_node_day": _failure_rate,
    TIME_FACTOR: _time_factor,
    THROUGHPUT_FACTOR: _throughput_factor,
}

DEFAULTED_PATHS = (*_COMPUTED, *_FACTS)


def default_fact(plan: Plan, catalog: Catalog, path: str) -> Fact | None:
    """The catalogue fact behind an empty field; None when there is none (then the value is unknown)."""
    if path in _COMPUTED:
        return _COMPUTED[path](plan, catalog)
    if path in _FACTS:
        return catalog.find(*_FACTS[path])
    if path.startswith("people.roles."):
        role = plan.people.roles[int(path.split(".")[2])].role
        return catalog.find("people", f"{role}_month")
    return None

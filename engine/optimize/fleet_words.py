"""Why a fleet is as it is: what its batch stops at, its spares, and the hours that serve nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from engine.arrays import Array
from engine.cost.ledger import HOURS_PER_MONTH, SECONDS_PER_HOUR
from engine.text import N_, Message, Param, Quantity

Limit = Literal["memory", "engine", "tpot", "ttft"]

_BATCH: Mapping[Limit, str] = {
    "memory": N_("Runs {batch} an instance: memory holds no more."),
    "engine": N_("Runs {batch} an instance: the engine's cap."),
    "tpot": N_("Runs {batch} an instance: more would miss TPOT."),
    "ttft": N_("Runs {batch} an instance: more would miss TTFT."),
}


def batch_limit(occupancy: float, batch: float, max_batch: float, cap: Array) -> Limit:
    """What keeps an instance from a larger batch; arguments as in InstancePerformance, `cap` the engine's."""
    if occupancy < batch:
        return "ttft"
    if batch < max_batch:
        return "tpot"
    return "engine" if max_batch >= float(cap) else "memory"


def explain_fleet(
    *,
    occupancy: float,
    limit: Limit,
    needed: float,
    spares: float,
    asked_spares: float,
    availability: float,
    utilisation: float,
) -> tuple[Message, ...]:
    """The batch, the spares and the idle hours of a fleet in sentences; counts, and shares of 1.

    `asked_spares` is what the plan asks for by number; spares beyond it come from its availability.
    """
    batch = Quantity(float(int(occupancy)), "sequences")
    idle = Quantity(1.0 - utilisation, "share")
    return (
        Message(_BATCH[limit], {"batch": batch}),
        _spares(needed, spares, asked_spares, availability),
        Message(N_("{share} of the paid hours are idle: peaks, headroom, spares."), {"share": idle}),
    )


def _spares(needed: float, spares: float, asked: float, availability: float) -> Message:
    """The spares and what they are for; availability as the time a month in which too few work."""
    params: dict[str, Param] = {
        "needed": Quantity(needed, "instances"),
        "spares": spares,
        "gap": Quantity((1.0 - availability) * HOURS_PER_MONTH * SECONDS_PER_HOUR, "s"),
    }
    if spares <= 0.0:
        return Message(N_("{needed} at peak and no spare: too few work for {gap} a month."), params)
    if spares > asked:
        return Message(
            N_("{needed} at peak and {spares} spare for the availability: too few work for {gap} a month."),
            params,
        )
    return Message(N_("{needed} at peak and {spares} spare: too few work for {gap} a month."), params)

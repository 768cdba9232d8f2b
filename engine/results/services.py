"""What a report on an online service says: latency of an instance, the week, unit costs, fleets."""

from __future__ import annotations

from typing import Literal

from engine.results.base import Result
from engine.results.searches import FleetReport
from engine.text import Message

Limit = Literal["memory", "engine", "tpot", "ttft"]
"""What keeps a batch from growing: memory, the engine's cap, or a latency target."""


class LatencyPoint(Result):
    """One instance that serves `batch` sequences on average; latencies [ms] at the 95th percentile.

    The 10-90 % band is of the serving model's own error; an encoder has no tokens to time and count.

    Cost is what the instance's accelerators cost at this load without a pause, the share of the output
    [plan currency per million output tokens]; None where the price is unknown or nothing is generated.
    """

    batch: float
    requests_per_s: float
    output_tokens_per_s: float | None
    tpot_ms: float | None
    tpot_ms_low: float | None
    tpot_ms_high: float | None
    ttft_ms: float
    ttft_ms_low: float
    ttft_ms_high: float
    cost_per_million_output_tokens: float | None
    within_targets: bool


class LatencyCurve(Result):
    """Points by batch up to `max_batch`, and where the plan runs.

    `operating` is the load the fleet is sized for: TTFT and throughput at `operating.batch`; its TPOT is that
    of the full batch `batch`, the largest within the TPOT target. `ends_by` says what ends the curve,
    `limited_by` what sets the operating point. None: no sequence fits.
    """

    points: tuple[LatencyPoint, ...]
    batch: float
    max_batch: float
    ends_by: Limit
    limited_by: Limit
    tpot_slo_ms: float | None
    ttft_slo_ms: float
    operating: LatencyPoint | None


class ServiceWeek(Result):
    """168 hours of the busiest month, from Monday 00:00 UTC; instances [count], load [requests/s].

    `planned` follows the plan, `static` and `autoscaled` the same plan with autoscaling off and on (a fixed
    number of instances left out); `needed` is what the hour itself asks for, without spares and lead.
    Means, saved hours and `lead_instance_hours` (what starting early costs) are of the whole horizon.
    """

    requests_per_s: tuple[float, ...]
    planned: tuple[float, ...]
    static: tuple[float, ...]
    autoscaled: tuple[float, ...]
    needed: tuple[float, ...]
    utilisation: tuple[float, ...]
    gpus_per_instance: float
    spare_instances: float
    availability: float
    availability_target: float
    autoscale: bool
    planned_mean: float
    utilisation_mean: float
    static_mean: float
    autoscaled_mean: float
    saved_instance_hours: float
    saved_share: float
    cold_start_s: float
    lead_instance_hours: float


class CostPart(Result):
    """One part of the bill and what it adds to a request and to a million tokens; None is unknown."""

    key: str
    category: str
    total: float
    per_request: float
    per_million_input: float | None
    per_million_output: float | None
    per_million: float


class UnitCosts(Result):
    """The bill by what it pays for; the parts add up to the total and to each unit cost of the estimate.

    Keys: prefill and decode (GPU time that serves), headroom (capacity kept for peaks, bursts and spares),
    unused (paid hours outside the service: idle shares and commitment left over), then cost categories.
    Input pays for prefill, output for decode; all the rest is shared by GPU time.
    """

    currency: str
    total: float
    per_request: float
    per_million_input: float | None
    per_million_output: float | None
    per_million: float
    parts: tuple[CostPart, ...]
    unknown: tuple[str, ...]


class ServiceReport(Result):
    """A service in four views. `problem` and `remedies` say what fails and what would be needed."""

    feasible: bool
    problem: Message | None
    remedies: tuple[Message, ...]
    curve: LatencyCurve | None
    week: ServiceWeek | None
    costs: UnitCosts | None
    fleets: FleetReport | None = None

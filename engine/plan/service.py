"""An online service and an offline inference job: traffic, targets, precision, engine."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from engine.plan.base import Auto, Section, Whole, declare
from engine.text import N_

ServingPrecision = Literal["bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4"]
KvPrecision = Literal["bf16", "fp16", "fp8", "int8"]
InstanceCount = Annotated[Whole, Ge(1), Le(1_000_000)]
HourlyFactors = Annotated[tuple[Annotated[float, Field(ge=0, le=1000)], ...], Field(strict=False)]


class Serving(Section):
    """Traffic, targets and precision of an online service."""

    requests_per_second: float = declare(N_("Mean request rate"), unit="requests/s", ge=1e-9, le=1e7)
    input_tokens: float = declare(N_("Input tokens"), unit="tokens/request", ge=1, le=1e8)
    output_tokens: float = declare(N_("Output tokens"), unit="tokens/request", ge=1, le=1e8)
    profile: Literal["chat", "code", "flat"] | HourlyFactors = declare(
        N_("Weekly profile"),
        default="chat",
        help=N_("chat, code, flat, or 168 hourly factors from Monday 00:00 UTC."),
    )
    peak_to_mean: float | None = declare(
        N_("Peak to mean"),
        unit="ratio",
        default=None,
        ge=1,
        le=1000,
        help=N_("Empty means the profile's own peak."),
    )
    growth_per_month: float = declare(
        N_("Growth a month"), unit="share", default=0.0, ge=-0.5, le=2, advanced=True
    )
    arrival_cv: float = declare(
        N_("Arrival variability"),
        unit="ratio",
        default=1.0,
        ge=0,
        le=50,
        advanced=True,
        help=N_("Coefficient of variation of the time between requests; 1 is Poisson."),
    )
    weight_precision: ServingPrecision = declare(N_("Weight precision"), default="bf16")
    kv_precision: KvPrecision = declare(N_("KV-cache precision"), default="bf16")
    ttft_slo_ms: float = declare(
        N_("Time to first token, p95"), unit="ms", default=2000.0, gt=0, le=3_600_000
    )
    tpot_slo_ms: float = declare(
        N_("Time per output token, p95"), unit="ms", default=50.0, gt=0, le=3_600_000
    )
    availability: float = declare(N_("Availability"), unit="share", default=0.999, ge=0, lt=1, advanced=True)
    autoscale: bool = declare(N_("Autoscale"), default=False)
    cold_start_s: float = declare(N_("Cold start"), unit="s", default=600.0, ge=0, le=86_400, advanced=True)
    spare_instances: Whole = declare(N_("Spare instances"), default=1, ge=0, le=10_000, advanced=True)
    headroom: float = declare(N_("Headroom"), unit="share", default=0.15, ge=0, le=0.9, advanced=True)
    prefix_hit_rate: float = declare(N_("Prefix cache hits"), unit="share", default=0.0, ge=0, le=1)
    prefix_share: float | None = declare(
        N_("Shared prefix"),
        unit="share",
        default=None,
        ge=0,
        le=1,
        help=N_("Share of input tokens that repeat an earlier prefix. Empty means not known."),
    )
    max_num_seqs: Whole = declare(
        N_("Largest batch of the engine"), unit="sequences", default=1024, ge=1, le=1_000_000, advanced=True
    )
    instances: InstanceCount | Auto = declare(N_("Instances"), default="auto", advanced=True)
    api_input_price_per_million: float | None = declare(
        N_("API input price"),
        unit="currency/M tokens",
        default=None,
        ge=0,
        le=1e6,
        help=N_("Of the API that self-hosting is compared with; 0 is a price."),
    )
    api_output_price_per_million: float | None = declare(
        N_("API output price"),
        unit="currency/M tokens",
        default=None,
        ge=0,
        le=1e6,
        help=N_("Of the API that self-hosting is compared with; 0 is a price."),
    )
    api_cached_input_price_per_million: float | None = declare(
        N_("API cached input price"),
        unit="currency/M tokens",
        default=None,
        ge=0,
        le=1e6,
        help=N_("Empty means cached input costs what other input costs."),
    )


class Batch(Section):
    """An offline inference job."""

    requests: float = declare(N_("Requests"), unit="requests", gt=0, le=1e15)
    deadline_hours: float = declare(N_("Deadline"), unit="h", gt=0, le=1e6)

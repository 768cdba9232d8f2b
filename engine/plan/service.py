"""An online service and an offline inference job: traffic, targets, precision, engine."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from engine.plan.base import Auto, Divisor, Section, Whole, declare
from engine.text import N_

ServingPrecision = Literal["bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4"]
KvPrecision = Literal["bf16", "fp16", "fp8", "int8"]
InstanceCount = Annotated[Whole, Ge(1), Le(1_000_000)]
HourlyFactors = Annotated[tuple[Annotated[float, Field(ge=0, le=1000)], ...], Field(strict=False)]


ServingEngine = Literal["vllm", "sglang", "trtllm", "lmdeploy"]


class OtherModel(Section):
    """Another network on the same fleet: it shares accelerators, price, targets, people and spares."""

    preset: str = declare(N_("Network"), max_length=100, min_length=1)
    requests_per_second: float = declare(N_("Mean request rate"), unit="requests/s", ge=1e-9, le=1e7)
    input_tokens: float = declare(N_("Input tokens"), unit="tokens/request", ge=1, le=1e8)
    output_tokens: float = declare(N_("Output tokens"), unit="tokens/request", ge=0, le=1e8)
    profile: Literal["chat", "code", "api", "flat"] = declare(N_("Weekly profile"), default="chat")
    weight_precision: ServingPrecision = declare(N_("Weight precision"), default="bf16")
    tensor_parallel: Whole = declare(N_("Tensor parallel"), default=1, ge=1, le=4096)
    accelerator_share: Divisor = declare(N_("Share of an accelerator"), unit="share", default=1.0, gt=0, le=1)


class Serving(Section):
    """Traffic, targets, precision and engine of a service. Lengths also hold for an offline job."""

    requests_per_second: float | None = declare(
        N_("Mean request rate"),
        unit="requests/s",
        default=None,
        ge=1e-9,
        le=1e7,
        help=N_("Needed for online inference; a batch job has a number of requests instead."),
    )
    input_tokens: float = declare(
        N_("Input tokens"),
        unit="tokens/request",
        ge=1,
        le=1e8,
        help=N_("Mean of a request; in a session what one turn adds."),
    )
    output_tokens: float = declare(
        N_("Output tokens"),
        unit="tokens/request",
        ge=0,
        le=1e8,
        help=N_("Mean of the visible answer; 0 = embedding or ranking, the network only reads."),
    )
    turns: float = declare(
        N_("Turns of a session"),
        unit="requests",
        default=1.0,
        ge=1,
        le=10_000,
        advanced=True,
        help=N_("Each request of a session carries the earlier ones: chats, or the steps of an agent."),
    )
    session_hit_rate: float = declare(
        N_("Earlier turns found in the cache"),
        unit="share",
        default=0.5,
        ge=0,
        le=1,
        advanced=True,
        help=N_("Share of a session's earlier tokens that need no new prefill."),
    )
    retrieved_tokens: float = declare(
        N_("Retrieved tokens"),
        unit="tokens/request",
        default=0.0,
        ge=0,
        le=1e8,
        advanced=True,
        help=N_("Documents that retrieval adds to the prompt; they are never in the cache."),
    )
    reasoning_tokens: float = declare(
        N_("Reasoning tokens"),
        unit="tokens/request",
        default=0.0,
        ge=0,
        le=1e8,
        advanced=True,
        help=N_("Generated before the visible answer, and not kept for the next turn."),
    )
    profile: Literal["chat", "code", "api", "flat"] | HourlyFactors = declare(
        N_("Weekly profile"),
        default="chat",
        help=N_("chat, code, api, flat, or 168 hourly factors from Monday 00:00 UTC."),
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
    slo_percentile: Literal["p95", "p99"] = declare(
        N_("Percentile of the targets"),
        default="p95",
        advanced=True,
        help=N_("Share of requests that must meet the two latency targets."),
    )
    zones: Whole = declare(
        N_("Zones"),
        default=1,
        ge=1,
        le=16,
        advanced=True,
        help=N_("Instances are spread over so many zones; the others carry the load when one is lost."),
    )
    engine: ServingEngine | None = declare(
        N_("Serving engine"),
        default=None,
        advanced=True,
        help=N_("Overheads measured with one engine. Empty takes those of all engines together."),
    )
    prefill_chunk_tokens: Whole | None = declare(
        N_("Prefill chunk"),
        unit="tokens",
        default=None,
        ge=16,
        le=10_000_000,
        advanced=True,
        help=N_("So much of a prompt is read in one step between the others' tokens. Empty: all at once."),
    )
    disaggregated: bool = declare(
        N_("Separate prefill instances"),
        default=False,
        advanced=True,
        help=N_("Prompts are read by instances of their own, which hand over the cache."),
    )
    draft_tokens: Whole = declare(
        N_("Drafted tokens"),
        unit="tokens/step",
        default=0,
        ge=0,
        le=32,
        advanced=True,
        help=N_("Speculative decoding: tokens proposed in a step; 0 = none."),
    )
    draft_acceptance: float = declare(
        N_("Drafts accepted"),
        unit="share",
        default=0.7,
        ge=0,
        lt=1,
        advanced=True,
        help=N_("Chance that the network accepts a drafted token."),
    )
    draft_step_share: float = declare(
        N_("Cost of a draft"),
        unit="share",
        default=0.1,
        ge=0,
        le=1,
        advanced=True,
        help=N_("Time to draft one token relative to a plain decode step."),
    )
    adapters: Whole = declare(
        N_("Adapters in memory"),
        default=0,
        ge=0,
        le=1_000_000,
        advanced=True,
        help=N_("Low-rank adapters (LoRA) that share the network; 0 = none."),
    )
    adapter_rank: Whole = declare(N_("Rank of an adapter"), default=16, ge=1, le=4096, advanced=True)
    accelerator_share: Divisor = declare(
        N_("Share of an accelerator"),
        unit="share",
        default=1.0,
        gt=0,
        le=1,
        advanced=True,
        help=N_("What an instance gets of one accelerator: a MIG slice or a time slice."),
    )
    other_models: Annotated[tuple[OtherModel, ...], Field(strict=False)] = declare(
        N_("Other models on the fleet"),
        default=(),
        advanced=True,
        max_length=100,
        help=N_("Each has instances of its own on the same accelerators, sized for the same targets."),
    )
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
    """An offline inference job; lengths, precision and engine are those of `serving`."""

    requests: float = declare(N_("Requests"), unit="requests", ge=1, le=1e15)
    deadline_hours: float = declare(N_("Deadline"), unit="h", gt=0, le=1e6)
    max_batch: Whole | None = declare(
        N_("Largest batch"),
        unit="sequences",
        default=None,
        ge=1,
        le=1_000_000,
        help=N_("Empty means what memory and the engine allow."),
    )
    idle_gpu_hours_per_week: float = declare(
        N_("Idle GPU-hours used"),
        unit="GPU-h/week",
        default=0.0,
        ge=0,
        le=1e9,
        help=N_(
            "Hours in the valleys of an online fleet that is paid already and serves this network; used "
            "first, at no price but their energy."
        ),
        advanced=True,
    )

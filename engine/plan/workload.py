"""What is to be done: the workload kind, the training run, the service, the batch job, the experiments."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from engine.plan.base import Auto, Section, Whole, declare
from engine.text import N_

WorkloadKind = Literal[
    "pretraining",
    "continued_pretraining",
    "finetuning",
    "multimodal_training",
    "online_inference",
    "batch_inference",
]
TRAINING_KINDS = ("pretraining", "continued_pretraining", "finetuning", "multimodal_training")
TrainingPrecision = Literal["bf16", "fp16", "fp8", "mxfp8", "nvfp4"]
ServingPrecision = Literal["bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4"]
KvPrecision = Literal["bf16", "fp16", "fp8", "int8"]
TrainingStack = Literal[
    "megatron", "megatron_2025", "megatron_2024", "megatron_2021", "megatron_deepspeed", "fsdp", "jax"
]
InstanceCount = Annotated[Whole, Ge(1), Le(1_000_000)]
HourlyFactors = Annotated[tuple[Annotated[float, Field(ge=0, le=1000)], ...], Field(strict=False)]


class Workload(Section):
    """Which of the six kinds of work this plan pays for."""

    kind: WorkloadKind = declare(N_("Workload"))


class MeasuredRun(Section):
    """A run that was measured, to calibrate this plan by.

    What is empty was as the plan has it; with the plan's next change it is filled in as it was then, so that
    no change of the plan, and no variant of it, changes what was measured.
    """

    tokens_per_s_per_gpu: float = declare(N_("Measured speed"), unit="tokens/s/GPU", gt=0, le=1e9)
    stack: TrainingStack | None = declare(N_("Software stack"), default=None)
    precision: TrainingPrecision | None = declare(N_("Precision"), default=None)
    accelerator: str | None = declare(N_("Accelerator"), default=None, max_length=200)
    accelerator_count: Whole | None = declare(N_("Accelerators"), default=None, ge=1, le=10_000_000)
    sequence_length: Whole | None = declare(
        N_("Sequence length"), unit="tokens", default=None, ge=16, le=100_000_000
    )
    global_batch_tokens: float | None = declare(
        N_("Global batch"), unit="tokens/step", default=None, ge=16, le=1e12
    )
    tensor_parallel: Whole | None = declare(N_("Tensor parallel"), default=None, ge=1, le=4096)
    pipeline_parallel: Whole | None = declare(N_("Pipeline parallel"), default=None, ge=1, le=4096)
    context_parallel: Whole | None = declare(N_("Context parallel"), default=None, ge=1, le=4096)
    expert_parallel: Whole | None = declare(N_("Expert parallel"), default=None, ge=1, le=4096)
    virtual_pipeline: Whole | None = declare(N_("Virtual pipeline"), default=None, ge=1, le=1024)
    micro_batch: Whole | None = declare(N_("Micro-batch"), unit="sequences", default=None, ge=1, le=65_536)
    sharding: Literal["zero0", "zero1", "zero3"] | None = declare(N_("Sharding"), default=None)
    recompute: Literal["none", "selective", "full"] | None = declare(N_("Recompute"), default=None)
    label: str = declare(N_("Name"), default="", max_length=200)


MEASURED_AS = {
    "stack": "training.stack",
    "precision": "training.precision",
    "accelerator": "cluster.accelerator",
    "accelerator_count": "cluster.accelerator_count",
    "sequence_length": "training.sequence_length",
    "global_batch_tokens": "training.global_batch_tokens",
    "tensor_parallel": "layout.tensor_parallel",
    "pipeline_parallel": "layout.pipeline_parallel",
    "context_parallel": "layout.context_parallel",
    "expert_parallel": "layout.expert_parallel",
    "virtual_pipeline": "layout.virtual_pipeline",
    "micro_batch": "layout.micro_batch",
    "sharding": "layout.sharding",
    "recompute": "layout.recompute",
}
"""Fields of a measured run and the plan's fields they stand in for."""


class Training(Section):
    """The main training run."""

    tokens: float = declare(N_("Training tokens"), unit="tokens", ge=1e3, le=1e16)
    sequence_length: Whole = declare(N_("Sequence length"), unit="tokens", ge=16, le=100_000_000)
    global_batch_tokens: float = declare(
        N_("Global batch"), unit="tokens/step", ge=16, le=1e12, help=N_("Tokens in one optimiser step.")
    )
    precision: TrainingPrecision = declare(N_("Precision"), default="bf16")
    method: Literal["full", "lora"] = declare(
        N_("Weights trained"),
        default="full",
        help=N_("lora: low-rank adapters beside frozen weights; only for fine-tuning."),
        advanced=True,
    )
    stack: TrainingStack | None = declare(
        N_("Software stack"),
        default=None,
        help=N_("Empty is priced as Megatron-Core of 2026, with a wider band."),
    )
    stack_release: float | None = declare(
        N_("Year of the stack"),
        default=None,
        help=N_("Its release, as 2025.5; mixtures of experts have become faster every year."),
        advanced=True,
        ge=2018,
        le=2035,
    )
    measured_runs: Annotated[tuple[MeasuredRun, ...], Field(strict=False)] = declare(
        N_("Measured runs"),
        default=(),
        help=N_("Own measurements: one factor a stack is fitted to them and the band narrows."),
        advanced=True,
        max_length=1000,
    )
    critical_batch_tokens: float | None = declare(
        N_("Critical batch"),
        unit="tokens/step",
        default=None,
        advanced=True,
        ge=16,
        le=1e12,
        help=N_("Batch at which half the tokens buy speed only. Empty means from the token count."),
    )
    evaluation_share: float = declare(
        N_("Evaluation compute"),
        unit="share",
        default=0.02,
        advanced=True,
        ge=0,
        le=10,
        help=N_("GPU-hours of evaluation relative to the main run."),
    )


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


class Batch(Section):
    """An offline inference job."""

    requests: float = declare(N_("Requests"), unit="requests", gt=0, le=1e15)
    deadline_hours: float = declare(N_("Deadline"), unit="h", gt=0, le=1e6)


class Experiments(Section):
    """Trial runs before the main run."""

    runs: Whole = declare(N_("Trial runs"), default=0, ge=0, le=1_000_000)
    run_share: float = declare(
        N_("Size of one trial"),
        unit="share",
        default=0.01,
        ge=0,
        le=10,
        help=N_("GPU-hours of one trial relative to the main run."),
    )
    failed_share: float = declare(N_("Trials that fail"), unit="share", default=0.2, ge=0, le=1)
    rerun_share: float = declare(N_("Trials repeated"), unit="share", default=0.0, ge=0, le=10, advanced=True)

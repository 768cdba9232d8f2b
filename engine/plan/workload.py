"""What is to be done: the workload kind, the training run, the experiments before it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.plan.base import Section, Whole, declare
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
TrainingStack = Literal[
    "megatron", "megatron_2025", "megatron_2024", "megatron_2021", "megatron_deepspeed", "fsdp", "jax"
]


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

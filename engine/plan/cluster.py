"""What the work runs on: accelerators, their price, the parallel layout and its reliability."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le
from pydantic import Field

from engine.plan.base import Auto, Divisor, Section, Whole, declare
from engine.text import N_

PriceMode = Literal["on_demand", "reserved", "spot", "owned"]
Sharding = Literal["zero0", "zero1", "zero2", "zero3"]
Recompute = Literal["none", "selective", "full"]
# Bounds of a field that also takes a word sit on its number, not on the field.
ParallelSize = Annotated[Whole, Ge(1), Le(4096)]
MicroBatch = Annotated[Whole, Ge(1), Le(65_536)]
AcceleratorCount = Annotated[Whole, Ge(1), Le(10_000_000)]
Interval = Annotated[Divisor, Gt(0), Le(1e8)]


class AcceleratorSpec(Section):
    """Figures of an accelerator the catalogue lacks."""

    name: str = declare(N_("Name"), default="", max_length=100)
    memory_gib: float = declare(N_("Memory"), unit="GiB", ge=1e-3, le=100_000)
    memory_bandwidth_gb_per_s: float = declare(N_("Memory bandwidth"), unit="GB/s", ge=1e-3, le=1e7)
    peak_tflops: dict[str, Annotated[float, Field(ge=1e-6, le=1e7)]] = declare(
        N_("Dense peak by precision"), unit="TFLOP/s", help=N_("For example bf16: 989, fp8: 1979.")
    )
    scale_up_gb_per_s: float = declare(N_("Fast link, one direction"), unit="GB/s", ge=1e-3, le=1e6)
    power_w: float = declare(N_("Power"), unit="W", ge=1e-3, le=1e6)
    accelerators_per_node: Whole = declare(N_("Accelerators per node"), ge=1, le=1024)


class Cluster(Section):
    """Accelerators, their number and what an hour of them costs."""

    accelerator: str = declare(N_("Accelerator"), max_length=100, min_length=1)
    accelerator_count: AcceleratorCount | Auto = declare(N_("Accelerators"), unit="GPUs", default="auto")
    accelerators_per_node: Whole | None = declare(
        N_("Accelerators per node"),
        default=None,
        ge=1,
        le=1024,
        advanced=True,
        help=N_("Empty means the catalogue's node."),
    )
    price_mode: PriceMode = declare(N_("Purchase"), default="on_demand")
    price_per_gpu_hour: float | None = declare(
        N_("Price"),
        unit="currency/GPU-h",
        default=None,
        ge=0,
        le=1e6,
        help=N_("Empty means the catalogue's offer; 0 means a free allocation."),
    )
    provider: str | None = declare(N_("Provider"), default=None, max_length=100, advanced=True)
    region: str | None = declare(N_("Region"), default=None, max_length=100, advanced=True)
    commitment_term_months: float | None = declare(
        N_("Commitment term"),
        unit="months",
        default=None,
        gt=0,
        le=240,
        advanced=True,
        help=N_("Paid in full even when the work ends earlier. Empty means shared capacity, paid as used."),
    )
    committed_accelerators: Whole | None = declare(
        N_("Committed base"),
        unit="GPUs",
        default=None,
        ge=0,
        le=10_000_000,
        advanced=True,
        help=N_("GPUs of a service paid for every hour. What an hour needs beyond them is bought as above."),
    )
    committed_term_months: float = declare(
        N_("Term of the base"),
        unit="months",
        default=12.0,
        gt=0,
        le=240,
        advanced=True,
        help=N_("Paid in full even when the service ends earlier."),
    )
    committed_price_per_gpu_hour: float | None = declare(
        N_("Price of the base"),
        unit="currency/GPU-h",
        default=None,
        ge=0,
        le=1e6,
        advanced=True,
        help=N_("Empty means the catalogue's reserved offer of this term."),
    )
    spot_share: float = declare(
        N_("Spot share"),
        unit="share",
        default=0.0,
        ge=0,
        le=1,
        advanced=True,
        help=N_("Share of the hours above the base that a service buys as spot capacity."),
    )
    spot_price_per_gpu_hour: float | None = declare(
        N_("Spot price"),
        unit="currency/GPU-h",
        default=None,
        ge=0,
        le=1e6,
        advanced=True,
        help=N_("Empty means the catalogue's spot offer."),
    )
    busy_share: Divisor = declare(
        N_("Busy share"),
        unit="share",
        default=0.95,
        gt=0,
        le=1,
        help=N_("Share of paid GPU-hours that do work."),
    )
    accelerator_spec: AcceleratorSpec | None = declare(N_("Own accelerator"), default=None, advanced=True)
    nic_gbps_per_gpu: float | None = declare(
        N_("Network per GPU"), unit="Gbit/s", default=None, ge=1e-3, le=1e6, advanced=True
    )
    scale_up_domain: Whole | None = declare(
        N_("Fast-link domain"), unit="GPUs", default=None, ge=1, le=100_000, advanced=True
    )


class Layout(Section):
    """How the network and the batch are spread over accelerators."""

    tensor_parallel: ParallelSize | Auto = declare(N_("Tensor parallel"), default="auto")
    pipeline_parallel: ParallelSize | Auto = declare(N_("Pipeline parallel"), default="auto")
    context_parallel: ParallelSize | Auto = declare(N_("Context parallel"), default="auto", advanced=True)
    expert_parallel: ParallelSize | Auto = declare(N_("Expert parallel"), default="auto", advanced=True)
    virtual_pipeline: ParallelSize | Auto = declare(N_("Virtual pipeline"), default="auto", advanced=True)
    micro_batch: MicroBatch | Auto = declare(N_("Micro-batch"), unit="sequences", default="auto")
    sharding: Sharding | Auto = declare(N_("Sharding"), default="auto")
    recompute: Recompute | Auto = declare(N_("Recomputation"), default="auto")
    attention_data_parallel: ParallelSize = declare(
        N_("Attention data parallel"),
        default=1,
        advanced=True,
        help=N_("Serving: copies of the attention, with experts spread over all of the instance."),
    )


ACCELERATOR_OFFER = (
    "cluster.price_per_gpu_hour",
    "cluster.committed_price_per_gpu_hour",
    "cluster.spot_price_per_gpu_hour",
    "cluster.region",
)
ACCELERATOR_FIGURES = (
    "cluster.accelerator_spec",
    "cluster.accelerators_per_node",
    "cluster.scale_up_domain",
    "cluster.nic_gbps_per_gpu",
)
"""Fields of the plan's own accelerator and its offer: with another one they go back to the catalogue."""


class Reliability(Section):
    """Failures, checkpoints, restarts and spares of a training run."""

    failures_per_node_day: float | None = declare(
        N_("Failures"),
        unit="per node-day",
        default=None,
        ge=0,
        le=1000,
        help=N_("Empty means the catalogue's rate for this kind of accelerator."),
    )
    checkpoint_interval_s: Interval | Auto = declare(
        N_("Checkpoint interval"),
        unit="s",
        default="auto",
        help=N_("Useful work between two checkpoints, without the write."),
    )
    checkpoint_mode: Literal["sync", "async"] = declare(N_("Checkpoint writing"), default="sync")
    checkpoint_write_s: float | None = declare(
        N_("Checkpoint write"),
        unit="s",
        default=None,
        gt=0,
        le=1e6,
        help=N_("Time until a checkpoint is durable. Empty means from its size."),
    )
    checkpoint_stall_s: float | None = declare(
        N_("Stall of a background write"),
        unit="s",
        default=None,
        ge=0,
        le=1e6,
        advanced=True,
    )
    restart_s: float | None = declare(N_("Restart"), unit="s", default=None, ge=0, le=1e7)
    detection_s: float | None = declare(N_("Detection"), unit="s", default=None, ge=0, le=1e7, advanced=True)
    preemptions_per_node_hour: float | None = declare(
        N_("Preemptions"),
        unit="per node-hour",
        default=None,
        ge=0,
        le=1000,
        advanced=True,
        help=N_("Counts for spot capacity only."),
    )
    spare_nodes: Whole = declare(N_("Spare nodes"), default=0, ge=0, le=1_000_000, advanced=True)
    restore_tested: bool | None = declare(
        N_("Restore tested"), default=None, help=N_("Has a restart from a checkpoint been rehearsed?")
    )

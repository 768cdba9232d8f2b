"""The only carrier of arrays: what the kernel takes, one row a plan, a draw or a candidate."""

from __future__ import annotations

from dataclasses import dataclass

from engine.arrays import Array, FloatArray
from engine.cost.inputs import MoneyInputs
from engine.performance.batch import BatchJob
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import ServingInputs
from engine.performance.training_constants import (
    TrainingConstants,
)


@dataclass(frozen=True, slots=True)
class ReliabilityPlan:
    """Failures and checkpoints as planned; interval NaN means the optimum."""

    failures_per_node_day: Array
    preemptions_per_node_hour: Array
    checkpoint_interval_s: Array
    checkpoint_write_s: Array
    checkpoint_stall_s: Array
    checkpoint_async: Array
    restart_s: Array
    detection_s: Array
    spare_nodes: Array


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """Everything a training run is computed from."""

    run: TrainingRun
    layout: LayoutInputs
    constants: TrainingConstants
    tokens: Array
    time_factor: Array
    reliability: ReliabilityPlan


@dataclass(frozen=True, slots=True)
class ServiceInputs:
    """Everything an online service is computed from. `instances` NaN means sized by the engine.

    `reads_only`: no token is generated. `visible_share` of the output is the answer, the rest reasoning.
    `tpot_band` and `ttft_band` are the model's own 10-90 % bands of those figures [ratio]; `measured_runs`
    [count] of this accelerator and precision stand behind them.
    """

    load: ServingInputs
    constants: ServingConstants
    profile: FloatArray
    peak_to_mean: Array
    growth_per_month: Array
    autoscale: Array
    cold_start_s: Array
    spare_instances: Array
    headroom: Array
    throughput_factor: Array
    instances: Array
    availability: Array
    instance_availability: Array
    zones: Array
    accelerator_share: Array
    reads_only: bool
    visible_share: Array
    tpot_band: tuple[float, float]
    ttft_band: tuple[float, float]
    measured_runs: float


@dataclass(frozen=True, slots=True)
class KernelInputs:
    """The only carrier of arrays: one row a plan, a draw or a candidate. Built by `lower`, never stored.

    `others` are further networks on a service's fleet by name, each as a plan of its own would be.
    """

    model: ModelShape
    hardware: Hardware
    money: MoneyInputs
    training: TrainingInputs | None
    service: ServiceInputs | None
    batch: BatchJob | None = None
    others: tuple[tuple[str, KernelInputs], ...] = ()

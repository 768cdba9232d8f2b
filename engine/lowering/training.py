"""A training run's layout, constants and reliability."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.catalog import Accelerator
from engine.codes import (
    CHECKPOINT_MODES,
    PRICE_MODES,
    RECOMPUTE_MODES,
    SHARDING_STAGES,
    TRAINING_PRECISIONS,
)
from engine.defaults import TIME_FACTOR
from engine.lowering.inputs import ReliabilityPlan, TrainingInputs
from engine.performance.flops import count_parameters
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.training_constants import (
    DEFAULT_STACK,
    resolve_training_constants,
)
from engine.values import UNKNOWN, PlanValues


def lower_training(
    values: PlanValues, model: ModelShape, hardware: Hardware, accelerator: Accelerator
) -> TrainingInputs:
    """What a training run is computed from."""
    number = values.number
    count = number("cluster.accelerator_count")
    plan = values.plan
    assert plan.training is not None
    return TrainingInputs(
        run=TrainingRun(
            sequence_length=number("training.sequence_length"),
            global_batch_tokens=number("training.global_batch_tokens"),
            precision_code=values.code("training.precision", TRAINING_PRECISIONS),
            accelerator_count=count,
            weights_frozen=float(plan.training.method == "lora"),
        ),
        layout=layout_inputs(values),
        constants=resolve_training_constants(
            values.catalog,
            accelerator.family,
            plan.training.precision,
            stack=plan.training.stack or DEFAULT_STACK,
            power_w=accelerator.tdp_w,
            release=plan.training.stack_release,
        ),
        tokens=number("training.tokens"),
        time_factor=number(TIME_FACTOR),
        reliability=_reliability(values, model, hardware, count),
    )


def layout_inputs(values: PlanValues) -> LayoutInputs:
    """The layout's sizes and codes; fields left to the engine arrive as NaN or -1 and are searched first."""
    return LayoutInputs(
        tensor_parallel=values.number_or("layout.tensor_parallel", UNKNOWN),
        pipeline_parallel=values.number_or("layout.pipeline_parallel", UNKNOWN),
        context_parallel=values.number_or("layout.context_parallel", UNKNOWN),
        expert_parallel=values.number_or("layout.expert_parallel", UNKNOWN),
        virtual_pipeline=values.number_or("layout.virtual_pipeline", UNKNOWN),
        micro_batch=values.number_or("layout.micro_batch", UNKNOWN),
        sharding_code=values.code("layout.sharding", SHARDING_STAGES),
        recompute_code=values.code("layout.recompute", RECOMPUTE_MODES),
    )


def _reliability(values: PlanValues, model: ModelShape, hardware: Hardware, count: Array) -> ReliabilityPlan:
    number = values.number
    nodes = np.ceil(np.asarray(count) / hardware.accelerators_per_node)
    size = count_parameters(model).total * values.fact("failures", "checkpoint_bytes_per_parameter")
    bandwidth = np.minimum(
        nodes * values.fact("failures", "checkpoint_write_bytes_per_s_per_node"),
        values.fact("failures", "checkpoint_write_bytes_per_s_total"),
    )
    spot = values.code("cluster.price_mode", PRICE_MODES) == PRICE_MODES.index("spot")
    write_path = "reliability.checkpoint_write_s"
    write = values.number(write_path) if _is_given(values, write_path) else size / bandwidth
    return ReliabilityPlan(
        failures_per_node_day=number("reliability.failures_per_node_day"),
        preemptions_per_node_hour=np.where(spot, number("reliability.preemptions_per_node_hour"), 0.0),
        checkpoint_interval_s=values.number_or("reliability.checkpoint_interval_s", UNKNOWN),
        checkpoint_write_s=write,
        checkpoint_stall_s=np.minimum(number("reliability.checkpoint_stall_s"), write),
        checkpoint_async=values.code("reliability.checkpoint_mode", CHECKPOINT_MODES),
        restart_s=number("reliability.restart_s"),
        detection_s=number("reliability.detection_s"),
        spare_nodes=number("reliability.spare_nodes"),
    )


def _is_given(values: PlanValues, path: str) -> bool:
    return path in values.overrides or values.plan.reliability.checkpoint_write_s is not None

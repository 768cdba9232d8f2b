"""An offline inference job: requests, deadline, batch, interruptions."""

from __future__ import annotations

import numpy as np

from engine.catalog import Accelerator
from engine.codes import PRICE_MODES
from engine.defaults import THROUGHPUT_FACTOR
from engine.lowering.money import deadline_days
from engine.lowering.service import lower_load
from engine.performance.batch import BatchJob
from engine.performance.serving_constants import PREFIX, ServingConstants
from engine.values import UNKNOWN, PlanValues


def _engine(values: PlanValues) -> str:
    serving = values.plan.serving
    return (serving.engine if serving else None) or ""


def lower_batch(values: PlanValues, accelerator: Accelerator) -> BatchJob:
    """What an offline job is computed from. Only spot capacity is taken away; every node may fail."""
    number = values.number
    spot = values.code("cluster.price_mode", PRICE_MODES) == PRICE_MODES.index("spot")
    return BatchJob(
        load=lower_load(values, accelerator),
        constants=ServingConstants.from_facts(values.catalog.constants(PREFIX), _engine(values)),
        requests=number("batch.requests"),
        deadline_h=deadline_days(values) * 24.0,
        max_batch=values.number_or("batch.max_batch", float("inf")),
        accelerator_count=values.number_or("cluster.accelerator_count", UNKNOWN),
        idle_gpu_hours_per_week=number("batch.idle_gpu_hours_per_week"),
        cold_start_s=number("serving.cold_start_s"),
        throughput_factor=number(THROUGHPUT_FACTOR),
        failures_per_node_day=number("reliability.failures_per_node_day"),
        preemptions_per_node_hour=np.where(spot, number("reliability.preemptions_per_node_hour"), 0.0),
        detection_s=number("reliability.detection_s"),
    )

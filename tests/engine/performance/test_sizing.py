"""Fleets of random services, sized by closed forms and judged by an event simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.catalog import load_catalog
from engine.codes import SERVING_PRECISIONS
from engine.performance.fleet import fleet_hours
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving import InstancePerformance, serve_instance
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import ServingInputs
from tests.engine.performance.serving_simulation import Scenario, simulate_fleet

CONSTANTS = ServingConstants.from_facts(load_catalog().constants("serving."))
FP8 = float(SERVING_PRECISIONS.index("fp8"))
H100 = Hardware(1978.9e12, 989.4e12, 79.65 * 2**30, 3.35e12, 450e9, 8.0, 50e9, 8.0)
LLAMA_8B = ModelShape(4096.0, 32.0, 32.0, 8.0, 128.0, 14336.0, 128256.0)
LLAMA_70B = ModelShape(8192.0, 80.0, 64.0, 8.0, 128.0, 28672.0, 128256.0)
QWEN_30B_A3B = ModelShape(
    2048.0,
    48.0,
    32.0,
    4.0,
    128.0,
    6144.0,
    151936.0,
    num_experts=128.0,
    num_experts_per_tok=8.0,
    moe_intermediate_size=768.0,
)
SERVED = ((LLAMA_8B, 1.0), (LLAMA_70B, 4.0), (LLAMA_70B, 8.0), (QWEN_30B_A3B, 1.0), (LLAMA_8B, 1.0))
SCENARIOS = 30


def scenario(number: int) -> tuple[ModelShape, ServingInputs, float]:
    """A network with traffic and targets, and about how many instances it should keep busy."""
    rng = np.random.default_rng(1000 + number)
    model, tensor = SERVED[number % len(SERVED)]
    inputs, outputs = np.exp(rng.uniform(np.log((200, 80)), np.log((3000, 700))))
    ttft, tpot = rng.choice([0.5, 1.0, 2.0, 4.0]), rng.choice([0.03, 0.04, 0.05, 0.08])
    busy = float(np.exp(rng.uniform(np.log(2), np.log(14)))) * 0.8
    cv = (1.0, 2.0, 4.0)[number % 3]
    load = ServingInputs(1.0, inputs, outputs, 0.0, FP8, FP8, tensor, 1.0, ttft, tpot, cv, 1024.0)
    return model, load, busy


def sized(
    model: ModelShape, load: ServingInputs, busy: float
) -> tuple[ServingInputs, InstancePerformance, int]:
    """The load at that many instances' worth of requests, an instance under it, and the fleet's size."""
    alone = serve_instance(model, H100, load, CONSTANTS)
    load = replace(load, requests_per_second=float(alone.requests_per_s_capacity) * busy)
    instance = serve_instance(model, H100, load, CONSTANTS)
    fleet = fleet_hours(
        load,
        instance,
        np.ones(168),
        constants=CONSTANTS,
        peak_to_mean=np.nan,
        growth_per_month=0.0,
        horizon_months=1.0,
        autoscale=0.0,
        cold_start_s=0.0,
        spare_instances=0.0,
        headroom=0.0,
        burst=1.0,
    )
    return load, instance, int(fleet.instances_peak)


def meets(model: ModelShape, load: ServingInputs, instance: InstancePerformance, instances: int) -> bool:
    """Whether the simulated 95th percentiles of TTFT and TPOT meet the targets."""
    if instances < 1:
        return False
    served = Scenario(model, H100, load, CONSTANTS, int(instance.batch))
    rate, cv = float(load.requests_per_second), float(load.arrival_cv)
    ttft, tpot = simulate_fleet(served, rate, cv, instances, seconds=300.0, seed=0)
    return bool(
        np.quantile(ttft, 0.95) <= float(load.ttft_slo_s)
        and np.quantile(tpot, 0.95) <= float(load.tpot_slo_s)
    )


def test_fleets_meet_their_targets_and_are_not_oversized() -> None:
    met = needed = 0
    for number in range(SCENARIOS):
        model, load, busy = scenario(number)
        load, instance, instances = sized(model, load, busy)
        met += meets(model, load, instance, instances)
        needed += not meets(model, load, instance, instances - 1)
    assert met >= 28
    assert needed >= 20

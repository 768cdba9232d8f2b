"""An event simulation of a fleet: the judge of the closed forms. It knows nothing of how fleets are sized."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from engine.arrays import FloatArray
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import (
    ServingCase,
    ServingInputs,
    decode_step_s,
    prefill_s_per_request,
)

OUTPUT_SIGMA = 0.85
"""Spread of the logarithm of output lengths in published traces."""


@dataclass
class SimulatedInstance:
    """Steps of one engine: prompts are prefilled in order, 2,048 tokens a step, beside one token each.

    What it leaves out: eviction, growth of the context while decoding (every sequence has the mean
    context), scheduler jitter, failures. Step times are the engine's own, so it tests queueing, not kernels.
    Fleets it shows to miss TTFT: one instance at CV 2 (by 8 %), at CV 4 four (by 9 %) and one (twofold).
    """

    step_s: FloatArray
    prefill_s_per_token: float
    batch: int
    clock: float = 0.0
    steps: int = 0
    queue: deque[list[float]] = field(default_factory=deque)
    active: list[tuple[int, float, float]] = field(default_factory=list)
    ttft_s: list[float] = field(default_factory=list)
    tpot_s: list[float] = field(default_factory=list)

    def advance(self, until: float) -> None:
        while self.clock < until:
            if not self.active and not self.queue:
                self.clock = until
                return
            self.step()

    def step(self) -> None:
        budget, first = 2048.0, []
        while self.queue and budget > 0 and len(self.active) + len(first) < self.batch:
            request = self.queue[0]
            taken = min(budget, request[1])
            request[1] -= taken
            budget -= taken
            if request[1] > 0:
                break
            first.append(self.queue.popleft())
        decoding = float(self.step_s[len(self.active)]) if self.active else 0.0
        self.clock += decoding + (2048.0 - budget) * self.prefill_s_per_token
        self.steps += 1
        for arrival, _, output in first:
            self.ttft_s.append(self.clock - arrival)
            heapq.heappush(self.active, (self.steps + int(output) - 1, self.clock, output))
        while self.active and self.active[0][0] <= self.steps:
            _, started, output = heapq.heappop(self.active)
            if output > 1:
                self.tpot_s.append((self.clock - started) / (output - 1))


def lognormal(rng: np.random.Generator, mean: float, sigma: float, count: int) -> FloatArray:
    return np.maximum(np.round(rng.lognormal(np.log(mean) - sigma**2 / 2, sigma, count)), 1.0)


@dataclass(frozen=True)
class Scenario:
    """What is served: network, accelerator, load, and the batch an instance may hold."""

    model: ModelShape
    hardware: Hardware
    load: ServingInputs
    constants: ServingConstants
    batch: int


def simulate_fleet(
    scenario: Scenario, rate: float, arrival_cv: float, instances: int, *, seconds: float, seed: int
) -> tuple[list[float], list[float]]:
    """TTFT and TPOT [s] of the requests; Gamma arrivals go to the instance with fewest of them."""
    rng = np.random.default_rng(seed)
    load, constants = scenario.load, scenario.constants
    count = max(400, int(rate * seconds))
    gaps = rng.gamma(1 / arrival_cv**2, arrival_cv**2 / rate, count)
    inputs = lognormal(rng, float(load.input_tokens), float(constants.input_length_sigma), count)
    outputs = lognormal(rng, float(load.output_tokens), OUTPUT_SIGMA, count)
    case = ServingCase(scenario.model, scenario.hardware, load, constants)
    step_s = decode_step_s(case, np.arange(scenario.batch + 1.0))
    per_token = float(prefill_s_per_request(case)) / float(load.input_tokens)
    engines = [SimulatedInstance(step_s, per_token, scenario.batch) for _ in range(instances)]
    for arrival, prompt, output in zip(np.cumsum(gaps), inputs, outputs, strict=True):
        for engine in engines:
            engine.advance(float(arrival))
        least = min(engines, key=lambda engine: len(engine.active) + len(engine.queue))
        least.queue.append([float(arrival), float(prompt), float(output)])
    fixed = float(constants.ttft_fixed)
    fixed += float(scenario.model.num_hidden_layers) * float(constants.ttft_layer)
    # The first tenth fills the engines.
    ttft = [fixed + wait for engine in engines for wait in engine.ttft_s[len(engine.ttft_s) // 10 :]]
    tpot = [gap for engine in engines for gap in engine.tpot_s[len(engine.tpot_s) // 10 :]]
    return ttft, tpot

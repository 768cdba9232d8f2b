"""One serving instance under targets: the largest batch, its latency and its capacity.

Closed forms of [FIT_SERVING] sections 3 and 5 over the step of engine.performance.serving_step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Array, FloatArray
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.queueing import TAIL_P95, length_at_p95, prefill_wait_s
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import (
    ServingCase,
    ServingInputs,
    Step,
    kv_bytes_per_sequence,
    max_batch,
    step_terms,
    tpot_s,
    weight_bytes_per_gpu,
)

_HALVINGS = 30

FEASIBLE, WEIGHTS_TOO_LARGE, TPOT_MISSED, TTFT_MISSED, TOO_FEW_INSTANCES = 0, 1, 2, 3, 4
"""Values of `feasible_code`."""


@dataclass(frozen=True, slots=True)
class InstancePerformance:
    """One instance at the batch and load it is run with.

    `batch` is the largest that memory, engine and TPOT target allow; `max_batch` leaves TPOT out.
    `occupancy` is the mean of sequences in service at `requests_per_s_capacity`: the full batch, or fewer
    where prompts would else wait beyond the TTFT target. `tpot_s_p95` is TPOT with the batch full
    (staffing keeps that rare), `ttft_s_p95` a long prompt after a long wait; `tpot_s` and `ttft_s` are
    means; all but the first at the highest planned share of that capacity. `kv_bytes_per_sequence` is for
    the whole instance at full context.
    `feasible_code`: 0 all targets met; 1 weights and one sequence do not fit (batch 0, times NaN);
    2 TPOT missed even at batch 1 (figures are of batch 1); 3 TTFT missed even without load (capacity
    follows TPOT alone).
    """

    batch: Array
    max_batch: Array
    occupancy: Array
    ttft_s: Array
    ttft_s_p95: Array
    tpot_s: Array
    tpot_s_p95: Array
    output_tokens_per_s: Array
    requests_per_s_capacity: Array
    weight_bytes_per_gpu: Array
    kv_bytes_per_sequence: Array
    prefill_s_per_request: Array
    prefill_share: Array
    feasible_code: Array


def serve_instance(
    model: ModelShape,
    hardware: Hardware,
    load: ServingInputs,
    constants: ServingConstants,
) -> InstancePerformance:
    """The largest batch within memory and TPOT target, the load within the TTFT target, and what comes of it.

    `hardware.peak_flops` is the peak at the precision the weights run at; formats the accelerator lacks
    come as bf16 x `weight_only_compute_factor`. Never raises; see InstancePerformance.feasible_code.
    [FIT_SERVING] sections 3 and 5.
    """
    case = ServingCase(model, hardware, load, constants)
    step, room = step_terms(case), max_batch(case)
    fits = room >= 1.0
    tpot_met = tpot_s(case, step, 1.0) <= load.tpot_slo_s
    batch = np.maximum(_largest_batch(case, step, room), 1.0)
    run = np.where(fits, batch, np.nan)
    ttft_p95 = _ttft_p95(case, step)
    ttft_met = ttft_p95(np.zeros(())) <= load.ttft_slo_s
    waiting = np.where(ttft_met, _largest_occupancy(ttft_p95, load.ttft_slo_s, run), run)
    code = np.select(
        [~fits, ~tpot_met, ~ttft_met], [WEIGHTS_TOO_LARGE, TPOT_MISSED, TTFT_MISSED], default=FEASIBLE
    )
    loaded_tpot = tpot_s(case, step, waiting)
    throughput = np.where(fits, waiting / loaded_tpot, 0.0)
    return InstancePerformance(
        batch=np.where(fits, batch, 0.0),
        max_batch=room,
        occupancy=np.where(fits, waiting, 0.0),
        ttft_s=_ttft_mean_s(case, step, waiting),
        ttft_s_p95=ttft_p95(waiting),
        tpot_s=tpot_s(case, step, waiting * constants.utilisation_ceiling),
        tpot_s_p95=tpot_s(case, step, run),
        output_tokens_per_s=throughput,
        requests_per_s_capacity=throughput / load.output_tokens,
        weight_bytes_per_gpu=weight_bytes_per_gpu(case),
        kv_bytes_per_sequence=kv_bytes_per_sequence(case, load.input_tokens + np.asarray(load.output_tokens)),
        prefill_s_per_request=step.prefill,
        prefill_share=waiting / load.output_tokens * step.prefill / loaded_tpot,
        feasible_code=code,
    )


def _largest_batch(case: ServingCase, step: Step, room: FloatArray) -> FloatArray:
    """Largest whole batch up to `room` within the TPOT target, which grows with the batch; 0 if none is."""
    low, high = np.zeros_like(room), np.nan_to_num(room)
    for _ in range(int(np.ceil(np.log2(high.max(initial=0.0) + 1.0)))):
        middle = np.ceil((low + high) / 2.0)
        good = tpot_s(case, step, np.maximum(middle, 1.0)) <= case.load.tpot_slo_s
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1.0)
    return low


def _largest_occupancy(
    ttft_p95: Callable[[FloatArray], FloatArray], target_s: Array, batch: FloatArray
) -> FloatArray:
    """Largest mean number of sequences up to `batch` within the TTFT target, which grows with it."""
    met = ttft_p95(batch) <= target_s
    if bool(np.all(met)):
        return batch
    low, high = 0.0 * batch, batch
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        good = ttft_p95(middle) <= target_s
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return np.where(met, batch, low)


def _prompt_wait_s(case: ServingCase, step: Step, batch: Array, tpot_s: FloatArray) -> FloatArray:
    """Mean wait for other prompts at the highest planned utilisation [s].

    Splitting a stream over instances smooths it: CV_i^2 = 1 + (CV^2 - 1)*share of the stream.
    """
    load, constants = case.load, case.constants
    rate = constants.utilisation_ceiling * batch / (load.output_tokens * tpot_s)
    share = np.minimum(rate / np.maximum(load.requests_per_second, 1e-12), 1.0)
    return prefill_wait_s(
        requests_per_s=rate,
        prefill_s=step.prefill,
        length_sigma=constants.input_length_sigma,
        arrival_cv=np.sqrt(1.0 + (np.square(load.arrival_cv) - 1.0) * share),
    )


def _ttft_mean_s(case: ServingCase, step: Step, batch: Array) -> FloatArray:
    tpot = tpot_s(case, step, batch)
    return np.asarray(step.alone + _prompt_wait_s(case, step, batch, tpot) + tpot / 2.0)


def _ttft_p95(case: ServingCase, step: Step) -> Callable[[FloatArray], FloatArray]:
    """TTFT at the 95th percentile [s] by sequences in service: a long prompt's own time and a long wait."""
    sigma = case.constants.input_length_sigma
    longest = length_at_p95(mean_tokens=case.load.input_tokens, length_sigma=sigma)
    alone = step_terms(replace(case, load=replace(case.load, input_tokens=longest))).alone

    def at(batch: FloatArray) -> FloatArray:
        tpot = tpot_s(case, step, batch)
        return np.asarray(alone + TAIL_P95 * _prompt_wait_s(case, step, batch, tpot) + tpot / 2.0)

    return at

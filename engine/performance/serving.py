"""One serving instance under targets: the largest batch, its latency and its capacity.

Closed forms of [FIT_SERVING] sections 3 and 5 over the step of engine.performance.serving_step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from engine.arrays import Array, BoolArray, FloatArray
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.queueing import PromptQueue, length_in_tail, prompt_queue
from engine.performance.serving_constants import ServingConstants
from engine.performance.serving_step import (
    ServingCase,
    ServingInputs,
    Step,
    decode_s,
    fresh_tokens,
    kv_bytes_per_sequence,
    max_batch,
    needed_bytes,
    step_terms,
    tpot_s,
    transfer_s,
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
    (staffing keeps that rare), `ttft_s_p95` and `ttft_s_p99` a long prompt after a long wait; `tpot_s` and
    `ttft_s` are means; all but the first at the highest planned share of that capacity.
    `kv_bytes_per_sequence` is for the whole instance at full context. `longest_pause_s` is how long a long
    prompt, or a chunk of it, holds up the others' tokens.
    With prompts taken in by instances of their own, `prefill_requests_per_s` is what one of them takes (inf
    without), and the others only decode.
    `feasible_code`: 0 all targets met; 1 weights and one sequence do not fit (batch 0, times NaN);
    2 TPOT missed even at batch 1 (figures are of batch 1); 3 TTFT missed even without load (figures at the
    load of one sequence).
    """

    batch: Array
    max_batch: Array
    occupancy: Array
    ttft_s: Array
    ttft_s_p95: Array
    ttft_s_p99: Array
    tpot_s: Array
    tpot_s_p95: Array
    longest_pause_s: Array
    output_tokens_per_s: Array
    requests_per_s_capacity: Array
    prefill_requests_per_s: Array
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
    [FIT_SERVING] sections 3 to 5.
    """
    case = ServingCase(model, hardware, load, constants)
    step, room = step_terms(case), max_batch(case)
    pooled = np.greater(load.disaggregated, 0.0)
    fits = room >= 1.0
    tpot_met = _token_s(case, step, np.ones(())) <= load.tpot_slo_s
    batch = np.maximum(_largest_batch(case, step, room), 1.0)
    run = np.where(fits, batch, np.nan)
    ttft = _ttft_in_tail(case, step, load.tail_share)
    ttft_met = ttft(np.zeros(())) <= load.ttft_slo_s
    # Instances that only decode keep no prompt waiting, so that TTFT does not bound their batch.
    # Where even a request alone misses TTFT, no load is within it: the figures are of one sequence.
    loaded = np.where(ttft_met, _largest_occupancy(ttft, load.ttft_slo_s, run), np.minimum(run, 1.0))
    waiting = np.where(pooled, run, loaded)
    code = np.select(
        [~fits, ~tpot_met, ~ttft_met], [WEIGHTS_TOO_LARGE, TPOT_MISSED, TTFT_MISSED], default=FEASIBLE
    )
    loaded_tpot = _token_s(case, step, waiting)
    throughput = np.where(fits, waiting / loaded_tpot, 0.0)
    mixed = InstancePerformance(
        batch=np.where(fits, batch, 0.0),
        max_batch=room,
        occupancy=np.where(fits, waiting, 0.0),
        ttft_s=_ttft_mean_s(case, step, waiting),
        ttft_s_p95=_ttft_in_tail(case, step, 0.05)(waiting),
        ttft_s_p99=_ttft_in_tail(case, step, 0.01)(waiting),
        tpot_s=_token_s(case, step, waiting * constants.utilisation_ceiling),
        tpot_s_p95=_token_in_tail_s(case, step, run, 0.05),
        longest_pause_s=_longest_pause_s(case, step, run),
        output_tokens_per_s=throughput,
        requests_per_s_capacity=throughput / load.output_tokens,
        prefill_requests_per_s=np.inf,
        weight_bytes_per_gpu=weight_bytes_per_gpu(case),
        kv_bytes_per_sequence=kv_bytes_per_sequence(case, load.input_tokens + np.asarray(load.output_tokens)),
        prefill_s_per_request=step.prefill,
        prefill_share=waiting / load.output_tokens * step.prefill / loaded_tpot,
        feasible_code=code,
    )
    return _with_pool(case, step, mixed, pooled) if np.any(pooled) else mixed


@dataclass(frozen=True, slots=True)
class LatencyFloor:
    """The fastest an instance can be, with one sequence and no queue [s], and the memory it needs [byte]."""

    ttft_s: FloatArray
    tpot_s: FloatArray
    needed_bytes: FloatArray
    fits: BoolArray


def find_latency_floor(
    model: ModelShape, hardware: Hardware, load: ServingInputs, constants: ServingConstants
) -> LatencyFloor:
    """What no target can go below: TTFT of a long prompt (at the load's percentile) and TPOT, both alone."""
    case = ServingCase(model, hardware, load, constants)
    step = step_terms(case)
    return LatencyFloor(
        ttft_s=_ttft_in_tail(case, step, load.tail_share)(np.zeros(())),
        tpot_s=_token_s(case, step, np.ones(())),
        needed_bytes=needed_bytes(case),
        fits=max_batch(case) >= 1.0,
    )


def _token_s(case: ServingCase, step: Step, batch: Array) -> FloatArray:
    """Time per output token with a batch [s]: prompts interrupt it, unless a pool of their own has them."""
    mixed = tpot_s(case, step, batch)
    if not np.any(case.load.disaggregated):
        return mixed
    return np.where(np.greater(case.load.disaggregated, 0.0), decode_s(case, step, batch), mixed)


def _token_in_tail_s(case: ServingCase, step: Step, batch: Array, tail_share: Array) -> FloatArray:
    """Time per output token that a share of the requests exceeds with the batch full [s].

    A full batch is rare enough under Poisson arrivals; burstier ones also bunch the prompts that interrupt a
    request: n of them in 1.4 mean lives, with standard deviation sqrt(n*exp(sigma^2)*z) prompts, of which
    z = 1 is in the mean already. z = 1 + (CV^2 - 1)/instances, as bursts are dealt to all instances.
    """
    load, constants = case.load, case.constants
    mean = _token_s(case, step, batch)
    if np.all(np.asarray(load.arrival_cv) <= 1.0):
        return mean
    prompts = batch / np.asarray(load.output_tokens) * step.prefill
    instances = np.maximum(
        load.requests_per_second * load.output_tokens * mean / np.maximum(batch, 1e-12), 1.0
    )
    bunched = np.sqrt(1.0 + np.maximum(np.square(load.arrival_cv) - 1.0, 0.0) / instances) - 1.0
    spread = np.sqrt(
        np.exp(np.square(constants.input_length_sigma)) / np.maximum(constants.bunched_lives * batch, 1.0)
    )
    extra = prompts * ndtri(1.0 - np.asarray(tail_share)) * spread * bunched
    return np.asarray(mean + np.where(np.greater(load.disaggregated, 0.0), 0.0, extra))


def _longest_pause_s(case: ServingCase, step: Step, batch: FloatArray) -> FloatArray:
    """The longest wait for a token while a long prompt (95th percentile), or one chunk of it, is read [s]."""
    decode = decode_s(case, step, batch)
    longest = fresh_tokens(_long_prompt(case, 0.05).load)
    chunk = np.minimum(case.load.prefill_chunk_tokens, longest)
    prompt = step.prefill * chunk / np.maximum(fresh_tokens(case.load), 1e-9)
    return np.asarray(decode + np.where(np.greater(case.load.disaggregated, 0.0), 0.0, prompt))


def _largest_batch(case: ServingCase, step: Step, room: FloatArray) -> FloatArray:
    """Largest whole batch up to `room` within the TPOT target, which grows with the batch; 0 if none is."""
    low, high = np.zeros_like(room), np.nan_to_num(room)
    for _ in range(int(np.ceil(np.log2(high.max(initial=0.0) + 1.0)))):
        middle = np.ceil((low + high) / 2.0)
        good = (
            _token_in_tail_s(case, step, np.maximum(middle, 1.0), case.load.tail_share)
            <= case.load.tpot_slo_s
        )
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1.0)
    return low


def _largest_occupancy(
    ttft_p95: Callable[[FloatArray], FloatArray], target_s: Array, batch: FloatArray
) -> FloatArray:
    """Largest load up to `batch`, sequences or share of the time, within the TTFT target."""
    met = ttft_p95(batch) <= target_s
    if bool(np.all(met)):
        return batch
    low, high = 0.0 * batch, batch
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        good = ttft_p95(middle) <= target_s
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return np.where(met, batch, low)


def _queue(case: ServingCase, step: Step, batch: Array, tpot_s: FloatArray) -> PromptQueue:
    """The queue of prompts of an instance at the highest planned utilisation."""
    rate = case.constants.utilisation_ceiling * batch / (case.load.output_tokens * tpot_s)
    return _queue_at(case, step, rate)


def _queue_at(case: ServingCase, step: Step, rate: FloatArray) -> PromptQueue:
    """The queue at a rate of an instance [requests/s], as many sharing the load as that rate asks for."""
    return prompt_queue(
        requests_per_s=rate,
        prefill_s=step.prefill,
        length_sigma=case.constants.input_length_sigma,
        arrival_cv=case.load.arrival_cv,
        instances=case.load.requests_per_second / np.maximum(rate, 1e-12),
    )


def _chunk_steps(load: ServingInputs) -> FloatArray:
    """Decode steps a prompt waits through beside its own: one for each chunk after the first."""
    return np.maximum(np.ceil(fresh_tokens(load) / load.prefill_chunk_tokens), 1.0) - 1.0


def _ttft_mean_s(case: ServingCase, step: Step, batch: Array) -> FloatArray:
    tpot = tpot_s(case, step, batch)
    chunks = _chunk_steps(case.load) * decode_s(case, step, batch)
    return np.asarray(step.alone + chunks + _queue(case, step, batch, tpot).mean_s + tpot / 2.0)


def _long_prompt(case: ServingCase, tail_share: Array) -> ServingCase:
    """The case with prompts of a length that a share of the requests exceeds."""
    longest = length_in_tail(
        mean_tokens=case.load.input_tokens,
        length_sigma=case.constants.input_length_sigma,
        tail_share=tail_share,
    )
    return replace(case, load=replace(case.load, input_tokens=longest))


def _ttft_in_tail(case: ServingCase, step: Step, tail_share: Array) -> Callable[[FloatArray], FloatArray]:
    """TTFT that a share of the requests exceeds [s] by sequences in service: a long prompt, a long wait.

    Without a load to interrupt, a pool that takes in prompts answers as soon as the cache has moved.
    """
    long = _long_prompt(case, tail_share)
    moved = transfer_s(long) * np.greater(case.load.disaggregated, 0.0)
    alone, chunks = step_terms(long).alone + moved, _chunk_steps(long.load)

    def at(batch: FloatArray) -> FloatArray:
        tpot = _token_s(case, step, batch)
        wait = _queue(case, step, batch, tpot).in_tail_s(tail_share)
        return np.asarray(alone + chunks * decode_s(case, step, batch) + wait + tpot / 2.0)

    return at


def _with_pool(
    case: ServingCase, step: Step, mixed: InstancePerformance, pooled: BoolArray
) -> InstancePerformance:
    """The same, in rows of `pooled` with prompts taken in by instances that do nothing else.

    Prompts queue for one of them and their cache moves to an instance that decodes; the pool is as busy as
    the TTFT target allows, at most the utilisation ceiling. [FIT_SERVING] sections 4 and 5.
    """
    last = transfer_s(case) + _token_s(case, step, mixed.batch) / 2.0

    def alone(tail_share: Array) -> FloatArray:
        long = _long_prompt(case, tail_share)
        return np.asarray(step_terms(long).alone + transfer_s(long) - transfer_s(case) + last)

    own = alone(case.load.tail_share)
    ceiling = np.asarray(case.constants.utilisation_ceiling) + 0.0 * own
    # A target missed even without a queue leaves the pool at its ceiling; the code says that it is missed.
    missed = pooled & (mixed.feasible_code == FEASIBLE) & (own > case.load.ttft_slo_s)

    def ttft(busy: FloatArray) -> FloatArray:
        return np.asarray(
            own
            + _queue_at(case, step, busy / np.maximum(step.prefill, 1e-12)).in_tail_s(case.load.tail_share)
        )

    busy = _largest_occupancy(ttft, np.where(missed, np.inf, case.load.ttft_slo_s), ceiling)
    queue = _queue_at(case, step, busy / np.maximum(step.prefill, 1e-12))
    # What fits in no instance takes in nothing either.
    taken_in = np.where(busy > 0.0, busy / np.maximum(step.prefill, 1e-12), np.nan)
    capacity = np.asarray(mixed.requests_per_s_capacity)
    return replace(
        mixed,
        ttft_s=np.where(pooled, step.alone + queue.mean_s + last, mixed.ttft_s),
        ttft_s_p95=np.where(pooled, alone(0.05) + queue.in_tail_s(0.05), mixed.ttft_s_p95),
        ttft_s_p99=np.where(pooled, alone(0.01) + queue.in_tail_s(0.01), mixed.ttft_s_p99),
        prefill_requests_per_s=np.where(pooled, taken_in, np.inf),
        prefill_share=np.where(pooled, capacity / (capacity + taken_in), mixed.prefill_share),
        feasible_code=np.where(missed, TTFT_MISSED, mixed.feasible_code),
    )

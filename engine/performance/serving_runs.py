"""How benchmarks drive an instance: offline runs, fixed clients, a request rate, split prefill and decode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, FloatArray
from engine.performance.queueing import prefill_wait_s
from engine.performance.serving_step import (
    ServingCase,
    Step,
    decode_s,
    max_batch,
    step_terms,
    tpot_s,
    transfer_s,
)

_ROUNDS = 4
_RATE_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Run:
    """What a benchmark sees. `batch` is the mean of sequences in decode; times [s], tokens/s."""

    batch: Array
    tpot_s: Array
    ttft_s: Array
    output_tokens_per_s: Array


def finite_run_s(case: ServingCase, batch: Array, requests: Array) -> FloatArray:
    """Time an offline run of equal requests takes, in waves of at most `batch` [s].

    w = ceil(N/B); T = (w-1)*osl*t_dec(B) + osl*t_dec(N-(w-1)*B) + N*prefill. [FIT_SERVING] section 3.7.
    """
    step = step_terms(case)
    waves = np.ceil(np.asarray(requests) / batch)
    last = requests - (waves - 1.0) * batch
    return np.asarray((waves - 1.0) * wave_s(case, step, batch) + wave_s(case, step, last))


def wave_s(case: ServingCase, step: Step, batch: Array) -> FloatArray:
    """Time from the start to the end of `batch` equal requests that begin together [s].

    osl*t_dec(B) + B*prefill. An encoder decodes nothing: its pass reads the weights and launches the layers
    once, t_dec(0) + B*prefill.
    """
    load, generates = case.load, np.greater(case.model.generates, 0.0)
    decoding = load.output_tokens * decode_s(case, step, np.where(generates, batch, 0.0))
    once = np.where(generates, decoding, decoding / load.output_tokens)
    return np.asarray(once + batch * step.prefill)


def max_throughput(case: ServingCase, requests: Array) -> FloatArray:
    """Output tokens/s of an offline run of `requests` at the memory-limited batch; NaN where none fits.

    As engine vendors measure it (1000-3000 requests, all present at the start).
    """
    return batch_throughput(case, max_batch(case), requests)


def batch_throughput(case: ServingCase, batch: Array, requests: Array) -> FloatArray:
    """Output tokens/s of an offline run of `requests`, at most `batch` at a time; NaN for batch 0."""
    at_once = np.minimum(np.where(np.asarray(batch) > 0.0, batch, np.nan), requests)
    tokens = requests * np.asarray(case.load.output_tokens)
    return np.asarray(tokens / finite_run_s(case, at_once, requests))


def batch_first_token_s(case: ServingCase, batch: Array) -> FloatArray:
    """Time to the first tokens of a batch given to the engine at once, without a server before it [s].

    alone - fixed - launch + (B-1)*pf + overheads of a decode step: one pass of an engine built before.
    """
    step = step_terms(case)
    inside = step.alone - case.constants.ttft_fixed - step.launch + step.constant
    return np.asarray(inside + np.maximum(np.asarray(batch) - 1.0, 0.0) * step.prefill)


def closed_loop(case: ServingCase, concurrency: Array, room: Array | None = None) -> Run:
    """Latency and throughput with a fixed number of clients, each sending when it was answered.

    B = c*osl*TPOT/(TTFT + osl*TPOT); TPOT = t_dec(B) + ((B-1)/osl)*pf;
    TTFT = alone + (B-1)*(q*rho*pf + s*(pf + g*launch)) + TPOT/2, rho the prefills' share of the time.
    s is what the first burst, when all clients send at once, leaves in the mean
    over a benchmark of about ten requests a client; g the part of launches that prompts prefilled together
    do not share. Clients beyond the batch `room` (None = what memory allows; NaN where nothing fits) wait
    (c/room - 1)*osl*TPOT. [FIT_SERVING] sections 3.5, 3.6 and 3.8.
    """
    step, load = step_terms(case), case.load
    allowed = np.asarray(max_batch(case) if room is None else room)
    limit = np.minimum(np.where(allowed > 0.0, allowed, np.nan), concurrency)
    batch = limit
    for _ in range(_ROUNDS):
        tpot = _closed_tpot_s(case, step, batch)
        ttft = _first_token_s(case, step, batch, tpot)
        decoding = load.output_tokens * tpot
        batch = limit * decoding / (ttft + decoding)
    tpot = _closed_tpot_s(case, step, batch)
    queued = np.maximum(concurrency / limit - 1.0, 0.0) * load.output_tokens * tpot
    return Run(batch=batch, tpot_s=tpot, ttft_s=ttft + queued, output_tokens_per_s=batch / tpot)


def _closed_tpot_s(case: ServingCase, step: Step, batch: FloatArray) -> FloatArray:
    """A client that has not been answered sends nothing: only the others' prompts interrupt."""
    return tpot_s(case, step, batch, np.maximum(batch - 1.0, 0.0))


def _first_token_s(case: ServingCase, step: Step, batch: FloatArray, tpot: FloatArray) -> FloatArray:
    constants, others = case.constants, np.maximum(batch - 1.0, 0.0)
    share = np.minimum(batch / case.load.output_tokens * step.prefill / tpot, 1.0)
    queue = constants.ttft_queue_factor * share * step.prefill
    burst = constants.ttft_burst_share * (step.prefill + constants.ttft_burst_launch_share * step.launch)
    return np.asarray(step.alone + others * (queue + burst) + tpot / 2.0)


def open_loop(case: ServingCase, requests_per_s: Array) -> Run:
    """Latency and throughput when requests arrive at a rate whatever happens [requests/s].

    Little's law: the smallest B with B = lambda*osl*TPOT(B); TTFT = alone + M/G/1 wait for prompts +
    TPOT/2, arrivals with the load's CV. A rate beyond what the memory-limited batch serves keeps that batch
    and waits for ever (inf).
    """
    step, load = step_terms(case), case.load
    room = max_batch(case)
    rate = np.asarray(requests_per_s)
    low = np.zeros(np.broadcast_shapes(room.shape, rate.shape, step.prefill.shape))
    high = np.where(room > 0.0, room, np.nan) + low
    stable = high / tpot_s(case, step, high) >= rate * load.output_tokens
    for _ in range(_RATE_HALVINGS):
        middle = (low + high) / 2.0
        enough = middle / tpot_s(case, step, middle) >= rate * load.output_tokens
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    tpot = tpot_s(case, step, high)
    wait = prefill_wait_s(
        requests_per_s=rate,
        prefill_s=step.prefill,
        length_sigma=case.constants.input_length_sigma,
        arrival_cv=load.arrival_cv,
    )
    ttft = np.where(stable, step.alone + wait + tpot / 2.0, np.inf)
    return Run(batch=high, tpot_s=tpot, ttft_s=ttft, output_tokens_per_s=high / tpot)


def disaggregated(
    prefill: ServingCase,
    decode: ServingCase,
    concurrency: Array,
    *,
    prefill_workers: Array,
    decode_workers: Array,
) -> Run:
    """A fixed number of clients on a pool that prefills and a pool that decodes.

    Decode workers never stop for prompts: TPOT = t_dec(B). TTFT = alone + its place among the prompts of the
    pool + the transfer of its cache over the network + TPOT/2. Throughput is the lower of what clients ask
    for and what the prefill pool takes in; `batch` is of one decode worker. [FIT_SERVING] section 4.
    """
    first, step = step_terms(prefill), step_terms(decode)
    output, constants = np.asarray(decode.load.output_tokens), prefill.constants
    transfer = transfer_s(prefill)
    room = max_batch(decode)
    limit = np.minimum(np.where(room > 0.0, room, np.nan), concurrency / np.asarray(decode_workers))
    each = concurrency / np.asarray(prefill_workers)
    batch = limit
    for _ in range(_ROUNDS):
        tpot = decode_s(decode, step, batch)
        cycle = output * tpot
        waiting = np.maximum(each - 1.0, 0.0) * constants.ttft_burst_share
        burst = waiting * (first.prefill + constants.ttft_burst_launch_share * first.launch)
        ttft = first.alone + burst + transfer + tpot / 2.0
        # What the prefill pool cannot take in stands in its queue.
        ttft = np.maximum(ttft, each * first.prefill - cycle)
        batch = limit * cycle / (ttft + cycle)
    tpot = decode_s(decode, step, batch)
    queued = np.maximum(concurrency / (limit * decode_workers) - 1.0, 0.0) * output * tpot
    return Run(batch, tpot, ttft + queued, batch * decode_workers / tpot)

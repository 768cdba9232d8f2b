"""Speed, memory and capacity of one serving instance: decode, prefill, continuous batching, offline runs.

Closed forms of [FIT_SERVING] section 3, 8-constant set. An instance is tp x pp x dp accelerators (dp =
attention data parallelism, experts spread over tp*dp); all arguments broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Array, BoolArray, FloatArray
from engine.codes import SERVING_PRECISIONS
from engine.performance.flops import (
    attended_pairs,
    attention_kinds,
    count_moe_layers,
    count_parameters,
    seen_tokens,
)
from engine.performance.inputs import AttentionKind, Hardware, ModelShape
from engine.performance.queueing import TAIL_P95, length_at_p95, prefill_wait_s
from engine.performance.serving_constants import ServingConstants

_INT4, _MXFP4, _NVFP4 = (SERVING_PRECISIONS.index(name) for name in ("int4", "mxfp4", "nvfp4"))
_ACTIVATION_BYTES = 2.0
"""Activations, embeddings and the output head stay in a 16-bit format."""
_CLOSED_LOOP_ROUNDS = 4
_HALVINGS = 30

FEASIBLE, WEIGHTS_TOO_LARGE, TPOT_MISSED, TTFT_MISSED, TOO_FEW_INSTANCES = 0, 1, 2, 3, 4
"""Values of `feasible_code`."""


@dataclass(frozen=True, slots=True)
class ServingInputs:
    """Traffic, targets, precision and layout of a service.

    `requests_per_second` is the mean of the week; lengths are means [tokens/request]; `prefix_hit_rate` the
    share of input tokens found in the cache; precisions index engine.codes.SERVING_PRECISIONS; targets are
    95th percentiles [s]; `max_num_seqs` caps the batch of one attention rank.
    Further: `reserved_output_share` of the output is held in KV memory for each sequence (0.5 = paged, on
    average half written; 1 = no-evict); `software_factor` multiplies the GEMM rate (ROCm);
    `draft_tokens` > 0 turns speculation on: tokens proposed a step, each accepted with
    `draft_acceptance`, drafting one costs `draft_step_share` of a plain decode step.
    """

    requests_per_second: Array
    input_tokens: Array
    output_tokens: Array
    prefix_hit_rate: Array
    weight_precision_code: Array
    kv_precision_code: Array
    tensor_parallel: Array
    pipeline_parallel: Array
    ttft_slo_s: Array
    tpot_slo_s: Array
    arrival_cv: Array
    max_num_seqs: Array
    attention_data_parallel: Array = 1.0
    reserved_output_share: Array = 0.5
    software_factor: Array = 1.0
    draft_tokens: Array = 0.0
    draft_acceptance: Array = 0.0
    draft_step_share: Array = 0.0


@dataclass(frozen=True, slots=True)
class ServingCase:
    """What every function here reads: model, accelerator, service, constants."""

    model: ModelShape
    hardware: Hardware
    load: ServingInputs
    constants: ServingConstants


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


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """What a benchmark with a fixed number of clients sees."""

    batch: Array
    tpot_s: Array
    ttft_s: Array
    output_tokens_per_s: Array


@dataclass(frozen=True, slots=True)
class _Weights:
    """Bytes read by a forward pass and parameters met by a token, before sharding."""

    fixed_bytes: FloatArray
    expert_bytes: FloatArray
    active_layers: FloatArray
    head: FloatArray
    is_moe: BoolArray


@dataclass(frozen=True, slots=True)
class _Step:
    """Terms of a decode step that do not depend on the batch [s], so that a search over it stays cheap."""

    fixed_weights: FloatArray
    all_experts: FloatArray
    cache: FloatArray
    compute: FloatArray
    communication: FloatArray
    constant: FloatArray
    prefill: FloatArray


def kv_bytes_per_token(model: ModelShape, kv_bytes: Array) -> FloatArray:
    """KV cache of one token in all layers, for the instance [byte].

    2*nkv*hd*bytes*layers, or (kv_lora_rank + qk_rope_head_dim)*bytes*layers with latent attention. A sliding
    window caps it per sequence, not per token. Llama-3.1-8B in bf16: 131,072 B.
    """
    return kv_bytes * _cached_values(model, 1.0)


def kv_bytes_per_sequence(case: ServingCase, tokens: Array) -> FloatArray:
    """KV cache and recurrent states of a sequence of `tokens`, all of the instance, no copies [byte]."""
    return _kv_value_bytes(case) * _cached_values(case.model, tokens) + case.model.state_bytes


def weight_bytes_per_gpu(case: ServingCase) -> FloatArray:
    """Weights that lie in one accelerator's memory [byte], mean over pipeline stages."""
    weights, load, model = _weigh(case), case.load, case.model
    embedding = model.vocab_size * np.asarray(model.hidden_size) * _ACTIVATION_BYTES
    stored = weights.fixed_bytes + embedding * (1.0 - np.asarray(model.tie_word_embeddings))
    sharded = stored / load.tensor_parallel + weights.expert_bytes / _expert_ranks(load)
    return np.asarray(sharded / load.pipeline_parallel)


def max_batch(case: ServingCase) -> FloatArray:
    """Most sequences that memory and the engine allow, whole, 0 where the weights do not fit [count].

    dp*(utilisation*memory - weights - reserve)/(KV of a sequence at isl + reserved share of osl), at most
    max_num_seqs a rank. Heads are copied where tp exceeds them. [FIT_SERVING] section 3.6.
    """
    load, constants = case.load, case.constants
    usable = constants.memory_utilisation * np.asarray(case.hardware.memory_bytes)
    room = usable - weight_bytes_per_gpu(case) - constants.memory_reserve_bytes
    tokens = load.input_tokens + load.reserved_output_share * np.asarray(load.output_tokens)
    each = kv_bytes_per_sequence(case, tokens) / (_kv_ranks(case) * load.pipeline_parallel)
    fits = np.floor(load.attention_data_parallel * np.maximum(room, 0.0) / np.maximum(each, 1.0))
    return np.minimum(fits, load.max_num_seqs * np.asarray(load.attention_data_parallel))


def decode_step_s(case: ServingCase, batch: Array) -> FloatArray:
    """Time a token of each of `batch` sequences takes, prefill not counted [s].

    pp*((t_memory^p + t_compute^p)^(1/p) + t_comm) + L*tau + t0 + c*batch/sqrt(dp), at the mean
    context isl + osl/2. With speculation per accepted token. [FIT_SERVING] sections 3.3 and 4.
    """
    return _decode_s(case, _step(case), batch)


def prefill_s_per_request(case: ServingCase) -> FloatArray:
    """Time a request's prompt takes from the instance, chunked among decodes [s]. [FIT_SERVING] 3.4."""
    return np.asarray(
        _prefill_rank_s(case) / (case.load.attention_data_parallel * case.load.pipeline_parallel)
    )


def steady_tpot_s(case: ServingCase, batch: Array) -> FloatArray:
    """Time per output token while finished sequences are replaced at once [s].

    t_dec(B) + (B/osl)*prefill: a step of B tokens completes B/osl requests, whose successors it must
    prefill. Output tokens/s = B/TPOT. [FIT_SERVING] section 3.5.
    """
    return _tpot_s(case, _step(case), batch)


def finite_run_s(case: ServingCase, batch: Array, requests: Array) -> FloatArray:
    """Time an offline run of equal requests takes, in waves of at most `batch` [s].

    w = ceil(N/B); T = (w-1)*osl*t_dec(B) + osl*t_dec(N-(w-1)*B) + N*prefill. [FIT_SERVING] section 3.7.
    """
    step, load = _step(case), case.load
    waves = np.ceil(np.asarray(requests) / batch)
    last = requests - (waves - 1.0) * batch
    full = (waves - 1.0) * _decode_s(case, step, batch)
    decoding = load.output_tokens * (full + _decode_s(case, step, last))
    return np.asarray(decoding + requests * step.prefill)


def max_throughput(case: ServingCase, requests: Array) -> FloatArray:
    """Output tokens/s of an offline run of `requests` at the memory-limited batch; NaN where none fits.

    As engine vendors measure it (1000-3000 requests, all present at the start).
    """
    room = max_batch(case)
    batch = np.minimum(np.where(room > 0.0, room, np.nan), requests)
    return np.asarray(requests * np.asarray(case.load.output_tokens) / finite_run_s(case, batch, requests))


def closed_loop(case: ServingCase, concurrency: Array) -> ClosedLoop:
    """Latency and throughput with a fixed number of clients, each sending when it was answered.

    B = c*osl*TPOT/(TTFT + osl*TPOT), TTFT = prefill + q*rho_pf*pf*(B-1) + TPOT/2 + fixed; clients
    beyond the memory-limited batch wait (c/Bmax - 1)*osl*TPOT. NaN where nothing fits.
    [FIT_SERVING] sections 3.5, 3.6 and 3.8.
    """
    step, load, constants = _step(case), case.load, case.constants
    room = max_batch(case)
    limit = np.minimum(np.where(room > 0.0, room, np.nan), concurrency)
    batch, fixed = limit, _ttft_fixed_s(case)
    for _ in range(_CLOSED_LOOP_ROUNDS):
        tpot = _tpot_s(case, step, batch)
        share = batch / load.output_tokens * step.prefill / tpot
        burst = constants.ttft_queue_factor * share * step.prefill * np.maximum(batch - 1.0, 0.0)
        ttft = fixed + burst + tpot / 2.0
        decoding = load.output_tokens * tpot
        batch = limit * decoding / (ttft + decoding)
    tpot = _tpot_s(case, step, batch)
    queued = np.maximum(concurrency / limit - 1.0, 0.0) * load.output_tokens * tpot
    return ClosedLoop(batch=batch, tpot_s=tpot, ttft_s=ttft + queued, output_tokens_per_s=batch / tpot)


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
    step, room = _step(case), max_batch(case)
    fits = room >= 1.0
    tpot_met = _tpot_s(case, step, 1.0) <= load.tpot_slo_s
    batch = np.maximum(_largest_batch(case, step, room), 1.0)
    run = np.where(fits, batch, np.nan)
    ttft_p95 = _ttft_p95(case, step)
    ttft_met = ttft_p95(np.zeros(())) <= load.ttft_slo_s
    waiting = np.where(ttft_met, _largest_occupancy(ttft_p95, load.ttft_slo_s, run), run)
    code = np.select(
        [~fits, ~tpot_met, ~ttft_met], [WEIGHTS_TOO_LARGE, TPOT_MISSED, TTFT_MISSED], default=FEASIBLE
    )
    loaded_tpot = _tpot_s(case, step, waiting)
    throughput = np.where(fits, waiting / loaded_tpot, 0.0)
    return InstancePerformance(
        batch=np.where(fits, batch, 0.0),
        max_batch=room,
        occupancy=np.where(fits, waiting, 0.0),
        ttft_s=_ttft_mean_s(case, step, waiting),
        ttft_s_p95=ttft_p95(waiting),
        tpot_s=_tpot_s(case, step, waiting * constants.utilisation_ceiling),
        tpot_s_p95=_tpot_s(case, step, run),
        output_tokens_per_s=throughput,
        requests_per_s_capacity=throughput / load.output_tokens,
        weight_bytes_per_gpu=weight_bytes_per_gpu(case),
        kv_bytes_per_sequence=kv_bytes_per_sequence(case, load.input_tokens + np.asarray(load.output_tokens)),
        prefill_s_per_request=step.prefill,
        prefill_share=waiting / load.output_tokens * step.prefill / loaded_tpot,
        feasible_code=code,
    )


def _largest_batch(case: ServingCase, step: _Step, room: FloatArray) -> FloatArray:
    """Largest whole batch up to `room` within the TPOT target, which grows with the batch; 0 if none is."""
    low, high = np.zeros_like(room), np.nan_to_num(room)
    for _ in range(int(np.ceil(np.log2(high.max(initial=0.0) + 1.0)))):
        middle = np.ceil((low + high) / 2.0)
        good = _tpot_s(case, step, np.maximum(middle, 1.0)) <= case.load.tpot_slo_s
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


def _weigh(case: ServingCase) -> _Weights:
    """Weights by the way they are stored and read. Published 4-bit checkpoints keep attention in 16 bits."""
    model, constants = case.model, case.constants
    counts = count_parameters(model)
    code = np.asarray(case.load.weight_precision_code)
    kept = (code == _INT4) | (code == _MXFP4) | ((code == _NVFP4) & np.greater(model.kv_lora_rank, 0.0))
    each = constants.bytes_per_element(case.load.weight_precision_code)
    attention = counts.attention * np.where(kept, constants.weight_bytes_16bit, each)
    others = counts.mlp + np.asarray(counts.shared_experts)
    head = np.asarray(counts.embedding)
    small = (counts.router + np.asarray(counts.norms) + head) * _ACTIVATION_BYTES
    return _Weights(
        fixed_bytes=attention + others * each + small,
        expert_bytes=counts.experts * each,
        active_layers=counts.attention + others + counts.active_experts,
        head=head,
        is_moe=np.greater(model.num_experts, 0.0),
    )


def _kv_value_bytes(case: ServingCase) -> FloatArray:
    return case.constants.bytes_per_element(case.load.kv_precision_code)


def _expert_ranks(load: ServingInputs) -> FloatArray:
    return np.asarray(load.tensor_parallel * np.asarray(load.attention_data_parallel))


def _kv_ranks(case: ServingCase) -> FloatArray:
    """Ranks of a tensor-parallel group that hold different parts of the cache; the latent one is copied."""
    split = np.minimum(case.load.tensor_parallel, case.model.num_key_value_heads)
    return np.where(np.greater(case.model.kv_lora_rank, 0.0), 1.0, split)


def _cached_values(model: ModelShape, tokens: Array) -> FloatArray:
    """Numbers cached for a sequence of `tokens`, all layers."""
    return _over_kinds(model, lambda kind: kind.cached_values * seen_tokens(kind, tokens))


def _over_kinds(model: ModelShape, each: Callable[[AttentionKind], Array]) -> FloatArray:
    """Sum over the attention layers of what one layer of a kind has."""
    total = np.zeros(())
    for kind in attention_kinds(model):
        total = total + kind.layers * np.asarray(each(kind))
    return total


def _score_flops(model: ModelShape, tokens: Array) -> FloatArray:
    """FLOPs of attention over a prompt of `tokens`, all layers."""
    return _over_kinds(model, lambda kind: 2.0 * kind.score_width * attended_pairs(kind, tokens))


def _gemm_rate(case: ServingCase, weights: _Weights) -> FloatArray:
    """FLOP/s the GEMMs of one accelerator reach."""
    hardware, constants = case.hardware, case.constants
    # A format without a peak of its own is unpacked to 16 bits and runs with their efficiency.
    native = np.asarray(hardware.peak_flops) > np.asarray(hardware.peak_bf16_flops)
    own = constants.compute_efficiency(case.load.weight_precision_code)
    efficiency = np.where(native, own, constants.compute_efficiency_16bit)
    routed = np.where(weights.is_moe, constants.moe_compute_factor, 1.0)
    return np.asarray(efficiency * routed * case.load.software_factor * hardware.peak_flops)


def _link_rate(case: ServingCase, ranks: Array) -> FloatArray:
    """Byte/s per accelerator in one direction that a group of `ranks` reaches: fabric, PCIe, then network."""
    hardware, constants = case.hardware, case.constants
    fabric = np.asarray(hardware.scale_up_bandwidth_bytes_per_s)
    is_pcie = fabric <= constants.pcie_bandwidth_ceiling
    inside = fabric * np.where(is_pcie, constants.pcie_efficiency, constants.nvlink_efficiency)
    in_node = np.asarray(constants.pcie_bandwidth * constants.pcie_efficiency)
    outside = hardware.nic_bandwidth_bytes_per_s * np.asarray(constants.pcie_efficiency)
    beyond = np.where(ranks <= np.asarray(hardware.accelerators_per_node), in_node, outside)
    return np.where(ranks <= np.asarray(hardware.scale_up_domain), inside, beyond)


def _communication_s_per_token(case: ServingCase, weights: _Weights) -> FloatArray:
    """All-reduces and expert dispatch of one token on one rank through all layers [s]."""
    model, load = case.model, case.load
    ranks, copies = np.asarray(load.tensor_parallel), np.asarray(load.attention_data_parallel)
    sent = 2.0 * 2.0 * (ranks - 1.0) / ranks * model.hidden_size * _ACTIVATION_BYTES
    reduce = np.where(ranks > 1.0, sent * model.num_hidden_layers / _link_rate(case, ranks), 0.0)
    routed = np.minimum(model.num_experts_per_tok, copies) * np.asarray(model.hidden_size)
    moved = case.constants.dispatch_bytes_per_element * routed * count_moe_layers(model)
    spread = weights.is_moe & (copies > 1.0)
    return np.asarray(reduce + np.where(spread, moved / _link_rate(case, ranks * copies), 0.0))


def _prefill_rank_s(case: ServingCase) -> FloatArray:
    """Compute and communication of one prompt on one tensor-parallel group, all stages [s].

    Cached tokens need no GEMMs; the others still attend to them.
    """
    model, load, constants = case.model, case.load, case.constants
    weights = _weigh(case)
    cached = load.prefix_hit_rate * np.asarray(load.input_tokens)
    fresh = load.input_tokens - cached
    gemm = 2.0 * weights.active_layers * fresh / _gemm_rate(case, weights)
    flops = _score_flops(model, load.input_tokens) - _score_flops(model, cached)
    rate = constants.attention_efficiency * np.asarray(case.hardware.peak_bf16_flops)
    attended = flops / rate
    communication = _communication_s_per_token(case, weights) * fresh
    return np.asarray((gemm + attended) / load.tensor_parallel + communication)


def _decode_compute_s(case: ServingCase, weights: _Weights, tokens: Array) -> FloatArray:
    """FLOP time of one token on one tensor-parallel rank, all layers [s]."""
    model = case.model
    rate = case.constants.attention_efficiency * np.asarray(case.hardware.peak_bf16_flops)
    # Decoding latent attention works on the latent itself: scores over rank + rope, values over rank.
    flops = _over_kinds(model, lambda kind: 2.0 * kind.decode_width * seen_tokens(kind, tokens))
    attended = flops / rate
    active = weights.active_layers + weights.head
    return np.asarray((2.0 * active / _gemm_rate(case, weights) + attended) / case.load.tensor_parallel)


def _step(case: ServingCase) -> _Step:
    model, load, constants = case.model, case.load, case.constants
    weights = _weigh(case)
    stages = np.asarray(load.pipeline_parallel)
    read = np.asarray(case.hardware.memory_bandwidth_bytes_per_s)
    weight_rate = constants.weight_bandwidth_efficiency * read * stages
    context = load.input_tokens + np.asarray(load.output_tokens) / 2.0
    cache = kv_bytes_per_sequence(case, context) / (_kv_ranks(case) * stages)
    layer = (
        constants.layer_overhead
        + constants.mla_layer_overhead * np.greater(model.kv_lora_rank, 0.0)
        + constants.hybrid_layer_overhead * np.greater(model.recurrent_layers, 0.0)
    )
    return _Step(
        fixed_weights=weights.fixed_bytes / load.tensor_parallel / weight_rate,
        all_experts=weights.expert_bytes / _expert_ranks(load) / weight_rate,
        cache=cache / (constants.kv_bandwidth_efficiency * read),
        compute=_decode_compute_s(case, weights, context) / stages,
        communication=_communication_s_per_token(case, weights) / stages,
        constant=np.asarray(model.num_hidden_layers * layer + constants.step_overhead),
        prefill=prefill_s_per_request(case),
    )


def _decode_s(case: ServingCase, step: _Step, batch: Array) -> FloatArray:
    load, power = case.load, case.constants.overlap_power
    drafted = np.asarray(load.draft_tokens)
    plain = _verify_s(case, step, batch, 1.0, power)
    if not bool(np.any(drafted > 0.0)):
        return plain
    verified = _verify_s(case, step, batch, 1.0 + drafted, power)
    # Expected tokens of a step: the run of accepted ones and the target's own.
    accepted = np.minimum(load.draft_acceptance, 1.0 - 1e-9)
    tokens = (1.0 - np.power(accepted, drafted + 1.0)) / (1.0 - accepted)
    return np.asarray((verified + drafted * load.draft_step_share * plain) / tokens)


def _verify_s(case: ServingCase, step: _Step, batch: Array, tokens_each: Array, power: Array) -> FloatArray:
    """One forward pass over `tokens_each` tokens of each of `batch` sequences [s]."""
    load, model = case.load, case.model
    stages, copies = np.asarray(load.pipeline_parallel), np.asarray(load.attention_data_parallel)
    sequences = batch / (copies * stages)
    tokens = sequences * tokens_each
    experts = np.maximum(model.num_experts, 1.0)
    untouched = np.power(1.0 - np.minimum(model.num_experts_per_tok / experts, 1.0), tokens * copies)
    memory = step.fixed_weights + step.all_experts * (1.0 - untouched) + sequences * step.cache
    compute = tokens * step.compute
    kernel = np.power(np.power(memory, power) + np.power(compute, power), 1.0 / np.asarray(power))
    scheduling = case.constants.sequence_overhead * batch / np.sqrt(copies)
    return np.asarray(stages * (kernel + tokens * step.communication) + step.constant + scheduling)


def _tpot_s(case: ServingCase, step: _Step, batch: Array) -> FloatArray:
    return np.asarray(_decode_s(case, step, batch) + batch / case.load.output_tokens * step.prefill)


def _ttft_fixed_s(case: ServingCase) -> FloatArray:
    """Time to first token of a request alone, before its turn in the step [s]. [FIT_SERVING] 3.8."""
    model, constants = case.model, case.constants
    weights = _weigh(case)
    held = weights.fixed_bytes / case.load.tensor_parallel + weights.expert_bytes / _expert_ranks(case.load)
    read = held / (
        constants.weight_bandwidth_efficiency * np.asarray(case.hardware.memory_bandwidth_bytes_per_s)
    )
    power = np.asarray(constants.overlap_power)
    alone = np.power(np.power(read, power) + np.power(_prefill_rank_s(case), power), 1.0 / power)
    launch = constants.ttft_layer * np.asarray(model.num_hidden_layers)
    launch = launch * np.where(weights.is_moe, 1.0 + np.asarray(constants.ttft_moe_factor), 1.0)
    return np.asarray(alone + constants.ttft_fixed + launch)


def _prompt_wait_s(case: ServingCase, step: _Step, batch: Array, tpot_s: FloatArray) -> FloatArray:
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


def _ttft_mean_s(case: ServingCase, step: _Step, batch: Array) -> FloatArray:
    tpot = _tpot_s(case, step, batch)
    return np.asarray(_ttft_fixed_s(case) + _prompt_wait_s(case, step, batch, tpot) + tpot / 2.0)


def _ttft_p95(case: ServingCase, step: _Step) -> Callable[[FloatArray], FloatArray]:
    """TTFT at the 95th percentile [s] by sequences in service: a long prompt's own time and a long wait."""
    sigma = case.constants.input_length_sigma
    longest = length_at_p95(mean_tokens=case.load.input_tokens, length_sigma=sigma)
    alone = _ttft_fixed_s(replace(case, load=replace(case.load, input_tokens=longest)))

    def at(batch: FloatArray) -> FloatArray:
        tpot = _tpot_s(case, step, batch)
        return np.asarray(alone + TAIL_P95 * _prompt_wait_s(case, step, batch, tpot) + tpot / 2.0)

    return at

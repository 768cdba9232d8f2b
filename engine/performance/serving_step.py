"""Terms of one serving step: weights and cache read, FLOPs, traffic and overheads of an instance.

An instance is tp x pp x dp accelerators (dp = attention data parallelism, experts spread over tp*dp); all
arguments broadcast. Forms of [FIT_SERVING] section 3, and the traffic of what lies between matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, BoolArray, FloatArray
from engine.codes import SERVING_PRECISIONS
from engine.performance.adapters import ADAPTER_BYTES, adapter_weights, adapters_met
from engine.performance.flops import (
    attended_pairs,
    attention_kinds,
    count_moe_layers,
    count_parameters,
    head_weights,
    seen_tokens,
)
from engine.performance.inputs import AttentionKind, Hardware, ModelShape
from engine.performance.serving_constants import ServingConstants

_INT4, _MXFP4, _NVFP4 = (SERVING_PRECISIONS.index(name) for name in ("int4", "mxfp4", "nvfp4"))
_ACTIVATION_BYTES = 2.0
"""Activations, embeddings and the output head stay in a 16-bit format."""


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
    `prefill_chunk_tokens` of a prompt are taken in with one decode step (inf = the whole prompt);
    `disaggregated` 1 = a pool of instances of its own takes in the prompts; `adapters` of `adapter_rank`
    lie in memory beside the weights, one a request; `tail_share` of the requests may miss the targets.
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
    prefill_chunk_tokens: Array = np.inf
    disaggregated: Array = 0.0
    adapters: Array = 0.0
    adapter_rank: Array = 0.0
    tail_share: Array = 0.05


@dataclass(frozen=True, slots=True)
class ServingCase:
    """What every function here reads: model, accelerator, service, constants."""

    model: ModelShape
    hardware: Hardware
    load: ServingInputs
    constants: ServingConstants


@dataclass(frozen=True, slots=True)
class _Weights:
    """Bytes read by a forward pass and parameters met by a token, before sharding."""

    fixed_bytes: FloatArray
    expert_bytes: FloatArray
    adapter_bytes: FloatArray
    active_layers: FloatArray
    head: FloatArray
    is_moe: BoolArray


@dataclass(frozen=True, slots=True)
class Step:
    """Terms of a decode step that do not depend on the batch [s], so that a search over it stays cheap.

    `prefill` is what a request's prompt takes from the instance, `alone` the time to first token of a request
    by itself, `launch` the part of it that layers take to start.
    """

    fixed_weights: FloatArray
    all_experts: FloatArray
    one_adapter: FloatArray
    cache: FloatArray
    compute: FloatArray
    communication: FloatArray
    constant: FloatArray
    prefill: FloatArray
    alone: FloatArray
    launch: FloatArray


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
    stored = stored + load.adapters * weights.adapter_bytes
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
    each = np.maximum(_room_of_sequence(case), 1.0)
    fits = np.floor(load.attention_data_parallel * np.maximum(room, 0.0) / each)
    return np.minimum(fits, load.max_num_seqs * np.asarray(load.attention_data_parallel))


def count_ranks(load: ServingInputs) -> FloatArray:
    """Accelerators of an instance: tensor x pipeline x attention data parallel [count]."""
    return np.asarray(
        load.tensor_parallel * np.asarray(load.pipeline_parallel) * load.attention_data_parallel
    )


def fresh_tokens(load: ServingInputs) -> FloatArray:
    """Input tokens of a request that no cache holds [tokens]."""
    return np.asarray(load.input_tokens * (1.0 - np.asarray(load.prefix_hit_rate)))


def transfer_s(case: ServingCase) -> FloatArray:
    """Time a prompt's cache takes over the network to another instance [s]."""
    load, constants = case.load, case.constants
    ranks = np.asarray(load.tensor_parallel * np.asarray(load.attention_data_parallel))
    link = ranks * case.hardware.nic_bandwidth_bytes_per_s * np.asarray(constants.pcie_efficiency)
    return np.asarray(kv_bytes_per_sequence(case, load.input_tokens) / link)


def needed_bytes(case: ServingCase) -> FloatArray:
    """Memory an accelerator must have for its part of the weights and of one sequence [byte]."""
    load, constants = case.load, case.constants
    each = _room_of_sequence(case) / np.asarray(load.attention_data_parallel)
    held = weight_bytes_per_gpu(case) + constants.memory_reserve_bytes + each
    return np.asarray(held / constants.memory_utilisation)


def _room_of_sequence(case: ServingCase) -> FloatArray:
    """Cache that an average sequence holds of one accelerator [byte]."""
    load = case.load
    tokens = load.input_tokens + load.reserved_output_share * np.asarray(load.output_tokens)
    return kv_bytes_per_gpu(case, tokens)


def kv_bytes_per_gpu(case: ServingCase, tokens: Array) -> FloatArray:
    """What a sequence of `tokens` keeps on one accelerator of its rank, copies of heads counted [byte]."""
    return np.asarray(
        kv_bytes_per_sequence(case, tokens) / (_kv_ranks(case) * np.asarray(case.load.pipeline_parallel))
    )


def decode_step_s(case: ServingCase, batch: Array) -> FloatArray:
    """Time a token of each of `batch` sequences takes, prefill not counted [s].

    pp*((t_memory^p + t_compute^p)^(1/p) + t_traffic) + L*tau + t0 + c*batch/sqrt(dp), at the mean
    context isl + osl/2. With speculation per accepted token. [FIT_SERVING] sections 3.3 and 4.
    """
    return decode_s(case, step_terms(case), batch)


def prefill_s_per_request(case: ServingCase) -> FloatArray:
    """Time a request's prompt takes from the instance, chunked among decodes [s]. [FIT_SERVING] 3.4.

    Attention ranks meet in every layer with experts, so that a rank with a prompt holds the others up:
    dp ranks take in prompts dp^a times as fast as one, a = `prefill_rank_exponent`.
    """
    load, weights = case.load, _weigh(case)
    exponent = np.where(weights.is_moe, case.constants.prefill_rank_exponent, 1.0)
    ranks = np.power(load.attention_data_parallel, exponent)
    return np.asarray(_prefill_rank_s(case, weights) / (ranks * load.pipeline_parallel))


def steady_tpot_s(case: ServingCase, batch: Array) -> FloatArray:
    """Time per output token while finished sequences are replaced at once [s].

    t_dec(B) + (B/osl)*prefill: a step of B tokens completes B/osl requests, whose successors it must
    prefill. Output tokens/s = B/TPOT. [FIT_SERVING] section 3.5.
    """
    return tpot_s(case, step_terms(case), batch)


def step_terms(case: ServingCase) -> Step:
    """What a search over batches needs, computed once; broadcasts over the case's rows."""
    load, constants = case.load, case.constants
    weights = _weigh(case)
    stages = np.asarray(load.pipeline_parallel)
    read = np.asarray(case.hardware.memory_bandwidth_bytes_per_s)
    weight_rate = constants.weight_bandwidth_efficiency * read
    context = load.input_tokens + np.asarray(load.output_tokens) / 2.0
    fixed = weights.fixed_bytes / load.tensor_parallel / weight_rate
    experts = weights.expert_bytes / _expert_ranks(load) / weight_rate
    launch = _launch_s(case)
    return Step(
        fixed_weights=fixed / stages,
        all_experts=experts / stages,
        one_adapter=weights.adapter_bytes / load.tensor_parallel / weight_rate / stages,
        cache=_cache_bytes(case, context) / (constants.kv_bandwidth_efficiency * read),
        compute=_decode_compute_s(case, weights, context) / stages,
        communication=_traffic_s_per_token(case, weights) / stages,
        constant=_layers_s(case, weights) + constants.step_overhead,
        prefill=prefill_s_per_request(case),
        alone=_alone_s(case, weights, np.asarray(fixed + experts)) + launch,
        launch=launch,
    )


def decode_s(case: ServingCase, step: Step, batch: Array) -> FloatArray:
    """As decode_step_s, from terms computed before [s]."""
    load = case.load
    drafted = np.asarray(load.draft_tokens)
    plain = _verify_s(case, step, batch, 1.0)
    if not bool(np.any(drafted > 0.0)):
        return plain
    verified = _verify_s(case, step, batch, 1.0 + drafted)
    # Expected tokens of a step: the run of accepted ones and the target's own.
    accepted = np.minimum(load.draft_acceptance, 1.0 - 1e-9)
    tokens = (1.0 - np.power(accepted, drafted + 1.0)) / (1.0 - accepted)
    return np.asarray((verified + drafted * load.draft_step_share * plain) / tokens)


def tpot_s(case: ServingCase, step: Step, batch: Array, successors: Array | None = None) -> FloatArray:
    """As steady_tpot_s, from terms computed before [s].

    `successors` are prefilled during a request, all of the batch's when None.
    """
    prompts = batch if successors is None else successors
    return np.asarray(decode_s(case, step, batch) + prompts / case.load.output_tokens * step.prefill)


def _verify_s(case: ServingCase, step: Step, batch: Array, tokens_each: Array) -> FloatArray:
    """One forward pass over `tokens_each` tokens of each of `batch` sequences [s]."""
    load, model, power = case.load, case.model, np.asarray(case.constants.overlap_power)
    stages, copies = np.asarray(load.pipeline_parallel), np.asarray(load.attention_data_parallel)
    sequences = batch / (copies * stages)
    tokens = sequences * tokens_each
    memory = step.fixed_weights + sequences * step.cache
    if bool(np.any(np.greater(model.num_experts, 0.0))):
        experts = np.maximum(model.num_experts, 1.0)
        kept = 1.0 - np.minimum(model.num_experts_per_tok / experts, 1.0)
        memory = memory + step.all_experts * (1.0 - np.power(kept, tokens * copies))
    if bool(np.any(np.greater(load.adapters, 0.0))):
        memory = memory + step.one_adapter * adapters_met(load.adapters, sequences)
    compute = tokens * step.compute
    kernel = np.power(np.power(memory, power) + np.power(compute, power), 1.0 / power)
    scheduling = case.constants.sequence_overhead * batch / np.sqrt(copies)
    return np.asarray(stages * (kernel + tokens * step.communication) + step.constant + scheduling)


def _weigh(case: ServingCase) -> _Weights:
    """Weights by the way they are stored and read. Published 4-bit checkpoints keep attention in 16 bits."""
    model, constants = case.model, case.constants
    counts = count_parameters(model)
    code = np.asarray(case.load.weight_precision_code)
    kept = (code == _INT4) | (code == _MXFP4) | ((code == _NVFP4) & np.greater(model.kv_lora_rank, 0.0))
    each = constants.bytes_per_element(case.load.weight_precision_code)
    attention = counts.attention * np.where(kept, constants.weight_bytes_16bit, each)
    others = counts.mlp + np.asarray(counts.shared_experts)
    worked = model.applied or counts
    used = adapter_weights(model, np.where(np.greater(case.load.adapters, 0.0), case.load.adapter_rank, 0.0))
    small = (counts.router + np.asarray(counts.norms) + counts.embedding) * _ACTIVATION_BYTES
    return _Weights(
        fixed_bytes=attention + others * each + small,
        expert_bytes=counts.experts * each,
        adapter_bytes=used * ADAPTER_BYTES,
        active_layers=np.asarray(
            worked.attention + worked.mlp + worked.shared_experts + worked.active_experts + used
        ),
        head=np.asarray(head_weights(model)),
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


def _cache_bytes(case: ServingCase, tokens: Array) -> FloatArray:
    """Bytes of a sequence a rank's stage moves in a step: the cache read, states read and written back."""
    cached = _kv_value_bytes(case) * _cached_values(case.model, tokens) / _kv_ranks(case)
    states = 2.0 * np.asarray(case.model.state_bytes) / case.load.tensor_parallel
    return np.asarray((cached + states) / case.load.pipeline_parallel)


def _gemm_rate(case: ServingCase) -> FloatArray:
    """FLOP/s the GEMMs of one accelerator reach."""
    hardware, constants = case.hardware, case.constants
    # A format without a peak of its own is unpacked to 16 bits and runs with their efficiency.
    native = np.asarray(hardware.peak_flops) > np.asarray(hardware.peak_bf16_flops)
    own = constants.compute_efficiency(case.load.weight_precision_code)
    efficiency = np.where(native, own, constants.compute_efficiency_16bit)
    return np.asarray(efficiency * case.load.software_factor * hardware.peak_flops)


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


def _traffic_s_per_token(case: ServingCase, weights: _Weights) -> FloatArray:
    """What one token moves through all layers of a rank between its matrix products [s].

    All-reduces, expert dispatch, and reading and writing activations in memory: norms, residuals, rotary
    embedding and quantising per hidden element, gathering and scattering per routed copy. Tensor parallelism
    does not shard these.
    """
    model, load, constants = case.model, case.load, case.constants
    ranks, copies = np.asarray(load.tensor_parallel), np.asarray(load.attention_data_parallel)
    layers, moe_layers = np.asarray(model.num_hidden_layers), count_moe_layers(model)
    sent = 2.0 * 2.0 * (ranks - 1.0) / ranks * model.hidden_size * _ACTIVATION_BYTES
    reduce = np.where(ranks > 1.0, sent * layers / _link_rate(case, ranks), 0.0)
    routed = np.minimum(model.num_experts_per_tok, copies) * np.asarray(model.hidden_size)
    moved = constants.dispatch_bytes_per_element * routed * moe_layers
    dispatch = np.where(_is_spread(case, weights), moved / _link_rate(case, ranks * copies), 0.0)
    passes = constants.elementwise_bytes * layers
    passes = passes + constants.routed_elementwise_bytes * moe_layers * model.num_experts_per_tok
    elementwise = passes * model.hidden_size / case.hardware.memory_bandwidth_bytes_per_s
    return np.asarray(reduce + dispatch + elementwise)


def _is_spread(case: ServingCase, weights: _Weights) -> BoolArray:
    """Whether tokens travel to experts on other attention ranks."""
    return np.asarray(weights.is_moe & (np.asarray(case.load.attention_data_parallel) > 1.0))


def _layers_s(case: ServingCase, weights: _Weights) -> FloatArray:
    """Launches and latencies of all layers in a decode step [s]."""
    model, load, constants = case.model, case.load, case.constants
    layer = (
        constants.layer_overhead
        + constants.tensor_layer_overhead * np.greater(load.tensor_parallel, 1.0)
        + constants.mla_layer_overhead * np.greater(model.kv_lora_rank, 0.0)
        + constants.hybrid_layer_overhead * np.greater(model.recurrent_layers, 0.0)
        + constants.dispatch_layer_overhead * _is_spread(case, weights)
    )
    return np.asarray(model.num_hidden_layers * layer)


def _launch_s(case: ServingCase) -> FloatArray:
    """Launches of all layers in a prefill, which runs without a recorded graph [s]."""
    model, constants = case.model, case.constants
    factor = (
        1.0
        + constants.ttft_mla_factor * np.greater(model.kv_lora_rank, 0.0)
        + constants.ttft_hybrid_factor * np.greater(model.recurrent_layers, 0.0)
    )
    return np.asarray(constants.ttft_layer * model.num_hidden_layers * factor)


def _alone_s(case: ServingCase, weights: _Weights, read: FloatArray) -> FloatArray:
    """Prefill of a request by itself with the fixed time around it [s]; `read` = all weights once."""
    power = np.asarray(case.constants.overlap_power)
    prompt = np.power(_prefill_rank_s(case, weights), power)
    return np.asarray(np.power(np.power(read, power) + prompt, 1.0 / power) + case.constants.ttft_fixed)


def _prefill_rank_s(case: ServingCase, weights: _Weights) -> FloatArray:
    """Compute and traffic of one prompt on one tensor-parallel group, all stages [s].

    Cached tokens need no GEMMs; the others still attend to them.
    """
    model, load, constants = case.model, case.load, case.constants
    cached = load.prefix_hit_rate * np.asarray(load.input_tokens)
    fresh = load.input_tokens - cached
    gemm = 2.0 * weights.active_layers * fresh / _gemm_rate(case)
    flops = _score_flops(model, load.input_tokens) - _score_flops(model, cached)
    attended = flops / (constants.attention_efficiency * np.asarray(case.hardware.peak_bf16_flops))
    traffic = _traffic_s_per_token(case, weights) * fresh
    return np.asarray((gemm + attended) / load.tensor_parallel + traffic)


def _decode_compute_s(case: ServingCase, weights: _Weights, tokens: Array) -> FloatArray:
    """FLOP time of one token on one tensor-parallel rank, all layers [s]."""
    rate = case.constants.attention_efficiency * np.asarray(case.hardware.peak_bf16_flops)
    # Decoding latent attention works on the latent itself: scores over rank + rope, values over rank.
    flops = _over_kinds(case.model, lambda kind: 2.0 * kind.decode_width * seen_tokens(kind, tokens))
    active = weights.active_layers + weights.head
    return np.asarray((2.0 * active / _gemm_rate(case) + flops / rate) / case.load.tensor_parallel)

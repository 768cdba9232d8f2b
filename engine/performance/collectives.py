"""Times of the collectives of a training step, before overlap is taken off; element-wise on arrays."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.performance.inputs import Hardware

ELEMENT_BYTES = 2.0
"""Activations, gradients and gathered weights travel as 16-bit numbers."""


def group_bandwidth(hardware: Hardware, span: Array) -> Array:
    """One-direction bandwidth of an accelerator inside a group spread over `span` ranks [byte/s].

    The scale-up fabric while the span fits its domain, else no more than the accelerator's network port.
    """
    return np.where(
        np.less_equal(span, hardware.scale_up_domain),
        hardware.scale_up_bandwidth_bytes_per_s,
        np.minimum(hardware.nic_bandwidth_bytes_per_s, hardware.scale_up_bandwidth_bytes_per_s),
    )


def hierarchical_bandwidth(hardware: Hardware, group: Array, inner: Array) -> Array:
    """Bandwidth of a ring over `group` ranks placed every `inner` ranks [byte/s per accelerator].

    Rings that leave the domain share the ports of every member inside it: min(fabric, members * port).
    """
    members = np.clip(hardware.scale_up_domain / inner, 1.0, group)
    outside = np.minimum(
        hardware.scale_up_bandwidth_bytes_per_s, members * hardware.nic_bandwidth_bytes_per_s
    )
    inside = np.less_equal(group * inner, hardware.scale_up_domain)
    return np.where(inside, hardware.scale_up_bandwidth_bytes_per_s, outside)


def tensor_parallel_s(
    hardware: Hardware,
    *,
    tokens: Array,
    hidden_size: Array,
    tensor_parallel: Array,
    efficiency: Array,
    latency_s: Array,
) -> Array:
    """Two all-gathers and two reduce-scatters of one layer in one direction [s].

    Valid for Megatron sequence parallelism. tokens [tokens in the micro-batch]. 0 without tensor parallelism.
    Equation: 4*(t-1)/t*tokens*h*2 / (bandwidth*efficiency) + 4*latency.
    """
    bandwidth = np.where(
        np.less_equal(tensor_parallel, hardware.scale_up_domain),
        hardware.scale_up_bandwidth_bytes_per_s,
        np.minimum(
            hardware.scale_up_bandwidth_bytes_per_s,
            hardware.scale_up_domain * hardware.nic_bandwidth_bytes_per_s,
        ),
    )
    volume = (4.0 * ELEMENT_BYTES) * (1.0 - 1.0 / tensor_parallel) * tokens * hidden_size
    return volume / (bandwidth * efficiency) + 4.0 * latency_s * np.greater(tensor_parallel, 1.0)


def context_parallel_s(
    hardware: Hardware,
    *,
    tokens: Array,
    key_value_dim: Array,
    tensor_parallel: Array,
    context_parallel: Array,
) -> Array:
    """Passing keys and values once around the context-parallel ring in one layer [s].

    tokens [tokens a rank holds]; key_value_dim [elements of a token's keys and values over all heads].
    Equation: (c-1)*tokens*dim/t*2 / bandwidth.
    """
    volume = (context_parallel - 1.0) * tokens * (key_value_dim / tensor_parallel) * ELEMENT_BYTES
    return volume / group_bandwidth(hardware, tensor_parallel * context_parallel)


def expert_parallel_s(
    hardware: Hardware,
    *,
    tokens: Array,
    hidden_size: Array,
    experts_per_token: Array,
    tensor_parallel: Array,
    expert_parallel: Array,
    efficiency: Array,
) -> Array:
    """Dispatch and combine of one expert layer in one direction [s].

    Tokens go to each node once over the network and are fanned out inside it.
    Equation: 2*tokens/t*h*2 * [k*(1-1/e)/fabric + (e > domain)*min(k, nodes)*(1-1/nodes)/port].
    """
    nodes = np.maximum(expert_parallel / hardware.scale_up_domain, 1.0)
    inside = experts_per_token * (1.0 - 1.0 / expert_parallel) / hardware.scale_up_bandwidth_bytes_per_s
    across = np.minimum(experts_per_token, nodes) * (1.0 - 1.0 / nodes) / hardware.nic_bandwidth_bytes_per_s
    volume = 2.0 * ELEMENT_BYTES * hidden_size * tokens / tensor_parallel
    return volume * (inside + across) / efficiency


def pipeline_transfer_s(
    hardware: Hardware,
    *,
    tokens: Array,
    hidden_size: Array,
    tensor_parallel: Array,
    pipeline_parallel: Array,
    virtual_pipeline: Array,
    ranks_per_stage: Array,
) -> Array:
    """Sending one micro-batch's activations and gradients between stages [s]; 0 without a pipeline.

    Equation: 2*v*tokens*h*2/t / bandwidth.
    """
    volume = (2.0 * ELEMENT_BYTES) * virtual_pipeline * tokens * hidden_size / tensor_parallel
    bandwidth = group_bandwidth(hardware, ranks_per_stage * pipeline_parallel)
    return volume / bandwidth * np.greater(pipeline_parallel, 1.0)


def data_parallel_s(hardware: Hardware, *, parameters: Array, group: Array, inner: Array) -> Array:
    """One all-gather or reduce-scatter of 16-bit parameters over a data-parallel group [s].

    parameters [count on a rank]; group [ranks]; inner [ranks between neighbours of the group]. An
    all-reduce or ZeRO-1 takes two a step, ZeRO-3 three a micro-batch; efficiency is the caller's.
    Equation: 2*P*(n-1)/n / bandwidth.
    """
    bandwidth = hierarchical_bandwidth(hardware, group, inner)
    return ELEMENT_BYTES * parameters * (1.0 - 1.0 / np.maximum(group, 1.0)) / bandwidth

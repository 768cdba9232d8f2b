"""Collective times against hand calculations and in their limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.performance.collectives import (
    context_parallel_s,
    data_parallel_s,
    expert_parallel_s,
    group_bandwidth,
    hierarchical_bandwidth,
    pipeline_transfer_s,
    tensor_parallel_s,
)
from engine.performance.inputs import Hardware

H100 = Hardware(989.4e12, 989.4e12, 80e9, 3.35e12, 450e9, 8.0, 50e9, 8.0)


def _tensor(hardware: Hardware, size: float) -> float:
    return float(
        tensor_parallel_s(
            hardware,
            tokens=8192.0,
            hidden_size=8192.0,
            tensor_parallel=size,
            efficiency=1.0,
            latency_s=0.0,
        )
    )


def test_tensor_parallel_by_hand() -> None:
    # 8192 x 8192 elements of 2 bytes = 134,217,728 bytes; four collectives move 7/8 of it at 450 GB/s.
    assert _tensor(H100, 8.0) == pytest.approx(4 * 134_217_728 * 7 / 8 / 450e9)


def test_tensor_parallel_is_free_alone_and_slow_across_nodes() -> None:
    assert _tensor(H100, 1.0) == 0
    assert _tensor(H100, 16.0) > _tensor(H100, 8.0)
    # Sixteen ranks over two nodes share eight ports of 50 GB/s.
    assert _tensor(H100, 16.0) == pytest.approx(4 * 134_217_728 * 15 / 16 / 400e9)


def test_latency_counts_four_collectives() -> None:
    slow = tensor_parallel_s(
        H100, tokens=0.0, hidden_size=8192.0, tensor_parallel=2.0, efficiency=1.0, latency_s=1e-5
    )
    assert slow == pytest.approx(4e-5)


def test_data_parallel_by_hand() -> None:
    # 1e9 parameters in 2 bytes over 16 ranks: eight in a node fill all its ports, 8 x 50 < 450 GB/s.
    one = data_parallel_s(H100, parameters=1e9, group=16.0, inner=1.0)
    assert one == pytest.approx(2e9 * 15 / 16 / 400e9)
    # With tensor parallelism over the whole node each rank has its own port only.
    assert data_parallel_s(H100, parameters=1e9, group=16.0, inner=8.0) == pytest.approx(
        2e9 * 15 / 16 / 50e9
    )
    # Eight ranks, one in each node.
    assert data_parallel_s(H100, parameters=1e9, group=8.0, inner=8.0) == pytest.approx(2e9 * 7 / 8 / 50e9)
    # Inside one node the fabric carries it.
    assert data_parallel_s(H100, parameters=1e9, group=8.0, inner=1.0) == pytest.approx(2e9 * 7 / 8 / 450e9)


def test_context_ring_passes_every_other_share() -> None:
    time = context_parallel_s(
        H100, tokens=4096.0, key_value_dim=2048.0, tensor_parallel=4.0, context_parallel=2.0
    )
    assert time == pytest.approx(4096 * 2048 / 4 * 2 / 450e9)
    alone = context_parallel_s(
        H100, tokens=4096.0, key_value_dim=2048.0, tensor_parallel=8.0, context_parallel=1.0
    )
    assert alone == 0


def test_experts_inside_one_node_never_touch_the_network() -> None:
    def time(hardware: Hardware, ranks: float) -> float:
        return float(
            expert_parallel_s(
                hardware,
                tokens=4096.0,
                hidden_size=4096.0,
                experts_per_token=8.0,
                tensor_parallel=1.0,
                expert_parallel=ranks,
                efficiency=1.0,
            )
        )

    faster_ports = replace(H100, nic_bandwidth_bytes_per_s=100e9)
    assert time(H100, 8.0) == time(faster_ports, 8.0)
    assert time(H100, 32.0) > time(faster_ports, 32.0)
    assert time(H100, 1.0) == 0


def test_pipeline_transfer_is_free_without_a_pipeline() -> None:
    def time(stages: float) -> float:
        return float(
            pipeline_transfer_s(
                H100,
                tokens=4096.0,
                hidden_size=8192.0,
                tensor_parallel=4.0,
                pipeline_parallel=stages,
                virtual_pipeline=1.0,
                ranks_per_stage=8.0,
            )
        )

    assert time(1.0) == 0
    # Forward and backward, 2 bytes, a quarter each rank, over the port.
    assert time(4.0) == pytest.approx(2 * 4096 * 8192 * 2 / 4 / 50e9)


@given(st.integers(1, 512), st.integers(1, 64), st.floats(1e9, 1e12), st.floats(1e9, 1e12))
def test_ring_bandwidth_lies_between_port_and_fabric(
    group: int, inner: int, fabric: float, port: float
) -> None:
    hardware = replace(H100, scale_up_bandwidth_bytes_per_s=fabric, nic_bandwidth_bytes_per_s=port)
    bandwidth = hierarchical_bandwidth(hardware, float(group), float(inner))
    assert min(fabric, port) <= bandwidth <= fabric


def test_group_bandwidth_changes_at_the_domain() -> None:
    np.testing.assert_array_equal(group_bandwidth(H100, np.array([1.0, 8.0, 9.0])), [450e9, 450e9, 50e9])

"""The accelerator of a plan and its place in the cluster."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import Array
from engine.catalog import Accelerator
from engine.errors import InputError
from engine.performance.inputs import Hardware
from engine.plan import Plan
from engine.text import N_, Message
from engine.values import PlanValues


def resolve_accelerator(values: PlanValues) -> Accelerator:
    """The plan's accelerator: its own figures when given, else the catalogue's."""
    cluster = values.plan.cluster
    spec = cluster.accelerator_spec
    if spec is None:
        return values.catalog.accelerator(cluster.accelerator)
    return Accelerator(
        id=cluster.accelerator,
        name=spec.name or cluster.accelerator,
        vendor="",
        family="",
        memory_bytes=spec.memory_gib * 2**30,
        memory_bandwidth_bytes_per_s=spec.memory_bandwidth_gb_per_s * 1e9,
        peak_flops={precision: peak * 1e12 for precision, peak in spec.peak_tflops.items()},
        scale_up_link="",
        scale_up_bandwidth_bytes_per_s=spec.scale_up_gb_per_s * 1e9,
        scale_up_domain=spec.accelerators_per_node,
        pcie_bandwidth_bytes_per_s=None,
        nic_bandwidth_bytes_per_s=None,
        accelerators_per_node=spec.accelerators_per_node,
        tdp_w=spec.power_w,
        source="cluster.accelerator_spec",
        mark="own",
        date="",
    )


def gemm_precision(plan: Plan) -> tuple[str, str]:
    """Precision the matrix products run in, and the field that says so."""
    if plan.training is not None and plan.is_training:
        return plan.training.precision, "training.precision"
    if plan.serving is not None:
        return plan.serving.weight_precision, "serving.weight_precision"
    return "bf16", "training.precision"


def lower_hardware(values: PlanValues, accelerator: Accelerator, precision: tuple[str, str]) -> Hardware:
    """The accelerator at the precision its matrix products run in. Errors: InputError for one it lacks."""
    cluster = values.plan.cluster
    bf16 = accelerator.peak("bf16")
    name, field = precision
    peak = accelerator.peak(name)
    if (
        peak is None
        and field == "serving.weight_precision"
        and name in ("int4", "mxfp4", "nvfp4", "fp8", "int8")
        and bf16
    ):
        # Weights smaller than the tensor cores take are unpacked: half the bf16 rate, as measured.
        peak = bf16 * (
            values.fact("serving", "weight_only_compute_factor")
            if name in ("int4", "mxfp4", "nvfp4")
            else 1.0
        )
    if peak is None or bf16 is None:
        supported = ", ".join(sorted(accelerator.peak_flops))
        raise InputError(
            field,
            name,
            Message(
                N_("a precision that {accelerator} computes in: {supported}"),
                {"accelerator": accelerator.name, "supported": supported},
            ),
        )
    nic = accelerator.nic_bandwidth_bytes_per_s or values.fact("defaults", "nic_bandwidth")
    return Hardware(
        peak_flops=peak,
        peak_bf16_flops=bf16,
        memory_bytes=accelerator.memory_bytes,
        memory_bandwidth_bytes_per_s=accelerator.memory_bandwidth_bytes_per_s,
        scale_up_bandwidth_bytes_per_s=accelerator.scale_up_bandwidth_bytes_per_s,
        scale_up_domain=float(cluster.scale_up_domain or accelerator.scale_up_domain),
        nic_bandwidth_bytes_per_s=cluster.nic_gbps_per_gpu * 1e9 / 8.0 if cluster.nic_gbps_per_gpu else nic,
        accelerators_per_node=float(cluster.accelerators_per_node or accelerator.accelerators_per_node),
    )


def share_hardware(hardware: Hardware, share: Array) -> Hardware:
    """What an instance gets of each accelerator: memory, bandwidths and peak in proportion to `share`.

    A partition (MIG) or a time slice without the loss that neighbours in time cause each other.
    """
    if np.all(np.asarray(share) == 1.0):
        return hardware
    return replace(
        hardware,
        peak_flops=hardware.peak_flops * share,
        peak_bf16_flops=hardware.peak_bf16_flops * share,
        memory_bytes=hardware.memory_bytes * share,
        memory_bandwidth_bytes_per_s=hardware.memory_bandwidth_bytes_per_s * share,
        nic_bandwidth_bytes_per_s=hardware.nic_bandwidth_bytes_per_s * share,
    )

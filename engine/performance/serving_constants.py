"""The constants of the serving model, read from the catalogue's `serving.*` facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from scipy.special import ndtri

from engine.arrays import Array, FloatArray
from engine.catalog import Fact
from engine.codes import SERVING_PRECISIONS
from engine.errors import FlopwiseError
from engine.text import N_, Message

PREFIX = "serving."
ENGINE_WORD = "engine_"
ENGINES = ("vllm", "vllm_v0", "sglang", "trtllm", "lmdeploy")
"""Serving engines that may have a preset; the plain set, of all of them together, is the default."""
PRESET_CONSTANTS = (
    "layer_overhead",
    "step_overhead",
    "sequence_overhead",
    "ttft_fixed",
    "ttft_layer",
    "ttft_burst_share",
)
"""What engines differ in: launches and schedulers; rates belong to the accelerator."""

_WEIGHT_FORMATS: Mapping[str, str] = {
    "bf16": "weight_bytes_16bit",
    "fp16": "weight_bytes_16bit",
    "fp8": "weight_bytes_8bit",
    "int8": "weight_bytes_8bit",
    "int4": "weight_bytes_int4",
    "mxfp4": "weight_bytes_mxfp4",
    "nvfp4": "weight_bytes_nvfp4",
}
_COMPUTE_FORMATS: Mapping[str, str] = {
    "bf16": "compute_efficiency_16bit",
    "fp16": "compute_efficiency_16bit",
    "fp8": "compute_efficiency_8bit",
    "int8": "compute_efficiency_8bit",
    "int4": "compute_efficiency_4bit",
    "mxfp4": "compute_efficiency_4bit",
    "nvfp4": "compute_efficiency_4bit",
}


@dataclass(frozen=True, slots=True)
class ServingConstants:
    """Efficiencies, overheads and staffing factors; each is the catalogue's fact `serving.<name>`.

    Units are those of the catalogue: shares and ratios, seconds, bytes, bytes a parameter. Any may be
    replaced by an array of draws.
    """

    weight_bandwidth_efficiency: Array
    kv_bandwidth_efficiency: Array
    compute_efficiency_16bit: Array
    compute_efficiency_8bit: Array
    compute_efficiency_4bit: Array
    attention_efficiency: Array
    elementwise_bytes: Array
    routed_elementwise_bytes: Array
    prefill_rank_exponent: Array
    overlap_power: Array
    layer_overhead: Array
    tensor_layer_overhead: Array
    dispatch_layer_overhead: Array
    mla_layer_overhead: Array
    hybrid_layer_overhead: Array
    step_overhead: Array
    sequence_overhead: Array
    nvlink_efficiency: Array
    pcie_efficiency: Array
    pcie_bandwidth: Array
    pcie_bandwidth_ceiling: Array
    dispatch_bytes_per_element: Array
    memory_utilisation: Array
    memory_reserve_bytes: Array
    weight_bytes_16bit: Array
    weight_bytes_8bit: Array
    weight_bytes_int4: Array
    weight_bytes_mxfp4: Array
    weight_bytes_nvfp4: Array
    ttft_queue_factor: Array
    ttft_fixed: Array
    ttft_layer: Array
    ttft_mla_factor: Array
    ttft_hybrid_factor: Array
    ttft_burst_share: Array
    ttft_burst_launch_share: Array
    input_length_sigma: Array
    staffing_beta_p95: Array
    staffing_beta_p99: Array
    bunched_lives: Array
    utilisation_ceiling: Array

    @classmethod
    def from_facts(cls, facts: Mapping[str, Fact], engine: str = "") -> Self:
        """Central values from `catalog.constants("serving.")`; raises FlopwiseError naming a missing one.

        `engine` of ENGINES puts its preset, the facts `serving.engine_<engine>_<name>`, over the plain set;
        one that was not measured has none.
        """
        preset = f"{PREFIX}{ENGINE_WORD}{engine}_"
        keys = {
            item.name: preset + item.name if preset + item.name in facts else PREFIX + item.name
            for item in fields(cls)
        }
        return cls(**{name: _value(facts, key) for name, key in keys.items()})

    def staffing_beta(self, tail_share: Array) -> FloatArray:
        """Factor of the square root of staffing for the share that may miss the targets, 0.05 to 0.01.

        Between the two it goes with the normal quantile; beyond them it stays.
        """
        quantile = ndtri(1.0 - np.clip(tail_share, 0.01, 0.05))
        low, high = ndtri(0.95), ndtri(0.99)
        weight = (quantile - low) / (high - low)
        return np.asarray(self.staffing_beta_p95 * (1.0 - weight) + self.staffing_beta_p99 * weight)

    def bytes_per_element(self, precision_code: Array) -> FloatArray:
        """Stored bytes of a weight or a cached value, scales included [byte], by SERVING_PRECISIONS code."""
        return self._by_precision(_WEIGHT_FORMATS, precision_code)

    def compute_efficiency(self, precision_code: Array) -> FloatArray:
        """Share of the dense peak that GEMMs reach where the format is native, by SERVING_PRECISIONS code."""
        return self._by_precision(_COMPUTE_FORMATS, precision_code)

    def _by_precision(self, names: Mapping[str, str], precision_code: Array) -> FloatArray:
        code = np.asarray(precision_code)
        values = [np.asarray(getattr(self, names[name]), dtype=np.float64) for name in SERVING_PRECISIONS]
        conditions = [code == index for index in range(len(values))]
        return np.select(conditions, values, default=np.nan)


def _value(facts: Mapping[str, Fact], key: str) -> float:
    fact = facts.get(key)
    if fact is None or fact.value is None:
        raise FlopwiseError(Message(N_("the catalogue has no value for {key}"), {"key": key}))
    return fact.value

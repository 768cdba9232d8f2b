"""The serving constants: read whole from the catalogue, by precision, with the bands they are shown with."""

from __future__ import annotations

import numpy as np
import pytest

from engine.catalog import load_catalog
from engine.codes import SERVING_PRECISIONS
from engine.errors import FlopwiseError
from engine.performance.serving_constants import ServingConstants

FACTS = load_catalog().constants("serving.")
CONSTANTS = ServingConstants.from_facts(FACTS)


def test_a_missing_fact_is_named() -> None:
    facts = {key: fact for key, fact in FACTS.items() if key != "serving.overlap_power"}
    with pytest.raises(FlopwiseError, match=r"serving\.overlap_power"):
        ServingConstants.from_facts(facts)


def test_bytes_follow_the_precision_code() -> None:
    codes = np.arange(len(SERVING_PRECISIONS))
    expected = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 4.25 / 8, "mxfp4": 4.25 / 8}
    expected["nvfp4"] = 4.5 / 8  # 4 bits and an fp8 scale for 16 values
    stored = CONSTANTS.bytes_per_element(codes)
    assert dict(zip(SERVING_PRECISIONS, stored.tolist(), strict=True)) == expected


def test_an_unknown_precision_is_unknown_not_free() -> None:
    assert np.isnan(CONSTANTS.bytes_per_element(-1.0))
    assert np.isnan(CONSTANTS.compute_efficiency(float(len(SERVING_PRECISIONS))))


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [("throughput_factor", 0.81, 1.26), ("tpot_factor", 0.92, 1.50), ("ttft_factor", 0.43, 2.5)],
)
def test_bands_of_the_fit_are_in_the_catalogue(key: str, low: float, high: float) -> None:
    fact = FACTS[f"serving.{key}"]
    assert (fact.value, fact.low, fact.high) == (1.0, low, high)


@pytest.mark.parametrize(
    "name", ["weight_bandwidth_efficiency", "compute_efficiency_8bit", "pcie_efficiency"]
)
def test_efficiencies_are_shares(name: str) -> None:
    assert 0.0 < getattr(CONSTANTS, name) < 1.0

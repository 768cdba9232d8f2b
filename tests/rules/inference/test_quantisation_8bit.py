"""INF-QUANT-8BIT."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import LLAMA_70B, serving_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number, outcome_at

from engine.catalog import Catalog
from engine.plan import Plan
from rules.base import Fired, Passed

ID = "INF-QUANT-8BIT"
FIELD = "serving.weight_precision"


def wide(**fields: Any) -> Plan:
    """A 70B network in 16 bits on two accelerators an instance, by the hour."""
    return serving_plan(
        {
            "architecture": LLAMA_70B,
            FIELD: "bf16",
            "layout.tensor_parallel": 4,
            "cluster.price_mode": "on_demand",
            "cluster.commitment_term_months": None,
        },
        **fields,
    )


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_sixteen_bit_weights_are_found(catalog: Catalog, precision: str) -> None:
    found = assert_mends(ID, wide(serving__weight_precision=precision), catalog, writes={FIELD})
    assert found.patch == {FIELD: "fp8"}


def test_hardware_without_fp8_gets_int8(catalog: Catalog) -> None:
    plan = wide(cluster__accelerator="a100-sxm-80", serving__tpot_slo_ms=100.0, serving__kv_precision="bf16")
    assert assert_fires(ID, plan, catalog).patch == {FIELD: "int8"}


def test_eight_bit_weights_pass(catalog: Catalog) -> None:
    assert_passes(ID, wide(serving__weight_precision="fp8"), catalog)


def test_hardware_without_an_eight_bit_rate_passes(catalog: Catalog) -> None:
    spec = {
        "memory_gib": 80.0,
        "memory_bandwidth_gb_per_s": 3350.0,
        "peak_tflops": {"bf16": 989.0},
        "scale_up_gb_per_s": 450.0,
        "power_w": 700.0,
        "accelerators_per_node": 8,
    }
    plan = wide(cluster__accelerator="our-own", cluster__accelerator_spec=spec)
    assert "no 8-bit rate" in assert_passes(ID, plan, catalog).finding.render()


def test_share_of_memory_just_above_and_below_the_limit(catalog: Catalog) -> None:
    share = number(assert_fires(ID, wide(), catalog), "share")
    many = {"instances": 1e9}
    assert isinstance(outcome_at(ID, wide(), catalog, weights_share=share * (1 - 1e-9), **many), Fired)
    assert isinstance(outcome_at(ID, wide(), catalog, weights_share=share, **many), Passed)


def test_fleet_of_one_and_of_two(catalog: Catalog) -> None:
    """8B weights in 16 bits are a fifth of the memory: the size of the fleet decides."""
    one = serving_plan({FIELD: "bf16", "serving.instances": 1})
    two = serving_plan({FIELD: "bf16", "serving.instances": 2})
    assert_passes(ID, one, catalog)
    assert number(assert_fires(ID, two, catalog), "peak") == 2

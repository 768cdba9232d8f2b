"""TRN-PRECISION."""

from __future__ import annotations

import pytest
from plan_cases import training_plan
from rule_checks import assert_fires, assert_mends, assert_passes, number, outcome_at

from engine.catalog import Catalog
from engine.estimation import estimate
from rules.base import Fired, Passed

ID = "TRN-PRECISION"
FIELD = "training.precision"


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_sixteen_bits_on_an_eight_bit_accelerator_are_found(catalog: Catalog, precision: str) -> None:
    found = assert_mends(ID, training_plan(training__precision=precision), catalog, writes={FIELD})
    assert found.patch == {FIELD: "fp8"}
    assert number(found, "ratio") == pytest.approx(2.0, rel=0.01)  # 1,979 against 989 TFLOP/s


def test_fp8_passes(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(), catalog)


def test_hardware_without_an_eight_bit_rate_passes(catalog: Catalog) -> None:
    plan = training_plan(cluster__accelerator="a100-sxm-80", training__precision="bf16")
    assert "A100" in assert_passes(ID, plan, catalog).finding.render()


def test_network_size_just_above_and_below(catalog: Catalog) -> None:
    plan = training_plan(training__precision="bf16")
    size = estimate(plan, catalog, draws=0).metric("parameters_active")
    assert size
    assert isinstance(outcome_at(ID, plan, catalog, smallest_network=size), Fired)
    assert isinstance(outcome_at(ID, plan, catalog, smallest_network=size + 1), Passed)


def test_seven_billion_is_the_shipped_threshold(catalog: Catalog) -> None:
    eight = {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
    big = {f"architecture.{name}": value for name, value in (eight | {"intermediate_size": 14336}).items()}
    open_layout = {"layout": {}}
    assert_fires(ID, training_plan({**big, **open_layout, "training.precision": "bf16"}), catalog)
    small = {**big, "architecture.num_hidden_layers": 24}
    assert_passes(ID, training_plan({**small, **open_layout, "training.precision": "bf16"}), catalog)

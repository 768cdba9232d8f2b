"""Constants of the training model as the catalogue ships them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import cast

import pytest

from engine.catalog import Catalog, Fact, load_catalog
from engine.errors import FlopwiseError, InputError
from engine.performance.training_constants import (
    STACKS,
    resolve_memory_constants,
    resolve_training_constants,
)

CATALOG = load_catalog()


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("family", ["Volta", "Ampere", "Hopper", "Blackwell Ultra", "CDNA3", "own", ""])
def test_every_stack_and_family_resolves(stack: str, family: str) -> None:
    constants = resolve_training_constants(CATALOG, family, "bf16", stack=stack)
    assert 0 < constants.gemm_asymptote <= 1
    assert 0 < constants.attention_efficiency < 1
    assert 0 < constants.tensor_exposed <= 1


def test_families_differ_and_unknown_ones_are_not_taken_for_a_known_one() -> None:
    rates = {
        family: resolve_training_constants(CATALOG, family, "bf16").gemm_asymptote
        for family in ("Volta", "Ampere", "Hopper", "Blackwell", "TPU")
    }
    assert len(set(rates.values())) >= 4
    unknown = resolve_training_constants(CATALOG, "own", "bf16").gemm_asymptote
    assert unknown == resolve_training_constants(CATALOG, "Gaudi", "bf16").gemm_asymptote
    assert unknown not in rates.values()


def test_newer_releases_lose_less_on_expert_layers() -> None:
    overheads = [
        resolve_training_constants(
            CATALOG, "Blackwell", "mxfp8", stack="megatron_2025", release=year
        ).moe_layer_overhead_s
        for year in (2025.5, 2026.0, 2026.5)
    ]
    assert overheads == sorted(overheads, reverse=True)
    default = resolve_training_constants(CATALOG, "Blackwell", "mxfp8").moe_layer_overhead_s
    assert default == CATALOG.fact("training", "moe_layer_overhead").value


def test_the_power_limit_of_a_tpu_changes_nothing() -> None:
    # Limits of TPUs are inferred or not published, and clocks do not go by them.
    capped = resolve_training_constants(CATALOG, "TPU", "bf16", power_w=1000.0).gemm_asymptote
    assert capped == resolve_training_constants(CATALOG, "TPU", "bf16").gemm_asymptote


def test_small_precisions_lose_some_of_their_peak() -> None:
    shares = [
        resolve_training_constants(CATALOG, "Hopper", precision).precision_share
        for precision in ("bf16", "fp16", "fp8", "mxfp8", "nvfp4")
    ]
    assert shares[0] == shares[1] == 1
    assert shares[4] < shares[2] < shares[3] < 1


def test_power_limit_scales_the_rate() -> None:
    full = resolve_training_constants(CATALOG, "Hopper", "bf16", power_w=700.0).gemm_asymptote
    capped = resolve_training_constants(CATALOG, "Hopper", "bf16", power_w=500.0).gemm_asymptote
    assert full == resolve_training_constants(CATALOG, "Hopper", "bf16").gemm_asymptote
    assert 0.8 < capped / full < 0.9
    assert resolve_training_constants(CATALOG, "Hopper", "bf16", power_w=5000.0).gemm_asymptote < 1


def test_unknown_stack_names_the_field() -> None:
    with pytest.raises(InputError) as caught:
        resolve_training_constants(CATALOG, "Hopper", "bf16", stack="abacus")
    assert caught.value.field == "training.stack"
    with pytest.raises(InputError):
        resolve_memory_constants(CATALOG, stack="abacus")


def test_a_missing_row_is_an_error_not_a_guess() -> None:
    class Thinned:
        def constants(self, prefix: str) -> Mapping[str, Fact]:
            rows = dict(CATALOG.constants(prefix))
            del rows["training.gemm_token_halfpoint"]
            return rows

    with pytest.raises(FlopwiseError, match="gemm_token_halfpoint"):
        resolve_training_constants(cast(Catalog, Thinned()), "Hopper", "bf16")


def test_memory_constants_travel_with_the_training_constants() -> None:
    constants = resolve_training_constants(CATALOG, "Hopper", "bf16", stack="fsdp")
    assert constants.memory == resolve_memory_constants(CATALOG, stack="fsdp")
    # 1.5 GiB, not 1.5 GB.
    assert constants.memory.context_bytes == 1.5 * 1024**3


def test_time_factor_has_a_band_around_one() -> None:
    factor = CATALOG.fact("training", "time_factor")
    assert factor.low is not None and factor.high is not None
    assert factor.low < 1 == factor.value < factor.high


def test_all_constants_are_numbers() -> None:
    constants = resolve_training_constants(CATALOG, "Hopper", "fp8")
    for field in fields(constants):
        if field.name != "memory":
            assert isinstance(getattr(constants, field.name), float)

"""Bands of the training model's error by regime."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.catalog import load_catalog
from engine.defaults import TIME_FACTOR, default_fact
from engine.performance.bands import regime_keys, step_time_band
from tests.engine.plan_cases import training_plan

CATALOG = load_catalog()


def width(
    *, is_moe: bool = False, family: str = "Hopper", precision: str = "bf16", known: bool = True
) -> float:
    band = step_time_band(CATALOG, is_moe=is_moe, family=family, precision=precision, known_stack=known)
    assert band.low is not None and band.high is not None and band.low < 1 == band.value < band.high
    return math.log(band.high / band.low)


def test_regimes_that_were_measured_are_narrower_than_their_parents() -> None:
    assert regime_keys(is_moe=False, family="Blackwell Ultra", precision="fp16") == (
        "dense_blackwell_bf16",
        "dense_blackwell",
        "dense",
    )
    assert width(family="Blackwell") < width(family="Gaudi") == width(family="own")
    assert width(is_moe=False) < width(is_moe=True)


def test_a_precision_nobody_measured_takes_its_familys_band() -> None:
    assert width(family="Ampere", precision="nvfp4") == width(family="Ampere", precision="int8")


def test_an_unknown_stack_widens() -> None:
    assert width(known=False) == pytest.approx(1.25 * width())


def test_a_plan_takes_the_band_of_its_regime() -> None:
    plan = training_plan({"cluster.accelerator": "h100-sxm", "training.precision": "fp8"})
    fact = default_fact(plan, CATALOG, TIME_FACTOR)
    assert fact is not None and fact.key == "training.band_dense_h100_fp8"
    older = training_plan({"cluster.accelerator": "a100-sxm-80"})
    found = default_fact(older, CATALOG, TIME_FACTOR)
    assert found is not None and found.key.startswith("training.band_dense_a100")


def test_an_own_factor_goes_before() -> None:
    own = replace(CATALOG.fact("training", "time_factor"), value=1.1, low=1.0, high=1.3, mark="own")

    class Own:
        def constants(self, prefix: str) -> dict[str, object]:
            return dict(CATALOG.constants(prefix)) | {"training.time_factor": own}

    assert step_time_band(Own(), is_moe=False, family="Hopper", precision="bf16") is own  # type: ignore[arg-type]

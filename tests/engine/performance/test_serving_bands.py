"""Bands of the serving model's error by regime."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.catalog import load_catalog
from engine.defaults import THROUGHPUT_FACTOR, default_fact
from engine.performance.serving_bands import METRICS, serving_band, serving_regimes
from tests.engine.plan_cases import serving_plan

CATALOG = load_catalog()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("is_moe", [False, True])
@pytest.mark.parametrize("family", ["Hopper", "Blackwell", "own"])
def test_bands_hold_the_prediction(metric: str, is_moe: bool, family: str) -> None:
    band = serving_band(CATALOG, metric, is_moe=is_moe, family=family)
    assert band.low is not None and band.high is not None and band.low < 1.0 == band.value < band.high
    assert band.high / band.low <= {"tpot": 1.85, "throughput": 2.1, "ttft": 7.0}[metric]


def test_a_family_nobody_measured_takes_its_kinds_band() -> None:
    assert serving_regimes("tpot", is_moe=True, family="own")[1:] == ("tpot_moe", "tpot")
    assert serving_band(CATALOG, "tpot", is_moe=True, family="own").key == "serving.band_tpot_moe"


def test_a_plan_takes_the_band_of_its_regime() -> None:
    fact = default_fact(serving_plan({"cluster.accelerator": "h100-sxm"}), CATALOG, THROUGHPUT_FACTOR)
    assert fact is not None and fact.key == "serving.band_throughput_dense_h100"


def test_an_own_factor_goes_before() -> None:
    own = replace(CATALOG.fact("serving", "throughput_factor"), value=1.1, low=1.0, high=1.3, mark="own")

    class Own:
        def constants(self, prefix: str) -> dict[str, object]:
            return dict(CATALOG.constants(prefix)) | {"serving.throughput_factor": own}

    assert serving_band(Own(), "throughput", is_moe=False, family="Hopper") is own  # type: ignore[arg-type]

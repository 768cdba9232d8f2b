"""Networks of every kind are estimated, or refused with the field that stands in the way."""

from __future__ import annotations

import math

import pytest

from engine.catalog import Catalog
from engine.catalog.presets import load_presets
from engine.errors import InputError
from engine.estimation import estimate
from engine.importers.hf_config.adopting import adopt_preset
from engine.plan import Plan, apply_patch
from tests.engine.plan_cases import serving_plan, training_plan

LAYOUT = (
    "tensor_parallel",
    "pipeline_parallel",
    "context_parallel",
    "expert_parallel",
    "virtual_pipeline",
    "micro_batch",
    "sharding",
    "recompute",
)
AUTO = {f"layout.{name}": "auto" for name in LAYOUT}


def with_preset(plan: Plan, name: str) -> Plan:
    return adopt_preset(plan, load_presets()[name], date="2026-12-02")


@pytest.mark.parametrize("name", load_presets())
def test_every_known_network_is_estimated_or_refused_by_its_kind(name: str, catalog: Catalog) -> None:
    kind = load_presets()[name].architecture.kind
    plan = with_preset(apply_patch(training_plan(), {**AUTO, "cluster.accelerator_count": 512}), name)
    if kind != "decoder":
        with pytest.raises(InputError) as caught:
            estimate(plan, catalog, draws=0)
        assert caught.value.field == "architecture.kind"
    else:
        found = estimate(plan, catalog, draws=0)
        assert 0.05 < found.metric("mfu") < 0.85
        assert math.isfinite(found.total)


@pytest.mark.parametrize("name", [n for n, p in load_presets().items() if p.published_parameters < 2e11])
def test_every_known_network_that_fits_is_served(name: str, catalog: Catalog) -> None:
    plan = with_preset(apply_patch(serving_plan(), {"layout.tensor_parallel": "auto"}), name)
    if plan.architecture.kind == "encoder_decoder":
        with pytest.raises(InputError):
            estimate(plan, catalog, draws=0)
        return
    found = estimate(plan, catalog, draws=0)
    assert math.isfinite(found.total)
    assert found.metric("ttft_ms_p95") > 0.0
    assert (found.metric("tpot_ms_p95") is None) == (plan.architecture.kind == "encoder")

"""From a scalar plan to the kernel's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plan_cases import LLAMA_8B, serving_plan, small_plan, training_plan

from engine.catalog import Catalog
from engine.errors import InputError
from engine.lowering import KernelInputs, lower
from engine.plan import Plan
from engine.values import PlanValues

SPEC: dict[str, Any] = {
    "memory_gib": 80.0,
    "memory_bandwidth_gb_per_s": 3350.0,
    "peak_tflops": {"bf16": 989.0, "fp8": 1979.0},
    "scale_up_gb_per_s": 450.0,
    "power_w": 700.0,
    "accelerators_per_node": 8,
}


def lowered(plan: Plan, catalog: Catalog, **overrides: Any) -> KernelInputs:
    return lower(PlanValues(plan, catalog, {k.replace("__", "."): v for k, v in overrides.items()}))


def test_own_figures_arrive_in_si_units(catalog: Catalog) -> None:
    plan = training_plan({"cluster.accelerator": "ours", "cluster.accelerator_spec": SPEC})
    hardware = lowered(plan, catalog).hardware
    assert hardware.memory_bytes == 80 * 1024**3  # GiB are binary
    assert hardware.memory_bandwidth_bytes_per_s == 3.35e12  # GB/s are decimal
    assert hardware.peak_flops == 1979e12 and hardware.peak_bf16_flops == 989e12
    assert hardware.scale_up_bandwidth_bytes_per_s == 450e9


def test_network_speed_is_bits(catalog: Catalog) -> None:
    plan = training_plan({"cluster.nic_gbps_per_gpu": 400.0})
    assert lowered(plan, catalog).hardware.nic_bandwidth_bytes_per_s == 50e9


def test_checkpoint_size_is_decimal_and_follows_the_parameters(catalog: Catalog) -> None:
    found = lowered(training_plan(), catalog)
    bytes_each = catalog.fact("failures", "checkpoint_bytes_per_parameter").value
    assert found.money.storage.checkpoint_gb == pytest.approx(70.553706496e9 * bytes_each / 1e9)


def test_latency_targets_arrive_in_seconds(catalog: Catalog) -> None:
    service = lowered(serving_plan({"serving.ttft_slo_ms": 1500.0}), catalog).service
    assert service is not None
    assert service.load.ttft_slo_s == 1.5 and service.load.tpot_slo_s == 0.05


def test_an_override_becomes_the_array_of_its_field(catalog: Catalog) -> None:
    tokens = np.array([1e12, 2e12, 3e12])
    training = lowered(training_plan(), catalog, training__tokens=tokens).training
    assert training is not None and training.tokens is tokens
    price = np.array([1.0, 2.0])
    assert (
        lowered(training_plan(), catalog, cluster__price_per_gpu_hour=price).money.purchase.price_per_gpu_hour
        is price
    )


def test_spot_preemptions_count_for_spot_only(catalog: Catalog) -> None:
    field = {"reliability.preemptions_per_node_hour": 0.5}
    rates = [
        lowered(training_plan({**field, "cluster.price_mode": mode}), catalog).training
        for mode in ("spot", "on_demand")
    ]
    assert [float(r.reliability.preemptions_per_node_hour) for r in rates if r] == [0.5, 0.0]


def test_an_empty_write_time_comes_from_size_and_bandwidth(catalog: Catalog) -> None:
    training = lowered(training_plan({"reliability.checkpoint_write_s": None}), catalog).training
    assert training is not None
    size = 70.553706496e9 * catalog.fact("failures", "checkpoint_bytes_per_parameter").value
    per_node = catalog.fact("failures", "checkpoint_write_bytes_per_s_per_node").value
    assert training.reliability.checkpoint_write_s == pytest.approx(size / (8 * per_node))


def test_a_precision_the_accelerator_lacks_is_named(catalog: Catalog) -> None:
    with pytest.raises(InputError) as caught:
        lowered(training_plan({"cluster.accelerator": "a100-sxm-80"}), catalog)
    assert caught.value.field == "training.precision"
    assert "bf16" in str(caught.value)


def test_small_weights_are_unpacked_at_half_the_rate(catalog: Catalog) -> None:
    plan = serving_plan(
        {
            "cluster.accelerator": "a100-sxm-80",
            "serving.weight_precision": "int4",
            "serving.kv_precision": "bf16",
        }
    )
    hardware = lowered(plan, catalog).hardware
    factor = catalog.fact("serving", "weight_only_compute_factor").value
    assert hardware.peak_flops <= max(factor, 4.0) * hardware.peak_bf16_flops


def test_hourly_factors_are_scaled_to_a_mean_of_one(catalog: Catalog) -> None:
    week = [1.0] * 84 + [3.0] * 84
    service = lowered(serving_plan({"serving.profile": week}), catalog).service
    assert service is not None
    assert service.profile.mean() == pytest.approx(1.0) and service.profile.max() == pytest.approx(1.5)


@pytest.mark.parametrize("profile", [[1.0] * 24, [0.0] * 168, [1.0] * 169, []])
def test_a_week_of_another_length_or_of_nothing_is_refused(catalog: Catalog, profile: list[float]) -> None:
    with pytest.raises(InputError) as caught:
        lowered(serving_plan({"serving.profile": profile}), catalog)
    assert caught.value.field == "serving.profile"


def test_an_unknown_storage_tier_is_refused_with_the_known_ones(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="hot_object") as caught:
        lowered(training_plan({"storage.checkpoint_tier": "attic"}), catalog)
    assert caught.value.field == "storage.checkpoint_tier"


def test_an_unknown_tier_of_an_item_makes_its_price_unknown(catalog: Catalog) -> None:
    item = {"name": "logs", "size_gb": 10.0, "months": 1.0, "tier": "attic"}
    found = lowered(training_plan({"storage.items": [item]}), catalog)
    assert np.isnan(found.money.storage.item_price)


def test_open_layout_fields_are_nan_or_no_code(catalog: Catalog) -> None:
    layout = lowered(small_plan({"layout": {}}), catalog).training
    assert layout is not None
    assert np.isnan(layout.layout.tensor_parallel) and layout.layout.recompute_code == -1


def test_the_model_shape_fills_what_is_empty(catalog: Catalog) -> None:
    shape = lowered(
        small_plan({"architecture": {**LLAMA_8B, "num_key_value_heads": None}, "layout": {}}), catalog
    ).model
    assert shape.num_key_value_heads == 32 and shape.head_dim == 128


def test_a_session_carries_its_earlier_turns(catalog: Catalog) -> None:
    """Mean over the turns, counted one by one: own tokens, retrieval, and all that was said before."""
    plan = serving_plan(
        {
            "serving.input_tokens": 300.0,
            "serving.output_tokens": 120.0,
            "serving.turns": 6,
            "serving.retrieved_tokens": 900.0,
            "serving.reasoning_tokens": 500.0,
            "serving.prefix_hit_rate": 0.25,
            "serving.session_hit_rate": 0.8,
        }
    )
    before = [turn * (300.0 + 120.0) for turn in range(6)]
    prompts = [earlier + 300.0 + 900.0 for earlier in before]
    cached = sum(0.8 * earlier + 0.25 * 300.0 for earlier in before)
    service = lower(PlanValues(plan, catalog)).service
    assert service is not None
    assert float(service.load.input_tokens) == pytest.approx(np.mean(prompts))
    assert float(service.load.prefix_hit_rate) == pytest.approx(cached / sum(prompts))
    assert float(service.load.output_tokens) == 620.0
    assert float(service.visible_share) == pytest.approx(120.0 / 620.0)


def test_a_decoder_that_only_reads_is_like_an_encoder(catalog: Catalog) -> None:
    inputs = lower(PlanValues(serving_plan({"serving.output_tokens": 0}), catalog))
    assert inputs.service is not None and inputs.service.reads_only
    assert (inputs.model.generates, inputs.model.head_weights) == (0.0, 0.0)
    assert float(inputs.service.load.output_tokens) == 1.0
    assert np.isinf(inputs.service.load.tpot_slo_s)


def test_a_share_of_an_accelerator_has_its_part_of_everything(catalog: Catalog) -> None:
    whole = lower(PlanValues(serving_plan(), catalog)).hardware
    half = lower(PlanValues(serving_plan({"serving.accelerator_share": 0.5}), catalog)).hardware
    for name in ("memory_bytes", "memory_bandwidth_bytes_per_s", "peak_flops", "peak_bf16_flops"):
        assert getattr(half, name) == pytest.approx(getattr(whole, name) / 2.0)

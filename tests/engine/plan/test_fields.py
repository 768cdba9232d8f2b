"""The plan's leaves as data."""

from __future__ import annotations

import math

import pytest

from engine.plan import field_specs, find_field

# The paths, units and words that scripts rely on.
PROMISED = {
    "training.tokens": "tokens",
    "training.sequence_length": "tokens",
    "training.global_batch_tokens": "tokens/step",
    "serving.requests_per_second": "requests/s",
    "serving.ttft_slo_ms": "ms",
    "serving.tpot_slo_ms": "ms",
    "serving.cold_start_s": "s",
    "batch.deadline_hours": "h",
    "cluster.accelerator_count": "GPUs",
    "cluster.price_per_gpu_hour": "currency/GPU-h",
    "cluster.commitment_term_months": "months",
    "cluster.nic_gbps_per_gpu": "Gbit/s",
    "cluster.scale_up_domain": "GPUs",
    "cluster.accelerator_spec.memory_gib": "GiB",
    "cluster.accelerator_spec.memory_bandwidth_gb_per_s": "GB/s",
    "reliability.checkpoint_interval_s": "s",
    "reliability.checkpoint_write_s": "s",
    "reliability.restart_s": "s",
    "reliability.failures_per_node_day": "per node-day",
    "schedule.deadline_days": "d",
    "schedule.horizon_months": "months",
    "schedule.cost_of_delay_per_day": "currency/d",
    "governance.budget": "currency",
    "finance.ask_percentile": "percentile",
}
KINDS = {"number", "whole", "boolean", "choice", "text", "structure"}


def test_paths_and_units_that_scripts_rely_on_are_there() -> None:
    assert {path: field_specs()[path].unit for path in PROMISED} == PROMISED


def test_every_field_has_a_title_and_a_kind() -> None:
    for path, spec in field_specs().items():
        assert spec.path == path and spec.title and spec.kind in KINDS


def test_every_number_is_bounded_on_both_sides() -> None:
    """Bounds keep arithmetic finite: the largest product of any few fields is still a number."""
    for path, spec in field_specs().items():
        if spec.kind in ("number", "whole"):
            assert spec.minimum is not None and spec.maximum is not None, path
            assert math.isfinite(spec.minimum) and math.isfinite(spec.maximum)


@pytest.mark.parametrize(
    ("path", "inside", "outside"),
    [
        ("cluster.busy_share", (1e-9, 1.0), (0.0, 1.0000001, -1.0)),
        ("serving.availability", (0.0, 0.999999), (1.0, -0.1)),
        ("cluster.accelerator_count", (1, 10_000_000), (0, 10_000_001)),
        ("reliability.checkpoint_interval_s", (1e-6, 1e8), (0.0, 1.1e8)),
    ],
)
def test_holds_knows_open_and_closed_ends(
    path: str, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    spec = field_specs()[path]
    assert all(spec.holds(value) for value in inside)
    assert not any(spec.holds(value) for value in outside)


def test_words_beside_numbers_are_known() -> None:
    spec = field_specs()["cluster.accelerator_count"]
    assert spec.kind == "whole" and spec.words == ("auto",)
    assert '"auto"' in spec.accepted().render()


def test_what_is_accepted_names_bounds_and_unit() -> None:
    assert field_specs()["cluster.busy_share"].accepted().render() == "a number above 0 to 1 share"
    text = field_specs()["cluster.price_per_gpu_hour"].accepted().render()
    assert "from 0" in text and "currency/GPU-h" in text and "or empty" in text
    assert field_specs()["workload.kind"].accepted().render().startswith("one of pretraining")


def test_find_field_climbs_to_the_containing_structure() -> None:
    spec = find_field("people.roles.0.fte")
    assert spec is not None and spec.path == "people.roles" and spec.kind == "structure"
    assert find_field("nonsense") is None and find_field("") is None

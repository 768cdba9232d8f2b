"""The layout tables place every field of the plan once, and show what a kind of work needs."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.plan import FieldSpec, Plan, apply_patch, field_specs
from gui.forms.field_spec import form_field
from gui.forms.make_editor import MAKERS
from gui.forms.starts import missing_sections
from gui.forms.structures import ROWS
from gui.forms.tables import CHOICE_WORDS, SECTIONS, advanced, laid_out_paths, section_key
from gui.services.templates import template_plan, templates

TRAINING = template_plan("pretraining-70b-h100")
SERVING = template_plan("online-70b-chat")
BATCH = template_plan("batch-70b-synthetic")


def shown(plan: Plan) -> set[str]:
    return {path for section in SECTIONS for path in section.shown(plan)}


def test_every_field_has_one_place() -> None:
    counts = Counter(laid_out_paths())
    assert set(counts) == set(field_specs())
    assert set(counts.values()) == {1}


@pytest.mark.parametrize("path", sorted(field_specs()))
def test_every_field_has_an_editor_and_a_section(path: str) -> None:
    field = form_field(path)
    assert field.editor in MAKERS
    assert section_key(path) is not None
    if field.editor == "rows":
        assert path in ROWS
    assert field.spec.kind != "structure" or field.editor in ("rows", "checks")


@pytest.mark.parametrize("template", [template.name for template in templates()])
def test_required_fields_are_never_folded_away(template: str) -> None:
    plan = template_plan(template)
    required = [path for path in shown(plan) if field_specs()[path].required]
    assert required
    assert not [path for path in required if advanced(path)]


def test_each_kind_shows_its_own_fields() -> None:
    assert {"training.tokens", "reliability.checkpoint_interval_s"} <= shown(TRAINING)
    assert not {"serving.ttft_slo_ms", "batch.requests", "schedule.horizon_months"} & shown(TRAINING)
    assert {"serving.ttft_slo_ms", "schedule.horizon_months"} <= shown(SERVING)
    assert not {"training.tokens", "reliability.checkpoint_interval_s"} & shown(SERVING)


def test_fields_appear_with_their_condition() -> None:
    assert "cluster.commitment_term_months" not in shown(TRAINING)
    assert "cluster.commitment_term_months" in shown(
        apply_patch(TRAINING, {"cluster.price_mode": "reserved"})
    )
    experts = apply_patch(TRAINING, {"architecture.num_experts": 8, "architecture.num_experts_per_tok": 2})
    assert "architecture.moe_intermediate_size" in shown(experts)
    assert "architecture.moe_intermediate_size" not in shown(TRAINING)


def test_every_worded_choice_has_words() -> None:
    codes = {"bf16", "fp16", "fp8", "mxfp8", "nvfp4", "int8", "int4", "mxfp4"}
    specs: list[FieldSpec] = [spec for spec in field_specs().values() if spec.kind == "choice"]
    missing = {choice for spec in specs for choice in spec.choices} - set(CHOICE_WORDS) - codes
    assert not missing


@pytest.mark.parametrize("kind", field_specs()["workload.kind"].choices)
@pytest.mark.parametrize("plan", [TRAINING, SERVING, BATCH])
def test_a_plan_can_turn_to_every_kind(plan: Plan, kind: str) -> None:
    turned = apply_patch(plan, {"workload.kind": kind, **missing_sections(plan, kind)})
    assert turned.workload.kind == kind
    assert shown(turned)


def test_a_batch_plan_shows_its_job_and_nothing_of_traffic() -> None:
    seen = shown(BATCH)
    assert seen >= {
        "batch.requests",
        "batch.max_batch",
        "batch.idle_gpu_hours_per_week",
        "serving.input_tokens",
        "serving.cold_start_s",
        "reliability.failures_per_node_day",
    }
    hidden = {
        "serving.requests_per_second",
        "serving.ttft_slo_ms",
        "serving.instances",
        "schedule.deadline_days",
        "schedule.horizon_months",
        "reliability.checkpoint_mode",
        "reliability.preemptions_per_node_hour",
    }
    assert not hidden & seen
    on_spot = apply_patch(BATCH, {"cluster.price_mode": "spot"})
    assert "reliability.preemptions_per_node_hour" in shown(on_spot)
    assert "serving.requests_per_second" in shown(SERVING)


def test_a_batch_job_that_becomes_a_service_serves_its_requests_in_the_same_time() -> None:
    patch = missing_sections(BATCH, "online_inference")
    assert BATCH.batch is not None
    rate = BATCH.batch.requests / BATCH.batch.deadline_hours / 3600.0
    assert patch == {"serving.requests_per_second": pytest.approx(rate)}

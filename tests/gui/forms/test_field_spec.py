"""Texts and values of fields: what is shown reads back as the same value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plan import field_specs, get_value
from engine.plan.architecture import LayerGroup
from gui.formatting import QuantityError
from gui.forms.edits import reset_field, with_range, without_range
from gui.forms.field_spec import EntryError, form_field, provenance_of
from gui.forms.structures import ROWS
from gui.services.templates import template_plan, templates

NUMBERS = [path for path, spec in field_specs().items() if form_field(path).editor == "quantity"]
PLAN = template_plan("pretraining-70b-h100")


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("template", [template.name for template in templates()])
def test_every_shown_value_reads_back_unchanged(template: str, lang: str) -> None:
    plan = template_plan(template)
    for path in NUMBERS:
        value = get_value(plan, path)
        field = form_field(path)
        if value is None and not field.spec.nullable:
            continue  # its section is absent
        text = field.text_of(value, lang)
        assert field.value_of(text, plan.meta.currency, lang) == value, (path, text)


@given(path=st.sampled_from(NUMBERS), value=st.floats(1e-3, 1e12), lang=st.sampled_from(["en", "zh_CN"]))
def test_numbers_survive_their_own_text(path: str, value: float, lang: str) -> None:
    field = form_field(path)
    shown: Any = round(value) if field.spec.kind == "whole" else value
    if not field.accepts(shown):
        return
    back = field.value_of(field.text_of(shown, lang), "USD", lang)
    assert back == pytest.approx(shown, rel=1e-9)


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("training.tokens", "1.4T tokens", 1.4e12),
        ("training.tokens", "2 万亿", 2e12),
        ("reliability.checkpoint_interval_s", "2 h", 7200.0),
        ("reliability.checkpoint_interval_s", "AUTO", "auto"),
        ("cluster.price_per_gpu_hour", "$2.49/GPU-h", 2.49),
        ("cluster.price_per_gpu_hour", "", None),
        ("cluster.busy_share", "60%", 0.6),
        ("training.sequence_length", "16k", 16_000),
        ("storage.checkpoints_kept", "all", "all"),
        ("schedule.start_date", "2027/3/1", "2027-03-01"),
        ("schedule.start_date", "", None),
        ("cluster.provider", "  ", None),
        ("meta.owner", " Ana ", "Ana"),
    ],
)
def test_what_people_type(path: str, text: str, value: Any) -> None:
    found = form_field(path).value_of(text, "USD", "en")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("training.tokens", "many"),
        ("training.tokens", ""),
        ("training.sequence_length", "8.5"),
        ("schedule.start_date", "2027-04-31"),
        ("schedule.start_date", "soon"),
        ("cluster.price_per_gpu_hour", "¥20"),
    ],
)
def test_what_is_not_understood_says_why(path: str, text: str) -> None:
    with pytest.raises((QuantityError, EntryError)) as caught:
        form_field(path).value_of(text, "USD", "en")
    assert caught.value.message.render()


def test_repairs_are_the_nearest_bound() -> None:
    layers = form_field("architecture.num_hidden_layers")
    assert layers.repair(0) == 1
    assert layers.repair(20_000) == 10_000
    assert layers.repair(80) is None
    # An exclusive bound is not itself accepted, so there is nothing to offer.
    assert form_field("schedule.deadline_days").repair(0.0) is None


def test_range_is_set_and_taken_away() -> None:
    ranged = with_range(PLAN, "cluster.busy_share", 0.8, 0.9, 0.95)
    assert (ranged.ranges["cluster.busy_share"].low, ranged.cluster.busy_share) == (0.8, 0.9)
    assert provenance_of(ranged, "cluster.busy_share")[0] == "entered"
    assert "cluster.busy_share" not in without_range(ranged, "cluster.busy_share").ranges
    reset = reset_field(ranged, "cluster.busy_share")
    assert reset.cluster.busy_share == field_specs()["cluster.busy_share"].default
    assert provenance_of(reset, "cluster.busy_share")[0] == "default"
    assert reset_field(PLAN, "training.tokens") == PLAN


@pytest.mark.parametrize("path", sorted(ROWS))
def test_structures_go_to_rows_and_back(path: str) -> None:
    spec = ROWS[path]
    rows = [spec.new_row()]
    value = spec.from_rows(rows)
    assert value
    assert set(rows[0]) >= {column.key for column in spec.columns}
    roles = PLAN.people.roles
    if path == "architecture.layer_groups":
        group = LayerGroup(count=4, mixer="mamba2", norms_per_layer=3)
        assert LayerGroup(**spec.from_rows(spec.to_rows((group,)))[0]) == group
    if path == "people.roles":
        assert spec.from_rows(spec.to_rows(roles)) == [role.model_dump() for role in roles]

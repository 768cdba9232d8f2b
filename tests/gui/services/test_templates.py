"""Every template is a valid plan of the kind it says, and stays what its name promises."""

from __future__ import annotations

from pathlib import Path

import pytest

import assets
from engine.errors import InputError
from engine.plan import get_value, plan_from_json, plan_to_json
from gui.services.templates import Template, template_plan, templates

NAMES = [template.name for template in templates()]


@pytest.mark.parametrize("template", templates(), ids=NAMES)
def test_a_template_is_a_valid_plan_of_its_kind(template: Template) -> None:
    plan = template_plan(template.name)
    assert plan.workload.kind == template.kind
    assert plan.meta.name
    assert plan_from_json(plan_to_json(plan)) == plan


@pytest.mark.parametrize("template", templates(), ids=NAMES)
def test_a_template_has_one_short_sentence(template: Template) -> None:
    assert template.sentence.endswith(".")
    assert template.sentence.count(".") == 1
    assert len(template.sentence) <= 60
    assert "{" not in template.sentence


@pytest.mark.parametrize("name", NAMES)
def test_every_given_number_says_where_it_comes_from(name: str) -> None:
    plan = template_plan(name)
    for path in ("architecture.hidden_size", "cluster.accelerator", "schedule.start_date"):
        assert plan.provenance[path].source
    for path in plan.provenance:
        assert get_value(plan, path) is not None, path


def test_every_plan_file_is_listed_once() -> None:
    folder = Path(next(iter(assets.__path__))) / "plans"
    assert sorted(file.stem for file in folder.glob("*.json")) == sorted(NAMES)


# Parameters of Llama 3.1 as its model cards state them: 70.6 B and 8.03 B.
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("pretraining-70b-h100", 70.6e9),
        ("online-70b-chat", 70.6e9),
        ("pretraining-8b-h100", 8.03e9),
        ("online-8b-chat", 8.03e9),
    ],
)
def test_the_shapes_have_the_published_size(name: str, parameters: float) -> None:
    shape = template_plan(name).architecture
    attention = shape.hidden_size * shape.head_size * 2 * (shape.num_attention_heads + shape.key_value_heads)
    layer = attention + 3 * shape.hidden_size * shape.intermediate_size
    counted = shape.num_hidden_layers * layer + 2 * shape.hidden_size * shape.vocab_size
    assert counted == pytest.approx(parameters, rel=0.002)


def test_the_first_example_has_the_layout_of_its_512_gpus() -> None:
    plan = template_plan("pretraining-70b-h100")
    assert templates()[0].name == "pretraining-70b-h100"
    sizes = (plan.layout.tensor_parallel, plan.layout.pipeline_parallel, plan.cluster.accelerator_count)
    assert sizes == (8, 4, 512)
    assert plan.training is not None
    sequences = plan.training.global_batch_tokens / plan.training.sequence_length
    assert sequences % (512 / (8 * 4)) == 0


@pytest.mark.parametrize("name", ["pretraining-70b", "nothing like it", "../secret", ""])
def test_an_unknown_name_is_answered_with_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="pretraining-70b-h100") as caught:
        template_plan(name)
    assert caught.value.field == "template"

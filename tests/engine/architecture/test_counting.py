"""Parameters of networks: they add up, grow with every size, and stand where they belong."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from architecture_cases import architectures
from hypothesis import given, settings
from plan_cases import LLAMA_8B

from engine.architecture.counting import Parameters, count_parameters
from engine.architecture.layers import layer_kinds
from engine.plan.architecture import Architecture, LayerGroup

PARTS = (
    "embedding",
    "output_head",
    "attention",
    "mlp",
    "experts",
    "shared_experts",
    "router",
    "small",
    "vision",
)


def counted(**changes: Any) -> Parameters:
    return count_parameters(Architecture(**{**LLAMA_8B, **changes}))


def test_llama_3_1_8b() -> None:
    found = counted()
    assert found.total == found.active == 8_030_261_248
    assert found.embedding == found.output_head == 128_256 * 4096
    assert found.mlp == 32 * 3 * 4096 * 14_336
    assert found.attention == 32 * 4096 * (2 * 4096 + 2 * 1024)
    assert found.small == 65 * 4096


@settings(max_examples=150)
@given(a=architectures())
def test_parts_are_whole_numbers_that_add_up(a: Architecture) -> None:
    found = count_parameters(a)
    values = {item.name: getattr(found, item.name) for item in fields(found)}
    assert all(isinstance(value, int) and value >= 0 for value in values.values())
    assert found.total == sum(values[name] for name in PARTS)
    assert found.active == found.total - found.vision - found.experts + found.active_experts
    assert found.active_experts <= found.experts


@settings(max_examples=100)
@given(a=architectures())
def test_a_wider_vocabulary_adds_its_rows(a: Architecture) -> None:
    wider = a.model_copy(update={"vocab_size": a.vocab_size + 1})
    rows = 1 if a.tie_word_embeddings or not a.details.has_output_head else 2
    width = a.details.embedding_size or a.hidden_size
    added = count_parameters(wider).total - count_parameters(a).total
    assert added == rows * width + a.details.lm_head_bias


@settings(max_examples=100)
@given(a=architectures())
def test_layers_of_a_kind_weigh_the_same(a: Architecture) -> None:
    """One layer more of the first kind, counted twice, adds the same both times."""
    if not a.layer_groups:
        return
    totals = [count_parameters(_with_more(a, more)).total for more in range(3)]
    assert totals[2] - totals[1] == totals[1] - totals[0] >= 0


def _with_more(a: Architecture, more: int) -> Architecture:
    first = a.layer_groups[0].model_copy(update={"count": a.layer_groups[0].count + more})
    changes = {"layer_groups": (first, *a.layer_groups[1:]), "num_hidden_layers": a.num_hidden_layers + more}
    return a.model_copy(update=changes)


@settings(max_examples=100)
@given(a=architectures())
def test_kinds_of_layers_make_up_the_network(a: Architecture) -> None:
    assert sum(kind.count for kind in layer_kinds(a)) == a.num_hidden_layers


def test_uniform_groups_say_the_same_as_plain_fields() -> None:
    listed = counted(layer_groups=(LayerGroup(count=10), LayerGroup(count=22)))
    assert listed == counted()


@pytest.mark.parametrize(
    ("details", "added"),
    [
        ({"attention_bias": True}, 32 * (4096 + 2 * 1024)),
        ({"attention_output_bias": True}, 32 * 4096),
        ({"mlp_bias": True}, 32 * (2 * 14_336 + 4096)),
        ({"lm_head_bias": True}, 128_256),
        ({"qk_norm": "head"}, 32 * 2 * 128),
        ({"qk_norm": "heads"}, 32 * (32 + 8) * 128),
        ({"attention_sinks": True}, 32 * 32),
        ({"norms_per_layer": 4}, 32 * 2 * 4096),
        ({"norm_weights": 2}, 65 * 4096),
        ({"norm_weights": 0}, -65 * 4096),
        ({"position_embeddings": 1024}, 1024 * 4096),
        ({"token_types": 2}, 2 * 4096),
        ({"has_output_head": False}, -128_256 * 4096),
        ({"other_parameters": 5}, 5),
        ({"vision_parameters": 400_000_000}, 400_000_000),
    ],
)
def test_small_parts_add_what_they_are(details: dict[str, Any], added: int) -> None:
    assert counted(details=details).total - counted().total == added


def test_layers_that_predict_further_tokens_stand_beside_the_total() -> None:
    found = counted(details={"num_nextn_predict_layers": 1})
    assert found.total == counted().total
    layer = (counted().attention + counted().mlp) // 32 + 2 * 4096
    assert found.prediction == layer + 2 * 4096 * 4096 + 3 * 4096


def test_borrowed_weights_are_counted_once_and_worked_with_each_time() -> None:
    groups = (LayerGroup(count=16), LayerGroup(count=16, borrows_weights=True))
    a = Architecture(**{**LLAMA_8B, "layer_groups": groups})
    assert count_parameters(a).mlp * 2 == count_parameters(a, owned=False).mlp == counted().mlp

"""Junk in any field: refused by FlopwiseError, or accepted and then still a plan that can be estimated."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plan_cases import named_fields, refusal, serving_plan, small_plan, training_plan

from engine.catalog import Catalog
from engine.errors import FlopwiseError
from engine.estimation import estimate
from engine.plan import Plan, apply_patch, field_specs, get_value, plan_from_json, plan_to_json

BASES = {"training": training_plan(), "serving": serving_plan(), "small": small_plan({"layout": {}})}
PATHS = sorted(field_specs())
RELAXED = settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=40),
    st.sampled_from(["", "auto", "all", "nan", "1e3", "0", "-1", "{x}", "{0}", "%s", "\ud800", "\x00"]),
    st.binary(max_size=8),
    st.lists(st.one_of(st.none(), st.floats(), st.text(max_size=3)), max_size=4),
    st.dictionaries(st.text(max_size=5), st.one_of(st.floats(), st.text(max_size=5)), max_size=3),
    st.just(object()),
    st.complex_numbers(),
)


@RELAXED
@given(base=st.sampled_from(sorted(BASES)), path=st.sampled_from(PATHS), value=JUNK)
def test_junk_in_a_field_raises_nothing_but_our_errors(base: str, path: str, value: Any) -> None:
    error = refusal(lambda: apply_patch(BASES[base], {path: value}))
    if error is not None:
        assert str(error) and named_fields(error), error
        return
    plan = apply_patch(BASES[base], {path: value})
    assert plan_from_json(plan_to_json(plan)) == plan


@RELAXED
@given(
    path=st.text(
        alphabet=st.sampled_from("abcdefghijklmnopqrstuvwxyz_.0123456789/{}%$ "), max_size=40
    ).filter(lambda text: text not in field_specs()),
    value=JUNK,
)
def test_junk_paths_raise_nothing_but_our_errors(path: str, value: Any) -> None:
    for attempt in (
        lambda: apply_patch(BASES["training"], {path: value}),
        lambda: get_value(BASES["training"], path),
    ):
        error = refusal(attempt)
        assert error is None or str(error)


@RELAXED
@given(
    path=st.sampled_from(PATHS),
    tail=st.sampled_from(["x", "0", "0.fte", "a.b.c", "", "-1", "__class__", "model_fields"]),
)
def test_paths_below_a_field_raise_nothing_but_our_errors(path: str, tail: str) -> None:
    for attempt in (
        lambda: apply_patch(BASES["training"], {f"{path}.{tail}": 1}),
        lambda: get_value(BASES["training"], f"{path}.{tail}"),
    ):
        error = refusal(attempt)
        assert error is None or str(error)


JSON_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@RELAXED
@given(section=st.sampled_from(sorted(Plan.model_fields)), junk=JSON_JUNK)
def test_junk_sections_raise_nothing_but_our_errors(section: str, junk: Any) -> None:
    data = json.loads(plan_to_json(BASES["training"]))
    data[section] = junk
    error = refusal(lambda: plan_from_json(json.dumps(data)))
    assert error is None or str(error)


@RELAXED
@given(text=st.text(max_size=200) | st.text(alphabet='{}[]":,0123456789eE+-.truefalsn \n', max_size=200))
def test_junk_files_raise_nothing_but_our_errors(text: str) -> None:
    with pytest.raises(FlopwiseError):
        plan_from_json(text)


NUMBERS = [path for path, spec in field_specs().items() if spec.kind in ("number", "whole")]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    base=st.sampled_from(sorted(BASES)),
    path=st.sampled_from(NUMBERS),
    place=st.sampled_from(["low", "high", "just inside low", "just inside high"]),
)
def test_every_number_may_stand_at_its_bounds(catalog: Catalog, base: str, path: str, place: str) -> None:
    """What the form accepts the engine survives: a result without NaN, or an error of ours."""
    spec = field_specs()[path]
    assert spec.minimum is not None and spec.maximum is not None
    value = spec.minimum if "low" in place else spec.maximum
    if "inside" in place or not spec.holds(value):
        step = 1.0 if spec.kind == "whole" else abs(value) * 1e-9 + 1e-12
        value = value + step if "low" in place else value - step
    try:
        plan = apply_patch(BASES[base], {path: int(value) if spec.kind == "whole" else float(value)})
        found = estimate(plan, catalog, draws=16)
    except FlopwiseError:
        return
    assert math.isfinite(found.total) and found.total >= 0
    assert found.p10 is not None and not math.isnan(found.p10)
    assert all(line.amount is None or math.isfinite(line.amount) for line in found.lines)

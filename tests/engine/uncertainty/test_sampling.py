"""Seeded draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.uncertainty.ranges import UncertainInput
from engine.uncertainty.sampling import draw_inputs

DRAWS = 4000


def item(path: str, low: float, central: float, high: float) -> UncertainInput:
    return UncertainInput(path, "title", "", low, central, high)


TOKENS = item("training.tokens", 1e12, 2e12, 5e12)


def test_percentiles_are_low_central_and_high() -> None:
    column = draw_inputs([TOKENS], draws=DRAWS, seed=0)["training.tokens"]
    assert np.percentile(column, (10, 50, 90)) == pytest.approx((1e12, 2e12, 5e12), rel=0.01)


def test_a_range_through_zero_is_drawn_too() -> None:
    path = "serving.growth_per_month"
    column = draw_inputs([item(path, -0.2, 0.0, 0.6)], draws=DRAWS, seed=0)[path]
    assert np.percentile(column, (10, 50, 90)) == pytest.approx((-0.2, 0.0, 0.6), abs=0.005)


def test_one_seed_gives_one_answer_and_another_another() -> None:
    first, again, other = (draw_inputs([TOKENS], draws=100, seed=s)["training.tokens"] for s in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_an_input_draws_the_same_whatever_else_is_drawn() -> None:
    """Common random numbers: before and after a change share every input they both have."""
    price = item("cluster.price_per_gpu_hour", 2.0, 3.0, 4.0)
    alone = draw_inputs([TOKENS], draws=100, seed=5)
    both = draw_inputs([price, TOKENS], draws=100, seed=5)
    assert np.array_equal(alone["training.tokens"], both["training.tokens"])


def test_inputs_are_drawn_independently() -> None:
    items = [item(f"model.{name}", 1.0, 2.0, 4.0) for name in "abcde"]
    columns = np.log(list(draw_inputs(items, draws=DRAWS, seed=0).values()))
    assert np.abs(np.corrcoef(columns) - np.eye(5)).max() < 0.06


def test_every_stratum_is_drawn_once() -> None:
    """A Latin hypercube: one draw in each of 100 equally likely parts, so percentiles settle early."""
    column = draw_inputs([TOKENS], draws=100, seed=3)["training.tokens"]
    many = np.sort(draw_inputs([TOKENS], draws=100_000, seed=4)["training.tokens"])
    ranks = np.searchsorted(many, column) / many.size * 100
    assert np.abs(np.sort(ranks) - (np.arange(100) + 0.5)).max() < 0.75


def test_tails_stay_within_the_bounds_of_the_field() -> None:
    """A busy share drawn above 1 would earn money for idle hours."""
    share = draw_inputs([item("cluster.busy_share", 0.6, 0.95, 1.0)], draws=DRAWS, seed=0)
    assert share["cluster.busy_share"].max() == 1.0 and share["cluster.busy_share"].min() > 0.0
    available = draw_inputs([item("serving.availability", 0.99, 0.999, 0.9999)], draws=DRAWS, seed=0)
    assert available["serving.availability"].max() < 1.0
    wages = draw_inputs([item("people.roles.0.monthly_cost", 0.0, 1.0, 9.0)], draws=DRAWS, seed=0)
    assert wages["people.roles.0.monthly_cost"].min() == 0.0
    failures = draw_inputs([item("experiments.failed_share", 0.0, 0.2, 0.9)], draws=DRAWS, seed=0)
    assert failures["experiments.failed_share"].min() >= 0.0


@given(
    low=st.floats(0.01, 1.0),
    span=st.tuples(st.floats(0.0, 10.0), st.floats(0.0, 10.0)),
    seed=st.integers(0, 99),
)
def test_draws_are_finite_and_increase_with_their_range(
    low: float, span: tuple[float, float], seed: int
) -> None:
    central, high = low + span[0], low + sum(span)
    column = draw_inputs([item("model.any", low, central, high)], draws=50, seed=seed)["model.any"]
    wider = draw_inputs([item("model.any", low, central, 2 * high)], draws=50, seed=seed)["model.any"]
    assert np.all(np.isfinite(column)) and np.all(column > 0)
    assert np.all(wider >= column * (1 - 1e-12))

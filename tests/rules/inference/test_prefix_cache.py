"""INF-PREFIX-CACHE."""

from __future__ import annotations

from typing import Any

import pytest
from plan_cases import outcome_of, serving_plan
from rule_checks import assert_fires, assert_mends, assert_passes

from engine.catalog import Catalog
from engine.plan import Plan
from rules.base import NotEvaluable

ID = "INF-PREFIX-CACHE"
FIELD = "serving.prefix_hit_rate"


def repeating(**fields: Any) -> Plan:
    """Long inputs, half of them repeated, at a rate that needs many instances."""
    return serving_plan(
        {
            "serving.requests_per_second": 400.0,
            "serving.input_tokens": 4000.0,
            "serving.prefix_share": 0.5,
            "cluster.price_mode": "on_demand",
            "cluster.commitment_term_months": None,
        },
        **fields,
    )


def test_repeated_prefixes_without_a_cache_are_found(catalog: Catalog) -> None:
    found = assert_mends(ID, repeating(), catalog, writes={FIELD})
    assert found.patch[FIELD] == pytest.approx(0.5 * 0.75)


def test_a_cache_that_works_passes(catalog: Catalog) -> None:
    assert_passes(ID, repeating(serving__prefix_hit_rate=0.4), catalog)


def test_unless_the_share_is_known_the_rule_cannot_look(catalog: Catalog) -> None:
    outcome = outcome_of(ID, repeating(serving__prefix_share=None), catalog)
    assert outcome == NotEvaluable(("serving.prefix_share",))


def test_share_just_above_and_below_the_limit(catalog: Catalog) -> None:
    assert_fires(ID, repeating(serving__prefix_share=0.3), catalog)
    assert_passes(ID, repeating(serving__prefix_share=0.2999), catalog)


def test_hits_just_above_and_below_half_of_the_prefix(catalog: Catalog) -> None:
    assert_fires(ID, repeating(serving__prefix_hit_rate=0.2499), catalog)
    assert_passes(ID, repeating(serving__prefix_hit_rate=0.25), catalog)

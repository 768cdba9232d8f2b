"""TRN-BATCH-CRIT."""

from __future__ import annotations

import pytest
from plan_cases import training_plan
from rule_checks import assert_mends, assert_passes, fired, number, outcome_at

from engine.catalog import Catalog
from rules.base import Passed

ID = "TRN-BATCH-CRIT"
WRITES = {"training.global_batch_tokens", "training.tokens"}
BATCH = 4194304.0
FAR_ABOVE = training_plan(training__critical_batch_tokens=BATCH / 8)


def test_a_batch_far_above_critical_is_found(catalog: Catalog) -> None:
    found = assert_mends(ID, FAR_ABOVE, catalog, writes=WRITES)
    assert found.patch["training.global_batch_tokens"] < BATCH
    assert found.patch["training.tokens"] < FAR_ABOVE.training.tokens
    assert number(found, "critical") == BATCH / 8


def test_the_new_token_count_keeps_the_loss(catalog: Catalog) -> None:
    """Equal loss on McCandlish's hyperbola: tokens = least x (1 + batch / critical)."""
    patch = assert_mends(ID, FAR_ABOVE, catalog, writes=WRITES).patch
    critical, least = BATCH / 8, FAR_ABOVE.training.tokens / (1 + 8)
    assert patch["training.tokens"] == pytest.approx(
        least * (1 + patch["training.global_batch_tokens"] / critical), rel=1e-9
    )


def test_a_batch_at_the_critical_one_passes(catalog: Catalog) -> None:
    assert_passes(ID, training_plan(training__critical_batch_tokens=BATCH), catalog)


def test_ratio_just_above_and_below_the_upper_limit(catalog: Catalog) -> None:
    keen = {"saving_share": -1.0}  # whatever the best batch saves: only the band decides
    at = training_plan(training__critical_batch_tokens=BATCH / 1.5)
    above = training_plan(training__critical_batch_tokens=BATCH / 1.5001)
    assert isinstance(outcome_at(ID, at, catalog, **keen), Passed)
    fired(outcome_at(ID, above, catalog, **keen))


def test_ratio_just_above_and_below_the_lower_limit(catalog: Catalog) -> None:
    keen = {"saving_share": -1.0}
    at = training_plan(training__critical_batch_tokens=BATCH / 0.3001)
    below = training_plan(training__critical_batch_tokens=BATCH / 0.2999)
    assert isinstance(outcome_at(ID, at, catalog, **keen), Passed)
    fired(outcome_at(ID, below, catalog, **keen))


def test_a_small_saving_is_not_worth_a_new_learning_rate(catalog: Catalog) -> None:
    assert isinstance(outcome_at(ID, FAR_ABOVE, catalog, saving_share=0.9), Passed)

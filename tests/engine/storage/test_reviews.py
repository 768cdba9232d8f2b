"""Reviews stay with their revision and feed the library's figures."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.plan import Plan
from engine.results import Estimate
from engine.storage import Database, PlanRepository, ReviewRepository, StorageError


def estimate(total: float, *, currency: str = "USD", complete: bool = True) -> Estimate:
    return Estimate(
        currency=currency,
        total=total,
        p10=total * 0.9,
        p50=total,
        p80=None,
        p90=None,
        ask=None,
        complete=complete,
        unknown=(),
        scope={},
        lines=(),
        metrics=(),
        resources=(),
    )


@pytest.fixture
def plan_id(database: Database, plan: Plan) -> str:
    return PlanRepository(database).create(plan)


@pytest.fixture
def reviews(database: Database) -> ReviewRepository:
    return ReviewRepository(database)


def test_a_review_comes_back_as_it_was_stored(reviews: ReviewRepository, plan_id: str) -> None:
    reviews.save_review(plan_id, 1, '{"notes": "预算"}', estimate(1234.5, currency="CNY", complete=False))
    found = reviews.latest(plan_id)
    assert found is not None
    assert (found.plan_id, found.revision, found.review_json) == (plan_id, 1, '{"notes": "预算"}')
    assert (found.currency, found.total, found.p10, found.p90) == ("CNY", 1234.5, 1234.5 * 0.9, None)
    assert found.complete is False
    assert found.created.tzinfo is not None


def test_the_latest_is_that_of_the_newest_reviewed_revision(
    database: Database, reviews: ReviewRepository, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    assert reviews.latest(plan_id) is None
    PlanRepository(database).save_revision(plan_id, make_plan("two"))
    PlanRepository(database).save_revision(plan_id, make_plan("three"))
    reviews.save_review(plan_id, 2, "second", estimate(2))
    reviews.save_review(plan_id, 1, "first", estimate(1))
    found = [getattr(reviews.latest(plan_id, number), "total", None) for number in (None, 1, 2, 3)]
    assert found == [2, 1, 2, None]


def test_a_second_review_of_a_revision_takes_the_first_ones_place(
    reviews: ReviewRepository, plan_id: str
) -> None:
    for total in (1.0, 2.0):
        reviews.save_review(plan_id, 1, f"{total}", estimate(total))
    found = reviews.latest(plan_id)
    assert found is not None
    assert (found.total, found.review_json) == (2.0, "2.0")


def test_summaries_show_the_newest_reviewed_total(
    database: Database, reviews: ReviewRepository, plan_id: str, make_plan: Callable[..., Plan]
) -> None:
    plans = PlanRepository(database)
    reviews.save_review(plan_id, 1, "{}", estimate(10, currency="EUR"))
    plans.save_revision(plan_id, make_plan("two"))
    other = plans.create(make_plan("never reviewed"))
    assert {item.id: (item.total, item.currency) for item in plans.list()} == {
        plan_id: (10, "EUR"),
        other: (None, None),
    }
    assert [(item.revision, item.total) for item in plans.revisions(plan_id)] == [(2, None), (1, 10)]


def test_reviews_of_nothing_are_refused(reviews: ReviewRepository, plan_id: str) -> None:
    with pytest.raises(StorageError, match="no revision 2"):
        reviews.save_review(plan_id, 2, "{}", estimate(1))
    with pytest.raises(StorageError, match="no plan nowhere"):
        reviews.latest("nowhere")

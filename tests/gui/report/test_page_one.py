"""Page one says what the review says: the ask, sums that hold, what is missing, no jargon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from example_review import build_review

from engine.results import Advice
from engine.text import Message
from gui.report.basis import read_basis
from gui.report.document import Figure, PageOne, Panel, Run, Table
from gui.report.page_one import compose_page_one
from gui.report.words import Writer
from gui.services.review import Review


def page_of(review: Review, lang: str = "en") -> PageOne:
    return compose_page_one(read_basis(review), Writer(lang, review.plan.meta.currency))


def rows_of(panel: Panel) -> list[list[str]]:
    tables = [block for block in panel.blocks if isinstance(block, Table)]
    return [
        [" ".join(run.text for run in cell) for cell in row.cells] for table in tables for row in table.rows
    ]


def printed(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def texts(part: Any) -> Iterator[str]:
    if isinstance(part, Figure):
        yield from re.findall(r">([^<>]+)</text>", part.svg.decode())
    elif isinstance(part, str):
        yield part
    elif is_dataclass(part):
        for entry in fields(part):
            yield from texts(getattr(part, entry.name))
    elif isinstance(part, tuple):
        for item in part:
            yield from texts(item)


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("total", [45_000.0, 8e6, 3.3e9])
@pytest.mark.parametrize("lines", [1, 7, 30])
def test_what_it_pays_for_adds_up_as_printed(lines: int, total: float, lang: str) -> None:
    *categories, likely, contingency, ask = rows_of(
        page_of(build_review(lines=lines, total=total), lang).pays
    )
    assert sum(printed(row[1]) for row in categories) == pytest.approx(printed(likely[1]), abs=1e-9)
    assert printed(likely[1]) + printed(contingency[1]) == pytest.approx(printed(ask[1]), abs=1e-6)


@pytest.mark.parametrize("actions", [1, 6, 8, 9, 15])
def test_savings_add_up_to_the_joint_saving_as_printed(actions: int) -> None:
    review = build_review(actions=actions)
    *shares, together = rows_of(page_of(review).savings)
    assert sum(printed(row[1]) for row in shares) == printed(together[1])
    assert printed(together[1]) == round(review.recommendations.joint_saving.gross / 1e3)
    assert len(shares) <= 8


def test_bars_over_time_add_up_to_the_most_likely_cost_as_printed() -> None:
    page = page_of(build_review(lines=20))
    figure = next(block for block in page.spent.blocks if isinstance(block, Figure))
    numbers = [printed(text) for text in texts(figure) if re.fullmatch(r"[\d,]+", text)]
    likely = next(row for row in rows_of(page.pays) if row[0] == "Most likely")
    assert sum(numbers) == printed(likely[1])


def test_the_ask_is_the_percentile_after_the_actions_with_their_one_off_cost() -> None:
    review = build_review(actions=6)
    assert review.proposed is not None and review.proposed.ask is not None
    basis = read_basis(review)
    assert basis.ask == pytest.approx(review.proposed.ask + 6 * 3005.48)
    assert page_of(review).ask.value == Writer("en", "USD").money(basis.ask)
    assert page_of(review).ask.notes[0].text == "enough in eight cases out of ten"


def test_without_actions_the_plan_as_it_stands_is_asked_for() -> None:
    review = build_review(actions=0)
    assert read_basis(review).ask == review.estimate.ask
    page = page_of(review)
    assert [row[0] for row in rows_of(page.options)][:2] == ["Do not start", "This proposal"]
    assert "No action is chosen" in " ".join(texts(page.savings))


def test_without_draws_no_range_is_claimed() -> None:
    page = page_of(build_review(draws=0, actions=0))
    assert page.likely.notes == ()
    assert "no range" in page.ask.notes[0].text


def test_what_has_no_price_is_named_and_the_ask_says_at_least() -> None:
    page = page_of(build_review(unknown=True))
    assert page.ask.value.startswith("at least $")
    assert "Item number 14" in page.missing and "Item number 15" in page.missing
    assert page_of(build_review()).missing == ""


def test_a_missed_deadline_and_budget_stand_under_the_title() -> None:
    page = page_of(build_review(late=True, total=2e7))
    alarms = [run.text for run in page.subtitle if run.tone == "danger"]
    assert len(alarms) == 2 and "deadline" in alarms[0] and "budget" in alarms[1]
    calm = page_of(build_review())
    assert all(run.tone == "" for run in calm.subtitle)


def test_options_stand_in_their_order_and_the_proposal_is_marked() -> None:
    table = next(block for block in page_of(build_review()).options.blocks if isinstance(block, Table))
    names = [row.cells[0][0].text for row in table.rows]
    assert names == ["Do not start", "Today's settings", "This proposal", "Cheapest found", "Fastest found"]
    assert [row.style for row in table.rows] == ["", "", "chosen", "", ""]
    assert page_of(build_review(search=False)) is not None


@pytest.mark.parametrize("shape", [{}, {"serving": True}, {"unknown": True, "late": True}])
def test_page_one_is_free_of_jargon(shape: dict[str, Any]) -> None:
    words = " ".join(texts(page_of(build_review(**shape))))
    assert not re.search(r"\b(MFU|ZeRO|TP|PP|goodput|P10|P50|P80|P90|sigma|confidence)\b", words)


def test_at_most_four_things_can_go_wrong_each_with_its_price() -> None:
    rows = rows_of(page_of(build_review()).risks)
    assert len(rows) == 4
    assert rows[0][1].startswith("Training runs 9\u00a0% slower than predicted: $")
    assert "Nobody is on call at night." in rows[-1][1]


def test_the_bad_ends_of_several_inputs_are_never_added_up() -> None:
    review = build_review(actions=0)
    total = review.estimate.total
    roles = tuple(
        review.estimate.drivers[2].model_copy(
            update={"path": f"people.roles.{role}.monthly_cost", "total_high": total * (1.03 + 0.01 * role)}
        )
        for role in (1, 0)
    )
    estimate = review.estimate.model_copy(update={"drivers": roles})
    rows = rows_of(page_of(review.model_copy(update={"estimate": estimate})).risks)
    assert ["Infrastructure engineers" in rows[0][1], "$320k more" in rows[0][1]] == [True, True]
    assert ["Machine-learning engineers" in rows[1][1], "$240k more" in rows[1][1]] == [True, True]


def test_a_warning_about_an_action_that_is_not_chosen_stays_off_page_one() -> None:
    review = build_review(held_back=1)
    about = Advice(
        id="RSK-Y",
        kind="risk",
        title="Not rehearsed",
        finding=Message("Rehearse it first."),
        why=(),
        about=tuple(item.id for item in review.recommendations.recommendations if not item.chosen)[:1],
    )
    assert about.about
    found = review.recommendations.model_copy(update={"warnings": (about,)})
    page = page_of(review.model_copy(update={"recommendations": found}))
    assert "Rehearse" not in " ".join(texts(page.risks))


def test_marks_of_risk_carry_a_word() -> None:
    table = next(block for block in page_of(build_review()).savings.blocks if isinstance(block, Table))
    marks = [
        run
        for row in table.rows
        for cell in row.cells
        for run in cell
        if isinstance(run, Run) and run.risk is not None
    ]
    assert marks and all(run.text in ("none", "low", "medium", "high") for run in marks)

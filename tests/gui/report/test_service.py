"""Charts of a service in the proposal: of the plan with the chosen actions, in both languages."""

from __future__ import annotations

import pytest

from gui.report.basis import read_basis
from gui.report.document import Figure, Heading
from gui.report.service import service_blocks
from gui.report.words import Writer
from gui.services.review import Review


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_a_service_is_drawn_as_the_proposal_runs_it(serving_review: Review, lang: str) -> None:
    basis = read_basis(serving_review)
    blocks = service_blocks(basis, Writer(lang, basis.plan.meta.currency))
    figures = [block for block in blocks if isinstance(block, Figure)]
    heads = [block for block in blocks if isinstance(block, Heading)]
    assert len(figures) == len(heads) == 2
    assert all(figure.svg.lstrip().startswith(b"<?xml") and figure.alt for figure in figures)
    batch = serving_review.proposed.metric("batch")
    assert batch != serving_review.estimate.metric("batch")
    assert f"{batch:.0f}" in heads[0].text
    assert max(serving_review.service.week.planned) == serving_review.proposed.metric("instances_peak")


def test_training_has_no_service(training_review: Review) -> None:
    assert training_review.service is None
    assert service_blocks(read_basis(training_review), Writer("en", "USD")) == []

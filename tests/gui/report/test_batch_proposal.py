"""The proposal of a batch job: its deadline in hours, its time, and a PDF that is written."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from engine.catalog import Catalog
from engine.plan import apply_patch
from gui.report.basis import read_basis
from gui.report.document import PageOne
from gui.report.page_one import compose_page_one
from gui.report.pdf import write_pdf
from gui.report.words import Writer
from gui.services.review import Review, compose_review
from gui.services.templates import template_plan


def page_of(review: Review) -> PageOne:
    return compose_page_one(read_basis(review), Writer("en", "USD"))


def subtitle(review: Review) -> str:
    return "".join(run.text for run in page_of(review).subtitle)


def test_a_job_in_time_says_so(batch_review: Review) -> None:
    text = subtitle(batch_review)
    assert "meets the deadline of 7 d" in text.replace("\u00a0", " ")
    assert "a batch of work for a model of 70.6 billion parameters" in page_of(batch_review).title


def test_a_job_late_by_hours_says_so(catalog: Catalog) -> None:
    plan = apply_patch(template_plan("batch-8b-labelling"), {"cluster.accelerator_count": 9})
    review = compose_review(plan, catalog, draws=50, chosen=frozenset(), today=date(2027, 1, 1))
    text = subtitle(review).replace("\u00a0", " ")
    assert re.search(r"misses the deadline of 12 h by \d h", text)
    assert "cannot be carried out" in text


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_its_pdf_is_written(batch_review: Review, tmp_path: Path, lang: str) -> None:
    assert write_pdf(batch_review, tmp_path / "job.pdf", lang) >= 8

"""The file: same bytes for the same review, page one on one page, text as text, old file kept on failure."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from example_review import HOSTILE, build_review

from gui.report import pdf
from gui.report.composition import SECTIONS, compose_document

SHAPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "strained": {
        "lines": 30,
        "actions": 15,
        "held_back": 5,
        "unknown": True,
        "long_names": True,
        "late": True,
    },
    "bare": {"actions": 0, "held_back": 0, "draws": 0, "start_date": None, "search": False, "lines": 1},
    "serving": {"serving": True, "currency": "CNY", "total": 4.2e8},
}


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("name", SHAPES)
def test_page_one_fits_its_page_and_every_section_follows(name: str, lang: str) -> None:
    document = compose_document(build_review(**SHAPES[name]), lang)
    starts = {item.key: item.page for item in pdf.section_pages(document)}
    assert starts["decision"] == 1 and starts["workload"] == 2
    assert list(starts) == [key for key in SECTIONS if key in starts]
    assert list(starts.values()) == sorted(starts.values())


def test_the_same_review_gives_the_same_bytes() -> None:
    first = pdf.render_pdf(compose_document(build_review(), "en"))
    assert pdf.render_pdf(compose_document(build_review(), "en")) == first
    assert pdf.render_pdf(compose_document(build_review(total=8e6 + 5e4), "en")) != first


def test_written_pages_are_counted_and_equal_the_preview(tmp_path: Path) -> None:
    review = build_review()
    pages = pdf.write_pdf(review, tmp_path / "proposal.pdf", "en")
    assert (tmp_path / "proposal.pdf").read_bytes().startswith(b"%PDF-")
    images = pdf.render_pages(compose_document(review, "en"), ppi=20)
    assert len(images) == pages > 6
    assert all(image.startswith(b"\x89PNG") for image in images)
    assert [path.name for path in tmp_path.iterdir()] == ["proposal.pdf"]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "proposal.pdf"
    target.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        pdf.write_pdf(build_review(), target, "en", frozenset({"decision"}))
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["proposal.pdf"]


def test_sections_can_be_chosen(tmp_path: Path) -> None:
    only = compose_document(build_review(), "en", frozenset({"decision"}))
    assert len(pdf.render_pages(only, ppi=20)) == 1
    without = compose_document(build_review(), "en", frozenset({"ledger", "facts"}))
    assert without.page_one is None
    assert [section.title for section in without.sections] == ["1 Cost ledger", "2 Facts, rates and versions"]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext reads the file back")
def test_user_text_is_never_markup(tmp_path: Path) -> None:
    target = tmp_path / "proposal.pdf"
    pdf.write_pdf(build_review(**SHAPES["strained"]), target, "en")
    text = subprocess.run(
        ["pdftotext", "-layout", str(target), "-"], capture_output=True, text=True, check=True
    ).stdout
    flat = re.sub(r"\s+", "", text)
    for part in HOSTILE.split():
        assert part in flat


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext reads the file back")
def test_every_page_carries_what_produced_it(tmp_path: Path) -> None:
    target = tmp_path / "proposal.pdf"
    pages = pdf.write_pdf(build_review(), target, "en")
    text = subprocess.run(
        ["pdftotext", "-layout", str(target), "-"], capture_output=True, text=True, check=True
    ).stdout
    feet = re.findall(
        r"plan 6e4a67f99cc902b1, prices of 2 December 2026, 2,000 draws, seed 7 +(\d+) / (\d+)",
        text,
    )
    assert feet == [(str(number), str(pages)) for number in range(1, pages + 1)]

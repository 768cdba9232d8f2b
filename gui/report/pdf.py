"""The report as PDF and page images, by typst. No network, no system fonts; equal reviews, equal bytes."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import typst

from gui.i18n import ASSETS
from gui.report.composition import DECISION, compose_document
from gui.report.document import ReportDocument, to_data
from gui.services.review import Review
from gui.shell.colours import LIGHT

TEMPLATE = ASSETS / "report" / "report.typ"
PREVIEW_PPI = 110.0
_ROLES = (
    "line",
    "edge",
    "text",
    "muted",
    "accent",
    "select",
    "saving",
    "warn",
    "danger",
    "surface",
    "raised",
)


def write_pdf(review: Review, path: Path, lang: str, sections: frozenset[str] | None = None) -> int:
    """Write the proposal of `review` as PDF and return its number of pages.

    An old file stays until the new one is whole. `sections` as in `compose_document`.
    Errors: OSError when the folder cannot be written.
    """
    document = compose_document(review, lang, sections)
    compiler = _compiler(document)
    content = compiler.compile(format="pdf", timestamp=_timestamp(document))
    assert isinstance(content, bytes)
    _replace(path, content)
    return int(json.loads(compiler.query("<pages>", field="value", one=True)))


def render_pdf(document: ReportDocument) -> bytes:
    """The document as PDF bytes."""
    content = _compiler(document).compile(format="pdf", timestamp=_timestamp(document))
    assert isinstance(content, bytes)
    return content


def render_pages(document: ReportDocument, ppi: float = PREVIEW_PPI) -> list[bytes]:
    """The document's pages as PNG images, for the window."""
    pages = _compiler(document).compile(format="png", ppi=ppi)
    assert pages is not None
    return list(pages) if isinstance(pages, list) else [pages]


def _replace(path: Path, content: bytes) -> None:
    """Put a whole new file in the old one's place."""
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class SectionPage:
    """Where a section starts: its key and its page, from 1."""

    key: str
    page: int


def section_pages(document: ReportDocument) -> list[SectionPage]:
    """The page every section starts on; `decision` is page one."""
    compiler = _compiler(document)
    found = json.loads(
        compiler.eval("query(<section>).map(it => (key: it.value.key, page: it.location().page()))")
    )
    first = [SectionPage(DECISION, 1)] if document.page_one is not None else []
    return first + [SectionPage(item["key"], item["page"]) for item in found]


def _compiler(document: ReportDocument) -> typst.Compiler:
    data = json.dumps(to_data(document), ensure_ascii=False)
    colours = json.dumps({role: getattr(LIGHT, role) for role in _ROLES})
    return typst.Compiler(
        str(TEMPLATE),
        root=str(TEMPLATE.parent),
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs={"document": data, "colours": colours},
    )


def _timestamp(document: ReportDocument) -> int:
    """The day of the review: the clock would make every file different."""
    return int(datetime.fromisoformat(document.created).replace(tzinfo=UTC).timestamp())


@cache
def _fonts() -> typst.Fonts:
    """The shipped faces, and typst's own for signs they lack; read once a process."""
    return typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(ASSETS / "fonts")]
    )

"""The report as PDF and as page images, by typst. No network, no system fonts; equal documents give equal bytes."""

from __future__ import annotations

import json
import os
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import typst

from gui.i18n import ASSETS
from gui.report.composition import compose_document
from gui.report.document import ReportDocument, to_data
from gui.services.review import Review
from gui.shell.colours import LIGHT

TEMPLATE = ASSETS / "report" / "report.typ"
PREVIEW_PPI = 110.0
_ROLES = ("line", "edge", "text", "muted", "accent", "select", "saving", "warn", "danger", "surface", "raised")


def write_pdf(review: Review, path: Path, lang: str, sections: frozenset[str] | None = None) -> int:
    """Write the proposal of `review` as PDF and return its number of pages. An old file stays until the new one is whole.

    Errors: OSError when the folder cannot be written.
    """
    document = compose_document(review, lang, sections)
    content = render_pdf(document)
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
    return count_pages(content)


def render_pdf(document: ReportDocument) -> bytes:
    """The document as PDF bytes."""
    return bytes(_compile(document, format="pdf"))


def render_pages(document: ReportDocument, ppi: float = PREVIEW_PPI) -> list[bytes]:
    """The document's pages as PNG images, for the window."""
    pages = _compile(document, format="png", ppi=ppi)
    return list(pages) if isinstance(pages, list) else [pages]


def count_pages(pdf: bytes) -> int:
    """Pages of a PDF written by `render_pdf`."""
    raise NotImplementedError


def _compile(document: ReportDocument, **options: Any) -> Any:
    data = json.dumps(to_data(document), ensure_ascii=False)
    colours = json.dumps({role: getattr(LIGHT, role) for role in _ROLES})
    created = datetime.fromisoformat(document.created).replace(tzinfo=UTC)
    return typst.compile(
        str(TEMPLATE),
        root=str(TEMPLATE.parent),
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs={"document": data, "colours": colours},
        timestamp=int(created.timestamp()),
        **options,
    )


@cache
def _fonts() -> typst.Fonts:
    """The shipped faces, read once a process."""
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(ASSETS / "fonts")])

"""The report as data: pages of text, tables and figures, translated and formatted. Nothing here is markup."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text. `tone` is a role (strong, muted, accent, saving, warn, danger).

    `risk` 0-3 puts its mark first, `colour` a swatch.
    """

    text: str
    tone: str = ""
    risk: int | None = None
    colour: str = ""


Cell = tuple[Run, ...]
"""Lines of one table cell, one under the other."""


@dataclass(frozen=True, slots=True)
class Column:
    """A table column: head, alignment, and its share of the width (0 takes what it needs)."""

    head: str
    align: str = "left"
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A table row; `style` is empty, head (a group's name), chosen, total or muted."""

    cells: tuple[Cell, ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows; `dense` sets small type for long lists."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    dense: bool = False
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph; a `tone` as in Run."""

    text: str
    tone: str = ""
    kind: str = "paragraph"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section, with an optional muted remark beside it."""

    text: str
    remark: str = ""
    kind: str = "heading"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing as SVG, its natural width [pt], and what it shows in words for readers who cannot see it."""

    svg: bytes
    width_pt: float
    alt: str
    kind: str = "figure"


Block = Table | Paragraph | Heading | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A numbered part of the report, starting with its title; `key` names it for choosing sections."""

    key: str
    title: str
    part: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """A headline figure: label, value, and the lines under it."""

    label: str
    value: str
    notes: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A titled part of page one."""

    title: str
    remark: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The boxed request: its head, its sentences and the fields to sign."""

    title: str
    text: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageOne:
    """Everything the person who signs needs, in reading order."""

    kicker: tuple[str, str, str]
    title: str
    subtitle: tuple[Run, ...]
    ask: Amount
    likely: Amount
    picture: Figure
    missing: str
    pays: Panel
    spent: Panel
    options: Panel
    savings: Panel
    risks: Panel
    scope: tuple[tuple[str, str], ...]
    decision: Decision


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A whole report. `page_label` holds {page} and {pages}; `created` is an ISO date and stamps the file."""

    language: str
    title: str
    author: str
    created: str
    running_head: str
    foot: str
    page_label: str
    page_one: PageOne | None
    sections: tuple[Section, ...]


def to_data(document: ReportDocument) -> dict[str, Any]:
    """The document as plain data for the template."""
    data: dict[str, Any] = _plain(asdict(document))
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value

"""Review -> ReportDocument: the one place that decides which sections a report has, and in which order."""

from __future__ import annotations

from dataclasses import replace

from gui.report.appendix import facts_section, formulas_section, inputs_section
from gui.report.basis import Basis, read_basis
from gui.report.document import ReportDocument, Section
from gui.report.engineering import cluster_section, ledger_section, scope_section, workload_section
from gui.report.optimisation import optimisation_section
from gui.report.page_one import compose_page_one, plan_name
from gui.report.recommendations import recommendations_section
from gui.report.uncertainty import uncertainty_section
from gui.report.words import Writer
from gui.services.review import Review

DECISION = "decision"
SECTIONS = (
    DECISION,
    "workload",
    "cluster",
    "ledger",
    "optimisation",
    "recommendations",
    "uncertainty",
    "scope",
    "inputs",
    "formulas",
    "facts",
)
"""Keys of all parts in order; `decision` is page one."""

_COMPOSERS = {
    "workload": workload_section,
    "cluster": cluster_section,
    "ledger": ledger_section,
    "optimisation": optimisation_section,
    "recommendations": recommendations_section,
    "uncertainty": uncertainty_section,
    "scope": scope_section,
    "inputs": inputs_section,
    "formulas": formulas_section,
    "facts": facts_section,
}


def compose_document(review: Review, lang: str, sections: frozenset[str] | None = None) -> ReportDocument:
    """The report of a review in one language. `sections` None means all; unknown keys are ignored."""
    basis = read_basis(review)
    writer = Writer(lang, review.plan.meta.currency)
    wanted = [key for key in SECTIONS if sections is None or key in sections]
    with_page_one = DECISION in wanted
    found = [
        part for key in wanted if key != DECISION and (part := _COMPOSERS[key](basis, writer)) is not None
    ]
    name = plan_name(basis, writer)
    return ReportDocument(
        language=lang,
        title=writer.tr("{name}: budget proposal", name=name),
        author=review.plan.meta.owner or review.plan.meta.team,
        created=review.created,
        running_head=writer.tr("{name}: budget proposal", name=name),
        foot=_foot(basis, writer),
        page_label=writer.tr("{page} / {pages}"),
        page_one=compose_page_one(basis, writer) if with_page_one else None,
        sections=tuple(_numbered(part, index) for index, part in enumerate(found, 2 if with_page_one else 1)),
    )


def _numbered(part: Section, number: int) -> Section:
    return replace(part, title=f"{number} {part.title}")


def _foot(basis: Basis, writer: Writer) -> str:
    review = basis.review
    text = writer.tr("Flopwise {program}, plan {plan}, prices of {prices}, {draws} draws, seed {seed}")
    return text.format(
        program=review.versions.program,
        plan=review.plan_hash,
        prices=writer.date(review.versions.catalog[:10]),
        draws=writer.number(review.draws),
        seed=review.seed,
    )

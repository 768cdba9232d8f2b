"""The appendix, for auditors: every input, every formula, every fact used, and what produced the report."""

from __future__ import annotations

from collections.abc import Iterable

from engine.plan import FieldSpec, field_specs, get_value
from engine.results import CostLine, TraceInput
from engine.traces import provenance
from gui.report.basis import Basis
from gui.report.document import Block, Cell, Column, Heading, Paragraph, Row, Run, Section, Table
from gui.report.words import CATEGORIES, PROVENANCE, SECTION_TITLES, Writer, plain

ZERO_WIDTH_SPACE = "\u200b"


def part_c(writer: Writer) -> str:
    """Running head of the auditors' pages."""
    return writer.tr("Appendix, for auditors")


def inputs_section(basis: Basis, writer: Writer) -> Section:
    """Every input with value, unit, origin, source and date, and the range it was drawn from."""
    rows: list[Row] = []
    group = ""
    for spec in field_specs().values():
        name = spec.path.partition(".")[0]
        if _section_of(basis, spec.path) is None:
            continue
        if name != group:
            group = name
            rows.append(
                Row((plain(writer.word(SECTION_TITLES, name)), *(plain("") for _ in range(4))), "head")
            )
        rows.append(_input_row(basis, spec, writer))
    columns = (
        Column(writer.tr("Input"), share=1.25),
        Column(writer.tr("Path in the plan file"), share=1.8),
        Column(writer.tr("Value"), share=1.5),
        Column(writer.tr("Origin")),
        Column(writer.tr("Source, date"), share=1.6),
    )
    note = writer.tr("A default is the program's own value from a dated source, not measured by you.")
    return Section(
        "inputs",
        writer.tr("Inputs"),
        part_c(writer),
        (Paragraph(note, "muted"), Table(columns, tuple(rows), dense=True)),
    )


def _section_of(basis: Basis, path: str) -> object:
    """The section a field belongs to; None when the plan has none, as serving in a training plan."""
    section: object = basis.plan
    for part in path.split(".")[:-1]:
        section = getattr(section, part, None)
    return section


def _input_row(basis: Basis, spec: FieldSpec, writer: Writer) -> Row:
    kind, source, date = provenance(basis.plan, spec.path)
    value = [Run(writer.value(spec.path, get_value(basis.plan, spec.path), exact=True))]
    if spec.path in basis.plan.ranges:
        bounds = basis.plan.ranges[spec.path]
        low, high = writer.exact(bounds.low, spec.unit), writer.exact(bounds.high, spec.unit)
        value.append(Run(writer.tr("range {low} to {high}", low=low, high=high), "muted"))
    where = writer.join([part for part in (source, writer.date(date) if date else "") if part])
    return Row(
        (
            plain(writer.tr(spec.title)),
            plain(_breakable(spec.path), "muted"),
            tuple(value),
            plain(writer.word(PROVENANCE, kind), "muted"),
            plain(where, "muted"),
        )
    )


def _breakable(path: str) -> str:
    """A field path that may break after its dots and underscores."""
    return path.replace(".", f".{ZERO_WIDTH_SPACE}").replace("_", f"_{ZERO_WIDTH_SPACE}")


def formulas_section(basis: Basis, writer: Writer) -> Section:
    """Every ledger line with its formula in words and the numbers put in."""
    rows: list[Row] = []
    group = ""
    for line in sorted(basis.proposed.lines, key=lambda item: _position(item.category)):
        if line.category != group:
            group = line.category
            rows.append(Row((plain(writer.word(CATEGORIES, group)), plain(""), plain("")), "head"))
        rows.append(_formula_row(line, writer))
    columns = (
        Column(writer.tr("Item"), share=1),
        Column(writer.tr("Formula and numbers"), share=3),
        Column(writer.tr("Amount"), "right"),
    )
    return Section(
        "formulas",
        writer.tr("Formulas of the ledger"),
        part_c(writer),
        (Table(columns, tuple(rows), dense=True),),
    )


def _position(category: str) -> int:
    keys = list(CATEGORIES)
    return keys.index(category) if category in keys else len(keys)


def _formula_row(line: CostLine, writer: Writer) -> Row:
    unknown = line.amount is None
    amount = writer.tr("unknown") if unknown else writer.amount(line.amount)
    numbers = "; ".join(_substituted(item, writer) for item in line.trace.inputs)
    formula: Cell = (Run(writer.tr(line.trace.formula)), *((Run(numbers, "muted"),) if numbers else ()))
    return Row((plain(writer.tr(line.item)), formula, plain(amount, "danger" if unknown else "")))


def _substituted(item: TraceInput, writer: Writer) -> str:
    value = item.value if isinstance(item.value, str) else writer.exact(item.value, item.unit)
    return f"{writer.tr(item.name)} = {value} ({writer.word(PROVENANCE, item.provenance)})"


def facts_section(basis: Basis, writer: Writer) -> Section:
    """Catalogue facts and prices used, exchange rates, choices, and what produced the report."""
    blocks: list[Block] = []
    used = _facts(basis.proposed.lines)
    if used:
        rows = tuple(
            Row(
                (
                    plain(writer.tr(item.name)),
                    plain(_value(item, writer)),
                    plain(item.source, "muted"),
                    plain(writer.date(item.date) if item.date else "–", "muted"),
                )
            )
            for item in used
        )
        columns = (
            Column(writer.tr("Fact"), share=1),
            Column(writer.tr("Value"), "right"),
            Column(writer.tr("Source"), share=2.4),
            Column(writer.tr("Date")),
        )
        blocks += [Heading(writer.tr("Catalogue facts and prices used")), Table(columns, rows, dense=True)]
    blocks += [Heading(writer.tr("Exchange rates and tax")), *_rates(basis, writer)]
    blocks += [Heading(writer.tr("What produced this report")), _versions(basis, writer)]
    return Section("facts", writer.tr("Facts, rates and versions"), part_c(writer), tuple(blocks))


def _facts(lines: Iterable[CostLine]) -> list[TraceInput]:
    """Inputs that come from a dated source, once each."""
    seen: dict[tuple[str, str, object], TraceInput] = {}
    for line in lines:
        for item in line.trace.inputs:
            if item.source and item.provenance in ("catalogue", "default"):
                seen.setdefault((item.name, item.source, item.value), item)
    return list(seen.values())


def _value(item: TraceInput, writer: Writer) -> str:
    return item.value if isinstance(item.value, str) else writer.exact(item.value, item.unit)


def _rates(basis: Basis, writer: Writer) -> list[Block]:
    finance = basis.plan.finance
    tax = (
        writer.tr("Tax is counted at {share}.", share=writer.percent(finance.tax_rate))
        if finance.tax_rate
        else writer.tr("Tax is not included.")
    )
    if not finance.fx_rates:
        return [Paragraph(writer.sentences([writer.tr("No exchange rate was entered."), tax]))]
    rows = tuple(
        Row((plain(pair), plain(writer.number(rate.rate)), plain(writer.date(rate.date), "muted")))
        for pair, rate in sorted(finance.fx_rates.items())
    )
    columns = (
        Column(writer.tr("Pair"), share=1),
        Column(writer.tr("Rate"), "right"),
        Column(writer.tr("Date")),
    )
    return [Table(columns, rows, dense=True), Paragraph(tax)]


def _versions(basis: Basis, writer: Writer) -> Table:
    review = basis.review
    facts = (
        (writer.tr("Program"), f"Flopwise {review.versions.program}"),
        (writer.tr("Catalogue"), review.versions.catalog),
        (writer.tr("Rules"), review.versions.rules),
        (writer.tr("Plan hash"), review.plan_hash),
        (writer.tr("Date of the review"), writer.date(review.created)),
        (writer.tr("Draws"), writer.number(review.draws)),
        (writer.tr("Seed"), str(review.seed)),
        (writer.tr("Currency"), review.plan.meta.currency),
        (writer.tr("Percentile asked for"), f"P{writer.number(review.plan.finance.ask_percentile)}"),
    )
    rows = tuple(Row((plain(name), plain(value))) for name, value in facts)
    return Table((Column("", share=1), Column("", share=3)), rows, dense=True)

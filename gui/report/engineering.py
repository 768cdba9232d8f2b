"""Part B, for engineering: workload, cluster, ledger, and scope, as tables of the same review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.plan import FieldSpec, field_specs, get_value
from engine.results import Advice, CostLine, Estimate
from engine.traces import provenance
from gui.report.basis import Basis
from gui.report.document import Block, Column, Heading, Paragraph, Row, Run, Section, Table
from gui.report.service import service_blocks
from gui.report.spending import category_totals
from gui.report.words import CATEGORIES, LEDGER_WORDS, PROVENANCE, WORKLOADS, Writer, plain, shorten

LONGEST_ITEM = 80
HIDDEN_METRICS = frozenset({"feasible_code"})


def part_b(writer: Writer) -> str:
    """Running head of the engineers' pages."""
    return writer.tr("Part B, for engineering")


def workload_section(basis: Basis, writer: Writer) -> Section:
    """What is computed: workload, its settings, the network's shape."""
    plan = basis.plan
    kind = writer.word(WORKLOADS, plan.workload.kind)
    intro = writer.tr(
        "The plan pays for {kind}. Values left at their default are listed in the appendix.", kind=kind
    )
    blocks: list[Block] = [Paragraph(intro, "muted")]
    for title, prefixes in (
        (writer.tr("Workload"), ("training.", "serving.", "batch.", "experiments.")),
        (writer.tr("Architecture"), ("architecture.",)),
        (writer.tr("Data, storage and people"), ("data.", "storage.", "network.", "people.", "operations.")),
    ):
        table = _fields(basis, prefixes, writer)
        if table.rows:
            blocks += [Heading(title), table]
    return Section("workload", writer.tr("Workload and architecture"), part_b(writer), tuple(blocks))


def cluster_section(basis: Basis, writer: Writer) -> Section:
    """What it runs on, what the engine chose, and the figures before and after the actions."""
    blocks: list[Block] = [
        Heading(writer.tr("Cluster, layout and reliability")),
        _fields(basis, ("cluster.", "layout.", "reliability.", "schedule."), writer),
        Heading(writer.tr("Figures"), writer.tr("today's settings and the proposal")),
        _metrics(basis, writer),
    ]
    if basis.proposed.choices:
        blocks += [Heading(writer.tr("Left to the engine")), _choices(basis.proposed, writer)]
    blocks += [Paragraph(writer.render(note), "danger") for note in basis.proposed.notes]
    blocks += service_blocks(basis, writer)
    return Section("cluster", writer.tr("Cluster, layout and speed"), part_b(writer), tuple(blocks))


def _fields(basis: Basis, prefixes: Sequence[str], writer: Writer) -> Table:
    """Given values under some sections, with where they come from and what the proposal makes of them."""
    changed = {change.path: change.after for item in basis.chosen for change in item.changes}
    rows = [
        _field_row(basis, spec, changed, writer)
        for spec in field_specs().values()
        if spec.path.startswith(tuple(prefixes)) and _is_told(basis, spec, changed)
    ]
    columns = (
        Column(writer.tr("Input"), share=1.3),
        Column(writer.tr("Value"), share=1.2),
        Column(writer.tr("Origin"), share=1.6),
        Column(writer.tr("In the proposal"), share=1.2),
    )
    return Table(columns, tuple(rows), dense=True)


def _is_told(basis: Basis, spec: FieldSpec, changed: dict[str, object]) -> bool:
    """Worth a line before the appendix: given by somebody, or changed by an action."""
    value = get_value(basis.plan, spec.path)
    return spec.path in changed or value not in (None, spec.default, (), "")


def _field_row(basis: Basis, spec: FieldSpec, changed: dict[str, object], writer: Writer) -> Row:
    kind, source, date = provenance(basis.plan, spec.path)
    origin = [writer.word(PROVENANCE, kind), source, writer.date(date) if date else ""]
    after = writer.value(spec.path, changed[spec.path]) if spec.path in changed else ""
    return Row(
        (
            plain(writer.tr(spec.title)),
            plain(writer.value(spec.path, get_value(basis.plan, spec.path))),
            plain(writer.join([part for part in origin if part]), "muted"),
            plain(after, "accent"),
        )
    )


def _metrics(basis: Basis, writer: Writer) -> Table:
    proposed = {metric.key: metric for metric in basis.proposed.metrics}
    rows = []
    for metric in basis.today.metrics:
        after = proposed.get(metric.key)
        if metric.key in HIDDEN_METRICS or (metric.value is None and (after is None or after.value is None)):
            continue
        now = writer.quantity(metric.value, metric.unit)
        then = now if after is None else writer.quantity(after.value, after.unit)
        rows.append(
            Row((plain(writer.tr(metric.title)), plain(now), plain(then, "accent" if then != now else "")))
        )
    columns = (
        Column(writer.tr("Figure"), share=2),
        Column(writer.tr("Today's settings"), "right", 1),
        Column(writer.tr("Proposal"), "right", 1),
    )
    return Table(columns, tuple(rows), dense=True)


def _choices(found: Estimate, writer: Writer) -> Table:
    rows = tuple(
        Row(
            (
                plain(writer.title(item.path)),
                plain(writer.value(item.path, item.value)),
                plain(writer.render(item.why), "muted"),
            )
        )
        for item in found.choices
    )
    columns = (
        Column(writer.tr("Setting"), share=1),
        Column(writer.tr("Value"), share=1),
        Column(writer.tr("Why"), share=2),
    )
    return Table(columns, rows, dense=True)


# Ledger


def ledger_section(basis: Basis, writer: Writer) -> Section:
    """Every line with quantity and price, by category; what is committed; resources."""
    what = (
        writer.trn(
            "The plan with {count} action carried out.",
            "The plan with {count} actions carried out.",
            len(basis.chosen),
        )
        if basis.chosen
        else writer.tr("The plan as it stands.")
    )
    note = writer.tr(
        "Amounts are most likely values in {currency}; lines out of scope are not in the total.",
        currency=writer.currency_word(),
    )
    blocks: list[Block] = [Paragraph(writer.sentences([what, note]), "muted"), _ledger(basis, writer)]
    if basis.proposed.resources:
        blocks += [Heading(writer.tr("Resources")), _resources(basis.proposed, writer)]
    return Section("ledger", writer.tr("Cost ledger"), part_b(writer), tuple(blocks))


def _ledger(basis: Basis, writer: Writer) -> Table:
    totals = category_totals(basis.proposed.lines)
    rows: list[Row] = []
    for key in _category_order(basis.proposed.lines):
        amount = writer.amount(totals[key]) if key in totals else ""
        rows.append(Row((plain(writer.word(CATEGORIES, key)), *_blank(3), plain(amount), plain("")), "head"))
        rows += [_ledger_row(line, writer) for line in basis.proposed.lines if line.category == key]
    if basis.one_off:
        acting = writer.tr("Carrying out the savings, once")
        rows.append(Row((plain(acting), *_blank(3), plain(writer.amount(basis.one_off)), plain("")), "head"))
    total = (
        writer.tr("Most likely")
        if basis.proposed.complete
        else writer.tr("Most likely, without what has no price")
    )
    rows.append(Row((plain(total), *_blank(3), plain(writer.amount(basis.likely)), plain("")), "total"))
    columns = (
        Column(writer.tr("Item"), share=1),
        Column(writer.tr("Quantity"), "right"),
        Column(writer.tr("Unit")),
        Column(writer.tr("Unit price"), "right"),
        Column(writer.tr("Amount"), "right"),
        Column(writer.tr("Kind")),
    )
    return Table(columns, tuple(rows), dense=True)


def _category_order(lines: Iterable[CostLine]) -> list[str]:
    present = {line.category for line in lines}
    return [key for key in CATEGORIES if key in present] + sorted(present - set(CATEGORIES))


def _blank(count: int) -> tuple[tuple[Run, ...], ...]:
    return tuple(plain("") for _ in range(count))


def _ledger_row(line: CostLine, writer: Writer) -> Row:
    kinds = [writer.word(LEDGER_WORDS, line.behaviour), writer.word(LEDGER_WORDS, line.commitment)]
    if not line.in_scope:
        kinds.append(writer.tr("out of scope"))
    unknown = line.amount is None
    amount = writer.tr("price unknown, not included") if unknown else writer.amount(line.amount)
    return Row(
        (
            plain(shorten(writer.tr(line.item), LONGEST_ITEM)),
            plain(writer.number(line.quantity, 4)),
            plain(writer.unit(line.unit), "muted"),
            plain("" if line.unit_price is None else writer.amount(line.unit_price)),
            plain(amount, "danger" if unknown else ""),
            plain(writer.join(kinds), "muted"),
        ),
        "" if line.in_scope else "muted",
    )


def _resources(found: Estimate, writer: Writer) -> Table:
    rows = tuple(
        Row(
            (
                plain(writer.tr(use.resource)),
                plain(writer.quantity(use.average, use.unit)),
                plain(writer.quantity(use.peak, use.unit)),
            )
        )
        for use in found.resources
    )
    columns = (
        Column(writer.tr("Resource"), share=2),
        Column(writer.tr("Average"), "right", 1),
        Column(writer.tr("Peak"), "right", 1),
    )
    return Table(columns, rows, dense=True)


# Scope and checks


def scope_section(basis: Basis, writer: Writer) -> Section:
    """What is counted, what the figures rest on, and what the rules saw."""
    found = basis.review.recommendations
    blocks: list[Block] = [
        Paragraph(writer.tr("The estimate counts what page one lists as in scope, and nothing else.")),
        Paragraph(
            writer.tr(
                "The range covers the inputs with a range. "
                "A change of scope or a supply failure is outside it."
            )
        ),
    ]
    advice = (*found.governance, *found.warnings)
    if advice:
        blocks += [Heading(writer.tr("Governance and warnings")), _advice_table(advice, writer)]
    if found.passed:
        seen = tuple(_check_row(i.title, writer.render(i.finding), i.id, writer) for i in found.passed)
        columns = _check_columns(writer.tr("Seen"), writer)
        blocks += [Heading(writer.tr("Checks that passed")), Table(columns, seen, dense=True)]
    if found.not_evaluated:
        needed = tuple(
            _check_row(i.title, writer.join([writer.title(path) for path in i.needs]), i.id, writer)
            for i in found.not_evaluated
        )
        columns = _check_columns(writer.tr("Needs"), writer)
        blocks += [Heading(writer.tr("Checks that need input")), Table(columns, needed, dense=True)]
    return Section("scope", writer.tr("Scope and checks"), part_b(writer), tuple(blocks))


def _advice_table(advice: tuple[Advice, ...], writer: Writer) -> Table:
    """What to settle before the figures can be relied on."""
    columns = (
        Column(writer.tr("Subject"), share=1.1),
        Column(writer.tr("Finding"), share=1.7),
        Column(writer.tr("Verify"), share=1.5),
    )
    rows = tuple(
        Row(
            (
                (Run(writer.tr(item.title), "strong"), Run(item.id, "muted")),
                (Run(writer.render(item.finding)), *(Run(writer.render(why), "muted") for why in item.why)),
                plain(writer.tr(item.verify)),
            )
        )
        for item in advice
    )
    return Table(columns, rows)


def _check_row(title: str, seen: str, rule: str, writer: Writer) -> Row:
    return Row((plain(writer.tr(title)), plain(seen, "muted"), plain(rule, "muted")))


def _check_columns(middle: str, writer: Writer) -> tuple[Column, ...]:
    return (Column(writer.tr("Check"), share=1.4), Column(middle, share=2), Column(writer.tr("Rule")))

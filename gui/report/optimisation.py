"""Part B, for engineering: what was searched, the best setting, and the curves with their flat regions."""

from __future__ import annotations

from engine.results import Candidate, Certificate, Curve, Optimisation
from gui.charts.curve import CurveData, draw_curve
from gui.charts.frontier import FrontierData, draw_frontier
from gui.report.basis import Basis
from gui.report.charted import charted
from gui.report.document import Block, Cell, Column, Heading, Paragraph, Row, Section, Table
from gui.report.engineering import part_b
from gui.report.words import Writer, plain

MOST_CANDIDATES = 12
MOST_CURVES = 4
CURVE_HEIGHT = 150.0
_CURVE_KINDS = {
    "reliability.checkpoint_interval_s": "interval",
    "cluster.accelerator_count": "size",
    "serving.requests_per_second": "load",
}


def optimisation_section(basis: Basis, writer: Writer) -> Section | None:
    """What was searched, the best setting, the curves with their flat regions; None without a search."""
    found = basis.review.optimisation
    if found is None:
        return None
    blocks: list[Block] = [Paragraph(_searched(found, writer)), Paragraph(_best(found, writer))]
    for figure in _curve_figures(basis, found, writer):
        blocks += figure
    blocks += [
        Heading(writer.tr("Candidates"), writer.tr("without the chosen actions")),
        _candidates(found, writer),
    ]
    if found.excluded:
        blocks += [Heading(writer.tr("Left out, by reason")), _excluded(found, writer)]
    return Section("optimisation", writer.tr("Optimisation"), part_b(writer), tuple(blocks))


def _searched(found: Optimisation, writer: Writer) -> str:
    sentences = [
        writer.tr("{count} settings were evaluated; {out} of them are not possible.").format(
            count=writer.number(found.evaluated), out=writer.number(sum(found.excluded.values()))
        ),
        _certificate(found.certificate, writer),
    ]
    return writer.sentences(sentences)


def _certificate(certificate: Certificate, writer: Writer) -> str:
    method = writer.tr("Method: {method}.", method=writer.tr(certificate.method))
    if certificate.bound is None or certificate.gap is None:
        return method
    text = writer.tr(
        "Lower bound {bound}, gap {gap}.",
        bound=writer.money(certificate.bound),
        gap=writer.percent(certificate.gap),
    )
    return writer.sentences([method, text])


def _best(found: Optimisation, writer: Writer) -> str:
    if not found.best.changes:
        return writer.tr("The plan as it stands is the best setting of the search: no change needed.")
    changes = writer.tr("; ").join(writer.change(change) for change in found.best.changes)
    text = writer.tr("Best: {total} instead of {now}, {time} instead of {time_now}. Changes: {changes}.")
    return text.format(
        total=writer.money(found.best.total),
        now=writer.money(found.baseline_total),
        time=writer.quantity(found.best.duration_h, "h"),
        time_now=writer.quantity(found.baseline_duration_h, "h"),
        changes=changes,
    )


def _curve_figures(basis: Basis, found: Optimisation, writer: Writer) -> list[tuple[Block, ...]]:
    deadline = None if basis.plan.is_service else basis.plan.deadline_days
    drawn = []
    for curve in found.curves[:MOST_CURVES]:
        if len(curve.x) < 2:
            continue
        kind = _CURVE_KINDS.get(curve.path, "split")
        data = CurveData(curve, kind, writer.currency, None if deadline is None else deadline * 24.0)
        drawn.append(charted(draw_curve, data, _curve_alt(curve, writer), writer, CURVE_HEIGHT))
    if len(found.candidates) > 1:
        frontier = FrontierData(
            found, writer.currency, deadline, basis.plan.governance.budget, by_size=basis.plan.is_service
        )
        alt = writer.tr("Cost against time of all candidates.")
        drawn.append(charted(draw_frontier, frontier, alt, writer, CURVE_HEIGHT))
    return drawn


def _curve_alt(curve: Curve, writer: Writer) -> str:
    return writer.tr("Total cost against {setting}.", setting=writer.tr(curve.title))


def _candidates(found: Optimisation, writer: Writer) -> Table:
    ranked = sorted(found.candidates, key=lambda item: item.total)[:MOST_CANDIDATES]
    with_speed = any(item.mfu is not None or item.goodput is not None for item in ranked)
    columns = [
        Column(writer.tr("Candidate"), share=1),
        Column(writer.tr("GPUs"), "right"),
        Column(writer.tr("Total"), "right"),
        Column(writer.tr("Run"), "right"),
    ]
    if with_speed:
        columns += [Column(writer.tr("MFU"), "right"), Column(writer.tr("Goodput"), "right")]
    columns.append(Column(writer.tr("What changes"), share=2.6))
    rows = tuple(
        _candidate_row(item, item.changes == found.best.changes, with_speed, writer) for item in ranked
    )
    return Table(tuple(columns), rows, dense=True)


def _candidate_row(item: Candidate, is_best: bool, with_speed: bool, writer: Writer) -> Row:
    cells: list[Cell] = [
        plain(writer.tr(item.label)),
        plain(writer.number(item.accelerators, 4)),
        plain(writer.money(item.total)),
        plain(writer.quantity(item.duration_h, "h")),
    ]
    if with_speed:
        cells += [
            plain("–" if share is None else writer.percent(share)) for share in (item.mfu, item.goodput)
        ]
    changes = writer.tr("; ").join(writer.change(change) for change in item.changes) or writer.tr("nothing")
    cells.append(plain(changes, "muted"))
    return Row(tuple(cells), "chosen" if is_best else "")


def _excluded(found: Optimisation, writer: Writer) -> Table:
    rows = tuple(
        Row((plain(writer.tr(reason)), plain(writer.number(count))))
        for reason, count in sorted(found.excluded.items(), key=lambda item: -item[1])
    )
    return Table(
        (Column(writer.tr("Reason"), share=1), Column(writer.tr("Settings"), "right")), rows, dense=True
    )

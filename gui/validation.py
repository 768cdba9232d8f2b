"""Validations as the JSON object scripts rely on, and as tables for a terminal. Qt-free."""

from __future__ import annotations

from typing import Any

from engine.text import N_
from engine.validation.results import ErrorSummary, RowResult, ValidationResult
from gui.i18n import language, render, tr
from gui.models.words import group_text

_SHOWN_SKIPPED, _SHOWN_WORST = 5, 5
_NAME_WIDTH = 52


def validation_data(found: ValidationResult) -> dict[str, Any]:
    """A validation as the JSON object scripts rely on."""
    return {
        "rows": found.rows,
        "predicted": found.predicted,
        "skipped": [{"id": item.id, "reason": render(item.reason)} for item in found.skipped],
        **_summary(found.overall),
        "groups": {name: _summary(group) for name, group in found.groups.items()},
        "calibrated": {name: _summary(group) for name, group in found.calibrated.items()},
        "per_row": [_row(row) for row in found.per_row],
    }


def _summary(found: ErrorSummary) -> dict[str, Any]:
    return {
        "n": found.n,
        "median_abs_error": found.median_abs_error,
        "p90_abs_error": found.p90_abs_error,
        "in_band": found.in_band,
    }


def _row(row: RowResult) -> dict[str, Any]:
    return {
        "id": row.id,
        "metric": row.metric,
        "measured": row.measured,
        "predicted": row.predicted,
        "low": row.low,
        "high": row.high,
        "scored": row.scored,
    }


def validation_text(found: ValidationResult) -> str:
    """Errors of all rows and of every group, what was left out, and the worst rows."""
    head = tr("{rows} rows, {predicted} predicted, {skipped} left out")
    lines = [
        head.format(rows=found.rows, predicted=found.predicted, skipped=len(found.skipped)),
        "",
        _heading(),
        _line(tr("Scored rows"), found.overall),
    ]
    lang = language()
    lines += [_line(group_text(name, lang), group) for name, group in found.groups.items()]
    if found.calibrated:
        lines += ["", tr("The same rows otherwise")]
        lines += [_line(group_text(name, lang), group) for name, group in found.calibrated.items()]
    lines += _skipped_lines(found)
    return "\n".join(lines + _worst_lines(found))


def _heading() -> str:
    columns = [N_("rows"), N_("median"), N_("p90"), N_("in band")]
    return f"{'':<{_NAME_WIDTH}}" + "".join(f"{tr(column):>10}" for column in columns)


def _line(name: str, group: ErrorSummary) -> str:
    shares = (group.median_abs_error, group.p90_abs_error, group.in_band)
    cells = "".join(f"{'' if share is None else f'{share:.1%}':>10}" for share in shares)
    return f"{name[:_NAME_WIDTH]:<{_NAME_WIDTH}}{group.n:>10}{cells}"


def _skipped_lines(found: ValidationResult) -> list[str]:
    if not found.skipped:
        return []
    shown = [f"  {item.id}: {render(item.reason)}" for item in found.skipped[:_SHOWN_SKIPPED]]
    return ["", tr("Left out"), *shown]


def _worst_lines(found: ValidationResult) -> list[str]:
    known = [(row, row.error) for row in found.per_row if row.scored and row.error is not None]
    worst = sorted(known, key=lambda item: -abs(item[1] or 0.0))[:_SHOWN_WORST]
    if not worst:
        return []
    shown = [
        f"  {row.id}: {row.metric} {row.measured:.5g} → {row.predicted:.5g} ({error:+.0%})"
        for row, error in worst
    ]
    return ["", tr("Worst rows"), *shown]

"""Published serving measurements against the model: TPOT, TTFT, output and total tokens a second."""

from __future__ import annotations

from collections.abc import Sequence

from engine.catalog import Catalog, Fact, load_catalog
from engine.performance.serving_bands import serving_band
from engine.performance.serving_constants import PREFIX, ServingConstants
from engine.performance.training_constants import family_key
from engine.validation.disaggregated import MARK, disaggregated_results
from engine.validation.results import (
    ErrorSummary,
    RowResult,
    ValidationResult,
    finite_rows,
    gather,
    summarise,
)
from engine.validation.serving_cases import NEEDED_COLUMNS, ServingRow, serving_rows
from engine.validation.serving_fitting import ServingData
from engine.validation.tables import DataRow, read_rows

KIND_NAMES = {"tpot": "TPOT", "ttft": "TTFT", "output": "output tokens/s", "total": "total tokens/s"}


def validate_inference(text: str, catalog: Catalog | None = None) -> ValidationResult:
    """Predict every row of a file of published serving measurements and compare with its `value`.

    Valid for files with the columns of the published tables; only `gpu` must be there, or `system` and
    `silicon_tpot_ms` for split prefill and decode (a TPOT and a TTFT a row). Predictions take the shipped
    constants, the plain set for all engines, and never read a measured column, a note or the score. Rows with
    a score other than yes are predicted and stay out of the headline figures. Raises InputError naming a
    missing column.
    """
    facts = catalog or load_catalog()
    if MARK in text.partition("\n")[0]:
        rows = read_rows(text, ("system", MARK))
        found, skipped = disaggregated_results(rows, facts)
        return gather(len(found) + len(skipped), skipped, found)
    rows = read_rows(text, NEEDED_COLUMNS)
    cases, skipped = serving_rows(rows, facts)
    results = predict_rows(cases, facts)
    return gather(len(rows), skipped, results, _apart(results) | _with_presets(cases, facts))


def _apart(results: Sequence[RowResult]) -> dict[str, ErrorSummary]:
    """The rows that the file itself doubts, by metric."""
    return _by_metric("score other than yes", [row for row in finite_rows(results)[0] if not row.scored])


def _with_presets(cases: Sequence[ServingRow], catalog: Catalog) -> dict[str, ErrorSummary]:
    """The scored rows once more, each with its engine's preset."""
    scored = [case for case in cases if case.scored]
    results = [
        row
        for engine in sorted({case.engine for case in scored})
        for row in predict_rows([case for case in scored if case.engine == engine], catalog, engine)
    ]
    return _by_metric("engine presets", finite_rows(results)[0])


def _by_metric(title: str, rows: Sequence[RowResult]) -> dict[str, ErrorSummary]:
    found = {f"{title}: {m}": summarise([r for r in rows if m in r.groups]) for m in KIND_NAMES.values()}
    return {name: summary for name, summary in found.items() if summary.n}


def predict_rows(cases: Sequence[ServingRow], catalog: Catalog, engine: str = "") -> list[RowResult]:
    """Every case with its band, in one kernel call; `engine` takes its preset for all of them."""
    if not cases:
        return []
    constants = ServingConstants.from_facts(catalog.constants(PREFIX), engine)
    predicted = ServingData.of(cases, constants).predict()
    return [_result(case, float(value), catalog) for case, value in zip(cases, predicted, strict=True)]


def _result(case: ServingRow, predicted: float, catalog: Catalog) -> RowResult:
    metric = case.kind if case.kind in ("tpot", "ttft") else "throughput"
    band = serving_band(catalog, metric, is_moe=case.is_moe, family=case.accelerator.family)
    low, high = _ends(band)
    return RowResult(
        case.id,
        case.metric,
        case.row.measured("value"),
        predicted,
        predicted * low,
        predicted * high,
        case.scored,
        _groups(case),
    )


def _ends(band: Fact) -> tuple[float, float]:
    assert band.low is not None and band.high is not None
    return band.low, band.high


def _groups(case: ServingRow) -> tuple[str, ...]:
    """Each metric by itself, and within it by engine, network, accelerator, precision and source."""
    name = KIND_NAMES[case.kind]
    parts = (
        f"engine {case.engine}",
        f"model {_model(case.row)}",
        f"accelerator {case.accelerator.id}",
        f"family {family_key(case.accelerator.family)}",
        f"precision {case.precision}",
        f"source {case.source}",
        "moe" if case.is_moe else "dense",
    )
    return (name, *(f"{name}, {part}" for part in parts))


def _model(row: DataRow) -> str:
    return row.text("model") or "not named"

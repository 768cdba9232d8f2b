"""Fits the training constants to published runs, reproducible to the digit.

python -m engine.performance.calibration RUNS.csv [--totals T.csv] [--write E.csv] [--left-out L.csv]
prints errors in-sample and with each source left out, near the priors and with loose ones (spreads times
eight), and the 10-90 % bands by regime. --write puts the constants and the bands into efficiencies.csv,
--left-out the residuals of every row, fitted without its source, into a file the validation page shows.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog, load_catalog
from engine.performance.bands import PREFIX as BAND_PREFIX
from engine.performance.bands import WIDENING, regime_keys
from engine.validation.cases import TrainingCase, training_cases
from engine.validation.efficiencies import (
    KEY,
    band_row,
    insert_last,
    newest_date,
    read_table,
    set_fitted,
    write_table,
)
from engine.validation.fitting import (
    DIGITS,
    FitData,
    Prior,
    expand,
    fit_constants,
    leave_one_source_out,
    read_priors,
)
from engine.validation.tables import read_rows
from engine.validation.totals import NEEDED_COLUMNS as TOTALS_COLUMNS
from engine.validation.totals import fit_totals_factor, lasting_mfu, read_totals

LOOSE = 8.0
"""How much wider the priors are in the check that lets the data speak alone."""
BAND_SHARE = 0.8
SCRIPT = "engine.performance.calibration"
OWN_SOURCES = 4.0
"""A regime with this many sources counts half by its own residuals, half by its parent's."""


@dataclass(frozen=True)
class Calibration:
    """A fit and its checks: constants by key, ln(predicted / measured) of every case, band half-widths."""

    data: FitData
    values: Mapping[str, float]
    fitted: FloatArray
    held_out: FloatArray
    held_out_loose: FloatArray
    bands: Mapping[str, float]


def calibrate(text: str, catalog: Catalog) -> Calibration:
    """Fit the constants to the rows of a file with the columns of published runs."""
    cases, _ = training_cases(read_rows(text, ("gpu",)), catalog)
    data, priors = FitData.of(cases, catalog), read_priors()
    values = fit_constants(data, priors)
    loose = [replace(prior, spread=prior.spread * LOOSE) for prior in priors]
    alone = leave_one_source_out(data, loose)
    return Calibration(
        data=data,
        values=values,
        fitted=data.log_ratio(values),
        held_out=leave_one_source_out(data, priors),
        held_out_loose=alone,
        bands=fit_bands(data.cases, alone, catalog),
    )


def fit_bands(cases: Sequence[TrainingCase], held_out: FloatArray, catalog: Catalog) -> dict[str, float]:
    """Half-widths of the 10-90 % bands by regime, as ln(measured / predicted).

    The root of a kind is the spread published for rows kept out of an earlier fit (the catalogue's
    error_median and error_p90, between which the 80th percentile is interpolated in the logarithm); a regime
    takes its own 80th percentile of |residual|, every source weighing alike, with the weight
    sources / (sources + OWN_SOURCES), the rest from its parent.
    """
    scored = [index for index, case in enumerate(cases) if case.scored]
    found = {kind: _published_width(kind, catalog) for kind in ("dense", "moe")}
    members: dict[str, list[int]] = {}
    for index in scored:
        case = cases[index]
        names = regime_keys(is_moe=case.is_moe, family=case.accelerator.family, precision=case.precision)
        for name in names[:2]:
            members.setdefault(name, []).append(index)
    for name in sorted(members, key=lambda key: (key.count("_"), key)):
        sources = [cases[index].source for index in members[name]]
        own = _weighted_quantile(np.abs(held_out[members[name]]), sources)
        share = len(set(sources)) / (len(set(sources)) + OWN_SOURCES)
        found[name] = share * own + (1.0 - share) * found[name.rpartition("_")[0]]
    return found


def _published_width(kind: str, catalog: Catalog) -> float:
    median = catalog.fact("training", f"error_median_{kind}").value
    p90 = catalog.fact("training", f"error_p90_{kind}").value
    assert median is not None and p90 is not None
    share = (BAND_SHARE - 0.5) / 0.4
    return float(np.log1p(median) ** (1.0 - share) * np.log1p(p90) ** share)


def _weighted_quantile(values: FloatArray, sources: Sequence[str]) -> float:
    """The BAND_SHARE quantile, every source having the same weight."""
    weights = np.array([1.0 / sources.count(source) for source in sources])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][int(np.searchsorted(reached, BAND_SHARE))])


def describe(found: Calibration, priors: Sequence[Prior]) -> str:
    """The report of a fit for a terminal."""
    lines = [f"rows {len(found.data.cases)}, scored {sum(c.scored for c in found.data.cases)}"]
    start = found.data.log_ratio(expand(priors, np.zeros(len(priors))))
    for title, residuals in (
        ("at the priors", start),
        ("in-sample", found.fitted),
        ("leave-one-source-out", found.held_out),
        ("leave-one-source-out, loose priors", found.held_out_loose),
    ):
        lines += [_errors(found.data.cases, residuals, title, is_moe) for is_moe in (False, True)]
    lines += [f"  {p.key} {p.value:g} -> {found.values[p.key]:g}" for p in priors]
    lines += [
        f"  band_{name} {np.exp(-width):.3f} .. {np.exp(width):.3f}" for name, width in found.bands.items()
    ]
    return "\n".join(lines)


def _errors(cases: Sequence[TrainingCase], residuals: FloatArray, title: str, is_moe: bool) -> str:
    picked = [i for i, case in enumerate(cases) if case.scored and case.is_moe == is_moe]
    kind = "moe" if is_moe else "dense"
    if not picked:
        return f"{title}, {kind}: no rows"
    errors = np.abs(np.expm1(residuals[picked]))
    median, high = np.median(errors), np.quantile(errors, 0.9)
    return f"{title}, {kind}: n {len(picked)}, median {median:.1%}, p90 {high:.1%}"


def updated_table(table: str, values: Mapping[str, float], bands: Mapping[str, float]) -> str:
    """The text of efficiencies.csv with fitted constants and the half-widths of bands in it.

    Values go into rows that are there; bands, when there are any, replace all earlier ones.
    """
    rows = read_table(table)
    date = newest_date(rows)
    kept = [row for row in rows if not bands or not _is_band(row[KEY])]
    set_fitted(kept, "training.", values, DIGITS, SCRIPT)
    insert_last(kept, "training.", [_band_row(name, width, date) for name, width in sorted(bands.items())])
    return write_table(kept)


def _is_band(key: str) -> bool:
    return key.startswith(BAND_PREFIX) and key != WIDENING


def _band_row(name: str, width: float, date: str) -> list[str]:
    source = f"Own measurement: {SCRIPT} on published runs, each source left out in turn"
    note = "measured over predicted step time, 10th to 90th percentile; shrunk towards the wider regime"
    return band_row(BAND_PREFIX + name, width, source=source, date=date, note=note)


def left_out_table(found: Calibration) -> str:
    """CSV of ln(predicted / measured) of every row, by constants fitted without any row of its source."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["id", "ln_ratio"])
    for case, ratio in zip(found.data.cases, found.held_out, strict=True):
        writer.writerow([case.id, f"{ratio:.5f}"])
    return buffer.getvalue()


def describe_totals(text: str, catalog: Catalog) -> tuple[str, float]:
    """The factor of published GPU-hours on the step model, and its report with each row left out."""
    totals, _ = read_totals(read_rows(text, TOTALS_COLUMNS), catalog)
    known = [total for total in totals if total.measured is not None]
    errors = []
    for index, total in enumerate(known):
        factor = fit_totals_factor(known[:index] + known[index + 1 :], catalog)
        hours = total.hours(lasting_mfu(total, catalog, factor))
        errors.append(abs(hours / (total.measured or hours) - 1.0))
    factor = fit_totals_factor(known, catalog)
    report = f"totals: n {len(known)}, factor {factor:.{DIGITS}g}, left out: median {np.median(errors):.1%}"
    return report, factor


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fits from the command line. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m engine.performance.calibration")
    parser.add_argument("runs", type=Path, help="CSV file of published runs")
    parser.add_argument("--totals", type=Path, metavar="FILE", help="CSV file of published GPU-hours")
    parser.add_argument("--write", type=Path, metavar="FILE", help="efficiencies.csv to update")
    parser.add_argument("--left-out", type=Path, metavar="FILE", help="where to write residuals of each row")
    options = parser.parse_args(arguments)
    catalog = load_catalog()
    found = calibrate(options.runs.read_text(encoding="utf-8"), catalog)
    sys.stdout.write(describe(found, read_priors()) + "\n")
    values = dict(found.values)
    if options.totals is not None:
        report, values["totals_factor"] = describe_totals(options.totals.read_text("utf-8"), catalog)
        sys.stdout.write(report + "\n")
    if options.left_out is not None:
        options.left_out.write_text(left_out_table(found), encoding="utf-8")
    if options.write is not None:
        table = updated_table(options.write.read_text(encoding="utf-8"), values, found.bands)
        options.write.write_text(table, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Fits the serving constants to published measurements, reproducible to the digit.

python -m engine.performance.serving_calibration RUNS.csv [--write EFFICIENCIES.csv] prints errors
in-sample and with each source, each family of networks and each accelerator left out, and the 10-90 % bands
by regime. --write puts the constants and the bands into efficiencies.csv.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog, load_catalog
from engine.performance.serving_bands import PREFIX as BAND_PREFIX
from engine.performance.serving_bands import serving_regimes
from engine.performance.serving_constants import (
    ENGINE_WORD,
    ENGINES,
    PREFIX,
    PRESET_CONSTANTS,
    ServingConstants,
)
from engine.validation.efficiencies import (
    BASIS,
    KEY,
    UNIT,
    band_row,
    insert_last,
    newest_date,
    read_table,
    set_fitted,
    write_table,
)
from engine.validation.fitting import DIGITS, Prior
from engine.validation.serving_cases import NEEDED_COLUMNS, ServingRow, serving_rows
from engine.validation.serving_fitting import (
    ServingData,
    fit_rows,
    fit_serving,
    leave_groups_out,
    measured_values,
    read_serving_priors,
)
from engine.validation.tables import read_rows

BAND_SHARE = 0.8
PRESET_SPREAD, FEWEST_ROWS = 0.3, 50
"""How far an engine's constants may be from the plain ones, and rows below which it has no preset."""
OWN_GROUPS = 4.0
"""A regime with this many groups left out counts half by its own residuals, half by its parent's."""
BAND_METRIC = {"tpot": "tpot", "ttft": "ttft", "output": "throughput", "total": "throughput"}
_SCRIPT = "engine.performance.serving_calibration"


@dataclass(frozen=True)
class ServingCalibration:
    """A fit and its checks: constants by key, ln(predicted / measured) in-sample and by what was left out."""

    data: ServingData
    values: Mapping[str, float]
    presets: Mapping[str, Mapping[str, float]]
    fitted: FloatArray
    held_out: Mapping[str, FloatArray]
    bands: Mapping[str, float]


def read_fit_data(text: str, catalog: Catalog) -> ServingData:
    """The rows of a file of published measurements that a fit takes."""
    rows, _ = serving_rows(read_rows(text, NEEDED_COLUMNS), catalog)
    return fit_rows(ServingData.of(rows, ServingConstants.from_facts(catalog.constants(PREFIX))))


def calibrate_serving(text: str, catalog: Catalog) -> ServingCalibration:
    """Fit the constants to a file and to the file without each source, family and accelerator."""
    data, priors = read_fit_data(text, catalog), read_serving_priors()
    values = fit_serving(data, priors)
    groups = {
        "source": [row.source for row in data.rows],
        "family": [network_family(row.row.text("model")) for row in data.rows],
        "accelerator": [row.accelerator.id for row in data.rows],
    }
    held = {name: leave_groups_out(data, priors, names, values) for name, names in groups.items()}
    fitted = np.log(data.predict(values) / measured_values(data.rows))
    bands = fit_serving_bands(data.rows, held, groups)
    return ServingCalibration(data, values, fit_presets(data, values), fitted, held, bands)


def fit_presets(data: ServingData, values: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """What each engine's own rows make of PRESET_CONSTANTS, the others as in the plain set `values`."""
    priors = [Prior(name, values[name], PRESET_SPREAD, ()) for name in PRESET_CONSTANTS]
    plain = replace(data, constants=replace(data.constants, **values))
    found = {}
    for engine in ENGINES:
        own = np.array([row.engine == engine for row in data.rows])
        if own.sum() >= FEWEST_ROWS:
            found[engine] = fit_serving(plain.subset(own), priors)
    return found


def network_family(model: str) -> str:
    """A network's first word and size: what its versions share."""
    word = model.casefold()
    name = re.match(r"[a-z]*", word)
    size = re.search(r"(\d+(?:\.\d+)?)b", word)
    return " ".join(part[0] for part in (name, size) if part)


def fit_serving_bands(
    rows: Sequence[ServingRow], held_out: Mapping[str, FloatArray], groups: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Half-widths of the 10-90 % bands by regime, as ln(measured / predicted).

    The 80th percentile of |residual| over all three ways of leaving out, since what a planner asks for may be
    new in source, network or accelerator; a regime takes its own with the weight groups / (groups +
    OWN_GROUPS), the rest from its parent.
    """
    members: dict[str, list[tuple[float, str]]] = {}
    for how, residuals in held_out.items():
        for row, residual, group in zip(rows, np.abs(residuals), groups[how], strict=True):
            metric = BAND_METRIC[row.kind]
            for name in serving_regimes(metric, is_moe=row.is_moe, family=row.accelerator.family):
                members.setdefault(name, []).append((float(residual), f"{how} {group}"))
    found: dict[str, float] = {}
    for name in sorted(members, key=lambda key: (key.count("_"), key)):
        own = float(np.quantile([residual for residual, _ in members[name]], BAND_SHARE))
        count = len({group for _, group in members[name]})
        parent = found.get(name.rpartition("_")[0], own)
        share = count / (count + OWN_GROUPS)
        found[name] = share * own + (1.0 - share) * parent
    return found


def describe_serving(found: ServingCalibration) -> str:
    """The report of a fit for a terminal."""
    lines = [f"rows {len(found.data.rows)}"]
    kinds = np.array([row.kind for row in found.data.rows])
    checks = {"in-sample": found.fitted} | {f"left out by {k}": v for k, v in found.held_out.items()}
    for title, residuals in checks.items():
        for kind in BAND_METRIC:
            if not np.any(kinds == kind):
                continue
            errors = np.abs(np.expm1(residuals[kinds == kind]))
            median, high = np.median(errors), np.quantile(errors, 0.9)
            lines.append(f"{title}, {kind}: n {errors.size}, median {median:.1%}, p90 {high:.1%}")
    lines += [f"  {p.key} {p.value:g} -> {found.values[p.key]:g}" for p in read_serving_priors()]
    lines += [
        f"  {engine} {name} {value:g}" for engine, own in found.presets.items() for name, value in own.items()
    ]
    lines += [f"  band_{name} {np.exp(-w):.3f} .. {np.exp(w):.3f}" for name, w in found.bands.items()]
    return "\n".join(lines)


def updated_serving_table(
    table: str,
    values: Mapping[str, float],
    bands: Mapping[str, float],
    presets: Mapping[str, Mapping[str, float]],
) -> str:
    """The text of efficiencies.csv with fitted constants, the half-widths of bands and engine presets in it.

    Values go into rows that are there; bands and presets replace all earlier ones.
    """
    rows = read_table(table)
    date, units = newest_date(rows), {row[KEY]: row[UNIT] for row in rows}
    kept = [row for row in rows if not row[KEY].startswith((BAND_PREFIX, PREFIX + ENGINE_WORD))]
    set_fitted(kept, PREFIX, values, DIGITS, _SCRIPT)
    for row in kept:
        if row[KEY].removeprefix(PREFIX) in values:
            row[BASIS] = "derived"
    insert_last(
        kept,
        PREFIX,
        [
            *(_band_row(name, width, date) for name, width in sorted(bands.items())),
            *(
                _preset_row(engine, name, value, units[PREFIX + name], date)
                for engine, found in sorted(presets.items())
                for name, value in found.items()
            ),
        ],
    )
    return write_table(kept)


def _band_row(name: str, width: float, date: str) -> list[str]:
    source = (
        f"Own measurement: {_SCRIPT} on published runs, each source, family and accelerator left out in turn"
    )
    note = "measured over predicted, 10th to 90th percentile; shrunk towards the wider regime"
    return band_row(BAND_PREFIX + name, width, source=source, date=date, note=note)


def _preset_row(engine: str, name: str, value: float, unit: str, date: str) -> list[str]:
    source = f"Own measurement: {_SCRIPT} on this engine's published runs, other constants of the plain set"
    note = f"preset: {name} with {engine}; the plain set is the default"
    key = f"{PREFIX}{ENGINE_WORD}{engine}_{name}"
    return [key, f"{value:.{DIGITS}g}", "", "", unit, source, date, "derived", note]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fit from the command line. Returns the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {_SCRIPT}")
    parser.add_argument("runs", type=Path, help="CSV file of published measurements")
    parser.add_argument("--write", type=Path, metavar="FILE", help="efficiencies.csv to update")
    options = parser.parse_args(arguments)
    found = calibrate_serving(options.runs.read_text(encoding="utf-8"), load_catalog())
    sys.stdout.write(describe_serving(found) + "\n")
    if options.write is not None:
        table = options.write.read_text(encoding="utf-8")
        updated = updated_serving_table(table, found.values, found.bands, found.presets)
        options.write.write_text(updated, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

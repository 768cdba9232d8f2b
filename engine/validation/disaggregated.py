"""Rows of split prefill and decode: two pools of one model, each with its own layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.catalog import Catalog
from engine.performance.serving_bands import serving_band
from engine.performance.serving_constants import PREFIX, ServingConstants
from engine.performance.serving_runs import disaggregated
from engine.performance.serving_step import ServingCase
from engine.text import N_, Message
from engine.validation.results import RowResult
from engine.validation.serving_cases import ServingRow, serving_row
from engine.validation.serving_conditions import assumed
from engine.validation.tables import DataRow, RowProblem, Skipped, read_cases

MARK = "silicon_tpot_ms"
"""The column that tells such a file."""
_METRICS = (("tpot", MARK), ("ttft", "silicon_ttft_ms"))


def disaggregated_results(rows: Sequence[DataRow], catalog: Catalog) -> tuple[list[RowResult], list[Skipped]]:
    """TPOT and TTFT of every row that can be expressed, and the others with the reason.

    Rows that do not say how many workers a pool has are left out: without them nothing tells a batch.
    """
    constants = ServingConstants.from_facts(catalog.constants(PREFIX))
    found, skipped = read_cases(rows, lambda row: _results(row, catalog, constants))
    return [result for results in found for result in results], skipped


def _nominal_outputs() -> tuple[float, float]:
    """Output lengths of InferenceX, which draws shorter ones [tokens]."""
    return assumed("random_length_output_short"), assumed("random_length_output_long")


def _results(row: DataRow, catalog: Catalog, constants: ServingConstants) -> list[RowResult]:
    first, second = (_pool(row, catalog, name) for name in ("prefill", "decode"))
    prefill, decode = (ServingCase(p.model, p.hardware, p.load, constants) for p in (first, second))
    clients = row.count("concurrency", 1.0)
    senders, receivers = row.amount("prefill_num_workers"), row.amount("decode_num_workers")
    if not senders or not receivers:
        raise RowProblem(Message(N_("the workers of the prefill and decode pools are not given")))
    with np.errstate(all="ignore"):
        run = disaggregated(
            prefill,
            decode,
            clients,
            prefill_workers=senders,
            decode_workers=receivers,
        )
    found = []
    for (metric, column), seconds in zip(_METRICS, (run.tpot_s, run.ttft_s), strict=True):
        band = serving_band(catalog, metric, is_moe=first.is_moe, family=first.accelerator.family)
        assert band.low is not None and band.high is not None
        predicted = 1e3 * float(seconds)
        groups = tuple(
            f"{metric.upper()}{part}"
            for part in ("", f", accelerator {first.accelerator.id}", f", engine {first.engine}")
        )
        found.append(
            RowResult(
                f"{row.id} {metric}",
                column.removeprefix("silicon_"),
                row.measured(column),
                predicted,
                predicted * band.low,
                predicted * band.high,
                True,
                groups,
            )
        )
    return found


def _pool(row: DataRow, catalog: Catalog, name: str) -> ServingRow:
    """One pool as an ordinary row. Experts on more ranks than a tensor group mean attention ranks."""
    tensor = row.count(f"{name}_tp_size", 1.0)
    copies = row.count(f"{name}_attention_dp_size", 1.0)
    experts = row.count(f"{name}_moe_ep_size", 1.0)
    if copies == 1.0 and experts > tensor:
        copies = max(1.0, experts // tensor)
    cells = {
        "gpu": row.text("system").partition("_")[0],
        "model": row.text("model_path").rpartition("/")[2],
        "metric": "tpot_ms",
        "weight_dtype": row.text("precision"),
        "engine": row.text("backend"),
        "group": "inferencex" if row.number("osl") in _nominal_outputs() else "",
        "concurrency_or_batch": row.text("concurrency"),
        "tp": str(int(tensor)),
        "attn_dp": str(int(copies)),
        "isl": row.text("isl"),
        "osl": row.text("osl"),
    }
    found = serving_row(DataRow(row.id, cells), catalog)
    return replace(found, load=replace(found.load, max_num_seqs=np.inf))

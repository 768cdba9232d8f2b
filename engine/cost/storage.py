"""Stored data sets, checkpoints and further items [GB-month]."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs, StoragePlan
from engine.cost.ledger import DAYS_PER_MONTH, Line, LineSpec, Term
from engine.text import N_

GB_MONTHS = "GB-month"

DATA_SETS = LineSpec(
    "storage",
    N_("Data sets"),
    "run",
    GB_MONTHS,
    "variable",
    N_("size x months until archives end, times the price"),
)
CHECKPOINTS_RUN = LineSpec(
    "storage",
    N_("Checkpoints during the run"),
    "run",
    GB_MONTHS,
    "variable",
    N_("size of one x mean number held x months of the run, times the price"),
)
CHECKPOINTS_KEPT = LineSpec(
    "storage",
    N_("Checkpoints kept after the run"),
    "keep",
    GB_MONTHS,
    "variable",
    N_("size of one x number kept x months after the run, times the price"),
)
ITEMS = LineSpec(
    "storage",
    N_("Further stored items"),
    "keep",
    GB_MONTHS,
    "variable",
    N_("sum of size x copies x months, times the price"),
)


def mean_held(written: Array, kept: Array) -> Array:
    """Mean number of checkpoints held while `written` come in evenly and at most `kept` stay.

    Equation: kept (1 - kept / (2 written)) when kept < written, else written / 2.
    """
    held = np.minimum(kept, written)
    return held * (1.0 - held / (2.0 * np.maximum(written, 1e-12)))


def storage_lines(
    storage: StoragePlan, *, written: Array, start_day: Array, end_day: Array, with_checkpoints: bool
) -> list[Line]:
    """Lines of stored data. `written` = checkpoints written in the run; days frame the work."""
    months_run = (end_day - start_day) / DAYS_PER_MONTH
    keep_to = end_day + storage.months_after * DAYS_PER_MONTH
    source = {"source": storage.tariff_source, "date": storage.tariff_date}
    data_price = Term(storage.dataset_price, "currency/GB-month", None, **source)
    months_data = end_day / DAYS_PER_MONTH + storage.months_after
    lines = [
        Line(
            DATA_SETS,
            storage.dataset_gb * months_data,
            storage.dataset_price,
            {
                "size": Term(storage.dataset_gb, "GB", "storage.dataset_gb"),
                "months": Term(months_data, "months", "storage.months_after_run"),
                "price": data_price,
            },
            0.0,
            0.0,
            keep_to,
        ),
    ]
    if with_checkpoints:
        price = Term(storage.checkpoint_price, "currency/GB-month", "storage.checkpoint_tier", **source)
        size = Term(storage.checkpoint_gb, "GB")
        held = mean_held(written, storage.checkpoints_kept)
        kept = np.minimum(written, storage.checkpoints_kept)
        lines += [
            Line(
                CHECKPOINTS_RUN,
                storage.checkpoint_gb * held * months_run,
                storage.checkpoint_price,
                {
                    "size of one": size,
                    "mean number held": Term(held, "checkpoints", "storage.checkpoints_kept"),
                    "months of the run": Term(months_run, "months"),
                    "price": price,
                },
                0.0,
                start_day,
                end_day,
            ),
            Line(
                CHECKPOINTS_KEPT,
                storage.checkpoint_gb * kept * storage.months_after,
                storage.checkpoint_price,
                {
                    "size of one": size,
                    "number kept": Term(kept, "checkpoints", "storage.checkpoints_kept"),
                    "months": Term(storage.months_after, "months", "storage.months_after_run"),
                    "price": price,
                },
                0.0,
                end_day,
                keep_to,
            ),
        ]
    lines.append(
        Line(
            ITEMS,
            storage.item_gb_months,
            storage.item_price,
            {
                "GB-months": Term(storage.item_gb_months, GB_MONTHS, "storage.items"),
            },
            0.0,
            0.0,
            keep_to,
        )
    )
    return lines


def checkpoint_growth_gib_per_week(money: MoneyInputs, *, written: Array, days: Array) -> Array:
    """Checkpoint data that accumulates each week of the run [GiB]: kept ones only."""
    kept = np.minimum(written, money.storage.checkpoints_kept)
    return money.storage.checkpoint_gb * 1e9 / 2**30 * kept / np.maximum(days / 7.0, 1e-9)

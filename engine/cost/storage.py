"""Stored data sets, checkpoints and further items [GB-month]."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs, StoragePlan, VectorStore
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
VECTORS = LineSpec(
    "storage",
    N_("Vector store"),
    "run",
    GB_MONTHS,
    "variable",
    N_("size x months, times the price"),
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
    keep_to = end_day + storage.months_after * DAYS_PER_MONTH
    months = end_day / DAYS_PER_MONTH + storage.months_after
    terms = {
        N_("size"): Term(storage.dataset_gb, "GB", "storage.dataset_gb"),
        N_("number of months"): Term(months, "months", "storage.months_after_run"),
        N_("price"): _price(storage, storage.dataset_price),
    }
    lines = [
        Line(DATA_SETS, storage.dataset_gb * months, storage.dataset_price, terms, 0.0, 0.0, keep_to),
        Line(
            ITEMS,
            storage.item_gb_months,
            storage.item_price,
            {N_("GB-months"): Term(storage.item_gb_months, GB_MONTHS, "storage.items")},
            0.0,
            0.0,
            keep_to,
        ),
    ]
    if storage.vectors is not None:
        lines.append(_vector_line(storage.vectors, months, keep_to))
    return lines + _checkpoint_lines(storage, written, start_day, end_day) if with_checkpoints else lines


def _vector_line(store: VectorStore, months: Array, keep_to: Array) -> Line:
    """The index for retrieval, as long as data sets are kept."""
    terms = {
        N_("size"): Term(store.size_gb, "GB", "storage.vector_store_gb"),
        N_("number of months"): Term(months, "months"),
        N_("price"): Term(store.price, "currency/GB-month", None, store.source, store.date),
    }
    return Line(VECTORS, store.size_gb * months, store.price, terms, 0.0, 0.0, keep_to)


def _checkpoint_lines(storage: StoragePlan, written: Array, start_day: Array, end_day: Array) -> list[Line]:
    """Checkpoints while the run writes them, and those kept after it."""
    price = _price(storage, storage.checkpoint_price, "storage.checkpoint_tier")
    size = Term(storage.checkpoint_gb, "GB")
    months = (end_day - start_day) / DAYS_PER_MONTH
    held, kept = mean_held(written, storage.checkpoints_kept), np.minimum(written, storage.checkpoints_kept)
    during = {
        N_("size of one"): size,
        N_("mean number held"): Term(held, "checkpoints", "storage.checkpoints_kept"),
        N_("months of the run"): Term(months, "months"),
        N_("price"): price,
    }
    after = {
        N_("size of one"): size,
        N_("number kept"): Term(kept, "checkpoints", "storage.checkpoints_kept"),
        N_("number of months"): Term(storage.months_after, "months", "storage.months_after_run"),
        N_("price"): price,
    }
    stored_run = storage.checkpoint_gb * held * months
    stored_after = storage.checkpoint_gb * kept * storage.months_after
    keep_to = end_day + storage.months_after * DAYS_PER_MONTH
    return [
        Line(CHECKPOINTS_RUN, stored_run, storage.checkpoint_price, during, 0.0, start_day, end_day),
        Line(CHECKPOINTS_KEPT, stored_after, storage.checkpoint_price, after, 0.0, end_day, keep_to),
    ]


def _price(storage: StoragePlan, price: Array, path: str | None = None) -> Term:
    return Term(price, "currency/GB-month", path, storage.tariff_source, storage.tariff_date)


def checkpoint_growth_gib_per_week(money: MoneyInputs, *, written: Array, days: Array) -> Array:
    """Checkpoint data that accumulates each week of the run [GiB]: kept ones only."""
    kept = np.minimum(written, money.storage.checkpoints_kept)
    return money.storage.checkpoint_gb * 1e9 / 2**30 * kept / np.maximum(days / 7.0, 1e-9)

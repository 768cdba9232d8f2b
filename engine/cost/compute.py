"""Accelerator hours: useful work, retries, experiments, idle time, spares, unused commitment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs
from engine.cost.ledger import (
    DAYS_PER_MONTH,
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    Line,
    LineSpec,
    Term,
)
from engine.text import N_

GPU_HOURS = "GPU-h"

MAIN_RUN = LineSpec(
    "compute",
    N_("Main run, useful work"),
    "run",
    GPU_HOURS,
    "variable",
    N_("tokens / (tokens a second and GPU), in hours, times the price"),
)
EXPERIMENTS_GOOD = LineSpec(
    "compute",
    N_("Experiments that succeed"),
    "prepare",
    GPU_HOURS,
    "variable",
    N_("useful GPU-hours x runs x size x (1 + repeats) x (1 - share that fails), times the price"),
    "include_experiments",
)
EXPERIMENTS_FAILED = LineSpec(
    "failures",
    N_("Experiments that fail"),
    "prepare",
    GPU_HOURS,
    "variable",
    N_("useful GPU-hours x runs x size x (1 + repeats) x share that fails, times the price"),
    "include_experiments",
)
EVALUATION = LineSpec(
    "compute",
    N_("Evaluation"),
    "evaluate",
    GPU_HOURS,
    "variable",
    N_("useful GPU-hours x evaluation share, times the price"),
)
REWORK = LineSpec(
    "failures",
    N_("Rework and restarts"),
    "run",
    GPU_HOURS,
    "variable",
    N_("GPU-hours of the run x (share repeated + share restarting + share waiting), times the price"),
    "include_retries",
)
STALLS = LineSpec(
    "failures",
    N_("Checkpoint stalls"),
    "run",
    GPU_HOURS,
    "variable",
    N_("GPU-hours of the run x share spent writing checkpoints, times the price"),
    "include_retries",
)
SPARES = LineSpec(
    "compute",
    N_("Spare nodes"),
    "run",
    GPU_HOURS,
    "variable",
    N_("spare accelerators x hours of the run, times the price"),
)
IDLE = LineSpec(
    "compute",
    N_("Paid but idle"),
    "run",
    GPU_HOURS,
    "variable",
    N_("working GPU-hours x (1 / busy share - 1), times the price"),
)
TAIL = LineSpec(
    "compute",
    N_("Commitment beyond the work"),
    "run",
    GPU_HOURS,
    "fixed",
    N_("accelerators x committed hours - paid GPU-hours, when positive, times the price"),
)
INSTANCES = LineSpec(
    "compute",
    N_("Serving instances"),
    "run",
    GPU_HOURS,
    "variable",
    N_("mean instances x GPUs each x hours of the horizon, times the price"),
)


@dataclass(frozen=True, slots=True)
class TrainingUse:
    """Accelerator use of a training run: hours of wall time, its shares, and where it runs."""

    accelerators: Array
    spare_accelerators: Array
    useful_h: Array
    wall_h: Array
    rework_share: Array
    stall_share: Array
    tokens: Array
    tokens_per_s_per_gpu: Array
    preparation_days: Array


def training_lines(use: TrainingUse, money: MoneyInputs) -> list[Line]:
    """Lines of accelerator hours of a training plan. Prices in plan currency per GPU-hour."""
    useful_gpu_h = use.accelerators * use.useful_h
    wall_gpu_h = use.accelerators * use.wall_h
    trials = (
        useful_gpu_h
        * money.experiment_runs
        * money.experiment_run_share
        * (1.0 + money.experiment_rerun_share)
    )
    failed = trials * money.experiment_failed_share
    evaluation = useful_gpu_h * money.evaluation_share
    spares = use.spare_accelerators * use.wall_h
    price = _price_term(money)
    wall = Term(wall_gpu_h, GPU_HOURS)
    useful = Term(useful_gpu_h, GPU_HOURS)
    run_from, run_to = use.preparation_days, use.preparation_days + use.wall_h / HOURS_PER_DAY
    trial_terms = {
        "useful": useful,
        "runs": Term(money.experiment_runs, "", "experiments.runs"),
        "size": Term(money.experiment_run_share, "share", "experiments.run_share"),
        "repeats": Term(money.experiment_rerun_share, "share", "experiments.rerun_share"),
        "share that fails": Term(money.experiment_failed_share, "share", "experiments.failed_share"),
        **price,
    }
    lines = [
        _line(
            MAIN_RUN,
            useful_gpu_h,
            money,
            run_from,
            run_to,
            {
                "tokens": Term(use.tokens, "tokens", "training.tokens"),
                "tokens a second and GPU": Term(use.tokens_per_s_per_gpu, "tokens/s"),
                **price,
            },
        ),
        _line(EXPERIMENTS_GOOD, trials - failed, money, 0.0, run_from, trial_terms),
        _line(EXPERIMENTS_FAILED, failed, money, 0.0, run_from, trial_terms),
        _line(
            REWORK,
            wall_gpu_h * use.rework_share,
            money,
            run_from,
            run_to,
            {
                "GPU-hours of the run": wall,
                "share": Term(use.rework_share, "share"),
                **price,
            },
        ),
        _line(
            STALLS,
            wall_gpu_h * use.stall_share,
            money,
            run_from,
            run_to,
            {
                "GPU-hours of the run": wall,
                "share": Term(use.stall_share, "share"),
                **price,
            },
        ),
        _line(
            EVALUATION,
            evaluation,
            money,
            run_to,
            run_to + 7.0,
            {
                "useful": useful,
                "evaluation share": Term(money.evaluation_share, "share", "training.evaluation_share"),
                **price,
            },
        ),
        _line(
            SPARES,
            spares,
            money,
            run_from,
            run_to,
            {
                "spare accelerators": Term(use.spare_accelerators, "GPUs", "reliability.spare_nodes"),
                "hours": Term(use.wall_h, "h"),
                **price,
            },
        ),
    ]
    working = wall_gpu_h + trials + evaluation + spares
    return lines + _idle_and_tail(working, use.accelerators + use.spare_accelerators, money, run_from, run_to)


def serving_lines(
    instances_mean: Array, gpus_per_instance: Array, gpus_peak: Array, money: MoneyInputs
) -> list[Line]:
    """Lines of accelerator hours of an online service over its horizon."""
    hours = money.horizon_months * HOURS_PER_MONTH
    quantity = instances_mean * gpus_per_instance * hours
    end = money.horizon_months * DAYS_PER_MONTH
    terms = {
        "mean instances": Term(instances_mean, "instances"),
        "GPUs each": Term(gpus_per_instance, "GPUs"),
        "hours": Term(hours, "h", "schedule.horizon_months"),
        **_price_term(money),
    }
    return [
        _line(INSTANCES, quantity, money, 0.0, end, terms),
        *_idle_and_tail(quantity, gpus_peak, money, 0.0, end),
    ]


def _idle_and_tail(
    working: Array, committed_gpus: Array, money: MoneyInputs, start: Array, end: Array
) -> list[Line]:
    """Hours paid without work: idle shares, and a commitment that outlasts the work."""
    purchase = money.purchase
    idle = working * (1.0 / purchase.busy_share - 1.0)
    committed = committed_gpus * purchase.term_months * HOURS_PER_MONTH
    tail = np.where(purchase.reserved > 0, np.maximum(0.0, committed - working - idle), 0.0)
    price = _price_term(money)
    return [
        _line(
            IDLE,
            idle,
            money,
            start,
            end,
            {
                "working GPU-hours": Term(working, GPU_HOURS),
                "busy share": Term(purchase.busy_share, "share", "cluster.busy_share"),
                **price,
            },
        ),
        _line(
            TAIL,
            tail,
            money,
            end,
            np.maximum(end, purchase.term_months * DAYS_PER_MONTH),
            {
                "accelerators": Term(committed_gpus, "GPUs"),
                "term": Term(purchase.term_months, "months", "cluster.commitment_term_months"),
                "paid GPU-hours": Term(working + idle, GPU_HOURS),
                **price,
            },
        ),
    ]


def _line(
    spec: LineSpec, quantity: Array, money: MoneyInputs, start: Array, end: Array, terms: dict[str, Term]
) -> Line:
    return Line(spec, quantity, money.purchase.price_per_gpu_hour, terms, money.purchase.reserved, start, end)


def _price_term(money: MoneyInputs) -> dict[str, Term]:
    purchase = money.purchase
    return {
        "price": Term(
            purchase.price_per_gpu_hour,
            "currency/GPU-h",
            "cluster.price_per_gpu_hour",
            purchase.price_source,
            purchase.price_date,
        )
    }

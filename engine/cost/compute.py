"""Accelerator hours: useful work, retries, experiments, idle time, spares, unused commitment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array
from engine.cost.committed import base_lines, spot_line
from engine.cost.inputs import MoneyInputs
from engine.cost.ledger import (
    DAYS_PER_MONTH,
    GPU_HOURS,
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    SECONDS_PER_HOUR,
    Line,
    LineSpec,
    Term,
)
from engine.performance.batch import BatchRun
from engine.text import N_

EVALUATION_DAYS = 7.0
"""How long after the run its evaluation is paid for; a date in the cash flow, not an amount."""

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
    N_(
        "mean instances above the base x GPUs each x hours of the horizon x (1 - share on spot), "
        "times the price"
    ),
)
BATCH_RUN = LineSpec(
    "compute",
    N_("Batch job, useful work"),
    "run",
    GPU_HOURS,
    "variable",
    N_("instances x GPUs each x hours of their waves, times the price"),
)
BATCH_START = LineSpec(
    "compute",
    N_("Starting the instances"),
    "run",
    GPU_HOURS,
    "variable",
    N_("instances x GPUs each x hours of a cold start, times the price"),
)
BATCH_REPEATED = LineSpec(
    "failures",
    N_("Interrupted and repeated"),
    "run",
    GPU_HOURS,
    "variable",
    N_("instances x GPUs each x hours lost with waves and spent on starting again, times the price"),
    "include_retries",
)
BATCH_UNUSED = LineSpec(
    "compute",
    N_("GPUs beyond whole instances"),
    "run",
    GPU_HOURS,
    "variable",
    N_("GPUs that make up no working instance x hours bought, times the price"),
)


OTHER_MODELS = LineSpec(
    "compute",
    N_("Other models on the fleet"),
    "run",
    GPU_HOURS,
    "variable",
    N_("mean GPUs of the other models x hours of the horizon, times the price"),
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
    main, trials = _run_lines(use, money), _trial_lines(use, money)
    start, end = _run_days(use)
    working = _gpu_hours(main) + _gpu_hours(trials)
    accelerators = use.accelerators + use.spare_accelerators
    return [*main, *trials, *_idle_and_tail(working, accelerators, money, start, end)]


def _run_days(use: TrainingUse) -> tuple[Array, Array]:
    """First and last day of the main run, counted from the plan's start."""
    return use.preparation_days, use.preparation_days + use.wall_h / HOURS_PER_DAY


def _gpu_hours(lines: list[Line]) -> Array:
    hours: Array = 0.0
    for line in lines:
        hours = hours + line.quantity
    return hours


def _run_lines(use: TrainingUse, money: MoneyInputs) -> list[Line]:
    """The main run: useful work, what failures and checkpoints cost it, and spares."""
    start, end = _run_days(use)
    wall_gpu_h = use.accelerators * use.wall_h
    wall = Term(wall_gpu_h, GPU_HOURS)
    parts: list[tuple[LineSpec, Array, dict[str, Term]]] = [
        (
            MAIN_RUN,
            use.accelerators * use.useful_h,
            {
                N_("tokens"): Term(use.tokens, "tokens", "training.tokens"),
                N_("tokens a second and GPU"): Term(use.tokens_per_s_per_gpu, "tokens/s"),
            },
        ),
        (REWORK, wall_gpu_h * use.rework_share, _share_terms(wall, use.rework_share)),
        (STALLS, wall_gpu_h * use.stall_share, _share_terms(wall, use.stall_share)),
        (
            SPARES,
            use.spare_accelerators * use.wall_h,
            {
                N_("spare accelerators"): Term(use.spare_accelerators, "GPUs", "reliability.spare_nodes"),
                N_("hours"): Term(use.wall_h, "h"),
            },
        ),
    ]
    return [_line(spec, quantity, money, start, end, terms) for spec, quantity, terms in parts]


def _share_terms(wall: Term, share: Array) -> dict[str, Term]:
    return {N_("GPU-hours of the run"): wall, N_("share"): Term(share, "share")}


def _trial_lines(use: TrainingUse, money: MoneyInputs) -> list[Line]:
    """Experiments before the run and evaluation after it, both relative to the run's useful work."""
    start, end = _run_days(use)
    useful = use.accelerators * use.useful_h
    trials = (
        useful * money.experiment_runs * money.experiment_run_share * (1.0 + money.experiment_rerun_share)
    )
    failed = trials * money.experiment_failed_share
    terms = {
        N_("useful"): Term(useful, GPU_HOURS),
        N_("runs"): Term(money.experiment_runs, "", "experiments.runs"),
        N_("size"): Term(money.experiment_run_share, "share", "experiments.run_share"),
        N_("repeats"): Term(money.experiment_rerun_share, "share", "experiments.rerun_share"),
        N_("share that fails"): Term(money.experiment_failed_share, "share", "experiments.failed_share"),
    }
    share = Term(money.evaluation_share, "share", "training.evaluation_share")
    evaluation = {N_("useful"): Term(useful, GPU_HOURS), N_("evaluation share"): share}
    return [
        _line(EXPERIMENTS_GOOD, trials - failed, money, 0.0, start, terms),
        _line(EXPERIMENTS_FAILED, failed, money, 0.0, start, terms),
        _line(EVALUATION, useful * money.evaluation_share, money, end, end + EVALUATION_DAYS, evaluation),
    ]


def serving_lines(
    instances_mean: Array,
    gpus_per_instance: Array,
    gpus_peak: Array,
    money: MoneyInputs,
    instances_elastic: Array | None = None,
    other_gpus: Mapping[str, Array] | None = None,
) -> list[Line]:
    """Lines of accelerator hours of an online service over its horizon.

    `instances_elastic` is the part of `instances_mean` above the committed base; None: all of them.
    `other_gpus` are held on average by other networks of the fleet, by name; all of it is elastic.
    """
    elastic = instances_mean if instances_elastic is None else instances_elastic
    base, busy = money.purchase.base, money.purchase.busy_share
    hours = money.horizon_months * HOURS_PER_MONTH
    above = elastic * gpus_per_instance * hours
    on_spot = above * base.spot_share
    quantity = above - on_spot
    end = money.horizon_months * DAYS_PER_MONTH
    terms = {
        N_("mean instances"): Term(elastic, "instances"),
        N_("GPUs each"): Term(gpus_per_instance, "GPUs"),
        N_("hours"): Term(hours, "h", "schedule.horizon_months"),
        N_("share on spot"): Term(base.spot_share, "share", "cluster.spot_share"),
    }
    peak = np.maximum(0.0, gpus_peak - base.accelerators * busy)
    based = (instances_mean - elastic) * gpus_per_instance * hours
    others = _other_lines(other_gpus or {}, hours, money, end)
    return [
        _line(INSTANCES, quantity, money, 0.0, end, terms),
        *others,
        *_idle_and_tail(quantity + _gpu_hours(others), peak, money, 0.0, end),
        spot_line(on_spot, money),
        *base_lines(based, money),
    ]


def _other_lines(other_gpus: Mapping[str, Array], hours: Array, money: MoneyInputs, end: Array) -> list[Line]:
    """One line for all other networks; none where there is none."""
    if not other_gpus:
        return []
    terms = {name: Term(gpus, "GPUs", "serving.other_models") for name, gpus in other_gpus.items()}
    terms[N_("hours")] = Term(hours, "h", "schedule.horizon_months")
    held = sum(other_gpus.values(), start=np.zeros(()))
    return [_line(OTHER_MODELS, held * hours, money, 0.0, end, terms)]


def batch_lines(run: BatchRun, accelerators: Array, money: MoneyInputs) -> list[Line]:
    """Lines of the accelerator hours an offline job buys; what it runs on idle hours is not among them."""
    hours, gpus = run.wall_s / SECONDS_PER_HOUR, run.instances * run.gpus_per_instance
    end = run.duration_h / HOURS_PER_DAY
    held = {
        N_("instances"): Term(run.instances, "instances"),
        N_("GPUs each"): Term(run.gpus_per_instance, "GPUs", "layout.tensor_parallel"),
    }
    interrupted = {N_("interruptions"): Term(run.interruptions, "interruptions")}
    parts: list[tuple[LineSpec, Array, dict[str, Term]]] = [
        (BATCH_RUN, run.useful_s, {N_("requests bought"): Term(run.requests_bought, "requests")}),
        (BATCH_START, run.start_s, {N_("cold start"): Term(run.start_s, "s", "serving.cold_start_s")}),
        (BATCH_REPEATED, run.repeated_s, interrupted),
    ]
    lines = []
    for spec, seconds, terms in parts:
        spent = {**held, N_("hours"): Term(seconds / SECONDS_PER_HOUR, "h"), **terms}
        lines.append(_line(spec, gpus * seconds / SECONDS_PER_HOUR, money, 0.0, end, spent))
    spare = {N_("GPUs"): Term(run.unused_gpus, "GPUs"), N_("hours"): Term(hours, "h")}
    lines.append(_line(BATCH_UNUSED, run.unused_gpus * hours, money, 0.0, end, spare))
    return [*lines, *_idle_and_tail(_gpu_hours(lines), accelerators, money, 0.0, end)]


def idle_hours_line(run: BatchRun) -> Line:
    """Hours of a fleet paid elsewhere that the job uses: they cost nothing here but draw power."""
    return Line(BATCH_RUN, run.idle_gpu_h, 0.0)


def _idle_and_tail(
    working: Array, committed_gpus: Array, money: MoneyInputs, start: Array, end: Array
) -> list[Line]:
    """Hours paid without work: idle shares, and a commitment that outlasts the work."""
    purchase = money.purchase
    idle = working * (1.0 / purchase.busy_share - 1.0)
    committed = committed_gpus * purchase.term_months * HOURS_PER_MONTH
    tail = np.where(purchase.reserved > 0, np.maximum(0.0, committed - working - idle), 0.0)
    idle_terms = {
        N_("working GPU-hours"): Term(working, GPU_HOURS),
        N_("busy share"): Term(purchase.busy_share, "share", "cluster.busy_share"),
    }
    tail_terms = {
        N_("accelerators"): Term(committed_gpus, "GPUs"),
        N_("term"): Term(purchase.term_months, "months", "cluster.commitment_term_months"),
        N_("paid GPU-hours"): Term(working + idle, GPU_HOURS),
    }
    term_end = np.maximum(end, purchase.term_months * DAYS_PER_MONTH)
    return [
        _line(IDLE, idle, money, start, end, idle_terms),
        _line(TAIL, tail, money, end, term_end, tail_terms),
    ]


def _line(
    spec: LineSpec, quantity: Array, money: MoneyInputs, start: Array, end: Array, terms: dict[str, Term]
) -> Line:
    purchase = money.purchase
    priced = {**terms, **_price_term(money)}
    return Line(spec, quantity, purchase.price_per_gpu_hour, priced, purchase.reserved, start, end)


def _price_term(money: MoneyInputs) -> dict[str, Term]:
    purchase = money.purchase
    return {
        N_("price"): Term(
            purchase.price_per_gpu_hour,
            "currency/GPU-h",
            "cluster.price_per_gpu_hour",
            purchase.price_source,
            purchase.price_date,
        )
    }

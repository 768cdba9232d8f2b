"""The one kernel: KernelInputs in, ledger lines and figures out, element-wise over rows.

The page, the optimiser, the rules, the Monte Carlo and the tornado all call `evaluate`; there is no second
formula for any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, FloatArray
from engine.cost.compute import TrainingUse, batch_lines, idle_hours_line, serving_lines, training_lines
from engine.cost.ledger import (
    DAYS_PER_MONTH,
    HOURS_PER_DAY,
    SECONDS_PER_HOUR,
    Line,
    total,
)
from engine.cost.overheads import overhead_lines, people_lines, tax_line
from engine.cost.storage import storage_lines
from engine.lowering import KernelInputs, ReliabilityPlan, ServiceInputs, TrainingInputs
from engine.performance.batch import BatchJob, BatchRun, run_batch_job
from engine.performance.feasibility import FEASIBLE, HOPELESS, layout_feasibility
from engine.performance.fleet import Fleet, Week, fleet_hours, requests_per_instance
from engine.performance.memory import TrainingMemory, training_memory
from engine.performance.queueing import availability_reached
from engine.performance.serving import TOO_FEW_INSTANCES, InstancePerformance, serve_instance
from engine.performance.serving_step import count_ranks
from engine.performance.training import TrainingStep, training_step
from engine.plan.money import Scope
from engine.reliability.availability import (
    Goodput,
    ReliabilityInputs,
    compute_goodput,
    find_optimal_interval_s,
)

Codes: TypeAlias = NDArray[np.int64] | FloatArray | float
"""Reason codes of rows; 0 is feasible."""

LEAST_GOODPUT = 1e-12
MEMORY_SHARE = 1.0
"""Share of usable memory a layout may fill; the memory model already adds the framework's own needs."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """Figures of a training run. Times in hours or seconds as named."""

    step: TrainingStep
    memory: TrainingMemory
    goodput: Goodput
    interval_s: Array
    checkpoints: Array
    useful_h: Array
    wall_h: Array
    preparation_days: Array
    tokens_per_s_per_gpu: Array
    feasible_code: Codes


@dataclass(frozen=True, slots=True)
class ServiceOutcome:
    """Figures of an online service. `availability` is the share of time in which enough instances work."""

    instance: InstancePerformance
    fleet: Fleet
    gpus_per_instance: Array
    availability: Array
    feasible_code: Codes
    others: tuple[OtherUse, ...] = ()

    @property
    def own_share(self) -> FloatArray:
        """Share of the fleet's accelerator hours that the first network has."""
        own = self.fleet.instances_mean * np.asarray(self.gpus_per_instance)
        return np.asarray(own / (own + sum((each.gpus_mean for each in self.others), start=np.zeros(()))))

    @property
    def gpus_peak(self) -> FloatArray:
        """Accelerators of the fleet at their most, all networks together."""
        own = self.fleet.instances_peak * np.asarray(self.gpus_per_instance)
        return np.asarray(own + sum((each.gpus_peak for each in self.others), start=np.zeros(())))


@dataclass(frozen=True, slots=True)
class OtherUse:
    """What another network takes of the fleet [GPUs]; its `feasible_code` as of a service of its own."""

    name: str
    gpus_mean: FloatArray
    gpus_peak: FloatArray
    feasible_code: Codes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one evaluation returns: lines, the total in scope [plan currency], hours, GPU-hours, figures."""

    lines: tuple[Line, ...]
    total: FloatArray
    duration_h: Array
    feasible_code: Codes
    training: TrainingOutcome | None = None
    service: ServiceOutcome | None = None
    batch: BatchRun | None = None

    @property
    def end_day(self) -> Array:
        """When the work ends, counted from the plan's start: experiments come before a training run."""
        run = self.duration_h / HOURS_PER_DAY
        return run if self.training is None else self.training.preparation_days + run


def evaluate(inputs: KernelInputs, scope: Scope) -> Outcome:
    """Price one plan or many rows of it. Infeasible rows carry a reason code and are still priced."""
    if inputs.training is not None:
        return _evaluate_training(inputs, inputs.training, scope)
    if inputs.batch is not None:
        return _evaluate_batch(inputs, inputs.batch, scope)
    assert inputs.service is not None
    return _evaluate_service(inputs, inputs.service, scope)


def _evaluate_training(inputs: KernelInputs, training: TrainingInputs, scope: Scope) -> Outcome:
    outcome = run_training(inputs, training)
    money, reliability = inputs.money, training.reliability
    goodput = outcome.goodput
    end_day = outcome.preparation_days + outcome.wall_h / HOURS_PER_DAY
    use = TrainingUse(
        accelerators=training.run.accelerator_count,
        spare_accelerators=reliability.spare_nodes * inputs.hardware.accelerators_per_node,
        useful_h=outcome.useful_h,
        wall_h=outcome.wall_h,
        rework_share=goodput.rework_share + goodput.restart_share + goodput.stalled_share,
        stall_share=goodput.checkpoint_share,
        tokens=training.tokens,
        tokens_per_s_per_gpu=outcome.tokens_per_s_per_gpu,
        preparation_days=outcome.preparation_days,
    )
    compute = training_lines(use, money)
    stored = storage_lines(
        money.storage,
        written=outcome.checkpoints,
        start_day=outcome.preparation_days,
        end_day=end_day,
        with_checkpoints=True,
    )
    lines = _complete(inputs, compute, stored, scope, end_day)
    return Outcome(tuple(lines), total(lines, scope), outcome.wall_h, outcome.feasible_code, training=outcome)


def _evaluate_service(inputs: KernelInputs, service: ServiceInputs, scope: Scope) -> Outcome:
    outcome = replace(run_service(inputs, service), others=_other_uses(inputs))
    money = inputs.money
    end_day = money.horizon_months * DAYS_PER_MONTH
    gpus = outcome.gpus_per_instance
    fleet = outcome.fleet
    others = {each.name: each.gpus_mean for each in outcome.others}
    compute = serving_lines(
        fleet.instances_mean, gpus, outcome.gpus_peak, money, fleet.instances_elastic, others
    )
    stored = storage_lines(money.storage, written=0.0, start_day=0.0, end_day=end_day, with_checkpoints=False)
    lines = _complete(inputs, compute, stored, scope, end_day)
    hours = end_day * HOURS_PER_DAY
    return Outcome(tuple(lines), total(lines, scope), hours, outcome.feasible_code, service=outcome)


def _other_uses(inputs: KernelInputs) -> tuple[OtherUse, ...]:
    """What the other networks on the fleet need, sized like the first."""
    uses = []
    for name, other in inputs.others:
        assert other.service is not None
        found = run_service(other, other.service)
        gpus = np.asarray(found.gpus_per_instance)
        mean, peak = found.fleet.instances_mean * gpus, found.fleet.instances_peak * gpus
        uses.append(OtherUse(name, mean, peak, found.feasible_code))
    return tuple(uses)


def _evaluate_batch(inputs: KernelInputs, job: BatchJob, scope: Scope) -> Outcome:
    run = run_batch_job(inputs.model, inputs.hardware, job)
    money, end_day = inputs.money, run.duration_h / HOURS_PER_DAY
    compute = batch_lines(run, job.accelerator_count, money)
    stored = storage_lines(money.storage, written=0.0, start_day=0.0, end_day=end_day, with_checkpoints=False)
    lines = _complete(inputs, compute, stored, scope, end_day, unpaid=[idle_hours_line(run)])
    return Outcome(tuple(lines), total(lines, scope), run.duration_h, run.feasible_code, batch=run)


def _complete(
    inputs: KernelInputs,
    compute: list[Line],
    stored: list[Line],
    scope: Scope,
    end_day: Array,
    unpaid: Sequence[Line] = (),
) -> list[Line]:
    """All lines; `unpaid` accelerator hours draw power and are no lines of the ledger."""
    money = inputs.money
    lines = [
        *compute,
        *stored,
        *people_lines(money.roles, end_day=end_day),
        *overhead_lines(money, [*compute, *unpaid], end_day=end_day),
    ]
    return [*lines, tax_line(money, lines, scope, end_day=end_day)]


def run_training(inputs: KernelInputs, training: TrainingInputs) -> TrainingOutcome:
    """Speed, memory, goodput and time of a training run."""
    run, hardware = training.run, inputs.hardware
    step, memory, codes = run_training_step(inputs, training, MEMORY_SHARE)
    speed = step.tokens_per_s_per_gpu / training.time_factor
    useful_s = training.tokens / (speed * run.accelerator_count)
    interval, goodput = resolve_goodput(
        training.reliability, run.accelerator_count, hardware.accelerators_per_node
    )
    # Below this goodput the time has no meaning; it stays finite and the run is called hopeless.
    wall_h = useful_s / SECONDS_PER_HOUR / np.maximum(goodput.goodput, LEAST_GOODPUT)
    codes = np.where((np.asarray(codes) == FEASIBLE) & (goodput.goodput < LEAST_GOODPUT), HOPELESS, codes)
    money = inputs.money
    trials_h = (
        useful_s
        / SECONDS_PER_HOUR
        * money.experiment_runs
        * money.experiment_run_share
        * (1.0 + money.experiment_rerun_share)
    )
    return TrainingOutcome(
        step=step,
        memory=memory,
        goodput=goodput,
        interval_s=interval,
        checkpoints=np.maximum(1.0, useful_s / interval),
        useful_h=useful_s / SECONDS_PER_HOUR,
        wall_h=wall_h,
        preparation_days=trials_h / HOURS_PER_DAY,
        tokens_per_s_per_gpu=speed,
        feasible_code=codes,
    )


def run_training_step(
    inputs: KernelInputs, training: TrainingInputs, memory_share: float
) -> tuple[TrainingStep, TrainingMemory, Codes]:
    """One step's time, one GPU's memory, and whether the layout is possible: what a layout search needs."""
    model, hardware, run, layout = inputs.model, inputs.hardware, training.run, training.layout
    step = training_step(model, hardware, layout, run, training.constants)
    memory = training_memory(model, layout, run, hardware, training.constants.memory)
    return step, memory, layout_feasibility(model, hardware, layout, run, memory.total_bytes, memory_share)


def resolve_goodput(
    reliability: ReliabilityPlan, count: Array, per_node: Array
) -> tuple[FloatArray, Goodput]:
    """Checkpoint interval (the optimum where it is left open) [s] and the goodput it gives."""
    is_async = reliability.checkpoint_async > 0
    inputs = ReliabilityInputs(
        failures_per_node_day=reliability.failures_per_node_day,
        node_count=np.ceil(np.asarray(count) / per_node),
        job_failures_per_hour=0.0,
        preemptions_per_node_hour=reliability.preemptions_per_node_hour,
        checkpoint_interval_s=1.0,
        checkpoint_write_s=np.where(is_async, reliability.checkpoint_stall_s, reliability.checkpoint_write_s),
        checkpoint_background_s=np.where(is_async, reliability.checkpoint_write_s, 0.0),
        checkpoint_async=reliability.checkpoint_async,
        slowdown_while_writing=0.0,
        restart_s=reliability.restart_s,
        downtime_s=reliability.detection_s,
        spare_nodes=reliability.spare_nodes,
        repair_s=0.0,
    )
    planned = np.asarray(reliability.checkpoint_interval_s, dtype=float)
    interval = np.where(np.isnan(planned), find_optimal_interval_s(inputs), planned)
    return interval, compute_goodput(replace(inputs, checkpoint_interval_s=interval))


def run_service(inputs: KernelInputs, service: ServiceInputs, *, keep_weeks: bool = False) -> ServiceOutcome:
    """Latency, throughput and fleet of an online service; with every month's week where asked for."""
    gpus = gpus_per_instance(service)
    purchase = inputs.money.purchase
    # A share of the committed hours is idle too, so that many fewer instances stand on the base.
    base = purchase.base.accelerators * purchase.busy_share / gpus
    instance = serve_instance(inputs.model, inputs.hardware, service.load, service.constants)
    real = replace(
        instance,
        requests_per_s_capacity=instance.requests_per_s_capacity * service.throughput_factor,
        prefill_requests_per_s=instance.prefill_requests_per_s * service.throughput_factor,
    )
    fleet = _size_fleet(inputs, service, real, base, keep_weeks)
    fixed = ~np.isnan(service.instances)
    peak = np.where(fixed, service.instances, fleet.instances_peak)
    # A fleet of fixed size has to carry the busiest hour.
    overloaded = (
        fixed
        & (np.asarray(instance.feasible_code) == FEASIBLE)
        & (fleet.hourly_requests_per_s.max(axis=-1) > service.instances * requests_per_instance(real))
    )
    return ServiceOutcome(
        instance=instance,
        fleet=_of_fixed_size(fleet, service.instances, base),
        gpus_per_instance=gpus,
        availability=availability_reached(
            needed=fleet.needed_peak,
            spares=peak - fleet.needed_peak,
            instance_availability=service.instance_availability,
        ),
        feasible_code=np.where(overloaded, TOO_FEW_INSTANCES, instance.feasible_code),
    )


def _size_fleet(
    inputs: KernelInputs,
    service: ServiceInputs,
    instance: InstancePerformance,
    base: Array,
    keep_weeks: bool,
) -> Fleet:
    return fleet_hours(
        service.load,
        instance,
        service.profile,
        constants=service.constants,
        peak_to_mean=service.peak_to_mean,
        growth_per_month=service.growth_per_month,
        horizon_months=inputs.money.horizon_months,
        autoscale=service.autoscale,
        cold_start_s=service.cold_start_s,
        spare_instances=service.spare_instances,
        headroom=service.headroom,
        # The plan's headroom already stands for peaks within the hour.
        burst=1.0,
        availability=service.availability,
        instance_availability=service.instance_availability,
        zones=service.zones,
        base_instances=base,
        keep_weeks=keep_weeks,
    )


def _of_fixed_size(fleet: Fleet, instances: Array, base: Array) -> Fleet:
    """The fleet with as many instances as the plan fixes, every hour; NaN leaves it as it was sized."""
    fixed = ~np.isnan(instances)
    mean = np.where(fixed, instances, fleet.instances_mean)
    return replace(
        fleet,
        instances_mean=mean,
        instances_peak=np.where(fixed, instances, fleet.instances_peak),
        utilisation_mean=fleet.utilisation_mean * fleet.instances_mean / np.maximum(mean, 1e-12),
        instances_elastic=np.where(fixed, np.maximum(instances - base, 0.0), fleet.instances_elastic),
        weeks=tuple(
            Week(week.months, np.where(np.isnan(instances), week.instances, instances))
            for week in fleet.weeks
        ),
    )


def gpus_per_instance(service: ServiceInputs) -> Array:
    """Accelerators an instance takes: the product of its parallel sizes, or a share of one."""
    return np.asarray(count_ranks(service.load) * service.accelerator_share)

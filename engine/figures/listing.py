"""Metrics and resources of an estimate, by the keys scripts rely on."""

from __future__ import annotations

import numpy as np

from engine.cost.compute import EVALUATION, EVALUATION_DAYS
from engine.cost.ledger import HOURS_PER_DAY
from engine.evaluation import Outcome
from engine.figures.batch import batch_figures
from engine.figures.common import (
    hours_of,
    working_gpu_hours,
)
from engine.figures.service import service_figures
from engine.figures.training import training_figures
from engine.lowering import KernelInputs
from engine.performance.batch import BatchRun
from engine.plan import Plan
from engine.plan.money import Scope
from engine.results import Metric, ResourceUse
from engine.text import N_
from engine.traces import known


def figure_list(inputs: KernelInputs, outcome: Outcome, scope: Scope) -> tuple[Metric, ...]:
    """Every figure of the estimate that is not a ledger line."""
    if outcome.training is not None:
        return training_figures(inputs, outcome, outcome.training, scope)
    if outcome.batch is not None:
        return batch_figures(inputs, outcome, outcome.batch)
    assert outcome.service is not None
    return service_figures(inputs, outcome, outcome.service)


def resource_list(plan: Plan, inputs: KernelInputs, outcome: Outcome) -> tuple[ResourceUse, ...]:
    """Average and peak need of accelerators, storage and people over the plan."""
    people = float(sum(role.fte for role in plan.people.roles))
    resources = [ResourceUse(resource=N_("People"), unit="FTE", average=people, peak=people)]
    if outcome.training is not None:
        assert inputs.training is not None
        training = outcome.training
        count = float(inputs.training.run.accelerator_count) + float(
            inputs.training.reliability.spare_nodes * inputs.hardware.accelerators_per_node
        )
        # Evaluation may ask for more accelerators at once than the run itself.
        evaluation = hours_of(outcome, EVALUATION) / (EVALUATION_DAYS * HOURS_PER_DAY)
        days = float(training.preparation_days + training.wall_h / HOURS_PER_DAY)
        # Evaluation follows the run; its hours and its days both count.
        days += EVALUATION_DAYS if float(inputs.money.evaluation_share) > 0 else 0.0
        average = working_gpu_hours(outcome) / max(days * HOURS_PER_DAY, 1e-9)
        kept = float(np.minimum(training.checkpoints, inputs.money.storage.checkpoints_kept))
        stored = float(inputs.money.storage.dataset_gb) + kept * float(inputs.money.storage.checkpoint_gb)
        half = float(inputs.money.storage.dataset_gb) + kept / 2 * float(inputs.money.storage.checkpoint_gb)
        resources += [
            ResourceUse(
                resource=N_("Accelerators"), unit="GPUs", average=average, peak=max(count, evaluation)
            ),
            ResourceUse(resource=N_("Storage"), unit="GB", average=half, peak=stored),
        ]
    elif outcome.batch is not None:
        resources += _batch_resources(inputs, outcome, outcome.batch)
    elif outcome.service is not None:
        gpus = float(outcome.service.gpus_per_instance)
        fleet = outcome.service.fleet
        resources.append(
            ResourceUse(
                resource=N_("Accelerators"),
                unit="GPUs",
                average=known(fleet.instances_mean * gpus / outcome.service.own_share),
                peak=known(outcome.service.gpus_peak),
            )
        )
    return tuple(resources)


def _batch_resources(inputs: KernelInputs, outcome: Outcome, run: BatchRun) -> list[ResourceUse]:
    """Accelerators bought, those of the other fleet in the mean, and what is stored."""
    assert inputs.batch is not None
    hours = max(float(run.duration_h), 1e-9)
    bought = known(inputs.batch.accelerator_count) if float(run.requests_bought) > 0.0 else 0.0
    found = [
        ResourceUse(
            resource=N_("Accelerators"),
            unit="GPUs",
            average=known(working_gpu_hours(outcome) / hours),
            peak=bought,
        )
    ]
    idle = known(run.idle_gpu_h / hours)
    if idle:
        found.append(ResourceUse(resource=N_("Idle accelerators used"), unit="GPUs", average=idle, peak=None))
    stored = float(inputs.money.storage.dataset_gb)
    if stored > 0.0:
        found.append(ResourceUse(resource=N_("Storage"), unit="GB", average=stored, peak=stored))
    return found
